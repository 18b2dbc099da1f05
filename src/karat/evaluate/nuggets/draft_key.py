"""Draft a key from what answers or passages say: their sentences, said once, in order, for people to edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from karat import __version__
from karat.evaluate.nuggets.drafting.llm_draft import llm_statements
from karat.evaluate.nuggets.drafting.meaning import best_sameness
from karat.evaluate.nuggets.drafting.notes import LISTED, contradiction_notes, draft_notes, reading_notes, unsure_notes
from karat.evaluate.nuggets.drafting.query_draft import KINDS, QueryDraft, plain_candidates
from karat.evaluate.nuggets.drafting.ranking import FEWEST_RUNS, MOST
from karat.evaluate.nuggets.drafting.reading import ReadText, analyzer, read_texts
from karat.evaluate.nuggets.drafting.sameness import Sameness
from karat.evaluate.nuggets.drafting.sentences.candidates import Candidate
from karat.evaluate.nuggets.drafting.sources import SourceKind, Sources, SourceText, sources_of
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.model import AnyRecord, Collection, Nug, Nugget, Query, Signature
from karat.model.identity import NuggetIds
from karat.model.result import Result
from karat.model.wording import number_of


@dataclass(frozen=True, repr=False)
class DraftKey(Result):
    """The nugs of a drafted key with their queries, and the nuggets that they were made from."""

    queries: tuple[Query, ...]
    nugs: tuple[Nug, ...]
    nuggets: tuple[Nugget, ...]
    notes: tuple[str, ...]
    signature: str

    def records(self) -> list[AnyRecord]:
        """The records of the key file: the queries and the nugs. Their nuggets go to another file."""
        return [*self.queries, *self.nugs]

    def rule(self) -> str:
        """How the importance was suggested, for people who check it."""
        most: dict[str, int] = {}
        for nug in self.nugs:
            most[nug.query_id] = max(most.get(nug.query_id, 0), *(nug.extra.get(kind, 0) for kind in KINDS.values()))
        single = [query for query, count in most.items() if count < FEWEST_RUNS]
        noun = "passage" if any(KINDS["passages"] in nug.extra for nug in self.nugs) else "run"
        third = f"only one {noun} says each: the first third is suggested as vital"
        if len(single) == len(most):
            return third[0].upper() + third[1:]
        half = (
            f"Suggested as vital are about half of the nugs per query, those that most {noun}s say (at least two); the "
            f"same number of {noun}s has the same importance, but what is far from the question is okay, and so is "
            f"what is contradicted unless twice as many {noun}s say it"
        )
        if not single:
            return half
        listed = f"{', '.join(single[:LISTED])}{' …' if len(single) > LISTED else ''}"
        return f"{half}. For {number_of(len(single), 'query')} ({listed}) {third}"

    def rows(self) -> list[AnyRecord]:
        """The same for a table, which holds only text beside a nug: `also` has the other descriptions; no members."""
        nugs = [
            replace(
                nug,
                descriptions=nug.descriptions[:1],
                members=(),
                extra={name: _cell(value) for name, value in nug.extra.items()}
                | ({"also": " | ".join(nug.descriptions[1:])} if nug.descriptions[1:] else {}),
            )
            for nug in self.nugs
        ]
        return [*self.queries, *nugs]


def draft_key(
    *inputs: Input,
    source: SourceKind = "auto",
    most: int | None = MOST,
    min_runs: int = 1,
    threshold: float | None = None,
    llm: bool = False,
    model: str | None = None,
    jobs: int = 1,
    on_error: OnError = "stop",
) -> DraftKey:
    """Draft a key from the answers of runs, or from passages, for people to edit.

    source: "answers" or "passages" (retrieved documents); "auto" takes answers if there are any. most: how many nugs to
    keep per query; None: all. min_runs: leave out nugs that fewer runs (or passages) say. threshold: how surely each of
    two sentences must contain what the other says to be one nug; None: 0.65 by meaning, where the semantic extra is
    installed, and 0.55 by words. llm: let the language model of `karat.llm(...)` write the nugs; one that no sentence
    of the texts says is left out. model: the spaCy model. jobs: how many processes work.

    >>> import karat
    >>> rows = [{"query_id": "q", "run_id": "atlas", "answer": "However, the storm destroyed 40 houses in Cusco [1]."}]
    >>> [nug.descriptions[0] for nug in karat.draft_key(rows).nugs]
    ['The storm destroyed 40 houses in Cusco.']
    """
    return draft_key_collection(
        load(*inputs, on_error=on_error),
        source=source,
        most=most,
        min_runs=min_runs,
        threshold=threshold,
        llm=llm,
        model=model,
        jobs=jobs,
    )


def draft_key_collection(
    collection: Collection,
    *,
    source: SourceKind = "auto",
    most: int | None = MOST,
    min_runs: int = 1,
    threshold: float | None = None,
    sameness: Sameness | None = None,
    llm: bool = False,
    model: str | None = None,
    jobs: int = 1,
    track: Callable[[Iterable[ReadText]], Iterable[ReadText]] | None = None,
) -> DraftKey:
    """The nugs of each query, made from the sentences of its answers or passages.

    A sentence is used whole, or split where that is safe (drafting/sentences/clauses.py), with names for pronouns where
    they are sure (pronouns.py there). What is a heading, talk about the answer, or unclear by itself is left out and
    counted. Sentences that contain each other become a nug (drafting/clusters.py). Nugs are ordered by the number of
    runs that say them, and have a suggested importance (drafting/ranking.py).
    sameness: what says whether one sentence contains another. llm: a language model writes the nugs from the same texts
    (drafting/llm_draft.py), and the sentences that say them are their members. track: wraps the stream of texts, to
    show progress.
    """
    sameness = sameness or best_sameness()
    threshold = sameness.near if threshold is None else threshold
    sources = sources_of(collection, source)
    ids = NuggetIds()
    chosen = {"threshold": threshold, "most": most, "min_runs": min_runs}
    drafts: dict[str, QueryDraft]
    nugs: list[Nug] = []
    if llm:
        by_query = _by_query(sources)
        drafted = llm_statements(by_query, most=most)
        drafts = {
            query_id: QueryDraft([(text, each) for text in texts for each in plain_candidates(text)], sources.kind, ids)
            for query_id, texts in by_query.items()
        }
        for query_id, draft in drafts.items():
            nugs += draft.traced(drafted.statements[query_id], sameness, **chosen)  # type: ignore[arg-type]
        notes, made_by = [*sources.notes, *drafted.notes], drafted.settings
    else:
        read = read_texts(sources.texts, model=model, jobs=jobs, track=track)
        said: dict[str, list[tuple[SourceText, Candidate]]] = {text.query_id: [] for text in sources.texts}
        for text, result in zip(sources.texts, read, strict=True):
            said[text.query_id] += [(text, candidate) for candidate in result.candidates]
        drafts = {query_id: QueryDraft(pairs, sources.kind, ids) for query_id, pairs in said.items()}
        for draft in drafts.values():
            nugs += draft.nugs(sameness, **chosen)  # type: ignore[arg-type]
        notes, made_by = reading_notes(sources, read), analyzer(model).signature()
    with_nugs = {nug.query_id for nug in nugs}
    queries = tuple(query for query in collection.queries if query.query_id in with_nugs)
    nuggets = tuple(nugget for draft in drafts.values() for nugget in draft.nuggets)
    notes += draft_notes(drafts.values(), [query for query in drafts if query not in with_nugs], most=most)
    notes += [*unsure_notes(nugs), *contradiction_notes(nugs)]
    settings = {
        "judge": sameness.signature(),
        "threshold": f"{threshold:g}",
        "source": sources.kind,
        "max": str(most or "all"),
        "min_runs": str(min_runs),
        **made_by,
        "v": __version__,
    }
    return DraftKey(queries, tuple(nugs), nuggets, tuple(notes), str(Signature("draft-key", settings)))


def _by_query(sources: Sources) -> dict[str, list[SourceText]]:
    by_query: dict[str, list[SourceText]] = {}
    for text in sources.texts:
        by_query.setdefault(text.query_id, []).append(text)
    return by_query


def _cell(value: object) -> str:
    """A value as a table shows it."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "yes" if value is True else str(value)
