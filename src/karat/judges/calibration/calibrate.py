"""Choose how the raw scores of a judge become probabilities: learned from labels, the prior, or a fixed threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Judge
from karat.judges.calibration.calibration import Calibration, fixed
from karat.judges.calibration.learned import Learned, learn
from karat.judges.calibration.priors import PRIORS, RUN_SIGMA, prior_calibration
from karat.judges.calibration.uncertainty import FEW_QUERIES, error_sizes, prior_common_errors
from karat.judges.pairs import Floats, Pairs, run_codes, without_empty
from karat.measures.cases.saved_fields import CommonErrors, Sigmas
from karat.model.wording import number_of

ENOUGH_LABELS = 60
"""A calibration is learned from at least so many labelled pairs; with fewer, the one that comes with Karat is used."""
UNCALIBRATED = (
    "scores use a calibration from other collections and can be off by 0.1 to 0.3; "
    f"label about {ENOUGH_LABELS} judgements with `karat review` to fix that"
)


@dataclass(frozen=True)
class Calibrated:
    """How raw scores become probabilities, and how large the errors are that a response or a run shares."""

    calibration: Learned | Calibration
    sizes: Sigmas
    notes: tuple[str, ...] = ()

    @property
    def sigma(self) -> float:
        return self.sizes.sigma

    @property
    def run_sigma(self) -> float:
        return self.sizes.run_sigma

    @property
    def common(self) -> CommonErrors:
        return self.sizes.common

    def probabilities(self, pairs: Pairs) -> Floats:
        """P(none), P(partial), P(full) of every pair."""
        if isinstance(self.calibration, Learned):
            return self.calibration.probabilities(pairs)
        return self.calibration.probabilities(pairs.scores)


def calibrate(
    pairs: Pairs,
    program: Judge,
    *,
    threshold: float | None = None,
    use: NDArray[np.bool_] | None = None,
    to_read: NDArray[np.bool_] | None = None,
) -> Calibrated:
    """Learn from people's labels, where there are enough of them, how raw scores become probabilities.

    use: learn only from these pairs. to_read: the pairs whose probabilities will be asked for (see `learn`). Labels of
    empty responses are not used: an empty response contains nothing, whatever the calibration says.
    """
    if threshold is not None:
        return Calibrated(fixed(threshold), Sigmas(0.0, 0.0))
    pairs = without_empty(pairs)
    if use is not None:
        pairs = replace(pairs, degrees=np.where(use, pairs.degrees, np.nan))
    known = ~np.isnan(pairs.degrees)
    if lack := _lack_of_labels(pairs.degrees[known]):
        sizes = Sigmas(PRIORS[program.name].sigma, RUN_SIGMA, prior_common_errors())
        return Calibrated(prior_calibration(program.name), sizes, (f"{lack}: {UNCALIBRATED}",))
    learned = learn(pairs, to_read=to_read)
    sizes = error_sizes(pairs, learned.probabilities(pairs)[:, 2], run_codes(pairs))
    return Calibrated(learned, sizes, _few_queries(len(np.unique(pairs.question[known]))))


def _few_queries(queries: int) -> tuple[str, ...]:
    if queries >= FEW_QUERIES:
        return ()
    return (
        f"calibrated on labels of {number_of(queries, 'query')}: the judge's intervals are wide because of that; "
        f"label {FEW_QUERIES} queries or more",
    )


def _lack_of_labels(degrees: Floats) -> str:
    """Why no calibration can be learned from these labels; empty where one can."""
    if not len(degrees):
        return "no labels here"
    if len(degrees) < ENOUGH_LABELS:
        labels = number_of(len(degrees), "label")
        return f"only {labels} of responses with text ({ENOUGH_LABELS} are needed to calibrate)"
    if degrees.min() >= 1:
        return "labels of no use: every labelled response contains every nug in full"
    return "" if degrees.max() >= 1 else "labels of no use: no labelled response contains a nug in full"
