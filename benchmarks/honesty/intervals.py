"""How often intervals hold what they promise, by simulation; Markdown tables.

python benchmarks/honesty/intervals.py [means] [correlations] [agreement]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from karat.stats.agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from karat.stats.correlation.coefficients import coefficients_of_vectors
from karat.stats.correlation.population import population_correlations
from karat.stats.correlation.score_matrices import correlate_scores
from karat.stats.intervals.bootstrap import mean_intervals
from karat.stats.intervals.bounded import bounded_mean_intervals, score_intervals

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]


def mixed(share: float, value: float, a: float, b: float) -> Draw:
    """This share has the value, the rest is beta."""
    return lambda rng, shape: np.where(rng.random(shape) < share, value, rng.beta(a, b, shape))


SCORES: dict[str, tuple[Draw, float]] = {
    "uniform": (lambda rng, shape: rng.random(shape), 0.5),
    "beta(0.5, 3)": (lambda rng, shape: rng.beta(0.5, 3, shape), 0.5 / 3.5),
    "60 % zeros": (mixed(0.6, 0.0, 2, 3), 0.16),
    "85 % zeros": (mixed(0.85, 0.0, 2, 3), 0.06),
    "k/7 around .4": (lambda rng, shape: rng.binomial(7, 0.4, shape) / 7, 0.4),
    "k/7 around .9": (lambda rng, shape: rng.binomial(7, 0.9, shape) / 7, 0.9),
    "80 % ones": (mixed(0.8, 1.0, 2, 2), 0.9),
    "0 or 1": (lambda rng, shape: (rng.random(shape) < 0.2).astype(float), 0.2),
}


def row(*cells: object) -> str:
    return "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |"


def head(*names: str) -> None:
    print(row(*names))
    print(row(*("---" for _ in names)))


def error(share: float, times: int) -> float:
    """The simulation error: two standard errors of a share."""
    return 2 * math.sqrt(max(share * (1 - share), 0.25 / times) / times)


def means(times: int = 4000) -> None:
    print(f"\n### 95 % intervals of a mean: share that holds it / mean width ({times} samples a cell)\n")
    head("queries", "scores", "BCa", "BCa, equal values widened", "bounded (Gaffke)", "shipped")
    rng = np.random.default_rng(1)
    for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30):
        worst = [1.0, 1.0, 1.0, 1.0]
        for name, (draw, mean) in SCORES.items():
            values = draw(rng, (times, n))
            bca = np.array([(one.low, one.high) for one in mean_intervals(values) if one])
            bounded = np.array([(one.low, one.high) for one in bounded_mean_intervals(values, draws=4000) if one])
            shipped = np.array([(one.low, one.high) for one in score_intervals(values) if one])
            widened = np.where((np.ptp(values, axis=1) == 0)[:, None], bounded, bca)
            cells = []
            for place, ends in enumerate((bca, widened, bounded, shipped)):
                held = float(((ends[:, 0] <= mean + 1e-12) & (ends[:, 1] >= mean - 1e-12)).mean())
                worst[place] = min(worst[place], held)
                cells.append(f"{held:.3f} / {np.ptp(ends, axis=1).mean():.2f}")
            print(row(n, name, *cells))
        print(row(n, "**lowest**", *worst), flush=True)


def two_matrices(
    kind: str, rng: np.random.Generator, runs: int, queries: int, r: float
) -> tuple[Floats, Floats, Floats]:
    """True run means (runs, 2), and two score matrices with errors that go together."""
    first = rng.normal(size=runs)
    if kind == "two clusters":
        first = np.where(rng.random(runs) < 0.5, -1.0, 1.0) + 0.4 * first
    true = 0.5 + 0.1 * np.stack([first, r * first + math.sqrt(1 - r * r) * rng.normal(size=runs)], axis=1)
    a = rng.normal(size=(runs, queries))
    b = 0.5 * a + math.sqrt(0.75) * rng.normal(size=a.shape)
    if kind == "skewed errors":
        a, b = ((error**2 - 1) / math.sqrt(2) for error in (a, b))
    query = rng.normal(0, 0.15, queries)
    other = 0.8 * query + rng.normal(0, 0.05, queries)
    return true, true[:, :1] + query + 0.2 * a, true[:, 1:] + other + 0.2 * b


def correlations(times: int = 400) -> None:
    print(f"\n### The coefficient of the true run means: held by population / by resampled queries ({times} samples)\n")
    names = ("pearson", "spearman", "kendall_tau_b", "tau_ap", "rmse")
    head("scores", "runs", "queries", "true r", *names, "width of r", "width of tau")
    rng = np.random.default_rng(4)
    settings = ((10, 10, 0.8), (15, 5, 0.8), (20, 15, 0.8), (20, 15, 0.95), (40, 15, 0.6), (40, 50, 0.9))
    for kind in ("normal", "skewed errors", "two clusters"):
        for runs, queries, r in settings:
            held = np.zeros((2, len(names)))
            widths = np.zeros(2)
            for _ in range(times):
                true, a, b = two_matrices(kind, rng, runs, queries, r)
                target = coefficients_of_vectors(true[None, :, 0], true[None, :, 1])
                for place, found in enumerate((population_correlations(a, b), correlate_scores(a, b, resamples=300))):
                    by_name = {one.name: one for one in found}
                    for column, name in enumerate(names):
                        low, high = by_name[name].low, by_name[name].high
                        assert low is not None
                        assert high is not None
                        held[place, column] += low <= target[name][0] <= high
                        if place == 0 and name in ("pearson", "kendall_tau_b"):
                            widths[int(name != "pearson")] += (high - low) / times
            cells = [f"{one:.3f} / {other:.3f}" for one, other in (held / times).T]
            print(row(kind, runs, queries, r, *cells, *widths.tolist()), flush=True)


def rated(rng: np.random.Generator, queries: int, units: int, yes: float, right: float, spread: float) -> Floats:
    """Two raters' labels (units of all queries, 2); in some queries they err more often than in others."""
    sure = 1 / (1 + np.exp(-rng.normal(right, spread, (queries, 1))))
    truth = rng.random((queries, units)) < np.clip(rng.normal(yes, 0.15, (queries, 1)), 0.05, 0.95)
    both = [np.where(rng.random(truth.shape) < sure, truth, ~truth) for _ in range(2)]
    return np.stack(both, axis=-1).reshape(-1, 2).astype(float)


