from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

from karat.judges.errors.calibration_error import calibration_covariance
from karat.judges.errors.correlations import ErrorShares, fit_correlations


def simulated_labels(
    shares: ErrorShares, *, queries: int = 40, runs: int = 20, nugs: int = 8, seed: int = 0, spread: float = 1.0
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Degrees, probabilities and groups of labels whose errors have these shares."""
    rng = np.random.default_rng(seed)
    question, run, nug = (grid.ravel() for grid in np.mgrid[:queries, :runs, :nugs])
    groups = {"question": question, "run": run, "cell": question * runs + run, "nug": question * nugs + nug}
    full = 1 / (1 + np.exp(-rng.normal(0, spread, len(question))))
    error = math.sqrt(shares.own) * rng.standard_normal(len(full))
    for name, share in (("question", "query"), ("nug", "nug"), ("cell", "response"), ("run", "run")):
        codes = groups[name]
        error += math.sqrt(getattr(shares, share)) * rng.standard_normal(codes.max() + 1)[codes]
    return (error < ndtri(full)).astype(float), full, groups


def test_correlations_are_recovered() -> None:
    shares = ErrorShares(nug=0.4, query=0.05, response=0.15, run=0.02)
    found = []
    for seed in range(4):
        degrees, full, groups = simulated_labels(shares, queries=60, seed=seed)
        correlations = fit_correlations(degrees, full, **groups)
        found.append([correlations.nug, correlations.query, correlations.response, correlations.run])
    assert np.mean(found, axis=0) == pytest.approx([0.45, 0.05, 0.22, 0.02], abs=0.03)


def test_large_effects_of_runs_do_not_shrink() -> None:
    # With a linearised slope, a share of .5 (1.8 in log-odds) was found as .29 (1.2).
    shares = ErrorShares(nug=0.0, query=0.0, response=0.0, run=0.5)
    found = []
    for seed in range(24):
        degrees, full, groups = simulated_labels(shares, queries=15, runs=40, seed=seed, spread=0.3)
        found.append(fit_correlations(degrees, full, **groups).run)
    assert np.mean(found) == pytest.approx(0.5, abs=0.05)


def test_what_nothing_shares_is_unknown() -> None:
    one_run = simulated_labels(ErrorShares(0.2, 0.1, 0.1, 0.0), runs=1)
    found = fit_correlations(one_run[0], one_run[1], **one_run[2])
    assert math.isnan(found.nug)
    assert math.isnan(found.query)
    assert not math.isnan(found.response)


def test_labels_that_are_not_known_do_not_count() -> None:
    degrees, full, groups = simulated_labels(ErrorShares(0.3, 0.1, 0.1, 0.0), queries=10)
    longer = {name: np.append(codes, codes[:5]) for name, codes in groups.items()}
    again = fit_correlations(np.append(degrees, [np.nan] * 5), np.append(full, [0.5] * 5), **longer)
    assert again == fit_correlations(degrees, full, **groups)


def test_the_error_of_a_calibration_is_that_of_refitting_it_on_other_queries() -> None:
    """The intercept of labels that were drawn again and again, against the covariance of one of them."""
    shares = ErrorShares(nug=0.3, query=0.1, response=0.1, run=0.0)
    intercepts, said = [], []
    for seed in range(150):
        degrees, full, groups = simulated_labels(shares, queries=6, runs=6, nugs=6, seed=seed, spread=0.5)
        # One Newton step of sum (contained - Phi(z + delta)) = 0 from delta = 0.
        density = np.exp(-(ndtri(full) ** 2) / 2) / math.sqrt(2 * math.pi)
        intercepts.append((degrees - full).sum() / density.sum())
        vital = np.full(len(full), 0.5)
        said.append(calibration_covariance(full, shares, vital=vital, **groups)[0][0])
    assert np.std(intercepts) == pytest.approx(math.sqrt(np.mean(said)), rel=0.2)


def test_the_fewer_queries_the_less_sure_a_calibration_is() -> None:
    shares = ErrorShares(nug=0.3, query=0.1, response=0.1, run=0.0)
    variances = []
    for queries in (3, 12):
        _, full, groups = simulated_labels(shares, queries=queries, spread=0.5)
        vital = np.full(len(full), 0.5)
        covariance = np.array(calibration_covariance(full, shares, vital=vital, **groups))
        assert covariance[2, 2] < 1e-6  # an importance that is the same everywhere
        variances.append(covariance[0, 0])
    assert variances[0] / variances[1] == pytest.approx(4.0, rel=0.3)
