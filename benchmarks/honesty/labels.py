"""How often prediction-powered intervals hold people's mean, and how wide they are against labels alone.

[KARAT_DATA=...] python benchmarks/honesty/labels.py [SAMPLES [DRAWS]]

With KARAT_DATA also on REALSumm, where people judged all summaries: a random part of the documents is labelled,
`lexical` judges all, and people's mean over all documents should be in the interval for these queries.
"""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path

import numpy as np

import karat
from intervals import Floats, head, row
from karat.evaluate.tables.tabulating import tabulated
from karat.model import Collection, Judgement
from karat.stats.intervals.prediction_powered import ppi_difference, ppi_mean


def judged_world(kind: str, rng: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    """People's scores and a judge's."""
    if kind == "0 or 1":
        people = (rng.random(size) < 0.3).astype(float)
        return people, np.clip(0.3 + 0.4 * people + rng.normal(0, 0.2, size), 0, 1)
    if kind == "right but for a tenth":
        people = rng.beta(2, 3, size)
        return people, np.where(rng.random(size) < 0.1, 1.0, people)
    people = np.clip(rng.beta(2, 3, size) + rng.normal(0, 0.1, size), 0, 1)
    if kind == "useless":
        return people, rng.beta(2, 2, size)
    judge = np.clip(0.2 + 0.8 * people + rng.normal(0, 0.08, size), 0, 1)
    if kind == "too high":
        return people, judge
    if kind == "invents, else exact":
        people = rng.beta(2, 3, size)
        judge = 0.2 + 0.8 * people
    zero = rng.random(size) < 0.5
    invented = np.where(rng.random(size) < 0.3, rng.beta(2, 2, size), 0.05)
    return np.where(zero, 0.0, people), np.where(zero, invented, judge)


def judged_pair(kind: str, rng: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    """Two runs that people score alike on average (2 x queries), and a judge that is .15 too kind to the first."""
    pairs = [judged_world(kind, rng, size) for _ in range(2)]
    people, judge = (np.stack([pair[side] for pair in pairs]) for side in (0, 1))
    judge[0] = np.clip(judge[0] + 0.15, 0, 1)
    return people, judge


KINDS = ("too high", "invents scores for zeros", "invents, else exact", "right but for a tenth", "0 or 1", "useless")


def labels(times: int = 3000, queries: int = 200) -> None:
    print(f"\n### People judged some of {queries} queries, a biased judge all ({times} samples a cell)\n")
    head("judge", "labelled", "other queries", "these queries", "labels alone", "width to labels alone", "worth labels")
    rng = np.random.default_rng(3)
    for kind in KINDS:
        mean = float(judged_world(kind, rng, 1_000_000)[0].mean())
        for n in (5, 10, 20, 50):
            held, ratios, worth = np.zeros(3), [], []
            for _ in range(times):
                people, judge = judged_world(kind, rng, queries)
                some = np.where(rng.permutation(queries) < n, people, np.nan)
                found = ppi_mean(judge, some)
                assert found is not None
                held += (
                    found.low <= mean <= found.high,
                    found.same_low <= people.mean() <= found.same_high,
                    found.labels_low <= mean <= found.labels_high,
                )
                ratios.append(found.width_ratio)
                worth.append(found.effective_labels)
            print(row(kind, n, *(held / times).tolist(), float(np.nanmedian(ratios)), float(np.nanmedian(worth))))


def real(data: Path, times: int = 300) -> None:
    collection = karat.load(data / "realsumm-pyrxsum-labels/REALSumm")
    rest = [record for record in collection if not isinstance(record, Judgement)]
    judged = karat.judge(Collection(rest))
    said = tabulated(collection, measures="strict_all", missing="skip").tables[0]
    by_judge = tabulated(Collection([*rest, *judged.judgements]), measures="strict_all", missing="skip").tables[0]
    complete = [run for run, values in zip(said.run_ids, said.values, strict=True) if not np.isnan(values).any()]
    people, judge = (
        np.array([table.values[table.run_ids.index(run)] for run in complete]) for table in (said, by_judge)
    )
    assert said.query_ids == by_judge.query_ids
    runs, queries = people.shape
    print(f"\n### REALSumm: {runs} runs, {queries} documents, judge minus people {np.nanmean(judge - people):+.3f}\n")
    head("labelled", "these queries", "width to labels alone", "differences of pairs", "judge alone inside")
    rng = np.random.default_rng(4)
    for n in (10, 20, 30, 50):
        held, ratios, pairs, alone = [], [], [], []
        for _ in range(times):
            known = rng.permutation(queries) < n
            some = np.where(known, people, np.nan)
            for row_at in range(runs):
                found = ppi_mean(judge[row_at], some[row_at])
                assert found is not None
                held.append(found.same_low <= np.nanmean(people[row_at]) <= found.same_high)
                alone.append(found.same_low <= found.judge_estimate <= found.same_high)
                ratios.append(found.width_ratio)
            for a, b in list(combinations(range(runs), 2))[::30]:
                both = ppi_difference((judge[a], judge[b]), (some[a], some[b]))
                assert both is not None
                pairs.append(both.same_low <= np.nanmean(people[a]) - np.nanmean(people[b]) <= both.same_high)
        print(row(n, *(float(np.nanmean(shares)) for shares in (held, ratios, pairs, alone))), flush=True)


if __name__ == "__main__":
    given = [int(number) for number in sys.argv[1:]]
    labels(*given[:1])
    if "KARAT_DATA" in os.environ:
        real(Path(os.environ["KARAT_DATA"]), *given[1:2])
    sys.exit(0)
