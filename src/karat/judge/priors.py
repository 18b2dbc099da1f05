"""Calibrations for a judge of which nobody has judged anything yet."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from karat.judge.calibration import Calibration
from karat.judge.logistic import LogisticCurve
from karat.model import UsageError

# overlap: fit_logistic (ridge 1) on the 26,400 human labels of REALSumm (100 documents, 25 systems, 1,056 units); the
# score is the share of the distinct stemmed words of the content unit that are words of the summary, with
# karat.text's words and its "english" stemmer, stop words kept. AUC 0.811, Brier score 0.175. The labels there are 0
# and 1, so partial has no curve of its own.
PRIORS: Mapping[str, LogisticCurve] = MappingProxyType({"overlap": LogisticCurve(-3.5624, (5.4037,))})
"""P(contained | score) by the name of the judge that gives scores between 0 and 1."""


def prior_calibration(name: str = "overlap") -> Calibration:
    """The curve of PRIORS that a judge uses until there are judgements to fit one of its own.

    >>> prior_calibration("overlap").probabilities([0.0, 0.5, 1.0])[:, 2].round(2).tolist()
    [0.03, 0.3, 0.86]
    """
    if name not in PRIORS:
        raise UsageError(f"no prior calibration {name!r}; there is {', '.join(sorted(PRIORS))}")
    curve = PRIORS[name]
    return Calibration(partial=curve, full=curve, described=(("cal", f"prior-{name}"),))
