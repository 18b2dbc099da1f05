"""What `compare --max-loss`, `--equivalent` and intervals for all pairs promise, and what was measured (Markdown).

python benchmarks/honesty/margins.py [not-worse] [equivalent] [together] [--count N]

- not-worse: every run truly loses exactly the margin: how often any of them is called "not worse".
- equivalent: every run truly differs by exactly the margin, half of them up and half down: how often any pair with the
  baseline is called "equivalent".
- together: how often the intervals for all pairs together hold all true differences.
- power, beside both: how often a run that does not differ at all is shown to be not worse, or equivalent.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.compare.margins import Margin, margin_limits
from karat.evaluate.tables.score_table import ScoreTable
from karat.stats.significance.max_t import max_t

Floats = NDArray[np.float64]
SIZE = 0.1
QUERIES = (5, 10, 20, 50)
RUNS = (2, 5)


def _normal(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return draw.normal(0.0, 0.15, shape).clip(-0.35, 0.35)


def _zeros(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return np.where(draw.random(shape) < 0.4, draw.normal(0.0, 0.2, shape), 0.0).clip(-0.35, 0.35)


def _rare_losses(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return 0.06 - draw.exponential(0.06, shape).clip(0, 0.4)


def _rare_gains(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return draw.exponential(0.06, shape).clip(0, 0.4) - 0.06


def _steps(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return (draw.binomial(7, 0.5, shape) - draw.binomial(7, 0.5, shape)) / 14


def _very_rare_losses(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return draw.normal(0.0, 0.01, shape) - np.where(draw.random(shape) < 0.03, 0.35, 0.0) + 0.0105


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": _normal,
    "60 % zeros": _zeros,
    "skewed, rare losses": _rare_losses,
    "skewed, rare gains": _rare_gains,
    "steps of 1/14": _steps,
    "3 % of queries lose .35, the others nothing": _very_rare_losses,
}


@cache
def centre(kind: str) -> float:
    """The true mean of the differences of a kind."""
    return float(KINDS[kind](np.random.default_rng(99), (1, 2_000_000)).mean())


def table_of(kind: str, runs: int, queries: int, shifts: Floats, mean: float, draw: np.random.Generator) -> ScoreTable:
    """A baseline in the first row, and runs whose true difference from it is `shifts`."""
    base = np.full((1, queries), 0.5)
    differences = KINDS[kind](draw, (runs - 1, queries)) - mean + shifts[:, None]
    values = np.concatenate([base, base + differences])
    names = tuple(map(str, range(max(runs, queries))))
    return ScoreTable("strict_all", names[:runs], names[:queries], values, np.zeros(values.shape, bool))


def shown_share(kind: str, margin: Margin, runs: int, queries: int, shifts: Floats, count: int, seed: int) -> float:
    """How often any run is shown to be within the margin."""
    draw, mean, size = np.random.default_rng((seed, runs, queries)), centre(kind), margin.size
    pairs = np.array([(row, 0) for row in range(1, runs)])
    shown = 0
    for _ in range(count):
        limits = margin_limits(table_of(kind, runs, queries, shifts, mean, draw), pairs, margin)
        within = limits.low > -size
        if margin.question == "equivalent":
            within &= limits.high < size
        shown += bool(within.any())
    return shown / count


def held_share(kind: str, runs: int, queries: int, count: int, seed: int) -> float:
    """How often the intervals of all pairs hold all true differences."""
    draw, mean = np.random.default_rng((seed, runs, queries)), centre(kind)
    shifts = np.linspace(-0.1, 0.1, runs - 1)
    truth = np.concatenate([[0.0], shifts])
    pairs = np.array(np.triu_indices(runs, 1)).T
    differences = truth[pairs[:, 0]] - truth[pairs[:, 1]]
    held = 0
    for _ in range(count):
        found = max_t(table_of(kind, runs, queries, shifts, mean, draw).values, pairs)
        held += bool(((found.low <= differences) & (differences <= found.high)).all())
    return held / count


def print_margins(margin: Margin, count: int) -> None:
    heads = [f"{runs - 1} run{'s' * (runs > 2)}, {queries} queries" for runs in RUNS for queries in QUERIES]
    print(f'\nAny run called "{margin.question}" (margin {SIZE:g}); in brackets where runs do not differ\n')
    print(f"| differences | {' | '.join(heads)} |\n|{'---|' * (1 + len(heads))}", flush=True)
    for kind in KINDS:
        cells = []
        for runs in RUNS:
            for queries in QUERIES:
                shifts = np.full(runs - 1, -SIZE)
                if margin.question == "equivalent":
                    shifts[::2] = SIZE
                wrong = shown_share(kind, margin, runs, queries, shifts, count, 1)
                right = shown_share(kind, margin, runs, queries, np.zeros(runs - 1), max(100, count // 10), 2)
                cells.append(f"{wrong:.3f} ({right:.2f})")
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def print_together(sizes: Sequence[tuple[int, int]], count: int) -> None:
    heads = [f"{runs} runs, {queries} queries" for runs, queries in sizes]
    print(f"\nAll true differences in the intervals for all pairs together\n\n| differences | {' | '.join(heads)} |")
    print(f"|{'---|' * (1 + len(heads))}", flush=True)
    for kind in KINDS:
        cells = [f"{held_share(kind, runs, queries, count, 3):.3f}" for runs, queries in sizes]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["not-worse", "equivalent", "together"])
    parser.add_argument("--count", type=int, default=1000)
    chosen = parser.parse_args()
    if "not-worse" in chosen.parts:
        print_margins(Margin("not worse", SIZE), chosen.count)
    if "equivalent" in chosen.parts:
        print_margins(Margin("equivalent", SIZE), chosen.count)
    if "together" in chosen.parts:
        print_together([(5, 10), (5, 30), (10, 15), (10, 50)], chosen.count)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
