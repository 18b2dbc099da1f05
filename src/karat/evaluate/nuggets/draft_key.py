"""Draft a key from what answers or passages say: their sentences, said once, in order, for people to edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from karat import __version__
from karat.evaluate.nuggets.drafting.clusters import cluster, penalty_of
from karat.evaluate.nuggets.drafting.conflicts import contradictions, other_numbers
from karat.evaluate.nuggets.drafting.meaning import best_sameness
from karat.evaluate.nuggets.drafting.notes import LISTED, contradiction_notes, reading_notes
from karat.evaluate.nuggets.drafting.ranking import FEWEST_RUNS, MOST, RankedCluster, rank
from karat.evaluate.nuggets.drafting.reading import ReadText, analyzer, read_texts
from karat.evaluate.nuggets.drafting.sameness import Sameness
from karat.evaluate.nuggets.drafting.sentences.candidates import Candidate
from karat.evaluate.nuggets.drafting.sources import SourceKind, SourceText, sources_of
from karat.formats import load
from karat.formats.reading import Input, OnError
from karat.model import AnyRecord, Collection, Member, Nug, Nugget, Query, Signature
from karat.model.identity import NuggetIds
from karat.model.result import Result
from karat.model.wording import number_of

MOST_DESCRIPTIONS = 3
KINDS = {"answers": "runs", "passages": "passages"}
"""What is counted, by what a key is drafted from."""


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
    model: str | None = None,
    jobs: int = 1,
    on_error: OnError = "stop",
) -> DraftKey:
    """Draft a key from the answers of runs, or from passages, for people to edit.

    source: "answers" or "passages" (retrieved documents); "auto" takes answers if there are any. most: how many nugs to
    keep per query; None: all. min_runs: leave out nugs that fewer runs (or passages) say. threshold: how surely each of
    two sentences must contain what the other says to be one nug; None: 0.65 by meaning, where the semantic extra is
    installed, and 0.55 by words. model: the spaCy model. jobs: how many processes work.

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
    model: str | None = None,
    jobs: int = 1,
    track: Callable[[Iterable[ReadText]], Iterable[ReadText]] | None = None,
) -> DraftKey:
    """The nugs of each query, made from the sentences of its answers or passages.

    A sentence is used whole, or split where that is safe (drafting/sentences/clauses.py), with names for pronouns where
    they are sure (pronouns.py there). What is a heading, talk about the answer, or unclear by itself is left out and
    counted. Sentences that contain each other become a nug (drafting/clusters.py). Nugs are ordered by the number of
    runs that say them, and have a suggested importance (drafting/ranking.py).
    sameness: what says whether one sentence contains another. track: wraps the stream of texts, to show progress.
    """
    sameness = sameness or best_sameness()
    threshold = sameness.near if threshold is None else threshold
    sources = sources_of(collection, source)
    read = read_texts(sources.texts, model=model, jobs=jobs, track=track)
    nugs: list[Nug] = []
    nuggets: list[Nugget] = []
    ids = NuggetIds()
    cut = unrelated = 0
    by_query: dict[str, list[tuple[SourceText, Candidate]]] = {text.query_id: [] for text in sources.texts}
    for text, result in zip(sources.texts, read, strict=True):
        by_query[text.query_id] += [(text, candidate) for candidate in result.candidates]
    for said in by_query.values():
        drafted = _QueryDraft(said, sources.kind, ids)
        nugs += drafted.nugs(sameness, threshold=threshold, most=most, min_runs=min_runs)
        nuggets += drafted.nuggets
        cut += drafted.cut
        unrelated += drafted.unrelated
    with_nugs = {nug.query_id for nug in nugs}
    queries = tuple(query for query in collection.queries if query.query_id in with_nugs)
    notes = reading_notes(sources, read, [query for query in by_query if query not in with_nugs])
    if unrelated:
        notes.append(f"{number_of(unrelated, 'nug')} that only one run says left out: not about the question")
    if cut:
        notes.append(f"{number_of(cut, 'nug')} left out: --max {most} keeps those that together say the most per query")
    notes += contradiction_notes(nugs)
    settings = {
        "judge": sameness.signature(),
        "threshold": f"{threshold:g}",
        "source": sources.kind,
        "max": str(most or "all"),
        "min_runs": str(min_runs),
        **analyzer(model).signature(),
        "v": __version__,
    }
    return DraftKey(queries, tuple(nugs), tuple(nuggets), tuple(notes), str(Signature("draft-key", settings)))


