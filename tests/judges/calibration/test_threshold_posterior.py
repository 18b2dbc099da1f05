from __future__ import annotations

import numpy as np
import pytest

from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.threshold_models import compare_models
from karat.judges.calibration.threshold_posterior import MAX_BINS, Counts, error_grid, pooled_prior, score_bins

SCORES = np.array([0.1, 0.4, 0.6, 0.9, 0.2, 0.4, 0.7, 0.9, 0.1, 0.6])
DEGREES = np.array([0, 0, 1, 1, 0, 1, 1, 1, 0, 0.0])
NUG = np.array([5, 5, 5, 5, 9, 9, 9, 9, 11, 11])
TINY = Labelled(SCORES, DEGREES, NUG // 10, NUG)


def plain_evidence(units: np.ndarray) -> float:
    """The model's definition summed out: every combination of thresholds, error rates on a fine grid."""
    cuts = [*np.unique(SCORES), np.inf]
    rates = (np.arange(400) + 0.5) / 400
    fp, fn = np.meshgrid(rates, rates)
    density = 2 * (1 - fp) * 2 * (1 - fn)
    likelihood = np.ones_like(fp)
    for unit in np.unique(units):
        own = units == unit
        likelihood *= np.mean([_given(cut, own, fp, fn) for cut in cuts], axis=0)
    return float(np.log10((density * likelihood).mean()))


def _given(cut: float, own: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    chance = np.ones_like(fp)
    for score, label in zip(SCORES[own], DEGREES[own], strict=True):
        contained = 1 - fn if score >= cut else fp
        chance = chance * (contained if label else 1 - contained)
    return chance


def test_the_evidence_is_that_of_the_definition() -> None:
    rows = {row.name: row for row in compare_models(TINY)}
    assert rows["global threshold"].log10_evidence == pytest.approx(plain_evidence(np.zeros(10)), abs=1e-4)
    assert rows["per-question thresholds"].log10_evidence == pytest.approx(plain_evidence(NUG // 10), abs=1e-4)
    assert rows["per-nug thresholds"].log10_evidence == pytest.approx(plain_evidence(NUG), abs=1e-4)
    # Errors of their own: the product of what each nug would have alone, with the same candidates.
    alone = []
    for nug in np.unique(NUG):
        own = np.flatnonzero(nug == NUG)
        place = np.searchsorted(np.unique(SCORES), SCORES[own])
        counts = Counts.of(np.zeros(len(own), dtype=int), place, DEGREES[own], units=1, bins=6)
        alone.append(np.log10(np.exp(counts.log_marginal()).mean()))
    assert rows["per-nug errors and thresholds"].log10_evidence == pytest.approx(sum(alone), abs=1e-9)


@pytest.mark.parametrize("pairs", [0, 3, 200, 50_000])
def test_the_grid_of_errors_agrees_with_beta_functions(pairs: int) -> None:
    random = np.random.default_rng(pairs)
    place = random.integers(0, 7, pairs)
    positive = (random.random(pairs) < np.where(place >= 4, 0.9, 0.02)).astype(float)
    counts = Counts.of(np.zeros(pairs, dtype=int), place, positive, units=1, bins=7)
    marginal = counts.log_marginal()[0]
    exact = marginal.max() + np.log(np.exp(marginal - marginal.max()).mean())
    assert error_grid(counts, np.full(8, -np.log(8))).log_evidence == pytest.approx(exact, abs=2e-3)


def test_a_pool_of_units_that_agree_says_more_than_one_of_units_that_do_not() -> None:
    agree = pooled_prior(np.tile([-9.0, 0.0, -9.0, -9.0], (6, 1)))
    apart = pooled_prior(np.where(np.eye(4) == 1, 0.0, -9.0))
    assert agree.log_gain > 0
    assert np.exp(agree.log_weights).sum() == pytest.approx(1)
    assert np.argmax(agree.log_weights) == 1
    assert apart.log_gain == apart.pooling == 0
    assert np.exp(apart.log_weights) == pytest.approx([0.25] * 4)
    assert pooled_prior(np.zeros((1, 3))).pooling == 0


def test_candidates_cover_rare_high_scores() -> None:
    scores = np.concatenate([np.zeros(100_000), np.linspace(0.1, 1, 500)])
    bins = score_bins(scores)
    assert len(bins) <= MAX_BINS
    assert bins[0] == 0
    assert (bins > 0.5).sum() > 10
    assert score_bins(np.array([3.0, 1.0, 3.0])).tolist() == [1, 3]
