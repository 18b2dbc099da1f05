"""Which judgements a person should look at first: those that are least certain and change the score most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

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
    """Whether to ask a person: no degree is nearly certain, or containment is at least as probable as `threshold`."""
    if judgement.status != "ok" or not sum(judgement.probabilities.values()):
        return False
    if threshold is not None:
        return contained(judgement) >= threshold
    return max(judgement.probabilities.values()) < SURE * sum(judgement.probabilities.values())


def in_order(
    judgements: Iterable[Judgement], effects: Mapping[tuple[str, str], float], *, threshold: float | None = None
) -> list[Pair]:
    """The pairs to ask about, in the order in which to ask.

    By (1 - |2p - 1|) * effect, largest first, where p is the probability that the nug is contained, and the effect is
    how much the nug changes the score. Those without an effect come last, the least certain first. With a threshold:
    the most probable first.
    """

    def rank(judgement: Judgement) -> tuple[object, ...]:
        pair = pair_of(judgement)
        p = contained(judgement)
        doubt = 1 - abs(2 * p - 1)
        first = (-p,) if threshold is not None else (-doubt * effects.get((pair.query_id, pair.nug_id), 0.0), -doubt)
        return (*first, natural(pair.query_id), natural(pair.run_id), natural(pair.nug_id))

    to_ask = (judgement for judgement in judgements if is_open(judgement, threshold=threshold))
    return [pair_of(judgement) for judgement in sorted(to_ask, key=rank)]
