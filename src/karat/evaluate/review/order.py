"""Which judgements a person should look at first: those that are least certain and move the score most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import msgspec
import numpy as np

from karat.measures.base import Measure
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases
from karat.model import Judgement
from karat.model.wording import natural

SURE = 0.95
"""A judgement whose most probable degree has at least this probability is not worth a question."""


class Pair(msgspec.Struct, frozen=True):
    """A response and a nug."""

    query_id: str
    run_id: str
    nug_id: str


def pair_of(judgement: Judgement) -> Pair:
    return Pair(judgement.query_id, judgement.run_id, judgement.nug_id)


def contained(judgement: Judgement) -> float:
    """The probability that the nug is contained in full."""
    total = sum(judgement.probabilities.values())
    return judgement.probabilities.get("1", 0.0) / total if total else float((judgement.degree or 0.0) >= 1.0)


def is_open(judgement: Judgement, *, threshold: float | None = None) -> bool:
    """Whether a person should be asked: no degree is nearly certain, or containment is as probable as `threshold`."""
    if judgement.status != "ok" or not sum(judgement.probabilities.values()):
        return False
    if threshold is not None:
        return contained(judgement) >= threshold
    return max(judgement.probabilities.values()) < SURE * sum(judgement.probabilities.values())


def in_order(
    judgements: Iterable[Judgement], effects: Mapping[tuple[str, str], float], *, threshold: float | None = None
) -> list[Pair]:
    """The pairs to ask about, in the order in which to ask.

    By (1 - |2p - 1|) * effect, largest first, where p is the probability of being contained and the effect is how far
    the nug moves the score; those that move nothing come last, least certain first. With a threshold: most probable
    first.
    """

    def rank(one: Judgement) -> tuple[object, ...]:
        p = contained(one)
        doubt = 1 - abs(2 * p - 1)
        first = (-p,) if threshold is not None else (-doubt * effects.get((one.query_id, one.nug_id), 0.0), -doubt)
        return (*first, natural(one.query_id), natural(one.run_id), natural(one.nug_id))

    return [pair_of(one) for one in sorted(judgements, key=rank) if is_open(one, threshold=threshold)]


def effects_of(cases: Cases, measure: Measure) -> dict[tuple[str, str], float]:
    """How far each nug moves the score of a query: contained against not, in the first response that was judged.

    One response stands for all: the order of questions is worth no more.
    """
    found: dict[tuple[str, str], float] = {}
    for (query_id, run_id), judged in cases.judgements.items():
        case = None
        for one in judged:
            if (query_id, one.nug_id) not in found and one.probabilities:
                case = case or cases.case(run_id, query_id)
                found[query_id, one.nug_id] = 0.0 if case is None else _effect(case, one, measure)
    return found


def _effect(case: Case, judgement: Judgement, measure: Measure) -> float:
    values = []
    for degree in (0.0, 1.0):
        sure = msgspec.structs.replace(judgement, degree=degree, probabilities={})
        guess = replace(case, judgements=[sure if one is judgement else one for one in case.judgements])
        values.append(float(measure.values(np.array([measure.counts(guess)], dtype=float))[0]))
    return float(np.nan_to_num(abs(values[1] - values[0])))
