"""From a raw score to the probabilities of none, partial and full."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from karat.judges.calibration.labelled import Floats, Ints, codes, vector
from karat.model import UsageError


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """New pairs: their scores, and what else is known about each pair."""

    scores: Floats
    question: Ints | None = None
    nug: Ints | None = None
    covariates: Floats | None = None


class Curve(Protocol):
    """P(the degree reaches a cut | score)."""

    def probability(self, pairs: Scored) -> Floats: ...


@dataclass(frozen=True, slots=True)
class StepCurve:
    """1 from the threshold on, 0 below it."""

    threshold: float

    def probability(self, pairs: Scored) -> Floats:
        return np.where(pairs.scores >= self.threshold, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class CreditCurve:
    """The score itself, from 0 to 1; 0 below the threshold."""

    threshold: float

    def probability(self, pairs: Scored) -> Floats:
        return np.where(pairs.scores >= self.threshold, np.clip(pairs.scores, 0.0, 1.0), 0.0)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Calibration:
    """Two nested cuts of one scale: P(at least partial | score) and P(full | score).

    P(full) is never larger than P(at least partial): where the curves cross, P(full) is lowered to it. Where people
    never said partial, the two curves are the same.
    """

    partial: Curve
    full: Curve
    described: tuple[tuple[str, str], ...]
    """What the signature says about it: names and values."""

    def probabilities(
        self,
        scores: npt.ArrayLike,
        *,
        question: npt.ArrayLike | None = None,
        nug: npt.ArrayLike | None = None,
        covariates: npt.ArrayLike | None = None,
    ) -> Floats:
        """P(none), P(partial), P(full): one row per score, whose sum is 1. NaN where the score is NaN.

        A question or nug that was not fitted gets the probabilities of an average one; so do all of them where neither
        `question` nor `nug` is given.
        """
        given = vector(scores, "scores")
        unknown = np.isnan(given)
        pairs = Scored(
            np.where(unknown, 0.0, given),
            _codes_of_scores(question, "question", len(given)),
            _codes_of_scores(nug, "nug", len(given)),
            None if covariates is None else columns(covariates, len(given)),
        )
        full = np.where(unknown, np.nan, self.full.probability(pairs))
        at_least = full
        if self.partial is not self.full:
            at_least = np.where(unknown, np.nan, self.partial.probability(pairs))
        full = np.minimum(full, at_least)
        return np.stack([1 - at_least, at_least - full, full], axis=1)

    def settings(self) -> dict[str, str]:
        """What the signature says about it."""
        return dict(self.described)


def fixed(threshold: float) -> Calibration:
    """A nug is contained in full from `threshold` on, and not at all below it; never in part.

    >>> fixed(0.6).probabilities([0.2, 0.7]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]

    Raises:
        UsageError: the threshold is NaN.
    """
    if math.isnan(threshold):
        raise UsageError("threshold=nan is not a number: give the raw score from which on a nug counts as contained")
    curve = StepCurve(threshold)
    return Calibration(partial=curve, full=curve, described=(("thr", f"{threshold:.6g}"),))


def score_credit(threshold: float | None = None) -> Calibration:
    """The score itself is the credit for full containment, as in Pourpre; with a threshold, only from there on.

    >>> score_credit(0.3).probabilities([0.2, 0.7])[:, 2].tolist()
    [0.0, 0.7]
    """
    described = () if threshold is None else fixed(threshold).described
    curve = CreditCurve(-math.inf if threshold is None else threshold)
    return Calibration(partial=curve, full=curve, described=described)


def columns(values: npt.ArrayLike, n: int) -> Floats:
    """Covariates as a matrix of n rows; a vector is one column.

    Raises:
        UsageError: the number of rows is wrong, or a value is not finite.
    """
    matrix = np.asarray(values, dtype=np.float64)
    matrix = matrix[:, None] if matrix.ndim == 1 else matrix
    if matrix.ndim != 2 or len(matrix) != n:
        raise UsageError(f"covariates have the shape {matrix.shape}, but {n} rows are needed: one per score")
    if not np.isfinite(matrix).all():
        raise UsageError("covariates must be finite numbers")
    return matrix


def _codes_of_scores(values: npt.ArrayLike | None, name: str, n: int) -> Ints | None:
    if values is None:
        return None
    given = codes(values, name)
    if len(given) != n:
        raise UsageError(f"{name} has {len(given)} codes for {n} scores; give one code per score")
    return given
