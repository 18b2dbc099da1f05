"""A program's judgements in the form in which they are saved; `karat.measures.cases.saved_fields` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from karat.judges.human.labels import KNOWN
from karat.judges.judge import Judging
from karat.measures.cases.saved_fields import COMMON, ERROR_RATES, FOLDED, FOLDED_RATES, IDF, SIGMAS
from karat.model import Judgement, UsageError


@dataclass(frozen=True)
class SavedJudgements:
    """The judgements to save, and how many were folded because they are below the floor."""

    judgements: tuple[Judgement, ...]
    folded: int
    """The number of judgements without a line of their own."""
    expected: float
    """How many of these nugs are expected to be contained in full."""
    expected_partly: float
    """How many are expected to be contained at least in part."""


def to_save(judging: Judging, *, floor: float | None = None) -> SavedJudgements:
    """The judgements of a program, with what scoring needs besides.

    floor: a judgement whose nug is contained (at least in part) with a lower probability is folded into the first
    judgement of its response. Judgements by people are never folded, nor is the most probable one of each response.
    """
    if floor is not None and not 0 <= floor <= 1:
        raise UsageError(f"floor={floor:g} is not a probability; give a number from 0 to 1")
    responses: dict[tuple[str, str], list[Judgement]] = {}
    for judgement in judging.judgements:
        responses.setdefault((judgement.query_id, judgement.run_id), []).append(judgement)
    saved: list[Judgement] = []
    folded: list[Judgement] = []
    for judgements in responses.values():
        first, *others = kept = _above(judgements, floor or 0.0)
        names = {judgement.nug_id for judgement in kept}
        below = [judgement for judgement in judgements if judgement.nug_id not in names]
        extra: dict[str, object] = {SIGMAS: [round(judging.sigma, 4), round(judging.run_sigma, 4)]}
        extra[COMMON] = judging.common.saved()
        if judging.idf:
            extra[IDF] = judging.idf
        if below:
            extra[FOLDED] = {each.nug_id: [_at_least_partial(each), each.probabilities.get("1", 0.0)] for each in below}
            # All judgements below a floor are decided alike.
            if ERROR_RATES in below[0].extra:
                extra[FOLDED_RATES] = below[0].extra[ERROR_RATES]
        saved += [msgspec.structs.replace(first, extra=first.extra | extra), *others]
        folded += below
    return SavedJudgements(
        tuple(saved),
        len(folded),
        sum(judgement.probabilities.get("1", 0.0) for judgement in folded),
        sum(map(_at_least_partial, folded)),
    )


def _above(judgements: Sequence[Judgement], floor: float) -> list[Judgement]:
    kept = [each for each in judgements if KNOWN in each.extra or _at_least_partial(each) >= floor]
    return kept or [max(judgements, key=_at_least_partial)]


def _at_least_partial(judgement: Judgement) -> float:
    return round(1.0 - judgement.probabilities.get("0", 0.0), 4)
