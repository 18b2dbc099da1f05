"""What a measure counts of one response in every draw of its uncertain judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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


def drawn_counts(measure: Measure, case: Case, degrees: Array) -> DrawnCounts:
    """Count the case in every draw of the degrees (draws x uncertain judgements).

    Where several assessors annotated the query, the counts are the means of the counts by each one's annotation.
    """
    if case.views:
        if len({tuple(nug.nug_id for nug in view.pool.nugs) for view in case.views}) > 1:
            raise UsageError(
                f"query {case.query_id}: several assessors made nugs, and a program judged them; choose one with "
                "--assessor NAME"
            )
        views = [drawn_counts(measure, replace(view, views=()), degrees) for view in case.views]
        return DrawnCounts(
            np.mean([view.counts for view in views], axis=0), np.mean([view.of_mean for view in views], axis=0)
        )
    if is_linear(measure, case):
        return _at_once(measure, case, degrees)
    # A measure that reads the judgements themselves (gain of updates) does not see drawn credits.
    plain = is_plain(case) and measure.crediting(case) is not None
    guesses = (_as_drawn(case, row) if plain else _as_if_sure(case, row) for row in degrees.tolist())
    counts = np.array([measure.counts(guess) for guess in guesses])
    return DrawnCounts(counts, np.array(measure.counts(_as_often(case, degrees))))


def _at_once(measure: Measure, case: Case, degrees: Array) -> DrawnCounts:
    nug_ids = [judgement.nug_id for judgement in case.judgements if is_uncertain(judgement)]
    none = np.array(measure.counts(_as_drawn(case, [0.0] * len(nug_ids))))
    credits = degrees if measure.crediting(case) == "lenient" else (degrees >= 1).astype(float)
    counts = none + credits @ measure.credit_slopes(case, nug_ids)
    return DrawnCounts(counts, counts.mean(axis=0))


def is_plain(case: Case) -> bool:
    """Whether the degree of a judgement is the credit of its nug: no parts, and no nug judged twice."""
    judged = {judgement.nug_id for judgement in case.judgements}
    return all(nug.parent is None for nug in case.pool.nugs) and len(judged) == len(case.judgements)


def _as_drawn(case: Case, degrees: Sequence[float]) -> Case:
    """The plain case as if the judge had been sure of these degrees, one per uncertain judgement."""
    nug_ids = (judgement.nug_id for judgement in case.judgements if is_uncertain(judgement))
    return case.with_degrees(dict(zip(nug_ids, degrees, strict=True)))


def _as_if_sure(case: Case, degrees: Sequence[float]) -> Case:
    """The same for any case."""
    drawn = iter(degrees)
    judgements = [
        msgspec.structs.replace(judgement, degree=next(drawn), probabilities={})
        if is_uncertain(judgement)
        else judgement
        for judgement in case.judgements
    ]
    return replace(case, judgements=judgements)


def _as_often(case: Case, drawn: Array) -> Case:
    """The case with the share of the draws (draws x uncertain judgements) that each degree has as its probability."""
    shares = iter(np.stack([(drawn == float(level)).mean(axis=0) for level in LEVELS], axis=1).tolist())
    judgements = [
        msgspec.structs.replace(judgement, probabilities=dict(zip(LEVELS, next(shares), strict=True)))
        if is_uncertain(judgement)
        else judgement
        for judgement in case.judgements
    ]
    return replace(case, judgements=judgements)
