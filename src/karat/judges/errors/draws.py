"""Draw the judgements of one response again and again, with the errors that they share with other judgements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from karat.judges.calibration.labelled import Floats
from karat.judges.errors.correlations import MOST, ErrorShares, quantiles
from karat.measures.cases.saved_fields import CommonErrors, Sigmas

LOGISTIC = math.pi**2 / 3
"""The variance of a logistic error, in which sigma and run_sigma are measured."""


@dataclass(frozen=True)
class CommonDraws:
    """What the draws of all responses of a query share, whatever the run."""

    query: Floats
    """The effect of the query, one per draw."""
    nugs: npt.NDArray[np.float32]
    """The effects of the nugs of this response (draws x pairs)."""
    calibration: Floats
    """The error of the calibration in each draw, in standard deviations (draws x 3)."""


def shares_of(sizes: Sigmas) -> ErrorShares:
    """Sizes as shares of an error's variance: sigma^2 / (sigma^2 + run_sigma^2 + pi^2 / 3), and the same of a run.

    The query has its share of what all nugs of a response share, and nugs of what is left.
    """
    whole = sizes.sigma**2 + sizes.run_sigma**2 + LOGISTIC
    response, run = sizes.sigma**2 / whole, sizes.run_sigma**2 / whole
    query = min(sizes.common.query, response)
    nug = max(0.0, min(sizes.common.nug, MOST - response - run))
    return ErrorShares(nug=nug, query=query, response=response - query, run=run)


def sizes_of(shares: ErrorShares, common: CommonErrors) -> Sigmas:
    """Shares as sizes in log-odds: the inverse of `shares_of`; `common` says how sure the calibration is."""
    response, run = shares.response + shares.query, shares.run
    scale = LOGISTIC / max(1.0 - response - run, 1 - MOST)
    return Sigmas(
        math.sqrt(response * scale), math.sqrt(run * scale), replace(common, nug=shares.nug, query=shares.query)
    )


def draw_response(
    probabilities: npt.ArrayLike,
    of_run: npt.ArrayLike,
    *,
    sizes: Sigmas,
    seed: Sequence[int],
    common: CommonDraws | None = None,
    vital: npt.ArrayLike | None = None,
) -> Floats:
    """Degrees 0, 0.5 and 1 of the pairs of one response (draws x pairs), with the errors that they share.

    A degree reaches a cut where e < z_cut. e = sqrt(run) r + sqrt(query) q + sqrt(nug) n + sqrt(response) b +
    sqrt(own) u, all standard normal, with the shares of `shares_of`: r, the effect of the run, is `of_run` in each draw
    (`draw_run_effect`), q and n are those of `common` (0 where it is None), b belongs to this response and u to the
    pair. z_cut is the normal quantile of the given probability, moved by the calibration's error: + x . delta, x = (1,
    normal quantile of P(full), vital). It is stretched before by sqrt(1 + Var(x . delta)), so that the mean over all
    draws is the given probability.
    """
    plain, run_effect = np.asarray(probabilities, float), np.asarray(of_run, float)
    draws, pairs = len(run_effect), len(plain)
    shares = shares_of(sizes if common is not None else replace(sizes, common=CommonErrors()))
    random = np.random.default_rng(list(seed))
    effect = math.sqrt(shares.run) * run_effect + math.sqrt(shares.response) * random.standard_normal(draws)
    error = random.standard_normal((draws, pairs), dtype=np.float32)
    error *= np.float32(math.sqrt(shares.own))
    reach = np.clip(np.stack([1 - plain[:, 0], plain[:, 2]]), 0.0, 1.0)
    cuts: Floats = ndtri(reach)
    if common is not None:
        if shares.query:
            effect += math.sqrt(shares.query) * common.query
        if shares.nug:
            error += np.float32(math.sqrt(shares.nug)) * common.nugs
        if sizes.common.calibration:
            known = recalibration_features(plain[:, 2], np.full(pairs, 0.5) if vital is None else np.asarray(vital))
            spread = known @ _root(sizes.common.calibration)
            cuts = cuts * np.sqrt(1 + (spread**2).sum(axis=1) * _t_variance(sizes.common.freedom))
            error -= common.calibration.astype(np.float32) @ spread.T.astype(np.float32)
    error += effect.astype(np.float32)[:, None]
    partial, full = cuts.astype(np.float32)
    degrees: Floats = 0.5 * ((error < partial).view(np.int8) + (error < full).view(np.int8))
    return degrees


def draw_run_effect(draws: int, *, seed: Sequence[int]) -> Floats:
    """The effect of one run in every draw, in standard deviations."""
    return np.random.default_rng(list(seed)).standard_normal(draws)


def draw_calibration(draws: int, *, freedom: float, seed: Sequence[int]) -> Floats:
    """The error of a calibration in every draw (draws x 3), in standard deviations.

    Its size comes from few labelled queries: it has Student's distribution with `freedom` degrees of freedom.
    """
    random = np.random.default_rng(list(seed))
    normal = random.standard_normal((draws, 3))
    if math.isinf(freedom):
        return normal
    return np.asarray(normal * np.sqrt(freedom / random.chisquare(freedom, draws))[:, None], dtype=np.float64)


def draw_common(
    draws: int, nugs: Sequence[int], *, of_query: int, calibration: Floats, seed: Sequence[int]
) -> CommonDraws:
    """The effects of a query and of some of its nugs; the same for every run, because the seed is.

    nugs: their places among all `of_query` nugs of the query, so that it does not matter which of them are uncertain.
    """
    random = np.random.default_rng(list(seed))
    query = random.standard_normal(draws)
    effects = random.standard_normal((draws, of_query), dtype=np.float32)
    return CommonDraws(query, effects if list(nugs) == list(range(of_query)) else effects[:, list(nugs)], calibration)


def recalibration_features(full: npt.ArrayLike, vital: npt.ArrayLike) -> Floats:
    """What the error of a calibration depends on: 1, the normal quantile of P(full), and the importance (pairs x 3)."""
    quantile = quantiles(full)
    return np.column_stack([np.ones(len(quantile)), quantile, np.asarray(vital, float)])


@lru_cache(maxsize=64)
def _root(covariance: tuple[tuple[float, ...], ...]) -> Floats:
    """The Cholesky root, which every response of a collection needs."""
    root: Floats = np.linalg.cholesky(np.array(covariance))
    return root


def _t_variance(freedom: float) -> float:
    return 1.0 if math.isinf(freedom) else freedom / (freedom - 2)