class _QueryDraft:
    """The nugs of one query."""

    def __init__(self, said: Sequence[tuple[SourceText, Candidate]], kind: str, ids: NuggetIds) -> None:
        self.kind = KINDS[kind]
        self.query_id = said[0][0].query_id if said else ""
        self.question = said[0][0].question if said else ""
        self.by_text: dict[str, list[tuple[SourceText, Candidate]]] = {}
        for text, candidate in said:
            self.by_text.setdefault(candidate.text, []).append((text, candidate))
        self.nuggets: list[Nugget] = []
        self.cut = self.unrelated = 0
        self._ids = ids

    def nugs(self, sameness: Sameness, *, threshold: float, most: int | None, min_runs: int) -> list[Nug]:
        if not self.by_text:
            return []
        sentences = list(self.by_text)
        firsts = [self.by_text[sentence][0][1] for sentence in sentences]
        contains = sameness.contains(sentences, self.question)
        conflicts = contradictions(sentences)
        contains[conflicts | other_numbers(sentences)] = 0.0
        clusters = cluster(
            contains,
            threshold=threshold,
            conflicts=conflicts,
            penalty=[
                penalty_of(
                    candidate.text,
                    is_changed=candidate.is_changed,
                    sentences=1 + candidate.is_joined,
                    is_order=candidate.is_order,
                )
                for candidate in firsts
            ],
        )
        ranking = rank(
            clusters,
            contains=contains,
            said_by=[[text.said_by for text, _ in self.by_text[sentence]] for sentence in sentences],
            places=[candidate.place for candidate in firsts],
            relatedness=sameness.relatedness(sentences, self.question, contains),
            far=sameness.far,
            threshold=threshold,
            min_runs=min_runs,
            most=most,
            conflicts=conflicts,
        )
        self.cut, self.unrelated = ranking.cut, ranking.unrelated
        return self._written(ranking.kept, sentences)

    def _written(self, ranked: Sequence[RankedCluster], sentences: Sequence[str]) -> list[Nug]:
        nugget_ids = self._nuggets({at for entry in ranked for at in entry.cluster.members}, sentences)
        return [
            Nug(
                query_id=self.query_id,
                nug_id=f"d{number}",
                descriptions=self._descriptions(entry, sentences),
                importance=entry.importance,
                members=tuple(
                    Member(nugget_id=nugget_id, degree=degree)
                    for at, degree in zip(entry.cluster.members, entry.cluster.degrees, strict=True)
                    for nugget_id in nugget_ids[at]
                ),
                extra={self.kind: len(entry.runs), "suggested": True}
                | ({"contradicts": [f"d{other + 1}" for other in entry.contradicts]} if entry.contradicts else {}),
            )
            for number, entry in enumerate(ranked, 1)
        ]

    def _descriptions(self, entry: RankedCluster, sentences: Sequence[str]) -> tuple[str, ...]:
        """The clearest sentence first, then others that say the same in one sentence."""
        first, *others = (sentences[at] for at in entry.cluster.equals)
        single = [text for text in others if not self.by_text[text][0][1].is_joined]
        return (first, *single[: MOST_DESCRIPTIONS - 1])

    def _nuggets(self, used: set[int], sentences: Sequence[str]) -> dict[int, list[str]]:
        """The nuggets of the sentences that are used; their ids by the number of the sentence."""
        nugget_ids: dict[int, list[str]] = {}
        for at in sorted(used):
            for text, candidate in self.by_text[sentences[at]]:
                nugget = self._ids.named(
                    Nugget(
                        nugget_id="",
                        query_id=text.query_id,
                        run_id=text.run_id,
                        snippet_id=text.snippets[candidate.snippet][0],
                        spans=candidate.spans,
                        paraphrase=candidate.text,
                        source="auto",
                        rule="draft-key",
                    )
                )
                self.nuggets.append(nugget)
                nugget_ids.setdefault(at, []).append(nugget.nugget_id)
        return nugget_ids


def _cell(value: object) -> str:
    """A value as a table shows it."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "yes" if value is True else str(value)
