"""The hand-written probe: paraphrases and hard negatives, each put into the answer to its question.

    half_a.jsonl, half_b.jsonl   {"query_id", "query", "answer": [sentences],
                                  "items": [{"item_id", "nug", "paraphrase", "hard_negative", "phenomenon"}]}

The second half is never looked at: this module prints figures only.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from judging import Answers, Pair, Said
from karat.model import UsageError

Floats = NDArray[np.float64]
DRAWS = 2000


class ProbeItem(msgspec.Struct, frozen=True):
    item_id: str
    nug: str
    paraphrase: str
    hard_negative: str
    phenomenon: str


class ProbeQuery(msgspec.Struct, frozen=True):
    query_id: str
    query: str
    answer: tuple[str, ...]
    items: tuple[ProbeItem, ...]


class Case(NamedTuple):
    """An item and the three pairs that are judged for it."""

    half: str
    query_id: str
    phenomenon: str
    paraphrase: Pair
    negative: Pair
    without: Pair


class Figure(NamedTuple):
    """Pairs of scores (better, worse): the AUC over all, with an interval over queries, and the share within items."""

    items: int
    auc: float
    low: float
    high: float
    within: float


def read_half(file: Path) -> list[ProbeQuery]:
    queries = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            queries.append(msgspec.json.decode(line, type=ProbeQuery))
        except msgspec.DecodeError as error:
            raise UsageError(f"{file.name}:{number}: {error}") from None
    return queries


def cases_of(half: str, queries: Sequence[ProbeQuery], answers: Answers, seed: int) -> list[Case]:
    """Every item in three answers: with its paraphrase, with its hard negative (at the same place), with neither."""
    cases = []
    for query in queries:
        query_id = f"{half}/{query.query_id}"
        for item in query.items:
            place = random.Random(f"{seed}/{half}/{item.item_id}").randint(0, len(query.answer))
            without = [sentence for sentence in query.answer if sentence not in (item.paraphrase, item.hard_negative)]
            place = min(place, len(without))
            pairs = [
                answers.add(query_id, run_id, answer, item.item_id, item.nug, query=query.query)
                for run_id, answer in (
                    (f"{item.item_id} paraphrase", [*without[:place], item.paraphrase, *without[place:]]),
                    (f"{item.item_id} negative", [*without[:place], item.hard_negative, *without[place:]]),
                    (f"{item.item_id} without", without),
                )
            ]
            cases.append(Case(half, query_id, item.phenomenon, *pairs))
    return cases


def figure(cases: Sequence[Case], judged: dict[Pair, Said], better: str, worse: str, seed: int) -> Figure:
    """How well the judge puts one kind of answer above the other."""
    values = np.array([[_value(judged[getattr(case, side)]) for side in (better, worse)] for case in cases])
    queries = np.unique([case.query_id for case in cases], return_inverse=True)[1]
    members = [np.flatnonzero(queries == code) for code in range(queries.max() + 1)]
    rng = np.random.default_rng(seed)
    drawn = [
        auc(values[np.concatenate([members[code] for code in rng.integers(0, len(members), len(members))])])
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    wins = (values[:, 0] > values[:, 1]) + 0.5 * (values[:, 0] == values[:, 1])
    return Figure(len(cases), auc(values), low, high, float(wins.mean()))


def _value(said: Said) -> float:
    """The probability; the raw score tells apart what is rounded to the same probability."""
    return said.full + 1e-6 * float(np.tanh(said.score / 20))


def auc(values: Floats) -> float:
    """P(better > worse) over all pairs of a better and a worse one; ties count half."""
    better, worse = np.sort(values[:, 0]), np.sort(values[:, 1])
    below = np.searchsorted(worse, better, "left") + np.searchsorted(worse, better, "right")
    return float(below.sum() / (2 * len(better) * len(worse)))