def agreement(times: int = 1000) -> None:
    print(
        f"\n### Agreement of two raters: share of 95 % intervals that hold the true value / width ({times} samples)\n"
    )
    coefficients = {
        "percent": percent_agreement, "kappa": cohen_kappa, "AC1": gwet_ac1, "alpha": krippendorff_alpha,
    }  # fmt: skip
    head("queries", "units a query", "true kappa", *coefficients)
    rng = np.random.default_rng(5)
    for queries in (3, 5, 8, 10, 20):
        for units, yes, right, spread in (
            (10, 0.5, 2, 0.6),
            (20, 0.3, 2.5, 0.8),
            (15, 0.8, 1.5, 0.5),
            (12, 0.6, 3.5, 0.8),
        ):
            large = rated(rng, 30_000, units, yes, right, spread)
            true = {name: coefficient(large).value or 0.0 for name, coefficient in coefficients.items()}
            groups = np.repeat(np.arange(queries), units)
            ends: dict[str, list[tuple[float, float]]] = {name: [] for name in coefficients}
            for _ in range(times):
                ratings = rated(rng, queries, units, yes, right, spread)
                for name, coefficient in coefficients.items():
                    found = coefficient(ratings, groups=groups)
                    if found.low is not None and found.high is not None:
                        ends[name].append((found.low, found.high))
            cells = []
            for name, pairs in ends.items():
                held = np.mean([low <= true[name] <= high for low, high in pairs])
                cells.append(f"{held:.3f} / {np.ptp(pairs, axis=1).mean():.2f}")
            print(row(queries, units, true["kappa"], *cells), flush=True)


TABLES = {"means": means, "correlations": correlations, "agreement": agreement}


def main() -> int:
    for name in sys.argv[1:] or list(TABLES):
        TABLES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
