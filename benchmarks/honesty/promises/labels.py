"""People labelled a random part, a biased judge judged all: intervals of means and of differences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.stats.intervals.prediction_powered import ppi_difference, ppi_mean
from labels import KINDS, judged_pair, judged_world
from promises import Row, promise, trials

QUERIES = 200
LABELLED = (10, 20, 50)


@promise("People labelled a random part, a biased judge judged all: scores")
def means(scale: float) -> Iterator[Row]:
    count = trials(scale, 2000)
    rng = np.random.default_rng(15)
    for kind in KINDS:
        mean = float(judged_world(kind, rng, 1_000_000)[0].mean())
        for labelled in LABELLED:
            held = np.zeros(2)
            for _ in range(count):
                people, judge = judged_world(kind, rng, QUERIES)
                found = ppi_mean(judge, np.where(rng.permutation(QUERIES) < labelled, people, np.nan))
                assert found is not None
                held += found.low <= mean <= found.high, found.same_low <= people.mean() <= found.same_high
            others, these = (held / count).tolist()
            where = f"{kind}, {labelled} of {QUERIES} labelled"
            yield Row(setting=f"{where}, other queries", measured=others, trials=count, at_least=0.93)
            yield Row(setting=f"{where}, these queries", measured=these, trials=count, at_least=0.91)


@promise("People labelled a random part, a judge favours one run: differences")
def differences(scale: float) -> Iterator[Row]:
    """Two runs that people score alike; the judge is off by another amount for each."""
    count = trials(scale, 1000)
    rng = np.random.default_rng(16)
    for kind in KINDS:
        for labelled in LABELLED:
            alarms = 0
            for _ in range(count):
                people, judge = judged_pair(kind, rng, QUERIES)
                some = np.where(rng.permutation(QUERIES) < labelled, people, np.nan)
                found = ppi_difference((judge[0], judge[1]), (some[0], some[1]))
                assert found is not None
                alarms += not found.low <= 0 <= found.high
            setting = f"{kind}, {labelled} of {QUERIES} labelled, a false difference"
            yield Row(setting=setting, measured=alarms / count, trials=count, at_most=0.07)
