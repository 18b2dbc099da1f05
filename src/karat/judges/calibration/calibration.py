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
    """New pairs, and what is known of each besides its score."""

    scores: Floats
    question: Ints | None = None
    nug: Ints | None = None
    covariates: Floats | None = None


class Curve(Protocol):
    """P(the degree reaches a cut | score)."""

    def probability(self, pairs: Scored) -> Floats: ...


@dataclass(frozen=True, slots=True)
class StepCurve:
    """1 - fn from the threshold on, fp below it."""

    threshold: float
    fp: float = 0.0
    fn: float = 0.0

    @property
    def middle(self) -> float:
        """Between the two probabilities: whoever is above it has reached the threshold."""
        return (self.fp + 1 - self.fn) / 2

    def probability(self, pairs: Scored) -> Floats:
        return np.where(pairs.scores >= self.threshold, 1 - self.fn, self.fp)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Calibration:
    """Two nested cuts of one scale: P(at least partial | score) and P(full | score).

    P(full) is never more than P(at least partial): where the curves cross, full gives way. Where people never said
    partial the two curves are one.
    """

    partial: Curve
    full: Curve
    described: tuple[tuple[str, str], ...]
    """The settings for the signature."""
    partial_level: float = 0.5
    full_level: float = 0.5
    """From which probability on `decide` says yes."""

    def probabilities(
        self,
        scores: npt.ArrayLike,
        *,
        question: npt.ArrayLike | None = None,
        nug: npt.ArrayLike | None = None,
        covariates: npt.ArrayLike | None = None,
    ) -> Floats:
        """P(none), P(partial), P(full): one row a score, each of sum 1. NaN where the score is NaN.

        A question or nug that was not fitted is treated as any other of the data set; so are all where none is given.
        """
        at_least, full = self._reached(scores, question, nug, covariates)
        full = np.minimum(full, at_least)
        return np.stack([1 - at_least, at_least - full, full], axis=1)

    def decide(
        self,
        scores: npt.ArrayLike,
        *,
        question: npt.ArrayLike | None = None,
        nug: npt.ArrayLike | None = None,
        covariates: npt.ArrayLike | None = None,
    ) -> Floats:
        """The degree: 1 where P(full), else 0.5 where P(at least partial), reaches its level; NaN where the score is.

        With levels of 0.5 this is the median of the three, which has the smallest expected absolute error.
        """
        at_least, full = self._reached(scores, question, nug, covariates)
        degrees = np.where(full >= self.full_level, 1.0, np.where(at_least >= self.partial_level, 0.5, 0.0))
        return np.where(np.isnan(at_least), np.nan, degrees)

    def settings(self) -> dict[str, str]:
        """What a signature says of it."""
        return dict(self.described)

    def _reached(
        self,
        scores: npt.ArrayLike,
        question: npt.ArrayLike | None,
        nug: npt.ArrayLike | None,
        covariates: npt.ArrayLike | None,
    ) -> tuple[Floats, Floats]:
        given = vector(scores, "scores")
        unknown = np.isnan(given)
        pairs = Scored(
            np.where(unknown, 0.0, given),
            _beside(question, "question", len(given)),
            _beside(nug, "nug", len(given)),
            None if covariates is None else columns(covariates, len(given)),
        )
        full = np.where(unknown, np.nan, self.full.probability(pairs))
        if self.partial is self.full:
            return full, full
        return np.where(unknown, np.nan, self.partial.probability(pairs)), full


def fixed(
    threshold: float, partial: float | None = None, *, false_positive: float = 0.0, false_negative: float = 0.0
) -> Calibration:
    """Full from `threshold` on, partial from `partial` on (default: never partial).

    The probability of reaching a cut is 1 - false_negative from its threshold on and false_positive below it, so 1 and
    0 as long as no error rates are given.

    >>> fixed(0.6, 0.3).decide([0.2, 0.3, 0.7]).tolist()
    [0.0, 0.5, 1.0]
    """
    for name, rate in (("false_positive", false_positive), ("false_negative", false_negative)):
        if not 0 <= rate <= 1:
            raise UsageError(f"{name}={rate} must lie between 0 and 1")
    if math.isnan(threshold) or (partial is not None and math.isnan(partial)):
        raise UsageError("a fixed threshold must be a number")
    if partial is not None and partial > threshold:
        raise UsageError(f"the threshold of partial ({partial:g}) is above that of full ({threshold:g})")
    if false_positive + false_negative >= 1:
        raise UsageError(
            "false_positive and false_negative must add up to less than 1: a higher score speaks for a nug"
        )
    full = StepCurve(threshold, false_positive, false_negative)
    lower = full if partial is None else StepCurve(partial, false_positive, false_negative)
    described = [("thr", f"{threshold:.6g}")]
    if partial is not None:
        described.append(("partial", f"{partial:.6g}"))
    if false_positive or false_negative:
        described.append(("err", f"{false_positive:.4g}/{false_negative:.4g}"))
    return Calibration(
        partial=lower,
        full=full,
        described=tuple(described),
        partial_level=full.middle,
        full_level=full.middle,
    )


def columns(values: npt.ArrayLike, n: int) -> Floats:
    """Covariates as a matrix of n rows; a vector is one column.

    Raises:
        UsageError: another number of rows, or values that are not finite.
    """
    found = np.asarray(values, dtype=np.float64)
    found = found[:, None] if found.ndim == 1 else found
    if found.ndim != 2 or len(found) != n:
        raise UsageError(f"covariates of shape {found.shape}: {n} rows are needed, one a score")
    if not np.isfinite(found).all():
        raise UsageError("covariates must be finite")
    return found


def _beside(values: npt.ArrayLike | None, name: str, n: int) -> Ints | None:
    if values is None:
        return None
    found = codes(values, name)
    if len(found) != n:
        raise UsageError(f"{len(found)} codes of {name} for {n} scores")
    return found
