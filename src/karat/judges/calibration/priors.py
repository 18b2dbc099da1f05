"""What the scores of each judge mean where no person has judged anything yet: curves from other collections.

A prior is a distribution over collections: a mean curve, and how far the curve of a new collection may lie from it. On
the normal scale, with z the normal quantile of the mean curve's P(full), a collection has

    z + level error + slope error * (z - centre).

Both errors have Student's distribution, because few collections say how large they are. In each draw of the judge's
error the calibration is another one (`draw_response`); the mean over the draws is the mean curve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.logistic import ExpectedSlope, LogisticCurve
from karat.judges.errors.correlations import ErrorCorrelations


class Between(msgspec.Struct, frozen=True):
    """How far calibrations of collections lie from their mean curve, on the normal scale."""

    centre: float
    """The mean z of the collections: level and slope are nearly independent there."""
    level: float
    """The scale of the level error: how far z is off at the centre."""
    slope: float
    """The scale of the slope error."""

    def covariance(self) -> tuple[tuple[float, ...], ...]:
        """Of (intercept, slope, importance), as `CommonErrors.calibration` has it.

        >>> [round(value, 3) for value in Between(-0.5, 0.5, 0.4).covariance()[0]]
        [0.29, 0.08, 0.0]
        """
        slope = self.slope**2
        across = round(-self.centre * slope, 9)
        return (
            (self.level**2 + self.centre**2 * slope + _TINY, across, 0.0),
            (across, round(slope, 9) + _TINY, 0.0),
            (0.0, 0.0, _TINY),
        )

    def steeper(self, freedom: float) -> float:
        """By how much the curve of a collection is steeper than the mean over collections: sqrt(1 + level variance)."""
        return math.sqrt(1 + self.level**2 * freedom / (freedom - 2))

    def slope_sd(self, freedom: float) -> float:
        """The standard deviation of the slope error."""
        return self.slope * math.sqrt(freedom / (freedom - 2))


_TINY = 1e-9
BETWEEN = Between(-0.54, 0.56, 0.37)
"""That of `lexical`: for judges whose own is not known."""
BETWEEN_FREEDOM = 5.0
"""Degrees of freedom: one less than the six kinds of collection that the priors are fitted on."""


RUN_SIGMA = 0.15
"""The size of the error that a run shares through all queries, in log-odds, where it cannot be learned."""


class Prior(msgspec.Struct, frozen=True):
    """P(full | score), P(at least partial | score), and the size of the error that a response shares, in log-odds."""

    full: LogisticCurve
    partial: LogisticCurve
    sigma: float = 1.3
    between: Between = BETWEEN
    run_sigma: float = RUN_SIGMA
    """The size of the error that a run shares through all queries, in log-odds."""
    source: str = ""
    """Where the curves come from, if not from the collections of all others."""


# Fitted by benchmarks/judges/fit_priors.py. The curves are of the nuggetizer's RAG24 collection (an LLM's labels),
# REALSumm and SummHay (people's), each with the same weight. How far a collection may lie from them comes from these
# three, from WiCE, and from answers that were put together from ArgKP and Temporal Summarization (people's labels).
# Each judge has its default settings; `lexical` and `semantic` have weights that were learned without the set. `llm` is
# another matter, see below.
_LEXICAL = Prior(LogisticCurve(-0.274, (0.846,)), LogisticCurve(0.598, (0.846,)), 1.2, BETWEEN)
PRIORS: Mapping[str, Prior] = MappingProxyType(
    {
        "lexical": _LEXICAL,
        # By benchmarks/judges/llm_prior.py: the labels of six LLMs of 2024, compared with people's, on SummHay alone.
        # The spread is that between the LLMs, and that of `semantic` between collections, added up.
        "llm": Prior(
            LogisticCurve(-1.881, (2.243,)),
            LogisticCurve(-0.727, (2.243,)),
            1.2,
            Between(-0.27, 0.81, 0.55),
            0.28,
            "a calibration from six LLMs of 2024 on one collection (see docs/llm.md)",
        ),
        # Its raw score is the log-odds by the curve of the level that judged. P(at least partial) is .88 log-odds above
        # P(full) for lexical and semantic; the spread between collections is semantic's, the largest.
        "cascade": Prior(LogisticCurve(0.0, (1.0,)), LogisticCurve(0.88, (1.0,)), 1.2, Between(-0.48, 0.78, 0.49)),
        # Without judged texts it is the same as lexical.
        "neighbours": _LEXICAL,
        "nuggeteer": Prior(
            LogisticCurve(-2.604, (4.452,)), LogisticCurve(-1.762, (4.452,)), 1.3, Between(-0.53, 0.38, 0.22)
        ),
        "pourpre": Prior(
            LogisticCurve(-2.916, (4.461,)), LogisticCurve(-2.108, (4.461,)), 1.2, Between(-0.49, 0.41, 0.18)
        ),
        "qaviar": Prior(
            LogisticCurve(-3.189, (4.532,)), LogisticCurve(-2.388, (4.532,)), 1.3, Between(-0.53, 0.43, 0.27)
        ),
        "semantic": Prior(
            LogisticCurve(-0.144, (0.750,)), LogisticCurve(0.736, (0.750,)), 1.2, Between(-0.48, 0.78, 0.49)
        ),
        "rouge": Prior(
            LogisticCurve(-3.643, (4.916,)), LogisticCurve(-2.872, (4.916,)), 1.4, Between(-0.47, 0.56, 0.36)
        ),
    }
)
"""By the name of the judge."""
# The mean over REALSumm, SummHay and the nuggetizer's collection, by `lexical` and `rouge`: nug .24 to .77, query .02
# to .18, response .15 to .30, run -.08 to .01.
PRIOR_CORRELATIONS = ErrorCorrelations(nug=0.45, query=0.07, response=0.21, run=0.005)
"""How strongly two errors go together that share a nug, a query, a response or a run."""
PRIOR_QUERIES = 3
"""They count as much as so many labelled queries. Theory: the correlation in a query differs between the three sets by
about .8 of its mean, and the variance of k numbers is known to sqrt(2 / k) of itself: .8 is that of three."""


def expected_slope(name: str) -> ExpectedSlope:
    """The slope of the score in a new collection: that of the mean curve, steeper as single collections are."""
    prior = PRIORS[name]
    (slope,) = prior.full.slopes
    return ExpectedSlope(
        slope * prior.between.steeper(BETWEEN_FREEDOM), slope * prior.between.slope_sd(BETWEEN_FREEDOM)
    )


def prior_calibration(name: str) -> Calibration:
    """The curves of PRIORS, which a judge uses until there are enough judgements to learn from.

    >>> prior_calibration("rouge").probabilities([0.0, 0.5, 1.0])[:, 2].round(2).tolist()
    [0.03, 0.23, 0.78]
    """
    prior = PRIORS[name]
    return Calibration(partial=prior.partial, full=prior.full, described=(("cal", f"prior-{name}"),))
