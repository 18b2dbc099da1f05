"""A draft of a key from the runs themselves: nuggets of all responses, brought together as nugs for people to edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from karat.evaluate.nuggets.nuggetize import Choices, NuggetizedPassage, nugget_records, nuggetize_passages
from karat.evaluate.nuggets.passages import passages_of
from karat.model import AnyRecord, Collection, Member, Nug, Nugget, Query, UsageError
from karat.model.wording import number_of
from karat.nuggetizer.clustering import Cluster, cluster_sentences
from karat.text.words import LEADING_PRONOUNS, content_words, words

CLAUSE_TYPES = ("TITLE", "EVT", "STM")
"""What a draft of clauses is made of: what happened, with its when, where and how; and who is what."""
NUGGET_TYPES = ("TITLE", "NUM", "EVT", "TMP", "LOC", "MOD", "STM")
"""What a draft of nuggets is made of, each a fact of its own."""
Grain = Literal["clause", "nugget"]
MOST_DESCRIPTIONS = 3
FEWEST_WORDS = 2
"""Content words that a description needs."""


@dataclass(frozen=True)
class Draft:
    """A key in draft, with the nuggets it came from."""

    nugs: tuple[Nug, ...]
    nuggets: tuple[Nugget, ...]
    notes: tuple[str, ...]


def draft_key(
    collection: Collection,
    *,
    choices: Choices | None = None,
    grain: Grain = "clause",
    threshold: float = 0.55,
    min_runs: int = 1,
    jobs: int = 1,
    track: Callable[[Iterable[NuggetizedPassage]], Iterable[NuggetizedPassage]] | None = None,
) -> Draft:
    """Nugs of each query from the nuggets of all its responses.

    grain: a nug is a clause, an event with its times, places and manner, or each of these is a nug of its own. What is
    said in no full sentence (no subject, no finite verb) makes none. Sentences of one query that say nearly the same
    make a nug, whose first description is the middle one. Nugs come with the number of runs that have them, most first;
    those of fewer than min_runs are left out, and so are sentences whose subject is a pronoun, unless they agree with
    one that names it.
    """
    if not collection.responses:
        raise UsageError("there are no responses to draft a key from")
    types = CLAUSE_TYPES if grain == "clause" else NUGGET_TYPES
    choices = msgspec.structs.replace(choices or Choices(types=types), paraphrase=True)
    nuggetized = nuggetize_passages(passages_of(collection), choices=choices, jobs=jobs)
    results = list(track(nuggetized) if track is not None else nuggetized)
    by_query: dict[str, list[Nugget]] = {response.query_id: [] for response in collection.responses}
    for nugget in nugget_records(_said_in_full(results, grain)):
        by_query[nugget.query_id].append(nugget)
    notes: dict[str, None] = dict.fromkeys(note for snippet in results for note in snippet.result.notes)
    unnamed = sum(_is_unnamed(nugget.paraphrase or "") for nuggets in by_query.values() for nugget in nuggets)
    if unnamed:
        left_out = f"{number_of(unnamed, 'nugget')} about 'he', 'it' and the like left out, where nobody names them"
        notes[left_out] = None
    nugs: list[Nug] = []
    kept: list[Nugget] = []
    for query_id, nuggets in by_query.items():
        query_nugs = _nugs(query_id, nuggets, threshold=threshold, min_runs=min_runs)
        used = {member.nugget_id for nug in query_nugs for member in nug.members}
        nugs += query_nugs
        kept += [nugget for nugget in nuggets if nugget.nugget_id in used]
    return Draft(tuple(nugs), tuple(kept), tuple(notes))


def _said_in_full(results: Iterable[NuggetizedPassage], grain: Grain) -> Iterator[NuggetizedPassage]:
    """The nuggets that make full sentences, said by them."""
    for snippet in results:
        kept = [nugget for nugget in snippet.result.nuggets if nugget.clause is not None]
        if grain == "clause":
            kept = [msgspec.structs.replace(nugget, paraphrase=nugget.clause) for nugget in kept]
        yield msgspec.structs.replace(snippet, result=msgspec.structs.replace(snippet.result, nuggets=tuple(kept)))


def _nugs(query_id: str, nuggets: list[Nugget], *, threshold: float, min_runs: int) -> list[Nug]:
    """Nugs of one query; what happens, when, where, how many and how are different things to know."""
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
    """What a nugget tells of; a statement is something that happens."""
    return "EVT" if nugget.type == "STM" else nugget.type or ""


def _said_once(nuggets: list[Nugget]) -> list[Nugget]:
    """Those with enough words; of nuggets of one snippet with the same sentence (an event and its place) the first."""
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
    """The middle sentence first, then other wordings; a sentence about 'he' or 'it' says nothing by itself."""
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


def key_with_queries(draft: Draft, collection: Collection) -> list[AnyRecord]:
    """The nugs with the queries they are of; the nuggets behind them belong into a file of their own."""
    drafted = {nug.query_id for nug in draft.nugs}
    queries: list[Query] = [query for query in collection.queries if query.query_id in drafted]
    return [*queries, *draft.nugs]
