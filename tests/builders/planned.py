"""A small world for plans of questions: what runs say, what people would answer, and answers to a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from builders.records import nug, response
from karat.evaluate.plan.question_plan import QuestionPlan
from karat.evaluate.review.order import Pair
from karat.model import Collection, Judgement, Query

Name = tuple[str, str, str]
"""Query, run and nug."""
ANIMALS = ("fox", "owl", "bee", "cod", "elk", "hen", "bat", "eel")
FACTS = (
    "sleeps in the old barn by day",
    "eats small berries in winter",
    "fears thunder and heavy rain",
    "is very fast",
)
RUNS = ("atlas", "birch", "cedar", "delta", "ember")


def small_world(
    *, queries: int = 8, runs: int = 5, wrong: float = 0.15, seed: int = 0
) -> tuple[Collection, dict[Name, float]]:
    """A key (three vital nugs and an okay one per query) with runs, and what people would say about every pair.

    A response has the words of what it contains, and half of the words of what it contains in part; with the
    probability `wrong` it has the words of something that people do not find there.
    """
    rng = np.random.default_rng(seed)
    records: list[Any] = []
    truth: dict[Name, float] = {}
    for at, animal in enumerate(ANIMALS[:queries]):
        query_id = f"q{at}"
        records.append(Query(query_id=query_id, text=f"What about the {animal}?"))
        records += [
            nug(f"n{number}", f"The {animal} {fact}.", query_id=query_id, importance="okay" if number == 3 else "vital")
            for number, fact in enumerate(FACTS)
        ]
        for place, run_id in enumerate(RUNS[:runs]):
            sentences = [f"Here is what {run_id} knows."]
            for number, fact in enumerate(FACTS):
                degree = float(rng.choice([0.0, 0.5, 1.0], p=[0.6 - place / 10, 0.15, 0.25 + place / 10]))
                truth[query_id, run_id, f"n{number}"] = degree
                shown = 1.0 if rng.random() < wrong else degree
                words = f"{animal} {fact}".split()
                if shown:
                    sentences.append(f"The {' '.join(words if shown == 1 else words[: len(words) // 2])}.")
            records.append(response(run_id, " ".join(sentences), query_id=query_id))
    return Collection(records), truth


def said(name: Name, degree: float | None, *, judge: str = "person", **extra: Any) -> Judgement:
    """What a person says; None: it cannot be decided."""
    query_id, run_id, nug_id = name
    return Judgement(
        query_id=query_id, run_id=run_id, nug_id=nug_id, degree=degree, judge=judge,
        status="unknown" if degree is None else "ok", extra=extra,
    )  # fmt: skip


def answered(
    plan: QuestionPlan, truth: Mapping[Name, float | None], *, blocks: int | None = None, most: int | None = None
) -> list[Judgement]:
    """Answers to the first blocks of a plan (all of them), or to the first questions."""
    names = [pair.name for block in plan.blocks[:blocks] for pair in block.pairs][:most]
    return [said(name, truth[name], **plan.mark(Pair(*name))) for name in names]


def asked(plan: QuestionPlan) -> list[Name]:
    """The questions, in their order."""
    return [pair.name for block in plan.blocks for pair in block.pairs]


def by_people(truth: Mapping[Name, float | None], names: Iterable[Name] | None = None) -> list[Judgement]:
    """Ordinary labels, of everything where no names are given."""
    return [said(name, truth[name]) for name in (truth if names is None else names)]
