"""Where a program judged: people's scores and differences in its intervals, and false alarms of the gate."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import karat
from judges import SETS, false_alarms, measured, splits
from karat.model import Collection
from promises import NotAtHand, Row, promise, trials


@promise("False alarms of a judge that favours a run")
def gate(scale: float) -> Iterator[Row]:
    count = trials(scale, 1000, least=200)
    for queries in (15, 30, 75, 300):
        two_sided, worse, _ = (alarms.mean() for alarms in false_alarms(queries, count))
        yield Row(setting=f"{queries} queries, two-sided", measured=float(two_sided), trials=count, at_most=0.07)
        yield Row(setting=f"{queries} queries, --fail-if-worse", measured=float(worse), trials=count, at_most=0.07)


def _collection(name: str) -> Collection:
    folder = os.environ.get("KARAT_DATA")
    if not folder:
        raise NotAtHand("KARAT_DATA is not set")
    path = Path(folder) / SETS[name][1]
    if not path.exists():
        raise NotAtHand(f"{SETS[name][0]} is not under KARAT_DATA")
    return karat.load(path, on_error="skip")


def _coverage(scale: float, judge: str, *, hard: bool, least: dict[int, float]) -> Iterator[Row]:
    collection = _collection("trec")
    _, _, measure, tests = SETS["trec"]
    count = trials(scale, 30, least=6)
    for labelled, bound in least.items():
        drawn = splits(collection, labelled, tests=tests, count=count, seed=labelled, judge=judge, hard=hard)
        found = [measured(labels, measure, seed=0) for labels in drawn]
        for name, field, at_least in (("score", "runs", bound), ("difference", "pairs", 0.90)):
            shares = np.array([getattr(each, field) for each in found])
            yield Row(
                setting=f"{judge}, {labelled} labelled topics, {name}", measured=float(shares.mean()), trials=count,
                at_least=at_least, error=float(shares.std(ddof=1) / np.sqrt(count)),
            )  # fmt: skip


@promise("People's scores in the judge's interval (TREC RAG 2024)")
def coverage(scale: float) -> Iterator[Row]:
    return _coverage(scale, "lexical", hard=False, least={3: 0.90, 5: 0.92, 8: 0.90})


@promise("People's scores in the interval of hard decisions (TREC RAG 2024)")
def hard_decisions(scale: float) -> Iterator[Row]:
    return _coverage(scale, "nuggeteer", hard=True, least={3: 0.90, 5: 0.90, 8: 0.90})
