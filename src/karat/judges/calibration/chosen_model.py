"""The noisy-threshold model as the whole calibration: a model that the user names, or the one the labels favour.

Without `--threshold-model`, a nug's own threshold is averaged with a common curve (`learned`). With it, probabilities
are those of one model of Marton & Radul (2006) and of nothing else: one threshold for the data set, per query or per
nug, with error rates of the data set. `auto` takes, of all models in `compare_models` (also those with error rates per
query or per nug), the one with the highest evidence on the labels at hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.learned import nug_names
from karat.judges.calibration.threshold_models import Level, best_model, fit_bayesian
from karat.judges.pairs import Floats, Ints, Pairs
from karat.model import UsageError

ThresholdModelName = Literal["dataset", "query", "nug", "auto"]


@dataclass(frozen=True)
class FittedThresholds:
    """Thresholds and error rates by the names of queries and nugs, so that they hold for other pairs of the same."""

    calibration: Calibration
    queries: dict[str, int]
    """query_id -> its code in the calibration."""
    nugs: dict[tuple[str, str], int]
    """query_id and nug_id -> the code of the nug in the calibration."""

    def probabilities(self, pairs: Pairs) -> Floats:
        """P(none), P(partial), P(full) of every pair."""
        return self.calibration.probabilities(pairs.scores, question=self._queries_of(pairs), nug=self._nugs_of(pairs))

    def knows(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs belong to a query or nug with its own threshold or error rates."""
        levels = self.calibration.settings()
        if "nug" in (levels["thr"], levels["err"]):
            return self._nugs_of(pairs) >= 0
        if "query" in (levels["thr"], levels["err"]):
            return self._queries_of(pairs) >= 0
        return np.zeros(len(pairs.scores), bool)

    def settings(self) -> dict[str, str]:
        return self.calibration.settings()

    def _queries_of(self, pairs: Pairs) -> Ints:
        codes = [self.queries.get(query.task.query_id, -1) for query in pairs.queries]
        return np.array(codes, int)[pairs.question]

    def _nugs_of(self, pairs: Pairs) -> Ints:
        return np.array([self.nugs.get(name, -1) for name in nug_names(pairs)], int)[pairs.nug]


def fit_threshold_model(pairs: Pairs, model: ThresholdModelName) -> FittedThresholds:
    """Fit the model to the labelled pairs; its signature has the levels, and `auto` where the evidence chose them.

    Raises:
        UsageError: there is no such model, or no labelled pair.
    """
    if model not in get_args(ThresholdModelName):
        raise UsageError(f"threshold model {model!r} is not one of {', '.join(get_args(ThresholdModelName))}")
    labelled = pairs.labelled()
    known = ~np.isnan(pairs.degrees)
    thresholds: Level
    errors: Level
    if model == "auto":
        best = best_model(labelled)
        thresholds, errors = cast("Level", best.thresholds), cast("Level", best.errors)
    else:
        thresholds, errors = model, "dataset"
    calibration = fit_bayesian(labelled, thresholds=thresholds, errors=errors)
    if model == "auto":
        calibration = replace(calibration, described=(*calibration.described, ("model", "auto")))
    fitted_queries, fitted_nugs = set(pairs.question[known].tolist()), set(pairs.nug[known].tolist())
    return FittedThresholds(
        calibration,
        {query.task.query_id: at for at, query in enumerate(pairs.queries) if at in fitted_queries},
        {name: at for at, name in enumerate(nug_names(pairs)) if at in fitted_nugs},
    )
