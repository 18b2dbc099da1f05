"""What a judge's intervals and tests promise, and what was measured: a table in Markdown (docs/statistics.md).

KARAT_DATA=... python benchmarks/honesty/judges.py [coverage|differences|gate|families|compare ...]
    [--set trec|realsumm] [--splits N]

- coverage: calibrated on k random topics, the other topics judged, all runs: how often people's score is in the judge's
  95 % interval. No constant was chosen on TREC RAG 2024; REALSumm, on which they were, is printed beside it.
- differences: the same of the differences of all pairs of runs, by k, and with every topic calibrated on all others.
- gate: two runs that people would judge the same; the judge has an error that all responses of a run share, of the
  default size. How often `compare` and `--fail-if-worse` (one-sided) call a difference real.
- families: the same of 5 to 45 such runs: how often any two of them get different letters, by max-T with the judge's
  variance in it and by permutation tests with Holm's correction; and what both separate where runs do differ.
- compare: what `karat compare` says of all pairs of real runs, every topic calibrated on the others, against people's
  differences: how often each interval holds them, how many pairs are separated, and how many of these wrongly.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

import karat
from karat.evaluate.compare.judge_differences import JudgeDifferences
from karat.evaluate.score.errors.judge_error import combined, judge_error
from karat.evaluate.tables.corrected_tests import permutation_pairs
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import tabulated
from karat.evaluate.validate.cross_validation import labelled_pairs, try_judge
from karat.evaluate.validate.run_scores import Labels, same_pairs
from karat.judges.calibration.best_threshold import best_threshold
from karat.judges.calibration.calibrate import calibrate
from karat.judges.calibration.priors import PRIORS, RUN_SIGMA
from karat.judges.errors.draws import shares_of
from karat.judges.judge import judgements_of
from karat.judges.pairs import Floats, runs_of
from karat.judges.registry import parse_judge
from karat.measures.cases.saved_fields import CommonErrors, Sigmas
from karat.model import Collection, Judgement, Nug
from karat.stats.intervals.bootstrap import Interval, mean_intervals
from karat.stats.significance.t_test import Alternative

SETS = {
    "trec": ("TREC RAG 2024", "trec-rag-2024/nugget_assignment.20241108.jl", "strict_vital", None),
    "realsumm": ("REALSumm", "realsumm-pyrxsum-labels/REALSumm", "strict_all", 12),
}
"""Its name, its files, its measure, and how many topics are judged; None: all others."""
LABELLED = (3, 5, 8, 12)
NUGS = 10
SIZES = Sigmas(PRIORS["lexical"].sigma, RUN_SIGMA, CommonErrors(nug=0.38, query=0.07))
"""What a judge has that has learned nothing: without the error of the calibration."""


@dataclass(frozen=True)
class Measured:
    """Shares of runs (or pairs) whose score (difference) by people lies in an interval, and mean widths."""

    runs: float
    width: float
    pairs: float
    pair_width: float
    whole: float
    """Of pairs: the interval for other queries, which also has the judge's error."""
    sampling: float
    """Of pairs: the interval for other queries without the judge's error, as it was before."""
    count: int


def measured(labels: Labels, measure: str, *, seed: int) -> Measured:
    """People's scores and differences against the judge's intervals, over runs that lack one topic at most."""
    of_people = tabulated(labels.people, measures=[measure], missing="skip", judge="all", assessors="majority")
    of_judge = tabulated(labels.judged, measures=[measure], missing="skip", judge="all")
    assert of_judge.cases is not None
    error = judge_error(of_judge.cases, of_judge.tables, sigmas=labels.sigmas, seed=seed)
    official, judged = of_people.tables[0], error.tables[0]
    topics = int((~np.isnan(judged.values)).any(axis=0).sum())
    rows = [row for row in range(len(judged.run_ids)) if judged.n(row) >= topics - 1]
    place = [official.run_ids.index(judged.run_ids[row]) for row in rows]
    truth, value = official.totals()[place], judged.totals()[rows]
    ends = [error.runs[0][row].of_slices["all"] for row in rows]
    low = np.minimum([end.low for end in ends if end], value)
    high = np.maximum([end.high for end in ends if end], value)
    values, people = judged.values[rows], official.values[place]
    pairs = np.array(np.triu_indices(len(rows), 1)).T
    by_query = values[pairs[:, 0]] - values[pairs[:, 1]]
    expected = np.nanmean(by_query, axis=1)
    by_people = np.nanmean(people[pairs[:, 0]] - people[pairs[:, 1]], axis=1)
    by_judge = JudgeDifferences.of(error, 0, rows).intervals(pairs, expected)
    of_queries = mean_intervals(by_query, seed=seed)
    both = [
        combined(interval, judge, float(value), least=-1.0)
        for interval, judge, value in zip(of_queries, by_judge, expected, strict=True)
    ]
    return Measured(
        float(((truth >= low) & (truth <= high)).mean()), float((high - low).mean()), _held(by_judge, by_people),
        float(np.mean([end.high - end.low for end in by_judge if end])), _held(both, by_people),
        _held(of_queries, by_people), len(pairs),
    )  # fmt: skip


