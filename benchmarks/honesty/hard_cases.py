"""Where promises are hard to keep: rare events, runs that lack queries, several measures, pooled scores.

python benchmarks/honesty/hard_cases.py [scores] [pairs] [letters] [lacking] [measures] [pooled] [--count N]

Rare events that no query shows are in no interval and in no test: `scores`, `pairs` and `letters` say how much that
costs. The other parts are promises.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import karat
from karat.evaluate.compare.losses import checked_losses
from karat.stats.intervals.bounded import score_intervals

Floats = NDArray[np.float64]
Rows = list[dict[str, Any]]
MEASURES = ("strict_vital", "lenient_vital", "strict_all", "lenient_all", "nugget_recall")


def rows_of(values: Floats, measure: str = "strict_vital") -> Rows:
    return [
        {"kind": "score", "run_id": f"r{run}", "query_id": f"q{query}", "measure": measure, "value": float(value)}
        for run, scores in enumerate(values)
        for query, value in enumerate(scores)
        if not np.isnan(value)
    ]


def print_row(*cells: object) -> None:
    print(
        "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |", flush=True
    )


def head(title: str, *names: str) -> None:
    print(f"\n### {title}\n")
    print_row(*names)
    print_row(*("---" for _ in names))


def failing(low: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    """One answer in twenty scores 0, the others between `low` and 1."""
    return lambda draw, shape: np.where(draw.random(shape) < 0.05, 0.0, draw.uniform(low, 1, shape))


SCORES = {
    "5 % zeros, else .9 to 1": (failing(0.9), 0.95 * 0.95),
    "5 % zeros, else .7 to 1": (failing(0.7), 0.95 * 0.85),
    "beta(.1, .9)": (lambda draw, shape: draw.beta(0.1, 0.9, shape), 0.1),
    "beta(5, .3)": (lambda draw, shape: draw.beta(5, 0.3, shape), 5 / 5.3),
}


def scores(count: int) -> None:
    head(f"The interval of a score holds the mean ({5 * count} samples)", "scores", "10", "20", "30", "50", "100")
    for name, (made, mean) in SCORES.items():
        held = []
        for queries in (10, 20, 30, 50, 100):
            found = score_intervals(made(np.random.default_rng(queries), (5 * count, queries)))
            held.append(float(np.mean([end is not None and end.low <= mean <= end.high for end in found])))
        print_row(name, *held)


def rare_gain(draw: np.random.Generator, queries: int) -> Floats:
    """The second run is .05 lower, and in one query of ten .45 higher: equal means."""
    base = draw.uniform(0.3, 0.5, queries)
    return np.stack([base, base + np.where(draw.random(queries) < 0.1, 0.45, -0.05)])


def many_zeros(draw: np.random.Generator, queries: int) -> Floats:
    return np.asarray((draw.random((2, queries)) < 0.15) * draw.beta(2, 2, (2, queries)))


def pairs(count: int) -> None:
    head(
        f"A lone pair of runs with equal means ({count} collections)",
        "scores", "queries", "false difference", "false --fail-if-worse", "the interval holds 0",
    )  # fmt: skip
    for name, made in (("rare gain of .45, else .05 lower", rare_gain), ("85 % zeros", many_zeros)):
        for queries in (10, 20, 25, 50):
            draw, found = np.random.default_rng(queries), np.zeros(3)
            for seed in range(count):
                rows = rows_of(made(draw, queries))
                two = karat.compare(rows, seed=seed).measures[0].differences[0]
                one = karat.compare(rows, seed=seed, baseline="r0", alternative="less").measures[0].differences[0]
                held = two.low is not None and two.high is not None and two.low <= 0 <= two.high
                found += [two.significant, one.worse, held]
            print_row(name, queries, *(found / count).tolist())


def any_false(made: Callable[[np.random.Generator], Floats], count: int, seed: int, **options: Any) -> float:
    draw, false = np.random.default_rng(seed), 0
    for at in range(count):
        compared = karat.compare(rows_of(made(draw)), seed=at, missing="skip", **options).measures[0]
        false += any(pair.significant for pair in compared.differences)
    return false / count


def letters(count: int) -> None:
    head(f"5 runs of mean .9, one of 0 and 1, the others .86 to .94 ({count} collections)", "queries", "false letters")
    for queries in (10, 20, 50):

        def made(draw: np.random.Generator, queries: int = queries) -> Floats:
            values = 0.9 + draw.uniform(-0.04, 0.04, (5, queries))
            values[0] = draw.random(queries) < 0.9
            return values

        print_row(queries, any_false(made, count, queries))


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda draw, shape: 0.5 + 0.1 * draw.standard_normal(shape),
    "beta(.5, 1.5)": lambda draw, shape: draw.beta(0.5, 1.5, shape),
    "60 % zeros": lambda draw, shape: (draw.random(shape) < 0.4) * draw.random(shape),
}


def lacking(count: int) -> None:
    head(
        f"Equal runs of which the last has few queries: any false difference ({count} collections)",
        "scores", "3 runs, 14 and 9 queries", "5 runs, 14 and 8", "3 runs against a baseline, 20 and 9",
    )  # fmt: skip
    for name, kind in KINDS.items():
        cells = []
        for runs, queries, few in ((3, 14, 9), (5, 14, 8), (4, 20, 9)):

            def made(draw: np.random.Generator, shape: tuple[int, int] = (runs, queries), few: int = few) -> Floats:
                values = kind(draw, shape)  # noqa: B023
                values[-1, few:] = np.nan
                return values

            gate: dict[str, Any] = {"baseline": "r0", "alternative": "less"} if runs == 4 else {}
            cells.append(any_false(made, count, runs, **gate))
        print_row(name, *cells)


def measures(count: int) -> None:
    head(f"--fail-if-worse by five independent measures, equal runs ({count} collections)", "queries", "exit code 1")
    for queries in (12, 20):
        draw, failed = np.random.default_rng(queries), 0
        for seed in range(count):
            rows = [row for name in MEASURES for row in rows_of(draw.beta(2, 2, (2, queries)), name)]
            found = karat.compare(rows, measures=MEASURES, baseline="r0", alternative="less", seed=seed)
            failed += checked_losses(found, significant=True).failed
        print_row(queries, failed / count)


def judged(found: dict[str, NDArray[np.bool_]]) -> Rows:
    queries, nugs = next(iter(found.values())).shape
    places = [(f"q{query}", f"n{nug}", query, nug) for query in range(queries) for nug in range(nugs)]
    key = [
        {"kind": "nug", "query_id": query_id, "nug_id": nug_id, "descriptions": [nug_id], "importance": "vital"}
        for query_id, nug_id, *_ in places
    ]
    return key + [
        {
            "kind": "judgement", "query_id": query_id, "run_id": run_id, "nug_id": nug_id,
            "degree": float(degrees[query, nug]), "judge": "person",
        }
        for run_id, degrees in found.items()
        for query_id, nug_id, query, nug in places
    ]  # fmt: skip


def pooled(count: int) -> None:
    head(
        f"Pooled scores, a true loss of the margin .1 ({count} collections)",
        "queries", "false 'not worse'", "false 'equivalent'",
    )  # fmt: skip
    for queries in (3, 10, 15, 30):
        draw, wrong = np.random.default_rng(queries), np.zeros(2)
        for seed in range(count):
            ease = 0.8 * draw.random((queries, 1))
            rows = judged({"r0": draw.random((queries, 4)) < 0.1 + ease, "r1": draw.random((queries, 4)) < ease})
            options: dict[str, Any] = {"measures": "strict_vital", "average": "pool", "seed": seed}
            loss = karat.compare(rows, baseline="r0", max_loss=0.1, **options).measures[0].differences[0]
            both = karat.compare(rows, equivalent=0.1, **options).measures[0].differences[0]
            wrong += [loss.margin_verdict == "not worse", both.margin_verdict == "equivalent"]
        print_row(queries, *(wrong / count).tolist())


PARTS = {part.__name__: part for part in (scores, pairs, letters, lacking, measures, pooled)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="|".join(PARTS))
    parser.add_argument("--count", type=int, default=400)
    chosen = parser.parse_args(arguments)
    for name in chosen.parts or PARTS:
        PARTS[name](chosen.count)


if __name__ == "__main__":
    main()
