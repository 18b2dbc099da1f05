"""Where a program judged: people's scores and differences in its intervals, and false alarms of the gate."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import karat
from judged_pairs import compared_pairs, family_shares, ratio_shares
from judges import SETS, false_alarms, measured, splits
from karat.evaluate.validate.cross_validation import try_judge
from karat.model import Collection
from promises import NotAtHand, Row, promise, trials


@promise("False alarms of a judge that favours a run")
def gate(scale: float) -> Iterator[Row]:
    count = trials(scale, 1000, least=200)
    for queries in (15, 30, 75, 300):
        two_sided, worse, _ = (alarms.mean() for alarms in false_alarms(queries, count))
        yield Row(setting=f"{queries} queries, two-sided", measured=float(two_sided), trials=count, at_most=0.07)
        yield Row(setting=f"{queries} queries, --fail-if-worse", measured=float(worse), trials=count, at_most=0.07)


@promise("Any false difference among equal runs that a program judged (max-T)")
def families(scale: float) -> Iterator[Row]:
    for runs, queries, full in ((5, 15, 300), (5, 30, 300), (5, 75, 300), (20, 15, 150), (20, 75, 150)):
        count = trials(scale, full, least=60)
        share = float(np.mean(family_shares(runs, queries, count, ways=["max-T"])["max-T"]))
        yield Row(setting=f"{runs} runs, {queries} queries", measured=share, trials=count, at_most=0.06)


@promise("People's ratio of two scores in the judge's interval")
def ratios(scale: float) -> Iterator[Row]:
    count = trials(scale, 100, least=10)
    for queries in (5, 15, 75):
        shares = np.array(ratio_shares(queries, count))
        yield Row(
            setting=f"{queries} queries", measured=float(shares.mean()), trials=count, at_least=0.93,
            error=float(shares.std(ddof=1) / np.sqrt(count)),
        )  # fmt: skip


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


@promise("People's differences in what compare says (TREC RAG 2024)")
def compared(scale: float) -> Iterator[Row]:
    trial = try_judge(_collection("trec"), judge="lexical", folds=None)
    assert trial.labels is not None
    found = compared_pairs(trial.labels, SETS["trec"][2], seed=0)
    shares = (
        ("the judge's interval", found.in_judge, 0.93),
        ("the interval", found.in_interval, 0.93),
        ("the interval for all pairs", found.in_all_pairs, 0.95),
    )
    for name, share, least in shares:
        yield Row(setting=f"lexical, people's difference in {name}", measured=share, trials=found.pairs, at_least=least)
    wrong = found.wrong_sign / max(1, found.separated)
    yield Row(setting="lexical, separated with the wrong sign", measured=wrong, trials=found.pairs, at_most=0.05)
