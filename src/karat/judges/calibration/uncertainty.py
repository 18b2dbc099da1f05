"""How sure a learned calibration is: the sizes of the judge's errors, and the calibration's own error."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from karat.judges.calibration.priors import (
    BETWEEN_FREEDOM,
    PRIOR_CORRELATIONS,
    PRIOR_QUERIES,
    PRIORS,
    RUN_SIGMA,
    Between,
)
from karat.judges.errors.calibration_error import calibration_covariance
from karat.judges.errors.correlations import MOST, ErrorCorrelations, ErrorShares, fit_correlations
from karat.judges.errors.draws import sizes_of
from karat.judges.pairs import Floats, Ints, Pairs
from karat.measures.cases.saved_fields import CommonErrors, Sigmas

FEW_QUERIES = 8
"""Below so many labelled queries a note warns that intervals are wide."""
MANY_RUNS = 10
"""The size of the error that a run shares is learned from at least so many judged runs."""


def error_sizes(pairs: Pairs, full: Floats, runs: Ints, *, slope_sd: float = math.inf) -> Sigmas:
    """The sizes of a judge's errors from the labelled pairs, `full` being the calibrated P(full) of each pair.

    The correlations of errors (`fit_correlations`) are drawn towards those of other collections, which count as much as
    three labelled queries (or runs). Few judged runs say nothing about how runs differ: then the size of a run's error
    is that of other collections. The covariance of the calibration's error (`calibration_covariance`) has as many
    degrees of freedom as there are labelled queries, less one, plus those three. slope_sd: how far the slope may be off
    on the normal scale by what other collections say, whatever the labels.
    """
    known = ~np.isnan(pairs.degrees)
    groups = {"question": pairs.question[known], "nug": pairs.nug[known], "cell": pairs.cell[known], "run": runs[known]}
    queries = len(np.unique(groups["question"]))
    judged_runs = len(np.unique(groups["run"]))
    fitted = fit_correlations(pairs.degrees[known], full[known], **groups)
    if judged_runs < MANY_RUNS:
        fitted = replace(fitted, run=math.nan)
    shares = shrunk_shares(fitted, queries=queries, runs=judged_runs)
    covariance = calibration_covariance(full[known], shares, vital=pairs.vital[known], slope_sd=slope_sd, **groups)
    return sizes_of(shares, CommonErrors(calibration=covariance, freedom=queries - 1 + PRIOR_QUERIES))


def shrunk_shares(fitted: ErrorCorrelations, *, queries: int, runs: int) -> ErrorShares:
    """Shares of variance from correlations, each (k fitted + 3 prior) / (k + 3) for k labelled queries.

    That of a run: for k judged runs, because it is runs that differ by it.
    """
    nug, query, response, run = (
        _shrunk(getattr(fitted, name), getattr(PRIOR_CORRELATIONS, name), runs if name == "run" else queries)
        for name in ("nug", "query", "response", "run")
    )
    of_response = max(response - query - run, 0.0)
    of_nug = min(max(nug - query, 0.0), max(MOST - query - run - of_response, 0.0))
    return ErrorShares(nug=of_nug, query=query, response=of_response, run=run)


def prior_sizes(name: str) -> Sigmas:
    """Where nothing was learned: what other collections say about a judge's errors, and about its calibration here."""
    prior = PRIORS[name]
    return unlabelled_sizes(prior.sigma, prior.between, BETWEEN_FREEDOM, run_sigma=prior.run_sigma)


def unlabelled_sizes(sigma: float, between: Between, freedom: float, *, run_sigma: float = RUN_SIGMA) -> Sigmas:
    """The sizes of errors in a collection without labels, whose calibration lies `between` others.

    A mean over collections is flatter than the curve of each of them: so draws are made from a steeper curve
    (`draw_response`). The error of a run is larger by as much, because it was measured beside the curves of single
    collections.
    """
    errors = PRIOR_CORRELATIONS
    common = CommonErrors(
        nug=errors.nug - errors.query, query=errors.query, calibration=between.covariance(), freedom=freedom
    )
    return Sigmas(sigma, run_sigma * between.steeper(freedom), common)


def _shrunk(fitted: float, prior: float, units: int) -> float:
    if math.isnan(fitted):
        return prior
    return (units * max(fitted, 0.0) + PRIOR_QUERIES * prior) / (units + PRIOR_QUERIES)
