"""What the tests of runs promise, simulated: false alarms, power and coverage, printed as Markdown tables.

python benchmarks/honesty/tests_of_runs.py              # all tables, about half an hour on one core
python benchmarks/honesty/tests_of_runs.py --scale 0.05 # a quick look
python benchmarks/honesty/tests_of_runs.py --table choice --queries 15 --runs 5

Each rate stands with its simulation error (one standard error). Exit code 1: a promise of max-T is broken by more than
two of them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karat.stats.significance.equivalence import equivalence, noninferiority
from karat.stats.significance.holm import holm
from karat.stats.significance.max_t import max_t
from karat.stats.significance.permutation import pair_pvalues
from karat.stats.significance.tukey import tukey_hsd
from resampled_tests import CHOICES, Decided, Test

Array = NDArray[np.float64]
Pairs = NDArray[np.int64]
ALPHA = 0.05
LIMIT = 0.06
RESAMPLES = 499
TRIALS = {2: 2000, 3: 2000, 5: 1000, 20: 400, 45: 100}


def normal(draw: np.random.Generator, runs: int, queries: int) -> Array:
    return 0.5 + draw.normal(0, 0.15, (runs, queries))


def zeros(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """Six of ten are 0, the others beta(2, 3)."""
    return np.where(draw.random((runs, queries)) < 0.6, 0.0, draw.beta(2, 3, (runs, queries)))


def variances(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """Standard deviations from .03 to .3."""
    spread: Array = np.linspace(0.03, 0.3, runs)[:, None] * draw.normal(size=(runs, queries))
    return 0.5 + spread


def skew(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """Every other run is skewed to the left, the others to the right: a difference of two has skewness 1.4."""
    noise = draw.exponential(1, (runs, queries)) - 1
    noise[::2] *= -1
    return 0.5 + 0.15 * noise


def skew_and_variance(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """Every other run is beta(.5, 1.5) with mean .25, the others lie close to .25."""
    values = 0.25 + draw.normal(0, 0.05, (runs, queries))
    values[::2] = draw.beta(0.5, 1.5, (runs, queries))[::2]
    return values


def steps(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """Shares of seven vital nugs."""
    return draw.binomial(7, 0.35, (runs, queries)) / 7


def questions(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """The same with easy and hard questions."""
    return draw.binomial(7, np.broadcast_to(draw.beta(0.6, 0.9, queries), (runs, queries))) / 7


def rare(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """Every other run scores 1 on a tenth of the queries and else 0, the others lie close to .1.

    Such a run may well have zeros only. A lone pair shows nothing that could tell this from a true difference.
    """
    values = 0.1 + draw.normal(0, 0.02, (runs, queries))
    values[::2] = (draw.random((runs, queries)) < 0.1)[::2]
    return values


SETTINGS: dict[str, Callable[[np.random.Generator, int, int], Array]] = {
    "normal": normal,
    "many zeros": zeros,
    "unequal variances": variances,
    "unequal skew": skew,
    "skew and variance": skew_and_variance,
    "steps of 1/7": steps,
    "strong questions": questions,
    "rare successes": rare,
}


def by_max_t(values: Array, pairs: Pairs, seed: int) -> Decided:
    return np.asarray(max_t(values, pairs, resamples=RESAMPLES, seed=seed).p <= ALPHA)


def by_holm(values: Array, pairs: Pairs, seed: int) -> Decided:
    p = pair_pvalues(values, pairs, resamples=2000, resolution=ALPHA / len(pairs), seed=seed).p
    return np.asarray(holm(p) <= ALPHA)


def by_tukey(values: Array, pairs: Pairs, seed: int) -> Decided:
    found = tukey_hsd(values, alpha=ALPHA)
    assert found is not None
    return np.asarray(found.different[pairs[:, 0], pairs[:, 1]])


def by_randomised_tukey(values: Array, pairs: Pairs, seed: int) -> Decided:
    """Labels of runs permuted within queries, the range of means as the statistic (Carterette 2012)."""
    draw = np.random.default_rng(seed)
    ranges = [np.ptp(draw.permuted(values, axis=0).mean(axis=1)) for _ in range(199)]
    means = values.mean(axis=1)
    critical = np.sort(ranges)[189]
    return np.asarray(np.abs(means[pairs[:, 0]] - means[pairs[:, 1]]) > critical)


TESTS: dict[str, Test] = {
    "max-T": by_max_t,
    "Holm": by_holm,
    "randomised Tukey": by_randomised_tukey,
    "Tukey": by_tukey,
}


def rates(
    tests: dict[str, Test],
    setting: str,
    *,
    runs: int,
    queries: int,
    trials: int,
    seed: int,
    spread: float = 0.0,
    halves: float = 0.0,
) -> dict[str, Array]:
    """For each test one number a trial.

    Without `spread`: 1 where a pair of equal means was separated. With it the means rise evenly by so much from the
    first run to the last, and the number is the share of pairs separated. `halves` lifts the first half of the runs;
    pairs within a half are equal.
    """
    draw = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(runs), 2)))
    lifted = np.arange(runs) < runs // 2
    equal = lifted[pairs[:, 0]] == lifted[pairs[:, 1]] if halves else np.ones(len(pairs), dtype=bool)
    found = {name: np.zeros(trials) for name in tests}
    for trial in range(trials):
        values = SETTINGS[setting](draw, runs, queries)
        values = values + halves * lifted[:, None] + spread * np.linspace(0, 1, runs)[:, None]
        for name, test in tests.items():
            separated = test(values, pairs, seed + trial)
            found[name][trial] = separated.mean() if spread else (separated & equal).any()
    return found


def as_text(numbers: Array) -> str:
    return f"{numbers.mean():.3f} ({numbers.std() / np.sqrt(len(numbers)):.3f})".replace("0.", ".")


class Tables:
    """The tables asked for, and whether a promise was broken."""

    def __init__(self, runs: list[int], queries: list[int], scale: float, seed: int) -> None:
        self.runs, self.queries, self.scale, self.seed = runs, queries, scale, seed
        self.broken: list[str] = []

    def _trials(self, runs: int) -> int:
        return max(20, round(self.scale * TRIALS.get(runs, 400)))

    def _print(self, title: str, tests: dict[str, Test], settings: list[str], **kind: float) -> None:
        print(f"\n### {title}\n\n| setting | runs | queries | {' | '.join(tests)} |\n|{'---|' * (3 + len(tests))}")
        for setting in settings:
            for runs in self.runs:
                # Of 45 runs Holm's test cannot separate any below 16 queries, and takes minutes beyond.
                used = {name: test for name, test in tests.items() if runs <= 20 or name != "Holm"}
                for queries in self.queries:
                    found = rates(
                        used, setting, runs=runs, queries=queries, trials=self._trials(runs), seed=self.seed, **kind
                    )
                    cells = " | ".join(as_text(found[name]) if name in found else "-" for name in tests)
                    print(f"| {setting} | {runs} | {queries} | {cells} |", flush=True)
                    promised = runs > 2 or setting != "rare successes"
                    if "spread" not in kind and "max-T" in found and promised:
                        self._check(f"{title}, {setting}, {runs} runs, {queries} queries", found["max-T"])

    def _check(self, where: str, alarms: Array) -> None:
        if alarms.mean() > LIMIT + 2 * np.sqrt(LIMIT * (1 - LIMIT) / len(alarms)):
            self.broken.append(f"{where}: {alarms.mean():.3f}")

    def null(self) -> None:
        self._print("Any false difference, no run differs", TESTS, list(SETTINGS))

    def halves(self) -> None:
        several = Tables([runs for runs in self.runs if runs > 3], self.queries, self.scale, self.seed)
        several._print("Any false difference, half of the runs better by .3", TESTS, list(SETTINGS)[:4], halves=0.3)
        self.broken += several.broken

    def power(self) -> None:
        self._print("Share of pairs separated, means spread over .2", TESTS, ["normal", "many zeros"], spread=0.2)

    def choice(self) -> None:
        few = Tables([runs for runs in self.runs if runs <= 20], self.queries, self.scale / 2, self.seed)
        few._print("Any false difference, other statistics and resamplings", CHOICES, list(SETTINGS)[:4])
        few._print("The same, share of pairs separated", CHOICES, ["normal", "many zeros"], spread=0.2)

    def limits(self) -> None:
        """Simultaneous coverage, and wrong claims at the margin itself, where they are most likely."""
        print("\n### Limits\n\n| setting | queries | all 10 intervals hold 0 | called not worse | called equivalent |")
        print("|---|---|---|---|---|")
        pairs = np.array(list(combinations(range(5), 2)))
        for setting in list(SETTINGS)[:4]:
            for queries in self.queries:
                draw = np.random.default_rng(self.seed)
                found = np.zeros((self._trials(5), 3))
                for trial, row in enumerate(found):
                    values = SETTINGS[setting](draw, 5, queries)
                    limits = max_t(values, pairs, resamples=RESAMPLES, seed=trial)
                    row[0] = ((limits.low <= 0) & (limits.high >= 0)).all()
                    lower = values[:2] - [[0.2], [0.0]]
                    row[1] = noninferiority(lower, [[0, 1]], margin=0.2, resamples=RESAMPLES, seed=trial).shown[0]
                    row[2] = equivalence(lower, [[0, 1]], margin=0.2, resamples=RESAMPLES, seed=trial).shown[0]
                print(f"| {setting} | {queries} | {' | '.join(map(as_text, found.T))} |", flush=True)

    def trec(self) -> None:
        """Human judgements of TREC RAG 2024, strict vital: how many pairs of runs are separated."""
        path = Path(os.environ.get("KARAT_DATA", "")) / "trec-rag-2024" / "nugget_assignment.20241108.jl"
        if not path.is_file():
            print("\nTREC RAG 2024 is not under KARAT_DATA: left out.")
            return
        table: dict[str, dict[str, float]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            answer = json.loads(line)
            vital = [nugget["assignment"] for nugget in answer["nuggets"] if nugget["importance"] == "vital"]
            if vital:
                table.setdefault(answer["run_id"], {})[answer["qid"]] = vital.count("support") / len(vital)
        topics = sorted({topic for scores in table.values() for topic in scores})
        values = np.array([[scores.get(topic, np.nan) for topic in topics] for scores in table.values()])
        for title, rows in (("all runs", values), ("runs with all topics", values[~np.isnan(values).any(axis=1)])):
            pairs = np.array(list(combinations(range(len(rows)), 2)))
            found = max_t(rows, pairs, seed=self.seed)
            counts = {"max-T": int((found.p <= ALPHA).sum()), "Holm": int(by_holm(rows, pairs, self.seed).sum())}
            if not np.isnan(rows).any():
                counts["randomised Tukey"] = int(by_randomised_tukey(rows, pairs, self.seed).sum())
            print(f"\nTREC RAG 2024, {title}: {len(pairs)} pairs, {found.tested.sum()} tested; separated: {counts}")


def main() -> int:
    names = ["null", "halves", "power", "choice", "limits", "trec"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the trials")
    parser.add_argument("--table", choices=names, action="append", help="all of them by default")
    parser.add_argument("--runs", type=int, nargs="+", default=[2, 5, 20, 45])
    parser.add_argument("--queries", type=int, nargs="+", default=[10, 15, 30, 75])
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    tables = Tables(given.runs, given.queries, given.scale, given.seed)
    for name in given.table or names:
        getattr(tables, name)()
    for line in tables.broken:
        print(f"broken: {line}", file=sys.stderr)
    return int(bool(tables.broken))


if __name__ == "__main__":
    sys.exit(main())
