"""Labelled pairs of a response and a nug: the raw score from a judge, and the degree from people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.model import UsageError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DEGREES = (0.0, 0.5, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """What a calibration is learned from: four vectors of the same length.

    `scores` are any finite numbers, higher for a nug that is more likely contained; `degrees` are 0, 0.5 or 1. NaN in
    either means unknown, and the pair is left out. `question` and `nug` are integer codes; every nug of the data set
    has its own code, and belongs to one question.
    """

    scores: Floats
    degrees: Floats
    question: Ints
    nug: Ints

    def __post_init__(self) -> None:
        coerced = {
            "scores": vector(self.scores, "scores"),
            "degrees": vector(self.degrees, "degrees"),
            "question": codes(self.question, "question"),
            "nug": codes(self.nug, "nug"),
        }
        if len({len(column) for column in coerced.values()}) > 1:
            lengths = ", ".join(f"{name} {len(column)}" for name, column in coerced.items())
            raise UsageError(f"scores, degrees, question and nug must be vectors of one length, not {lengths}")
        known = coerced["degrees"][~np.isnan(coerced["degrees"])]
        if not np.isin(known, DEGREES).all():
            raise UsageError(f"degree {known[~np.isin(known, DEGREES)][0]:g} is not one of 0, 0.5, 1, NaN")
        for name, column in coerced.items():
            object.__setattr__(self, name, column)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Which pairs have both a score and a degree."""
        return ~(np.isnan(self.scores) | np.isnan(self.degrees))

    def only_known(self) -> Labelled:
        """Only the pairs that have both a score and a degree."""
        known = self.known
        return Labelled(self.scores[known], self.degrees[known], self.question[known], self.nug[known])

    def to_fit(self) -> Labelled:
        """The known pairs.

        Raises:
            UsageError: there are none.
        """
        fitted = self.only_known()
        if not len(fitted.scores):
            raise UsageError(
                "there is no labelled pair, so no calibration can be fitted; prior_calibration() needs no labels"
            )
        return fitted

    @property
    def three_way(self) -> bool:
        """Whether any pair is known to be partial."""
        return bool((self.degrees == 0.5).any())


def vector(values: npt.ArrayLike, name: str) -> Floats:
    """The values as floats; NaN is allowed.

    Raises:
        UsageError: they are not a vector, not numbers, or infinite.
    """
    try:
        floats = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be numbers") from error
    if floats.ndim != 1:
        raise UsageError(f"{name} has the shape {floats.shape}, but a vector is needed")
    if np.isinf(floats).any():
        raise UsageError(f"{name} must be finite, or NaN where it is unknown")
    return floats


def codes(values: npt.ArrayLike, name: str) -> Ints:
    """The values as integers.

    Raises:
        UsageError: they are not a vector of integers.
    """
    integers = np.asarray(values)
    if integers.ndim != 1:
        raise UsageError(f"{name} has the shape {integers.shape}, but a vector is needed")
    if integers.dtype.kind not in "iub" and len(integers):
        raise UsageError(f"{name} must be integer codes, not {integers.dtype}")
    return integers.astype(np.int64)
