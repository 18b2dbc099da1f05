"""The nugget scores of RAG evaluation, as the AutoNuggetizer framework defines them (Pradeep et al. 2024).

For the nugs N of a query, with credit c(n) for the degree to which a response contains n and weight w(n):

    score = sum of w(n) c(n) over N / sum of w(n) over N

strict: c = 1 for full support, else 0. lenient: c = 1 for full, 1/2 for partial support, in general the degree.
vital: N are the vital nugs, w = 1. all: N are all nugs, w = 1. weighted: w = 1 for a vital and 1/2 for an okay nug.
A perfect response scores 1 on each; where N is empty the score is undefined. Credits of several assessors are averaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from karat.measures.base import Array, Crediting, Measure, bounded, changed, ratio, sums_in_order
from karat.measures.cases.case import Case, Pool
from karat.model import UnfitInput, UsageError

Over = Literal["vital", "all", "weighted"]
OKAY_WEIGHT = 0.5
COLUMNS = {"importance": "vital or okay", "assignment": "support, partial_support or not_support"}
"""The columns of `score_labels`, with their values."""


class RagMeasure(Measure, frozen=True):
    """Share of the nugs' weight that a response contains: strict or lenient; vital, all or weighted."""

    strict: bool
    over: Over

    COUNTS: ClassVar[tuple[str, ...]] = ("credit", "nugs")

    @property
    def base(self) -> str:
        return f"{'strict' if self.strict else 'lenient'}_{self.over}"

    def undefined(self) -> str:
        return "the key has no vital nug that was judged" if self.over == "vital" else "no nug was judged"

    def weight(self, importance: str | None) -> float:
        """The weight of a nug of this importance."""
        if self.over == "all" or importance == "vital":
            return 1.0
        return OKAY_WEIGHT if self.over == "weighted" and importance == "okay" else 0.0

    def counts(self, case: Case) -> tuple[float, ...]:
        credits = (case.strict if self.strict else case.lenient).credits
        importance = case.pool.importance
        obtained = possible = 0.0
        for nug_id, credit in credits.items():
            weight = self.weight(importance[nug_id])
            obtained += weight * credit
            possible += weight
        return obtained, possible

    def counts_of_credits(self, pool: Pool, degrees: Array) -> Array:
        weights = np.array([self.weight(pool.importance[nug.nug_id]) for nug in pool.nugs])
        judged = ~np.isnan(degrees)
        credits = np.where(judged, degrees >= 1.0 if self.strict else degrees, 0.0)
        return np.stack([sums_in_order(weights * credits), sums_in_order(weights * judged)], axis=1)

    def values(self, counts: Array) -> Array:
        return ratio(counts[..., 0], counts[..., 1])

    def crediting(self, case: Case) -> Crediting:
        return "strict" if self.strict else "lenient"

    def is_linear(self, case: Case) -> bool:
        return True

    def credit_slopes(self, case: Case, nug_ids: Sequence[str]) -> Array:
        importance, credits = case.pool.importance, case.strict.credits
        slopes = np.zeros((len(nug_ids), len(self.COUNTS)))
        slopes[:, 0] = [self.weight(importance[nug_id]) if nug_id in credits else 0.0 for nug_id in nug_ids]
        return slopes


RAG_MEASURES: dict[str, RagMeasure] = {
    str(measure): measure
    for over in ("vital", "all", "weighted")
    for measure in (RagMeasure(strict=True, over=over), RagMeasure(strict=False, over=over))
}


