"""Draft a key from the runs themselves: the nuggets of all responses are grouped to nugs, which people then edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import msgspec

from karat.evaluate.nuggets.input_snippets import snippets_of_responses
from karat.evaluate.nuggets.nuggetize import (
    Choices,
    NuggetizedSnippet,
    SnippetNotes,
    nugget_records,
    nuggetize_snippets,
)
from karat.formats import load
from karat.formats.reading import Input, OnError
from karat.model import AnyRecord, Collection, Member, Nug, Nugget, Query, UsageError
from karat.model.result import Result
from karat.model.wording import number_of
from karat.nuggetizer.clustering import Cluster, cluster_sentences
from karat.nuggetizer.nuggetizer import RuleSet
from karat.text.words import LEADING_PRONOUNS, content_words, words

CLAUSE_TYPES = ("TITLE", "EVT", "STM")
"""Types that a draft of clauses is made of: what happened, with its when, where and how; and who has which title."""
NUGGET_TYPES = ("TITLE", "NUM", "EVT", "TMP", "LOC", "MOD", "STM")
"""Types that a draft of single nuggets is made of."""
Grain = Literal["clause", "nugget"]
MOST_DESCRIPTIONS = 3
FEWEST_WORDS = 2
"""How many content words a description needs at least."""


@dataclass(frozen=True, repr=False)
class DraftKey(Result):
    """The nugs of a drafted key with their queries, and the nuggets that they were made from."""

    queries: tuple[Query, ...]
    nugs: tuple[Nug, ...]
    nuggets: tuple[Nugget, ...]
    notes: tuple[str, ...]

    def records(self) -> list[AnyRecord]:
        """The records of the key file: the queries and the nugs. Their nuggets go to another file."""
        return [*self.queries, *self.nugs]


def draft_key(
    *inputs: Input,
    grain: Grain = "clause",
    types: str | Iterable[str] | None = None,
    template: str | None = None,
    rules: RuleSet = "auto",
    threshold: float = 0.55,
    min_runs: int = 1,
    model: str | None = None,
    jobs: int = 1,
    on_error: OnError = "stop",
) -> DraftKey:
    """Draft a key from the responses of runs, for people to edit.

    grain: "clause" makes a nug of a clause (an event with its times, places and manner), "nugget" of each of these.
    types: the types of nuggets to draft from. template, rules, model, jobs: as in `nuggetize`. threshold: how similar
    the nuggets of one nug must be. min_runs: leave out nugs that fewer runs say.

    >>> import karat
    >>> rows = [{"query_id": "q", "run_id": "atlas", "answer": "The storm destroyed 40 houses in Cusco."}]
    >>> [nug.descriptions[0] for nug in karat.draft_key(rows).nugs]
    ['The storm destroyed 40 houses in Cusco.']
    """
    wanted = types.split(",") if isinstance(types, str) else types
    choices = Choices(
        rules=rules,
        types=tuple(wanted) if wanted is not None else types_of(grain),
        template=template,
        model=model,
    )
    return draft_key_collection(
        load(*inputs, on_error=on_error),
        choices=choices,
        grain=grain,
        threshold=threshold,
        min_runs=min_runs,
        jobs=jobs,
    )


def types_of(grain: Grain) -> tuple[str, ...]:
    """The types of nuggets that a draft is made from where none are named."""
    if grain not in get_args(Grain):
        raise UsageError(f"grain={grain!r} is not one of {', '.join(get_args(Grain))}")
    return CLAUSE_TYPES if grain == "clause" else NUGGET_TYPES


def draft_key_collection(
    collection: Collection,
    *,
    choices: Choices | None = None,
    grain: Grain = "clause",
    threshold: float = 0.55,
    min_runs: int = 1,
    jobs: int = 1,
    track: Callable[[Iterable[NuggetizedSnippet]], Iterable[NuggetizedSnippet]] | None = None,
) -> DraftKey:
    """The nugs of each query, made from the nuggets of all its responses.

    Nuggets are written as sentences; those that make no full sentence (no subject, no finite verb) are left out.
    Sentences of one query that say nearly the same become a nug. Its first description is the sentence that is most
    like the others. Each nug has the number of runs that say it, and nugs that most runs say come first. A nug is left
    out if all its sentences begin with a pronoun.
    grain: "clause" makes a nug of a clause (an event with its times, places and manner), "nugget" of each of these.
    min_runs: leave out nugs that fewer runs say.
    track: wraps the stream of nuggetized snippets, to show progress.
    """
    if not collection.responses:
        raise UsageError("the files have no responses: a key is drafted from the responses of runs")
    choices = msgspec.structs.replace(choices or Choices(types=types_of(grain)), paraphrase=True)
    nuggetized = nuggetize_snippets(snippets_of_responses(collection), choices=choices, jobs=jobs)
    results = list(track(nuggetized) if track is not None else nuggetized)
    by_query: dict[str, list[Nugget]] = {response.query_id: [] for response in collection.responses}
    for nugget in nugget_records(_said_in_full(results, grain)):
        by_query[nugget.query_id].append(nugget)
    notes = SnippetNotes(results).lines()
    unnamed = sum(_is_unnamed(nugget.paraphrase or "") for nuggets in by_query.values() for nugget in nuggets)
    if unnamed:
        notes.append(
            f"{number_of(unnamed, 'nugget')} {'begins' if unnamed == 1 else 'begin'} with a pronoun ('he', 'it'): "
            "no description is made from them, and nugs with nothing else are left out"
        )
    nugs: list[Nug] = []
    kept: list[Nugget] = []
    for query_id, nuggets in by_query.items():
        query_nugs = _nugs(query_id, nuggets, threshold=threshold, min_runs=min_runs)
        used = {member.nugget_id for nug in query_nugs for member in nug.members}
        nugs += query_nugs
        kept += [nugget for nugget in nuggets if nugget.nugget_id in used]
    drafted = {nug.query_id for nug in nugs}
    queries = tuple(query for query in collection.queries if query.query_id in drafted)
    return DraftKey(queries, tuple(nugs), tuple(kept), tuple(notes))


def _said_in_full(results: Iterable[NuggetizedSnippet], grain: Grain) -> Iterator[NuggetizedSnippet]:
    """Only the nuggets that make a full sentence, with that sentence as paraphrase."""
    for snippet in results:
        kept = [nugget for nugget in snippet.result.nuggets if nugget.clause is not None]
        if grain == "clause":
            kept = [msgspec.structs.replace(nugget, paraphrase=nugget.clause) for nugget in kept]
        yield msgspec.structs.replace(snippet, result=msgspec.structs.replace(snippet.result, nuggets=tuple(kept)))


def _nugs(query_id: str, nuggets: list[Nugget], *, threshold: float, min_runs: int) -> list[Nug]:
    """The nugs of one query. Only nuggets of one kind (events, times, places, ...) can be one nug."""
    drafted: list[tuple[int, int, tuple[str, ...], tuple[Member, ...], str]] = []
    usable = _said_once(nuggets)
    for kind in dict.fromkeys(_family(nugget) for nugget in usable):
        family = [nugget for nugget in usable if _family(nugget) == kind]
        for cluster in cluster_sentences([nugget.paraphrase or "" for nugget in family], threshold=threshold):
            runs = {family[at].run_id for at in cluster.members}
            descriptions = _descriptions(cluster, family)
            members = tuple(
                Member(nugget_id=family[at].nugget_id, degree=degree)
                for at, degree in zip(cluster.members, cluster.degrees, strict=True)
            )
            if len(runs) >= min_runs and descriptions:
                place = usable.index(family[min(cluster.members)])
                drafted.append((-len(runs), place, descriptions, members, kind))
    return [
        Nug(
            query_id=query_id,
            nug_id=f"d{number}",
            descriptions=descriptions,
            members=members,
            extra={"runs": -runs, "type": kind},
        )
        for number, (runs, _, descriptions, members, kind) in enumerate(sorted(drafted, key=lambda entry: entry[:2]), 1)
    ]


def _family(nugget: Nugget) -> str:
    """The kind of a nugget: its type; a statement counts as an event."""
    return "EVT" if nugget.type == "STM" else nugget.type or ""


def _said_once(nuggets: list[Nugget]) -> list[Nugget]:
    """Only nuggets with enough words; of those in a snippet with the same sentence only one, an EVT if there is one."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for nugget in sorted(nuggets, key=lambda nugget: nugget.type != "EVT"):
        said = (nugget.run_id, nugget.snippet_id, nugget.paraphrase or "")
        if said not in seen and len(content_words(said[2])) >= FEWEST_WORDS:
            seen.add(said)
            kept.append(nugget)
    order = {nugget.nugget_id: at for at, nugget in enumerate(nuggets)}
    return sorted(kept, key=lambda nugget: order[nugget.nugget_id])


def _descriptions(cluster: Cluster, nuggets: list[Nugget]) -> tuple[str, ...]:
    """The medoid first, then other wordings; sentences that begin with a pronoun say nothing by themselves."""
    order = [
        cluster.medoid,
        *(at for at, degree in zip(cluster.members, cluster.degrees, strict=True) if degree == 1.0),
    ]
    texts = dict.fromkeys(nuggets[at].paraphrase or "" for at in order)
    named = [text for text in texts if not _is_unnamed(text)]
    return tuple(named[:MOST_DESCRIPTIONS])


def _is_unnamed(sentence: str) -> bool:
    """Whether a sentence begins with a pronoun."""
    return (words(sentence) or [""])[0] in LEADING_PRONOUNS | {"i", "we", "you"}
