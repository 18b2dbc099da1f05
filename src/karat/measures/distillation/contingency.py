"""Contingency tables of one response: what it has right, wrong and missing (White et al. 2008, section 5).

For nug k with relevance R (1 where the key gives none) and D the degree of membership of the run's best nugget in it:

    right   = sum of R D
    wrong   = sum of (1 - R) D + redundant + estimate for un-nuggetized text
    missing = sum of R (1 - D)
    other   = sum of (1 - R)(1 - D) + estimate for the corpus

redundant sums the degrees of the run's further nuggets in a nug. So a nug adds exactly one count, and redundant nuggets
add theirs to wrong. The estimates are added by the measures, once per table, of a query or pooled; here only the
characters are counted. World knowledge (Babko-Malaya 2008, section 4): a run is credited for a nug that needs it, but
misses nothing where it does not have the nug, or has only a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from karat.measures.cases.case import Case, Pool
from karat.measures.cases.response_text import Charge, beyond, charged_chars, is_nuggetized
from karat.model import Nug


class Table(msgspec.Struct, frozen=True):
    """Counts of one response, or of one nug in it; they add up."""

    right: float = 0.0
    wrong: float = 0.0
    missing: float = 0.0
    other: float = 0.0
    chars: float = 0.0
    """Characters, white space not counted, of text that is charged as wrong by the character."""
    repeated: float = 0.0
    """Nuggets that count as right though the run has said them before; only by the rules of 2012."""
    counted: float = 0.0
    """How many nugs (2012: nuggets of all runs) were looked at; where there are none every score is undefined."""

    def __add__(self, other: Table) -> Table:
        mine, theirs = msgspec.structs.astuple(self), msgspec.structs.astuple(other)
        return Table(*(left + right for left, right in zip(mine, theirs, strict=True)))


def contingency(case: Case, *, charge: Charge = "irrelevant", words: int = 0) -> Table:
    """The table of a response: its nugs' together, and the characters charged as wrong."""
    tables = nug_tables(case, words=words)
    if not tables:
        return Table()
    return sum(tables.values(), Table(chars=charged_chars(case, charge=charge, words=words)))


def nug_degrees(case: Case, *, words: int = 0) -> dict[str, list[float]]:
    """The degrees of the run's nuggets in each nug.

    Where the nugs of the query have no members, or the run was judged and not nuggetized, they are the judgements', and
    nothing is known to be redundant; nugs that nobody judged are left out.
    """
    if is_nuggetized(case):
        return {nug_id: [*members.values()] for nug_id, members in memberships(case, words=words).items()}
    return {nug_id: [credit] for nug_id, credit in case.lenient.credits.items()}


def redundancy(degrees: Iterable[float]) -> float:
    """The part of #Wrong that is redundant: the degrees of all nuggets in a nug but the best."""
    return sum(sorted(degrees, reverse=True)[1:])


def nug_tables(case: Case, *, words: int = 0) -> dict[str, Table]:
    """What each nug adds to the table (the paper's Table 3), from the degrees of the run's nuggets in it."""
    degrees = nug_degrees(case, words=words)
    return {
        nug.nug_id: nug_table(
            1.0 if nug.relevance is None else nug.relevance,
            degrees[nug.nug_id],
            world_knowledge=takes_world_knowledge(nug, case.pool),
        )
        for nug in case.pool.whole_nugs
        if nug.nug_id in degrees
    }


def nug_table(relevance: float, degrees: Iterable[float], *, world_knowledge: bool = False) -> Table:
    """What one nug adds, given the degrees of all nuggets of the run in it.

    >>> nug_table(0.5, [1.0, 0.5])
    Table(right=0.5, wrong=1.0, missing=0.0, other=0.0, chars=0.0, repeated=0.0, counted=1.0)
    """
    best, *redundant = sorted(degrees, reverse=True) or [0.0]
    return Table(
        right=relevance * best,
        wrong=(1 - relevance) * best + sum(redundant),
        missing=0.0 if world_knowledge else relevance * (1 - best),
        other=(1 - relevance) * (1 - best),
        counted=1.0,
    )


def memberships(case: Case, *, words: int = 0) -> dict[str, dict[str, float]]:
    """For every nug the run's own nuggets in it, with their degrees.

    With `words`, nuggets that start after that many words of their response are not counted, and a nug all of whose
    nuggets, of any run, lie there does not exist for anybody. A nug of which only the parts have members is left out.
    """
    of_run = {nugget.nugget_id for nugget in case.nuggets}
    late = beyond(case, words=words)
    parents = {nug.parent for nug in case.pool.nugs}
    by_nug: dict[str, dict[str, float]] = {}
    for nug in case.pool.whole_nugs:
        members = {member.nugget_id: member.degree for member in nug.members if member.nugget_id not in late}
        if members or (not nug.members and nug.nug_id not in parents):
            by_nug[nug.nug_id] = {nugget_id: degree for nugget_id, degree in members.items() if nugget_id in of_run}
    return by_nug


def takes_world_knowledge(nug: Nug, pool: Pool) -> bool:
    """Whether the nug, or a nugget of any run in it, is marked so."""
    if nug.world_knowledge:
        return True
    members = (pool.nugget_by_id.get(member.nugget_id) for member in nug.members)
    return any(nugget is not None and bool(nugget.world_knowledge) for nugget in members)
