"""The tests that max-T was chosen from: other statistics, other ways to resample. `honesty.py --table choice`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Decided = NDArray[np.bool_]
Test = Callable[[Array, NDArray[np.int64], int], Decided]
RESAMPLES = 299
GOLDEN = np.sqrt(5)


def bootstrap(draw: np.random.Generator, queries: int) -> tuple[Array, Array]:
    weights = draw.multinomial(queries, np.full(queries, 1 / queries), RESAMPLES).astype(np.float64)
    return weights, weights


def wild(draw: np.random.Generator, queries: int, *, values: list[float], chances: list[float]) -> tuple[Array, Array]:
    """Multipliers of the centred differences, which are widened for the mean that was taken out."""
    drawn = draw.choice(values, (RESAMPLES, queries), p=chances) * np.sqrt(queries / (queries - 1))
    return drawn, drawn**2


rademacher = partial(wild, values=[-1.0, 1.0], chances=[0.5, 0.5])
mammen = partial(
    wild,
    values=[-(GOLDEN - 1) / 2, (GOLDEN + 1) / 2],
    chances=[(GOLDEN + 1) / (2 * GOLDEN), (GOLDEN - 1) / (2 * GOLDEN)],
)
webb = partial(wild, values=[side * np.sqrt(k / 2) for side in (-1, 1) for k in (1, 2, 3)], chances=[1 / 6] * 6)


def statistics(sums: Array, squares: Array, cubes: Array, n: int, own_share: float, form: str) -> Array:
    mean = sums / n
    variance = np.maximum(squares / n - mean**2, 0.0)
    pooled = np.sqrt(np.maximum(own_share * variance + (1 - own_share) * variance.mean(axis=1, keepdims=True), 1e-30))
    t: Array = np.sqrt(n - 1) * mean / pooled
    if form == "t":
        return np.abs(t)
    a = (cubes / n - 3 * mean * squares / n + 2 * mean**3) / pooled**3 / np.sqrt(n)
    t = np.clip(t, -1e6, 1e6)
    corrected: Array = t + a / 6 + a * t**2 / 3
    if form == "hall":
        corrected += a**2 * t**3 / 27
    return np.abs(corrected)


def decided(
    values: Array,
    pairs: NDArray[np.int64],
    seed: int,
    *,
    draws: Callable[[np.random.Generator, int], tuple[Array, Array]],
    own_share: float = 1.0,
    form: str = "t",
) -> Decided:
    """Step-down maximum of |t| over all pairs at 0.05."""
    d = (values[pairs[:, 0]] - values[pairs[:, 1]]).T
    n = len(d)
    sums, squares, cubes = (np.sum(d**k, axis=0)[None] for k in (1, 2, 3))
    observed = statistics(sums, squares, cubes, n, own_share, form)[0]
    centred = d - d.mean(axis=0)
    weights, squared = draws(np.random.default_rng(seed), n)
    cubed = weights * squared if weights is not squared else weights
    resampled = statistics(weights @ centred, squared @ centred**2, cubed @ centred**3, n, own_share, form)
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(resampled[:, order[::-1]], axis=1)[:, ::-1]
    p = np.maximum.accumulate((1 + (largest >= observed[order]).sum(axis=0)) / (1 + RESAMPLES))
    separated = np.zeros(len(p), dtype=bool)
    separated[order] = p <= 0.05
    return separated


CHOICES: dict[str, Test] = {
    "own third, bootstrap": partial(decided, draws=bootstrap, own_share=1 / 3),
    "own third, signs": partial(decided, draws=rademacher, own_share=1 / 3),
    "pooled, bootstrap": partial(decided, draws=bootstrap, own_share=0.0),
    "bootstrap-t": partial(decided, draws=bootstrap),
    "signs": partial(decided, draws=rademacher),
    "Mammen": partial(decided, draws=mammen),
    "Webb": partial(decided, draws=webb),
    "Hall, signs": partial(decided, draws=rademacher, form="hall"),
    "Johnson, signs": partial(decided, draws=rademacher, form="johnson"),
    "Hall, bootstrap": partial(decided, draws=bootstrap, form="hall"),
}
