"""60 runs on 75 questions: intervals, analysis of variance and Tukey's HSD against the time of importing scipy.stats.

python benchmarks/statistics_of_runs.py
"""

from __future__ import annotations

import statistics
import sys

from measuring import cost_of

ROUNDS = 7
LIMIT = 4.0
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
    "bootstrap, ANOVA, Tukey and tie groups (1,770 permutation tests)": MADE + """
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.ties import tie_groups
from karat.stats.significance.tukey import tukey_hsd
names = tuple(map(str, range(75)))
table = ScoreTable("F3", names[:60], names, values, np.isnan(values))
table.intervals(seed=0)
tukey_hsd(values)
tie_groups(table, seed=0)
""",
}  # fmt: skip


def main() -> int:
    times: dict[str, list[float]] = {name: [] for name in JOBS}
    for _ in range(ROUNDS):
        for name, code in JOBS.items():
            times[name].append(cost_of([sys.executable, "-c", code]).seconds)
    bare = statistics.median(times["nothing"])
    taken = {name: statistics.median(found) - bare for name, found in times.items()}
    unit = taken["importing scipy.stats"]
    print("60 runs on 75 questions, in units of importing scipy.stats (the interpreter's own start taken off):")
    for name in list(JOBS)[2:]:
        print(f"  {name}: {taken[name] / unit:.2f}")
    worst = taken["bootstrap, ANOVA and Tukey"] / unit
    print(f"  at most {LIMIT} for the first")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
