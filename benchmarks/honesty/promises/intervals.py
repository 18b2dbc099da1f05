"""Intervals over queries: of means, agreement and correlations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from intervals import SCORES, rated, two_matrices
from karat.stats.agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha
from karat.stats.correlation.coefficients import coefficients_of_vectors
from karat.stats.correlation.population import population_correlations
from karat.stats.correlation.record import Correlation
from karat.stats.correlation.score_matrices import correlate_scores
from karat.stats.intervals.bounded import score_intervals
from karat.stats.intervals.clustered_share import clustered_share_interval
from promises import Row, promise, trials

CORRELATED = ("pearson", "spearman", "kendall_tau_b", "tau_ap", "rmse")
SHAPES = ((10, 10, 0.8), (15, 5, 0.8), (20, 15, 0.95), (40, 50, 0.9))
"""Runs, queries, and the correlation of the true means."""


@promise("95 % interval of a mean of scores")
def means(scale: float) -> Iterator[Row]:
    count = trials(scale, 4000)
    rng = np.random.default_rng(11)
    for queries in (2, 5, 9, 10, 15, 30):
        for name, (draw, mean) in SCORES.items():
            ends = [(end.low, end.high) for end in score_intervals(draw(rng, (count, queries))) if end]
            low, high = np.array(ends).T
            share = float(((low <= mean + 1e-12) & (high >= mean - 1e-12)).mean())
            yield Row(setting=f"{queries} queries, {name}", measured=share, trials=count, at_least=0.93)


@promise("95 % interval of a verdict's share")
def shares(scale: float) -> Iterator[Row]:
    """Citations of queries, of which a share has a verdict; within a query they are correlated (beta-binomial)."""
    count = trials(scale, 1500)
    rng = np.random.default_rng(13)
    for queries in (3, 10, 40):
        for share in (0.03, 0.2, 0.5):
            for within in (0.0, 0.1, 0.3):
                held = 0
                for _ in range(count):
                    sizes = rng.poisson(10, queries) + 1
                    odds = 1 / within - 1 if within else 0.0
                    own = rng.beta(share * odds, (1 - share) * odds, queries) if within else np.full(queries, share)
                    found = clustered_share_interval(rng.binomial(sizes, own).tolist(), sizes.tolist())
                    held += found.low <= share <= found.high
                setting = f"{queries} queries, {share:.0%}, correlation {within:g}"
                yield Row(setting=setting, measured=held / count, trials=count, at_least=0.90)


@promise("95 % interval of agreement")
def agreement(scale: float) -> Iterator[Row]:
    count = trials(scale, 1000)
    rng = np.random.default_rng(12)
    coefficients = {"kappa": cohen_kappa, "AC1": gwet_ac1, "alpha": krippendorff_alpha}
    for queries in (5, 10, 20):
        for units, yes, right, spread in ((10, 0.5, 2, 0.6), (15, 0.8, 1.5, 0.5)):
            large = rated(rng, 30_000, units, yes, right, spread)
            groups = np.repeat(np.arange(queries), units)
            sheets = [rated(rng, queries, units, yes, right, spread) for _ in range(count)]
            for name, coefficient in coefficients.items():
                true = coefficient(large).value or 0.0
                found = [coefficient(sheet, groups=groups) for sheet in sheets]
                held = [one.low <= true <= one.high for one in found if one.low is not None and one.high is not None]
                setting = f"{name}, {queries} queries of {units}, {yes:.0%} yes"
                yield Row(setting=setting, measured=float(np.mean(held)), trials=len(held), at_least=0.92)


@promise("Correlation with infinitely many queries (--target population)")
def population(scale: float) -> Iterator[Row]:
    count = trials(scale, 400)
    rng = np.random.default_rng(13)
    for kind in ("normal", "skewed errors", "two clusters"):
        for runs, queries, r in SHAPES:
            held = np.zeros(len(CORRELATED))
            for _ in range(count):
                true, a, b = two_matrices(kind, rng, runs, queries, r)
                target = coefficients_of_vectors(true[None, :, 0], true[None, :, 1])
                held += _held(population_correlations(a, b), {name: float(target[name][0]) for name in CORRELATED})
            # Two clusters are not normal, as the method assumes: documented, with a lower bound.
            least = 0.80 if kind == "two clusters" else 0.88
            for name, share in zip(CORRELATED, held / count, strict=True):
                setting = f"{name}, {kind}, {runs} runs, {queries} queries"
                yield Row(setting=setting, measured=float(share), trials=count, at_least=least)


@promise("Correlation with as many other queries (--target queries)")
def as_many_queries(scale: float) -> Iterator[Row]:
    """The target is the mean coefficient over other sets of as many queries, for the same runs."""
    worlds, sets = trials(scale, 40, least=8), 60
    for runs, queries, r in SHAPES:
        held: list[list[float]] = []
        for seed in range(worlds):
            drawn = [_another_set(seed, each, runs, queries, r) for each in range(sets)]
            values = coefficients_of_vectors(
                *(np.stack([pair[side].mean(axis=1) for pair in drawn]) for side in (0, 1))
            )
            target = {name: float(values[name].mean()) for name in CORRELATED}
            found = [
                _held(correlate_scores(a, b, resamples=300, seed=at), target) for at, (a, b) in enumerate(drawn[:5])
            ]
            held += [row.tolist() for row in found]
        shares = np.mean(held, axis=0)
        for name, share in zip(CORRELATED, shares, strict=True):
            setting = f"{name}, {runs} runs, {queries} queries"
            yield Row(
                setting=setting, measured=float(share), trials=len(held), at_least=0.88 if queries >= 10 else 0.80
            )


def _another_set(seed: int, number: int, runs: int, queries: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    true, _, _ = two_matrices("normal", np.random.default_rng([14, seed]), runs, queries, r)
    _, a, b = two_matrices("normal", np.random.default_rng([14, seed, number + 1]), runs, queries, r)
    own, _, _ = two_matrices("normal", np.random.default_rng([14, seed, number + 1]), runs, queries, r)
    return a - own[:, :1] + true[:, :1], b - own[:, 1:] + true[:, 1:]


def _held(found: tuple[Correlation, ...], target: dict[str, float]) -> np.ndarray:
    """1 for each coefficient whose interval holds the target."""
    by_name = {one.name: one for one in found}
    ends = [(by_name[name].low, by_name[name].high) for name in CORRELATED]
    return np.array(
        [
            low is not None and high is not None and low <= target[name] <= high
            for name, (low, high) in zip(CORRELATED, ends, strict=True)
        ],
        float,
    )
