"""From records to ratings: who said what about which unit.

A sheet holds the ratings of each rater by unit. A unit is a tuple of ids that begins with the query's. Of two records
of one rater about one unit the first counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.model import CitationJudgement, Judgement, Nug, Nugget, Record, Relevance, Vote
from karat.model.identity import citation_units

Unit = tuple[str, ...]
T = TypeVar("T")
R = TypeVar("R", bound=Record)
Sheet = dict[str, dict[Unit, T]]
"""Ratings by rater and unit."""

IMPORTANCE = {"okay": 0.0, "vital": 1.0}
RELEVANCE = {"irrelevant": 0.0, "relevant": 1.0, "redundant": 2.0}
SUPPORT = {"none": 0.0, "partial": 0.5, "full": 1.0}


class Ratings(msgspec.Struct, frozen=True, kw_only=True):
    """A sheet as a matrix: one row per unit, one column per rater, NaN where there is no rating."""

    matrix: NDArray[np.float64]
    units: tuple[Unit, ...]
    raters: tuple[str, ...]


def vote_sheet(votes: Iterable[Vote]) -> Sheet[float]:
    """What each assessor voted on each nug: okay 0, vital 1, or the grade. Each occasion is a separate rater."""
    return _sheet(votes, _voter, lambda vote: (vote.query_id, vote.nug_id), _vote_value)


def repeated_vote_sheet(votes: Iterable[Vote]) -> Sheet[float]:
    """The same by occasion, a unit being a nug and an assessor: how far assessors agree with themselves."""
    return _sheet(
        votes, lambda vote: vote.occasion or "", lambda vote: (vote.query_id, vote.nug_id, vote.assessor), _vote_value
    )


def judgement_sheet(judgements: Iterable[Judgement]) -> Sheet[float]:
    """The degree that each judge (and assessor) gave; from probabilities the expected one. Failed: no rating."""
    return _sheet(
        judgements,
        lambda judgement: judgement.judge if judgement.assessor is None else f"{judgement.judge}/{judgement.assessor}",
        lambda judgement: (judgement.query_id, judgement.run_id, judgement.snippet_id or "", judgement.nug_id),
        _degree,
    )


def relevance_sheet(relevances: Iterable[Relevance]) -> Sheet[float]:
    """Irrelevant 0, relevant 1, redundant 2."""
    return _sheet(
        relevances,
        lambda relevance: relevance.assessor,
        lambda relevance: (relevance.query_id, relevance.run_id, relevance.snippet_id),
        lambda relevance: RELEVANCE[relevance.label],
    )


def citation_sheet(judgements: Iterable[CitationJudgement]) -> Sheet[float]:
    """No support 0, partial 1/2, full 1. A document that was missing could not be rated.

    Two citations of one document are two units where all raters say which one they judged (`citation_id`).
    """
    judgements = list(judgements)
    return _sheet(
        judgements,
        lambda judgement: judgement.assessor,
        citation_units(judgements),
        lambda judgement: SUPPORT.get(judgement.support),
    )


def nug_classes(nugs: Iterable[Nug], nuggets: Mapping[Unit, Nugget] = MappingProxyType({})) -> dict[Unit, str]:
    """The nug of every nugget. Of several nugs the one to which it belongs most; of equals the first by id.

    nuggets: by query and id. Two assessors' own nuggets of the same words have different ids; here they are one unit.
    """
    strongest: dict[Unit, tuple[float, str]] = {}
    for nug in nugs:
        for member in nug.members:
            unit = _marked_place(nuggets.get((nug.query_id, member.nugget_id))) or (nug.query_id, member.nugget_id)
            rank = -member.degree, nug.nug_id
            strongest[unit] = min(rank, strongest.get(unit, rank))
    return {unit: nug_id for unit, (_, nug_id) in strongest.items()}


def _marked_place(nugget: Nugget | None) -> Unit | None:
    """Where an assessor's own nugget is."""
    if nugget is None or nugget.assessor is None:
        return None
    return nugget.query_id, nugget.run_id, nugget.snippet_id, *(f"{start}-{end}" for start, end in nugget.spans)


def ratings_of(sheet: Mapping[str, Mapping[Unit, float]]) -> Ratings:
    """The matrix of a sheet, units in order of appearance."""
    rows = {unit: row for row, unit in enumerate(dict.fromkeys(unit for rated in sheet.values() for unit in rated))}
    matrix = np.full((len(rows), len(sheet)), np.nan)
    for column, rated in enumerate(sheet.values()):
        matrix[[rows[unit] for unit in rated], column] = [*rated.values()]
    return Ratings(matrix=matrix, units=tuple(rows), raters=tuple(sheet))


def relevant_or_not(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Relevance labels as yes and no: redundant counts as relevant, because it is only repeated."""
    yes: NDArray[np.float64] = np.minimum(ratings, RELEVANCE["relevant"])
    return yes


def class_sets(classes: Mapping[Unit, str], items: Sequence[Unit]) -> list[frozenset[Unit]]:
    """For each item the set of items in its class: a name for the class that does not depend on ids of nugs."""
    together: dict[tuple[str, str], list[Unit]] = {}
    for item in items:
        together.setdefault((item[0], classes[item]), []).append(item)
    named = {name: frozenset(members) for name, members in together.items()}
    return [named[item[0], classes[item]] for item in items]


def shared_units(sheet: Mapping[str, Mapping[Unit, object]]) -> Iterator[Unit]:
    """The units that at least two raters rated."""
    once: set[Unit] = set()
    twice: set[Unit] = set()
    for rated in sheet.values():
        for unit in rated:
            if unit in once and unit not in twice:
                twice.add(unit)
                yield unit
            once.add(unit)


def pairs_with_shared_units(sheet: Mapping[str, Mapping[Unit, object]]) -> set[tuple[str, str]]:
    """The pairs of raters, in the order of the sheet, who rated a unit both."""
    raters_of: dict[Unit, list[str]] = {}
    for rater, rated in sheet.items():
        for unit in rated:
            raters_of.setdefault(unit, []).append(rater)
    return {pair for raters in {*map(tuple, raters_of.values())} for pair in combinations(raters, 2)}


def _sheet(
    records: Iterable[R],
    rater_of: Callable[[R], str],
    unit_of: Callable[[R], Unit],
    value_of: Callable[[R], float | None],
) -> Sheet[float]:
    sheet: Sheet[float] = {}
    for record in records:
        value = value_of(record)
        if value is not None:
            sheet.setdefault(rater_of(record), {}).setdefault(unit_of(record), value)
    return sheet


def _voter(vote: Vote) -> str:
    return vote.assessor if vote.occasion is None else f"{vote.assessor}/{vote.occasion}"


def _vote_value(vote: Vote) -> float:
    return IMPORTANCE[vote.value] if isinstance(vote.value, str) else vote.value


def _degree(judgement: Judgement) -> float | None:
    if judgement.status != "ok":
        return None
    if judgement.degree is not None:
        return judgement.degree
    total = sum(judgement.probabilities.values())
    return sum(float(degree) * share for degree, share in judgement.probabilities.items()) / total if total else None