def _held(intervals: Sequence[Interval | None], values: Floats) -> float:
    """How many intervals contain the value."""
    held = [end is not None and end.low <= value <= end.high for end, value in zip(intervals, values, strict=True)]
    return float(np.mean(held))


def splits(
    collection: Collection, labelled: int, *, tests: int | None, count: int, seed: int, judge: str = "lexical",
    hard: bool = False,
) -> Iterator[Labels]:  # fmt: skip
    """Calibrated on random topics; the others (or some) judged. hard: at the best threshold of the labelled."""
    program = parse_judge(judge)
    pairs, people = labelled_pairs(collection, program)
    known = ~np.isnan(pairs.degrees)
    topics, random = np.unique(pairs.question[known]), np.random.default_rng(seed)
    queries = [query.task.query_id for query in pairs.queries for _ in query.task.responses]
    for _ in range(count):
        order = random.permutation(topics)
        taught = np.isin(pairs.question, order[:labelled]) & known
        tested = np.isin(pairs.question, order[labelled:][:tests])
        threshold = best_threshold(pairs.scores[taught], pairs.degrees[taught] >= 1).threshold if hard else None
        calibrated = calibrate(pairs, program, use=taught, to_read=tested, threshold=threshold)
        judgements = judgements_of(
            pairs, calibrated.probabilities(pairs), program, error_rates=calibrated.error_rates(pairs), evidence=False
        )
        chosen = (judged for judged, use in zip(judgements, (tested & known).tolist(), strict=True) if use)
        sizes = dict.fromkeys(zip(queries, runs_of(pairs), strict=True), calibrated.sizes)
        yield same_pairs(people, chosen, sizes)


def print_coverage(collection: Collection, name: str, measure: str, tests: int | None, count: int) -> None:
    """Scores and differences by the number of labelled topics."""
    print(f"\n{name}, {measure}, {count} random splits each\n")
    print_shares(
        (
            labelled,
            [
                measured(labels, measure, seed=0)
                for labels in splits(collection, labelled, tests=tests, count=count, seed=labelled)
            ],
        )
        for labelled in LABELLED
    )


def print_shares(by_labelled: Iterable[tuple[int, Sequence[Measured]]]) -> None:
    """One line per number of labelled topics, as they come."""
    print("| labelled topics | people's score in {judge} | width | difference in {judge} | width | in [low, high] |")
    print("|---|---|---|---|---|---|")
    for labelled, rows in by_labelled:
        cells = [share_of([getattr(row, field) for row in rows]) for field in ("runs", "pairs", "whole")]
        widths = [f"{np.mean([getattr(row, field) for row in rows]):.3f}" for field in ("width", "pair_width")]
        print(f"| {labelled} | {cells[0]} | {widths[0]} | {cells[1]} | {widths[1]} | {cells[2]} |", flush=True)


def print_differences(collection: Collection, name: str, measure: str, folds: int | None) -> None:
    """Every topic calibrated on the others."""
    trial = try_judge(collection, judge="lexical", folds=folds)
    assert trial.labels is not None
    found = measured(trial.labels, measure, seed=0)
    print(f"\n{name}, {measure}, every topic calibrated on the others, {found.count} pairs of runs\n")
    print("| interval of a difference | contains people's difference | mean width |")
    print("|---|---|---|")
    print(f"| over queries alone (as it was) | {found.sampling:.3f} | |")
    print(f"| judge_low, judge_high | {found.pairs:.3f} | {found.pair_width:.3f} |")
    print(f"| low, high | {found.whole:.3f} | |")
    print(f"| judge_low, judge_high of scores | {found.runs:.3f} | {found.width:.3f} |", flush=True)


def same_quality(
    queries: int, count: int, *, runs: int = 2, nugs: int = NUGS, step: float = 0.0, seed: int = 0
) -> Floats:
    """P(full) of a judge (count, runs, queries, nugs) for runs that people would judge the same, or `step` apart.

    On the normal scale the judge's z is the run's effect plus what varies with queries, responses and nugs; the truth
    is z less the effect, so that half of all nugs are contained and the runs differ by nothing but the effect (and by
    `step` from one to the next, on that scale).
    """
    random = np.random.default_rng(seed)
    run_share = shares_of(SIZES).run
    of_run = np.sqrt(run_share) * random.standard_normal((count, runs, 1, 1))
    of_run += step * (np.arange(runs) - (runs - 1) / 2)[None, :, None, None]
    of_query = random.normal(0.0, 0.3, (count, 1, queries, 1))
    of_response = random.normal(0.0, 0.35, (count, runs, queries, 1))
    z = of_run + of_query + of_response + random.normal(0.0, 0.8, (count, runs, queries, nugs))
    return np.asarray(ndtr(z).round(4), dtype=np.float64)


