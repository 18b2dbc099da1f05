"""What hard decisions are worth: how often people agree with a decision at a fixed threshold.

A decision has no probability of its own: a nug is contained from the threshold on, and not below it (Marton & Radul
2006 decide so, and score in the usual way). How far the score may be from people's follows from the error rates of the
decisions, which labels measure:

    P(contained | decided yes) = (k + 1) / (n + 2), with k of n labelled pairs at or above the threshold contained,

and likewise for decided no. A query with many labels says little more than one with few, because its labels go
together: every query has the same weight in k and n (weights have the mean 1). How far these rates would be other ones
with other labelled queries is the calibration's error (`karat.judges.errors.calibration_error`), as for probabilities.
Without labels they are unknown, and then there is no interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.judges.calibration.calibration import Calibration, Curve, Scored
from karat.judges.calibration.labelled import Floats, Labelled


@dataclass(frozen=True, slots=True)
class SideCurve(Curve):
    """One probability below the threshold, another one from it on."""

    threshold: float
    below: float
    above: float

    def probability(self, pairs: Scored) -> Floats:
        return np.where(pairs.scores >= self.threshold, self.above, self.below)


def decision_rates(labelled: Labelled, threshold: float) -> Calibration:
    """How probable none, partial and full are on each side of the threshold, by the labelled pairs.

    >>> rates = decision_rates(Labelled([0.1, 0.2, 0.8, 0.9, 0.7], [0, 0, 1, 1, 0], [0] * 5, [0] * 5), 0.5)
    >>> rates.probabilities([0.3, 0.6])[:, 2].tolist()
    [0.25, 0.6]

    Raises:
        UsageError: there is no labelled pair.
    """
    known = labelled.to_fit()
    above = known.scores >= threshold
    _, place, counts = np.unique(known.question, return_inverse=True, return_counts=True)
    weight = len(place) / (len(counts) * counts[place.ravel()])
    full, partial = (
        SideCurve(threshold, *(_share(known.degrees[side] >= cut, weight[side]) for side in (~above, above)))
        for cut in (1.0, 0.5)
    )
    described = (("thr", f"{threshold:.6g}"),)
    return Calibration(partial=partial if known.three_way else full, full=full, described=described)


def _share(contained: NDArray[np.bool_], weight: Floats) -> float:
    return (float(weight[contained].sum()) + 1) / (float(weight.sum()) + 2)