class Rubric(Measure, frozen=True):
    """Weighted rubric items, some of which may be faults (HealthBench; DeepResearch rubrics).

    score = sum of w(n) c(n) over all items / sum of the positive w(n)

    An item of negative weight takes away its weight where the response shows it. `clip=query` (the default) lets no
    response fall below 0, so that an empty response is never better; `clip=none` shows how far below 0 it is. An
    item without weight weighs 1 if it is vital or has no importance, 1/2 if it is okay. Weights beyond
    1e100 count as 1e100.
    """

    clip: Literal["query", "none"] = "query"

    COUNTS: ClassVar[tuple[str, ...]] = ("points", "possible")

    @property
    def base(self) -> str:
        return "rubric"

    def settings(self) -> dict[str, str]:
        return changed(self, "clip")

    def undefined(self) -> str:
        return "no item of positive weight was judged"

    def is_share(self) -> bool:
        return self.clip == "query"

    def counts(self, case: Case) -> tuple[float, ...]:
        credits, importance = case.lenient.credits, case.pool.importance
        points = possible = 0.0
        for nug in case.pool.whole_nugs:
            if nug.nug_id in credits:
                weight = nug.weight
                if weight is None:
                    weight = OKAY_WEIGHT if importance[nug.nug_id] == "okay" else 1.0
                weight = bounded(weight)
                points += weight * credits[nug.nug_id]
                possible += max(weight, 0.0)
        return (max(points, 0.0) if self.clip == "query" else points), possible

    def crediting(self, case: Case) -> Crediting:
        return "lenient"

    def values(self, counts: Array) -> Array:
        return ratio(counts[..., 0], counts[..., 1])


class LabelScores(msgspec.Struct, frozen=True, gc=False):
    """The six scores of one response; None where there is nothing to divide by."""

    strict_vital: float | None
    lenient_vital: float | None
    strict_all: float | None
    lenient_all: float | None
    strict_weighted: float | None
    lenient_weighted: float | None
    left_out: int
    """Labels that are none of support, partial_support, not_support."""


def score_labels(nuggets: Iterable[Mapping[str, Any]]) -> LabelScores:
    """The scores of one response from rows with `importance` and `assignment`, fast enough for a tight loop.

    >>> score_labels([{"importance": "vital", "assignment": "support"}, {"importance": "okay", "assignment": ""}])
    LabelScores(strict_vital=1.0, lenient_vital=1.0, strict_all=1.0, lenient_all=1.0, strict_weighted=1.0, \
lenient_weighted=1.0, left_out=1)
    """
    full_vital = part_vital = vital = full_okay = part_okay = okay = full_other = part_other = other = left_out = 0
    # A plain loop with a branch per label: anything shorter takes more time.
    for nugget in nuggets:
        try:
            label, importance = nugget["assignment"], nugget["importance"]
        except (KeyError, TypeError):
            raise _bad_row(vital + okay + other + left_out + 1, nugget) from None
        if importance == "vital":
            vital += 1
            if label == "support":
                full_vital += 1
            elif label == "partial_support":
                part_vital += 1
            elif label != "not_support":
                vital -= 1
                left_out += 1
        elif importance == "okay":
            okay += 1
            if label == "support":
                full_okay += 1
            elif label == "partial_support":
                part_okay += 1
            elif label != "not_support":
                okay -= 1
                left_out += 1
        else:
            other += 1
            if label == "support":
                full_other += 1
            elif label == "partial_support":
                part_other += 1
            elif label != "not_support":
                other -= 1
                left_out += 1
    count = vital + okay + other
    full_all = full_vital + full_okay + full_other
    weight = vital + OKAY_WEIGHT * okay
    strict_weighted = full_vital + OKAY_WEIGHT * full_okay
    return LabelScores(
        full_vital / vital if vital else None,
        (full_vital + 0.5 * part_vital) / vital if vital else None,
        full_all / count if count else None,
        (full_all + 0.5 * (part_vital + part_okay + part_other)) / count if count else None,
        strict_weighted / weight if weight else None,
        (strict_weighted + 0.5 * (part_vital + OKAY_WEIGHT * part_okay)) / weight if weight else None,
        left_out,
    )


def _bad_row(number: int, row: Any) -> UsageError:
    needed = " and ".join(f"{name!r} ({values})" for name, values in COLUMNS.items())
    if not isinstance(row, Mapping):
        return UnfitInput(f"row {number} is a {type(row).__name__}; give a dict per nug with {needed}")
    missing = ", ".join(repr(name) for name in COLUMNS if name not in row)
    columns = ", ".join(map(repr, row)) or "none"
    return UnfitInput(f"row {number}: no column {missing}; a row needs {needed}; the columns here are {columns}")
