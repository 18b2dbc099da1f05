"""How often prediction-powered intervals hold people's mean, and how wide they are against labels alone.

python benchmarks/honesty/labels.py
"""

from __future__ import annotations

import sys

import numpy as np

from intervals import Floats, head, row
from karat.stats.intervals.prediction_powered import ppi_mean


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


if __name__ == "__main__":
    labels()
    sys.exit(0)
