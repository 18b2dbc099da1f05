"""Pairs of a response and a nug: the raw score a judge gave, and the degree that people gave."""

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
    """What a calibration is learnt from: four vectors of one length.

    `scores` are any finite numbers, higher for a nug that is more likely contained; `degrees` are 0, 0.5 or 1. A NaN in
    either means unknown, and the pair is left out. `question` and `nug` are integer codes; a nug's code is its own in
    the whole data set, and belongs to one question.
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
            raise UsageError(f"labelled pairs need vectors of one length, not {lengths}")
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
        """Without the pairs that lack a score or a degree."""
        known = self.known
        return Labelled(self.scores[known], self.degrees[known], self.question[known], self.nug[known])

    def to_fit(self) -> Labelled:
        """The known pairs.

        Raises:
            UsageError: there are none.
        """
        fitted = self.only_known()
        if not len(fitted.scores):
            raise UsageError("no labelled pair to fit a calibration to; prior_calibration() needs none")
        return fitted

    @property
    def three_way(self) -> bool:
        """Whether any pair is known to be partial."""
        return bool((self.degrees == 0.5).any())


def vector(values: npt.ArrayLike, name: str) -> Floats:
    """The values as floats; NaN is allowed.

    Raises:
        UsageError: they are no vector, no numbers, or infinite.
    """
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be numbers") from error
    if found.ndim != 1:
        raise UsageError(f"{name} of shape {found.shape}: a vector is needed")
    if np.isinf(found).any():
        raise UsageError(f"{name} must be finite, or NaN where unknown")
    return found


def codes(values: npt.ArrayLike, name: str) -> Ints:
    """The values as integers.

    Raises:
        UsageError: they are no vector of integers.
    """
    found = np.asarray(values)
    if found.ndim != 1:
        raise UsageError(f"{name} of shape {found.shape}: a vector is needed")
    if found.dtype.kind not in "iub" and len(found):
        raise UsageError(f"{name} must be integer codes, not {found.dtype}")
    return found.astype(np.int64)
