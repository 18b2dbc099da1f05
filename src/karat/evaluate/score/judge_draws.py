"""What a measure counts of one response in every draw of its uncertain judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from karat.judges.human.labels import KNOWN
from karat.measures.base import Array, Measure
from karat.measures.cases.case import Case
from karat.measures.cases.credits import NugCredits
from karat.measures.pyramid import pyramid_weights
from karat.measures.rag import RagMeasure
from karat.measures.trec import NuggetF
from karat.model import Judgement

LEVELS = ("0", "0.5", "1")


@dataclass(frozen=True)
class DrawnCounts:
    """The counts of a measure in every draw (draws x counts), and of the credits' mean over the draws."""

    counts: Array
    of_mean: Array


def is_uncertain(judgement: Judgement) -> bool:
    """Whether a program gives probabilities; where a known judgement has some, people differ and none of them errs."""
    return judgement.status == "ok" and any(judgement.probabilities.values()) and KNOWN not in judgement.extra


def is_linear(measure: Measure, case: Case) -> bool:
    """Whether the counts are sums over nugs of weight times credit, so that all draws are counted at once."""
    if not _is_plain(case):
        return False
    return isinstance(measure, RagMeasure) or (
        isinstance(measure, NuggetF) and (measure.part == "recall" or case.length > 0)
    )


def drawn_counts(measure: Measure, case: Case, degrees: Array) -> DrawnCounts:
    """Count the case in every draw of the degrees (draws x uncertain judgements)."""
    if is_linear(measure, case):
        return _at_once(measure, case, degrees)
    plain = _is_plain(case)
    guesses = (_as_drawn(case, row) if plain else _as_if_sure(case, row) for row in degrees.tolist())
    counts = np.array([measure.counts(guess) for guess in guesses])
    return DrawnCounts(counts, np.array(measure.counts(_as_often(case, degrees))))


def _at_once(measure: Measure, case: Case, degrees: Array) -> DrawnCounts:
    nug_ids = [one.nug_id for one in case.judgements if is_uncertain(one)]
    none = np.array(measure.counts(_as_drawn(case, [0.0] * len(nug_ids))))
    credits = degrees if isinstance(measure, RagMeasure) and not measure.strict else (degrees >= 1).astype(float)
    counts = none + credits @ _slopes(measure, case, nug_ids, len(none), scored=bool(none.any()))
    return DrawnCounts(counts, counts.mean(axis=0))


def _slopes(measure: Measure, case: Case, nug_ids: Sequence[str], counts: int, *, scored: bool) -> Array:
    """By how much each count grows with the credit of each nug (nugs x counts)."""
    found = np.zeros((len(nug_ids), counts))
    if isinstance(measure, RagMeasure):
        weights = {nug_id: measure.weight(importance) for nug_id, importance in case.pool.importance.items()}
    elif isinstance(measure, NuggetF) and measure.weighing == "pyramid":
        weights = pyramid_weights(case.pool).weights
    else:
        weights = {nug_id: float(importance == "vital") for nug_id, importance in case.pool.importance.items()}
    in_key = np.array([nug_id in case.strict.credits for nug_id in nug_ids], float)
    found[:, 0] = in_key * [weights.get(nug_id, 0.0) for nug_id in nug_ids]
    if isinstance(measure, NuggetF):
        # A question that has no score counts nothing, whatever was found.
        found[:, measure.COUNTS.index("found")] = in_key
        found *= scored
    return found


def _is_plain(case: Case) -> bool:
    """Whether the degree of a judgement is the credit of its nug: no parts, and no nug judged twice."""
    return all(nug.parent is None for nug in case.pool.nugs) and len({one.nug_id for one in case.judgements}) == len(
        case.judgements
    )


def _as_drawn(case: Case, degrees: Sequence[float]) -> Case:
    """The plain case as if the judge had been sure of these degrees, one an uncertain judgement."""
    guess = replace(case)
    drawn = dict(zip((one.nug_id for one in case.judgements if is_uncertain(one)), degrees, strict=True))
    for name, certain in (("strict", case.strict), ("lenient", case.lenient)):
        credits = dict(certain.credits)
        for nug_id, degree in drawn.items():
            if nug_id in credits:
                credits[nug_id] = degree if name == "lenient" else float(degree >= 1.0)
        guess.__dict__[name] = NugCredits(credits, certain.failed, certain.unjudged)
    return guess


def _as_if_sure(case: Case, degrees: Sequence[float]) -> Case:
    """The same for any case."""
    said = iter(degrees)
    judgements = [
        msgspec.structs.replace(one, degree=next(said), probabilities={}) if is_uncertain(one) else one
        for one in case.judgements
    ]
    return replace(case, judgements=judgements)


def _as_often(case: Case, drawn: Array) -> Case:
    """The case with the share of the draws (draws x uncertain judgements) that each degree has as its probability."""
    shares = iter(np.stack([(drawn == float(level)).mean(axis=0) for level in LEVELS], axis=1).tolist())
    judgements = [
        msgspec.structs.replace(one, probabilities=dict(zip(LEVELS, next(shares), strict=True)))
        if is_uncertain(one)
        else one
        for one in case.judgements
    ]
    return replace(case, judgements=judgements)
