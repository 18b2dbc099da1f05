"""How strongly a judge's errors go together: on one nug, in one query, in one response, and in one run.

Every judgement has an error on a normal scale: a nug is contained where the error lies below the normal quantile of its
probability. Two errors are correlated by what the two judgements share,

    same nug (two responses)       query + nug
    same query (otherwise apart)   query
    same response (two nugs)       query + run + response
    same run (two queries)         run

where query, nug, run and response are shares of the error's variance. They are found by moments. With z the normal
quantile of P(full) and rho the correlation, the covariance of two judgements (contained in full: 1 or 0) is

    sum over k of rho^k / k! He_{k-1}(z) phi(z) He_{k-1}(z') phi(z')    (Pearson's tetrachoric series, 1900),

a sum of products, so that the sum over all pairs of judgements that share something comes from sums over groups. rho is
where that sum is the sum of the products of residuals (contained - P). Nothing is linearised: large effects do not
shrink.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from karat.judges.calibration.labelled import Floats, Ints

LEAST = 1e-4
"""Probabilities nearer to 0 or 1 count as this one: their normal quantiles would be far away."""
TERMS = 12
MOST = 0.95
"""The largest correlation that is looked for, and the largest sum of all shares."""
_GRID = np.linspace(-0.3, MOST, 1251)


@dataclass(frozen=True)
class ErrorCorrelations:
    """The correlation of errors that share a nug, a query, a response or a run; NaN where no two do."""

    nug: float
    query: float
    response: float
    run: float


@dataclass(frozen=True)
class ErrorShares:
    """The shares of an error's variance that belong to the nug, the query, the response and the run."""

    nug: float
    query: float
    response: float
    run: float

    @property
    def own(self) -> float:
        """The share that belongs to the single judgement."""
        return max(0.0, 1.0 - self.nug - self.query - self.response - self.run)


def fit_correlations(
    degrees: npt.ArrayLike,
    full: npt.ArrayLike,
    *,
    question: npt.ArrayLike,
    nug: npt.ArrayLike,
    cell: npt.ArrayLike,
    run: npt.ArrayLike,
) -> ErrorCorrelations:
    """The correlations of errors from labels: `degrees` by people (NaN unknown), `full` the judge's P(full).

    Every query has the same weight. The calibration was fitted on the same labels, which makes residuals add up to 0
    and correlations too small: the mean product of two judgements that share nothing, which should be 0, is subtracted.
    """
    contained, chance = np.asarray(degrees, float), np.asarray(full, float)
    known = ~np.isnan(contained)
    groups = _Groups.of(*(np.asarray(codes)[known] for codes in (question, nug, cell, run)))
    chance = chance[known]
    products = groups.products((contained[known] >= 1) - chance)
    series = [groups.products(term) for term in _terms(chance)]
    apart = products["apart"] / series[0]["apart"] if series[0]["apart"] > 0 else 0.0
    found = {
        name: _root([term[name] for term in series], products[name] - apart * series[0][name])
        for name in ("nug", "query", "response", "run")
    }
    return ErrorCorrelations(**found)


def quantiles(probability: npt.ArrayLike) -> Floats:
    """Normal quantiles, of probabilities that are not nearer to 0 or 1 than LEAST."""
    found: Floats = ndtri(np.clip(np.asarray(probability, float), LEAST, 1 - LEAST))
    return found


def density(quantile: Floats) -> Floats:
    """Of the normal distribution."""
    return np.asarray(np.exp(-(quantile**2) / 2) / math.sqrt(2 * math.pi), dtype=np.float64)


@dataclass(frozen=True)
class _Groups:
    """What each judgement belongs to, and its weight: 1 / the number of judgements of its query."""

    question: Ints
    nug: Ints
    cell: Ints
    run: Ints
    weight: Floats

    @classmethod
    def of(cls, *codes: npt.NDArray[np.int64]) -> _Groups:
        question, nug, cell, run = (np.unique(code, return_inverse=True)[1].ravel().astype(np.int64) for code in codes)
        counts = np.bincount(question)
        return cls(question, nug, cell, run, 1.0 / counts[question] if len(counts) else np.zeros(0))

    def products(self, values: Floats) -> dict[str, float]:
        """Sums of products of two values, by what their judgements share and nothing else but that."""
        weighted = self.weight * values
        own = float((weighted**2).sum())
        question, nug, cell, run = (
            float((np.bincount(codes, weights=weighted) ** 2).sum())
            for codes in (self.question, self.nug, self.cell, self.run)
        )
        return {
            "nug": nug - own,
            "query": question - nug - cell + own,
            "response": cell - own,
            "run": run - cell,
            "apart": float(weighted.sum()) ** 2 - question - run + cell,
        }


def _terms(chance: Floats) -> list[Floats]:
    """He_{k-1}(z) phi(z) / sqrt(k!) for k = 1, 2, ..."""
    quantile = quantiles(chance)
    phi = density(quantile)
    hermite = [np.ones_like(quantile), quantile]
    for order in range(2, TERMS):
        hermite.append(quantile * hermite[-1] - (order - 1) * hermite[-2])
    return [hermite[k - 1] * phi / math.sqrt(math.factorial(k)) for k in range(1, TERMS + 1)]


def _root(series: list[float], product: float) -> float:
    """rho with sum over k of series_k rho^k = product, on a grid; NaN where no two judgements share this."""
    if series[0] <= 1e-15:
        return math.nan
    values = np.polynomial.polynomial.polyval(_GRID, [0.0, *series])
    return float(_GRID[np.argmin(np.abs(values - product))])
