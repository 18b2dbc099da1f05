"""What the scores of each judge mean where no person has judged anything yet: curves from other collections."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.logistic import LogisticCurve
from karat.judges.errors.correlations import ErrorCorrelations


class Prior(msgspec.Struct, frozen=True):
    """P(full | score), P(at least partial | score), and the size of the error that a response shares, in log-odds."""

    full: LogisticCurve
    partial: LogisticCurve
    sigma: float = 1.3


# Fitted by benchmarks/judges/fit_priors.py on REALSumm, SummHay (people's labels) and the nuggetizer's RAG24 collection
# (an LLM's labels). Each set has the same weight; each judge has its default settings.
PRIORS: Mapping[str, Prior] = MappingProxyType(
    {
        "lexical": Prior(LogisticCurve(-0.235, (0.906,)), LogisticCurve(0.651, (0.906,)), 1.2),
        # Without judged texts it is the same as lexical.
        "neighbours": Prior(LogisticCurve(-0.235, (0.906,)), LogisticCurve(0.651, (0.906,)), 1.2),
        "nuggeteer": Prior(LogisticCurve(-2.604, (4.452,)), LogisticCurve(-1.762, (4.452,)), 1.3),
        "pourpre": Prior(LogisticCurve(-2.916, (4.461,)), LogisticCurve(-2.108, (4.461,)), 1.2),
        "qaviar": Prior(LogisticCurve(-3.189, (4.532,)), LogisticCurve(-2.388, (4.532,)), 1.3),
        "semantic": Prior(LogisticCurve(-0.235, (0.906,)), LogisticCurve(0.651, (0.906,)), 1.2),
        "rouge": Prior(LogisticCurve(-3.643, (4.916,)), LogisticCurve(-2.872, (4.916,)), 1.4),
    }
)
"""By the name of the judge."""
RUN_SIGMA = 0.15
"""The size of the error that a run shares through all queries, in log-odds, where it cannot be learned."""
# The mean over the same three sets, by `lexical` and `rouge` (benchmarks/fit_priors.py): nug .24 to .77, query .02 to
# .18, response .15 to .30, run -.08 to .01.
PRIOR_CORRELATIONS = ErrorCorrelations(nug=0.45, query=0.07, response=0.21, run=0.005)
"""How strongly two errors go together that share a nug, a query, a response or a run."""
PRIOR_QUERIES = 3
"""They count as much as so many labelled queries. Theory: the correlation in a query differs between the three sets by
about .8 of its mean, and the variance of k numbers is known to sqrt(2 / k) of itself: .8 is that of three."""


def prior_calibration(name: str) -> Calibration:
    """The curves of PRIORS, which a judge uses until there are enough judgements to learn from.

    >>> prior_calibration("rouge").probabilities([0.0, 0.5, 1.0])[:, 2].round(2).tolist()
    [0.03, 0.23, 0.78]
    """
    prior = PRIORS[name]
    return Calibration(partial=prior.partial, full=prior.full, described=(("cal", f"prior-{name}"),))