def as_judged(chances: Floats) -> Collection:
    """The judgements of a program with these P(full) (runs, queries, nugs)."""
    runs, queries, nugs = chances.shape
    key = [
        Nug(query_id=f"q{at}", nug_id=str(each), descriptions=("it",), importance="vital")
        for at in range(queries)
        for each in range(nugs)
    ]
    judgements = [
        Judgement(
            query_id=f"q{at}", run_id=f"r{run:04}", nug_id=str(each), degree=float(full >= 0.5), judge="lexical",
            probabilities={"0": round(1 - full, 4), "0.5": 0.0, "1": full},
        )
        for run in range(runs)
        for at in range(queries)
        for each, full in enumerate(chances[run, at].tolist())
    ]  # fmt: skip
    return Collection([*key, *judgements])


def false_alarms(queries: int, count: int) -> list[NDArray[np.bool_]]:
    """Which of `count` pairs of equal runs are called different: two-sided, one-sided, and without the judge's error.

    The variance of the judge's error comes from draws of 20 of the runs, as `compare` makes them; the tests of all
    pairs are then made at once.
    """
    chances = same_quality(queries, count, seed=queries)
    lasting = lasting_variance(chances[:10].reshape(20, queries, NUGS))
    values = chances.mean(axis=-1).reshape(2 * count, queries)
    names = tuple(f"r{run:04}" for run in range(2 * count))
    topics = tuple(f"q{at}" for at in range(queries))
    table = ScoreTable("strict_all", names, topics, values, np.zeros(values.shape, bool))
    pairs = np.arange(2 * count).reshape(count, 2)[:, ::-1]
    variance = np.eye(2 * count) * lasting
    tests: list[tuple[Alternative, Floats | None]] = [("two-sided", variance), ("less", variance), ("two-sided", None)]
    return [
        permutation_pairs(table, pairs, alternative=alternative, seed=0, judge_variance=added).p <= 0.05
        for alternative, added in tests
    ]


def print_gate(queries: Sequence[int], count: int) -> None:
    """False alarms with the judge's error in the tests, and with the error that is in none of them."""
    print("\nTwo runs of equal quality, a judge with a run effect of the default size\n")
    print(f"| queries | two-sided | --fail-if-worse | two-sided, judge's error left out | {count} simulations |")
    print("|---|---|---|---|---|")
    for number in queries:
        print(f"| {number} | {' | '.join(share_of(alarm) for alarm in false_alarms(number, count))} | |", flush=True)


def lasting_variance(chances: Floats) -> float:
    """The variance of a run's score by errors that other queries would have as well: the mean over runs."""
    drawn = tabulated(as_judged(chances), measures=["strict_all"], judge="all")
    assert drawn.cases is not None
    error = judge_error(
        drawn.cases, drawn.tables, seed=0, sigma=SIZES.sigma, run_sigma=SIZES.run_sigma, common=SIZES.common
    )
    return float(np.diag(error.lasting(0)).mean())


def share_of(values: ArrayLike) -> str:
    given = np.asarray(values, float)
    return f"{given.mean():.3f} +- {given.std() / np.sqrt(len(given)):.3f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["coverage", "differences", "gate"])
    parser.add_argument("--set", choices=list(SETS), action="append")
    parser.add_argument("--splits", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=3, help="of compare: how often its resampling is done anew")
    chosen = parser.parse_args()
    # It needs this module.
    from judged_pairs import print_compared, print_families

    for key in chosen.set or list(SETS):
        name, files, measure, tests = SETS[key]
        if {"coverage", "differences", "compare"} & set(chosen.parts):
            collection = karat.load(Path(os.environ["KARAT_DATA"]) / files)
        if "coverage" in chosen.parts:
            print_coverage(collection, name, measure, tests, chosen.splits)
        if "differences" in chosen.parts:
            print_differences(collection, name, measure, None if tests is None else 8)
        if "compare" in chosen.parts:
            print_compared(collection, name, measure, None if tests is None else 8, range(chosen.seeds))
    if "gate" in chosen.parts:
        print_gate((15, 30, 75, 300), 1000)
    if "families" in chosen.parts:
        print_families((15, 30, 75), ((5, 300), (20, 150)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
