"""What the statistics of scores cost.

- 60 runs on 75 questions, in units of importing scipy.stats; at most 6 for everything: intervals of scores and of all
  1,770 differences, permutation and t tests, max-T with its intervals, equivalence, effect sizes, ANOVA, Tukey's HSD.
- `score` of 800 runs on 50 questions against 200 runs (4 times the work), and with --average median against the mean.

python benchmarks/speed/statistics_of_runs.py
"""

from __future__ import annotations

import random
import statistics
import sys
import time

from karat.evaluate.score.score import score_collection
from karat.evaluate.tables.score_table import Average
from karat.model import Collection, Score
from measuring import cost_of

ROUNDS = 7
LIMIT = 6.0
FEW_RUNS, MANY_RUNS, QUESTIONS = 200, 800, 50
GROWTH_LIMIT = 1.5
"""How many times as long one run may take among 800 runs as among 200; quadratic work would give 4."""
MEDIAN_LIMIT = 4.0
"""How many times as long medians may take as means, whose intervals are one matrix product."""
MADE = """
import numpy as np
draw = np.random.default_rng(0)
values = np.clip(0.4 + draw.normal(0, .1, (60, 1)) + draw.normal(0, .2, (1, 75)) + draw.normal(0, .15, (60, 75)), 0, 1)
"""
JOBS = {
    "nothing": "pass",
    "importing scipy.stats": "import scipy.stats",
    "bootstrap, ANOVA and Tukey": MADE + """
from karat.stats.intervals.bootstrap import mean_intervals
from karat.stats.significance.tukey import tukey_hsd
mean_intervals(values)
tukey_hsd(values)
""",
    "max-T of all 1,770 pairs": MADE + """
from itertools import combinations
from karat.stats.significance.max_t import max_t
max_t(values, list(combinations(range(60), 2)))
""",
    "the same with a tenth of the values missing": MADE + """
from itertools import combinations
from karat.stats.significance.max_t import max_t
values[draw.random(values.shape) < 0.1] = np.nan
max_t(values, list(combinations(range(60), 2)))
""",
    "the same with a judge's variance in it": MADE + """
from itertools import combinations
from karat.stats.significance.max_t import max_t
max_t(values, list(combinations(range(60), 2)), covariance=np.eye(60) * 0.001)
""",
    "intervals, ANOVA, Tukey and tie groups": MADE + """
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.ties import tie_groups
from karat.stats.significance.tukey import tukey_hsd
names = tuple(map(str, range(75)))
table = ScoreTable("F3", names[:60], names, values, np.isnan(values))
table.intervals(seed=0)
tukey_hsd(values)
tie_groups(table, seed=0)
""",
    "everything of all pairs": MADE + """
from karat.evaluate.compare.margins import Margin
from karat.evaluate.compare.pair_tests import compare_pairs
from karat.evaluate.tables.score_table import ScoreTable
names = tuple(map(str, range(75)))
table = ScoreTable("F3", names[:60], names, values, np.isnan(values))
table.intervals(seed=0)
compare_pairs(table, baseline=None, alternative="two-sided", origin={}, seed=0, margin=Margin("equivalent", 0.05))
""",
}  # fmt: skip


def importing_units() -> int:
    """Print the cost of the statistics of 60 runs; 1 where it is above the limit."""
    times: dict[str, list[float]] = {name: [] for name in JOBS}
    for _ in range(ROUNDS):
        for name, code in JOBS.items():
            times[name].append(cost_of([sys.executable, "-c", code]).seconds)
    bare = statistics.median(times["nothing"])
    taken = {name: statistics.median(seconds) - bare for name, seconds in times.items()}
    unit = taken["importing scipy.stats"]
    print("60 runs on 75 questions, in units of importing scipy.stats (the interpreter's own start taken off):")
    for name in list(JOBS)[2:]:
        print(f"  {name}: {taken[name] / unit:.2f}")
    worst = taken["everything of all pairs"] / unit
    print(f"  at most {LIMIT} for the last")
    return int(worst > LIMIT)


def made_scores(runs: int) -> Collection:
    """Random scores by query."""
    draw = random.Random(1)
    return Collection(
        Score(run_id=f"run{run}", query_id=f"q{query}", measure="F3", value=draw.random())
        for run in range(runs)
        for query in range(QUESTIONS)
    )


def growth_with_runs() -> int:
    """Print how the time of `score` grows with the runs; 1 where a ratio is above its limit."""
    collections = {runs: made_scores(runs) for runs in (FEW_RUNS, MANY_RUNS)}
    averages: tuple[Average, ...] = ("query", "median")
    taken: dict[tuple[str, int], float] = {}
    # In turns, and the best of each: whatever else the machine does then affects all equally.
    for _ in range(ROUNDS):
        for average in averages:
            for runs, collection in collections.items():
                # Processor time: a matrix product may use several cores.
                start = time.process_time()
                score_collection(collection, average=average)
                seconds = time.process_time() - start
                taken[average, runs] = min(seconds, taken.get((average, runs), seconds))
    more = MANY_RUNS / FEW_RUNS
    growth = {average: taken[average, MANY_RUNS] / taken[average, FEW_RUNS] / more for average in averages}
    median = taken["median", MANY_RUNS] / taken["query", MANY_RUNS]
    print(f"score of {MANY_RUNS} runs on {QUESTIONS} questions:")
    for average in averages:
        print(f"  --average {average}: {growth[average]:.2f} times the time per run of {FEW_RUNS} runs "
              f"(at most {GROWTH_LIMIT})")  # fmt: skip
    print(f"  --average median: {median:.2f} times the time of --average query (at most {MEDIAN_LIMIT})")
    return int(max(growth.values()) > GROWTH_LIMIT or median > MEDIAN_LIMIT)


def main() -> int:
    return max(importing_units(), growth_with_runs())


if __name__ == "__main__":
    sys.exit(main())
