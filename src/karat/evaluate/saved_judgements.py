"""A program's judgements as they are saved; `karat.measures.cases.saved` says what is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from karat.judges.human.labels import KNOWN
from karat.judges.judge import Judging
from karat.measures.cases.saved import FOLDED, SIGMAS
from karat.model import Judgement, UsageError


@dataclass(frozen=True)
class Saved:
    """The judgements to save, and what was put below the floor."""

    judgements: tuple[Judgement, ...]
    folded: int
    """How many judgements have no line of their own."""
    expected: float
    """How many of those nugs are expected to be contained in full."""
    expected_partly: float
    """How many at least in part."""


def to_save(judging: Judging, *, floor: float | None = None) -> Saved:
    """The judgements of a program with what a score needs besides.

    floor: judgements of a lower probability of at least partial containment are folded into the first of their
    response; known ones never, and of each response the most probable has a line in any case.
    """
    if floor is not None and not 0 <= floor <= 1:
        raise UsageError(f"floor={floor:g} is no probability: give a number from 0 to 1")
    responses: dict[tuple[str, str], list[Judgement]] = {}
    for one in judging.judgements:
        responses.setdefault((one.query_id, one.run_id), []).append(one)
    saved: list[Judgement] = []
    folded: list[Judgement] = []
    for own in responses.values():
        first, *others = kept = _above(own, floor or 0.0)
        names = {one.nug_id for one in kept}
        below = [one for one in own if one.nug_id not in names]
        extra: dict[str, object] = {SIGMAS: [round(judging.sigma, 4), round(judging.run_sigma, 4)]}
        if below:
            extra[FOLDED] = {one.nug_id: [_at_least_partial(one), one.probabilities.get("1", 0.0)] for one in below}
        saved += [msgspec.structs.replace(first, extra=first.extra | extra), *others]
        folded += below
    return Saved(
        tuple(saved),
        len(folded),
        sum(one.probabilities.get("1", 0.0) for one in folded),
        sum(map(_at_least_partial, folded)),
    )


def _above(own: Sequence[Judgement], floor: float) -> list[Judgement]:
    found = [one for one in own if KNOWN in one.extra or _at_least_partial(one) >= floor]
    return found or [max(own, key=_at_least_partial)]


def _at_least_partial(judgement: Judgement) -> float:
    return round(1.0 - judgement.probabilities.get("0", 0.0), 4)
