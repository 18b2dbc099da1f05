"""From judgements to the credit of each nug in one response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from karat.model import Judgement, Nug

Assessor = tuple[str, str | None]
"""A judge and, where the judge is people, which of them."""


class NugCredits(msgspec.Struct, frozen=True):
    """The credit of every nug that could be judged, and how many could not."""

    credits: dict[str, float]
    failed: int = 0
    """Nugs whose every judgement failed."""
    unjudged: int = 0
    """Nugs of the key that nobody judged in a response that was judged."""


def nug_credits(nugs: Sequence[Nug], judgements: Iterable[Judgement], credit: Callable[[float], float]) -> NugCredits:
    """The credit of each nug that stands on its own, from all judgements of one response.

    An assessor's credit for a nug is the largest over the snippets judged; credits are averaged over assessors. A
    judgement without a degree has the expected credit of its probabilities. An OR nug has the largest credit of its
    parts, an AND nug the smallest; the parts are not counted again. Where snippets alone were judged (as in TREC QA,
    where only finds are marked) silence means degree 0.
    """
    known: dict[str, dict[Assessor, float]] = {}
    failed: set[str] = set()
    assessors: set[Assessor] = set()
    only_snippets = True
    for judgement in judgements:
        only_snippets = only_snippets and judgement.snippet_id is not None
        value = _credit_of(judgement, credit)
        if value is None:
            failed.add(judgement.nug_id)
            continue
        assessor = (judgement.judge, judgement.assessor)
        assessors.add(assessor)
        by_assessor = known.setdefault(judgement.nug_id, {})
        by_assessor[assessor] = max(value, by_assessor.get(assessor, 0.0))
    parts: dict[str, list[str]] = {}
    for nug in nugs:
        if nug.parent is not None:
            parts.setdefault(nug.parent, []).append(nug.nug_id)
    if only_snippets:
        for nug in nugs:
            # A question that nobody marked is judged through its parts, not silent.
            if nug.nug_id in known or (nug.nug_id not in failed and nug.nug_id not in parts):
                known[nug.nug_id] = dict.fromkeys(assessors, credit(0.0)) | known.get(nug.nug_id, {})
    return _combine(nugs, known, failed, parts)


def _combine(
    nugs: Sequence[Nug], known: dict[str, dict[Assessor, float]], failed: set[str], parts: dict[str, list[str]]
) -> NugCredits:
    credits: dict[str, float] = {}
    failures = unjudged = 0
    for nug in nugs:
        if nug.parent is not None:
            continue
        ids = parts.get(nug.nug_id, [])
        of_parts = [known[part] for part in ids if known.get(part)]
        own = known.get(nug.nug_id) or _of_parts(nug, of_parts)
        if own:
            credits[nug.nug_id] = sum(own.values()) / len(own)
        elif failed.intersection((nug.nug_id, *ids)):
            failures += 1
        else:
            unjudged += 1
    return NugCredits(credits, failures, unjudged)


def _of_parts(nug: Nug, parts: list[dict[Assessor, float]]) -> dict[Assessor, float]:
    choose = min if nug.aggregator == "and" else max
    assessors = dict.fromkeys(assessor for part in parts for assessor in part)
    return {assessor: choose(part[assessor] for part in parts if assessor in part) for assessor in assessors}


def _credit_of(judgement: Judgement, credit: Callable[[float], float]) -> float | None:
    if judgement.status != "ok":
        return None
    if judgement.degree is not None:
        return credit(judgement.degree)
    total = sum(judgement.probabilities.values())
    if not total:
        return None
    return sum(share * credit(float(degree)) for degree, share in judgement.probabilities.items()) / total
