"""What a measure counts of one response in every draw of its uncertain judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np

from karat.judges.human.labels import KNOWN
from karat.measures.base import Array, Measure
from karat.measures.cases.case import Case
from karat.measures.cases.saved_fields import ERROR_RATES, error_shares
from karat.model import Judgement, UsageError

LEVELS = ("0", "0.5", "1")


@dataclass(frozen=True)
class DrawnCounts:
    """The counts of a measure in every draw (draws x counts), and of the credits' mean over the draws."""

    counts: Array
    of_mean: Array


@dataclass(frozen=True)
class DrawnDegrees:
    """The degrees of the uncertain judgements of one response in every draw (draws x judgements)."""

    degrees: Array

    @cached_property
    def full(self) -> Array:
        """1 where a nug is contained in full, else 0."""
        return (self.degrees >= 1).astype(float)

    def first(self, draws: int) -> DrawnDegrees:
        """The first so many draws."""
        return self if draws == len(self.degrees) else DrawnDegrees(self.degrees[:draws])


def is_uncertain(judgement: Judgement) -> bool:
    """Whether it is known how probable another degree is. Known judgements may have probabilities where people differ;
    that is no error. Of hard decisions and credits it is known only where labels measured it (`error_rates`)."""
    return judgement.status == "ok" and KNOWN not in judgement.extra and bool(error_shares(judgement))


def is_decision(judgement: Judgement) -> bool:
    """Whether the degree counts as it was decided, and its error is known apart from it."""
    return ERROR_RATES in judgement.extra


def is_linear(measure: Measure, case: Case) -> bool:
    """Whether the counts are sums over nugs of weight times credit, so that all draws are counted at once."""
    return is_plain(case) and measure.is_linear(case)


def is_plain(case: Case) -> bool:
    """Whether the degree of a judgement is the credit of its nug: no parts, and no nug judged twice."""
    judged = {judgement.nug_id for judgement in case.judgements}
    return all(nug.parent is None for nug in case.pool.nugs) and len(judged) == len(case.judgements)


@dataclass(frozen=True)
class UnsureCase:
    """A case, and which of its judgements are uncertain."""

    case: Case
    places: tuple[int, ...]
    """Among the judgements of the case."""

    @classmethod
    def of(cls, case: Case) -> UnsureCase | None:
        """None where nothing is uncertain."""
        places = tuple(at for at, judgement in enumerate(case.judgements) if is_uncertain(judgement))
        return cls(case, places) if places else None

    @cached_property
    def judgements(self) -> list[Judgement]:
        """The uncertain ones."""
        return [self.case.judgements[at] for at in self.places]

    @cached_property
    def nug_ids(self) -> list[str]:
        return [judgement.nug_id for judgement in self.judgements]

    @cached_property
    def is_plain(self) -> bool:
        return is_plain(self.case)

    @cached_property
    def without(self) -> Case:
        """The plain case as if the response contained none of the uncertain nugs."""
        return self.case.with_degrees(dict.fromkeys(self.nug_ids, 0.0))

    def is_linear(self, measure: Measure) -> bool:
        return self.is_plain and measure.is_linear(self.case)

    def with_judgements(self, changed: Sequence[Judgement]) -> Case:
        """The case with other judgements in the places of the uncertain ones."""
        judgements = list(self.case.judgements)
        for at, judgement in zip(self.places, changed, strict=True):
            judgements[at] = judgement
        return replace(self.case, judgements=judgements)


def drawn_counts(measure: Measure, unsure: UnsureCase, drawn: DrawnDegrees) -> DrawnCounts:
    """Count the case in every draw of the degrees.

    Where several assessors annotated the query, the counts are the means of the counts by each one's annotation.
    """
    case = unsure.case
    if case.views:
        if len({tuple(nug.nug_id for nug in view.pool.nugs) for view in case.views}) > 1:
            raise UsageError(
                f"query {case.query_id}: several assessors made nugs, and a program judged them; choose one with "
                "--assessor NAME"
            )
        by_view = (UnsureCase.of(replace(view, views=())) for view in case.views)
        views = [drawn_counts(measure, view, drawn) for view in by_view if view is not None]
        return DrawnCounts(
            np.mean([view.counts for view in views], axis=0), np.mean([view.of_mean for view in views], axis=0)
        )
    if unsure.is_linear(measure):
        credits = drawn.degrees if measure.crediting(case) == "lenient" else drawn.full
        none = np.array(measure.counts(unsure.without))
        counts = none + credits @ measure.credit_slopes(case, unsure.nug_ids)
        return DrawnCounts(counts, counts.mean(axis=0))
    # A measure that reads the judgements themselves (gain of updates) does not see drawn credits.
    guess = _as_drawn if unsure.is_plain and measure.crediting(case) is not None else _as_if_sure
    counts = np.array([measure.counts(guess(unsure, row)) for row in drawn.degrees.tolist()])
    return DrawnCounts(counts, np.array(measure.counts(_as_often(unsure, drawn.degrees))))


def _as_drawn(unsure: UnsureCase, degrees: Sequence[float]) -> Case:
    """The plain case as if the judge had been sure of these degrees, one per uncertain judgement."""
    return unsure.case.with_degrees(dict(zip(unsure.nug_ids, degrees, strict=True)))


def _as_if_sure(unsure: UnsureCase, degrees: Sequence[float]) -> Case:
    """The same for any case."""
    return unsure.with_judgements(
        [
            msgspec.structs.replace(judgement, degree=degree, probabilities={})
            for judgement, degree in zip(unsure.judgements, degrees, strict=True)
        ]
    )


def _as_often(unsure: UnsureCase, drawn: Array) -> Case:
    """The case with the share of the draws (draws x uncertain judgements) that each degree has as its probability."""
    shares = np.stack([(drawn == float(level)).mean(axis=0) for level in LEVELS], axis=1).tolist()
    return unsure.with_judgements(
        [
            msgspec.structs.replace(judgement, probabilities=dict(zip(LEVELS, share, strict=True)))
            for judgement, share in zip(unsure.judgements, shares, strict=True)
        ]
    )
