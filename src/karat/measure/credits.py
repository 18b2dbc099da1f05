"""From judgements to the credit of each nug in one response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from karat.model import Judgement, Nug


class NugCredits(msgspec.Struct, frozen=True):
    """The credit of every nug that could be judged, and how many could not."""

    credits: dict[str, float]
    failed: int = 0
    """Nugs whose every judgement failed."""
    unjudged: int = 0
    """Nugs of the key that nobody judged in a response that was judged."""


def nug_credits(nugs: Sequence[Nug], judgements: Iterable[Judgement], credit: Callable[[float], float]) -> NugCredits:
    """The credit of each nug that stands on its own, from all judgements of one response.

    An assessor's degree for a nug is the largest over the snippets judged; credits are averaged over assessors.
    An OR nug has the largest degree of its parts, an AND nug the smallest; the parts are not counted again.
    Where snippets alone were judged (as in TREC QA, where only finds are marked) silence means degree 0.
    """
    degrees: dict[str, dict[tuple[str, str | None], float]] = {}
    touched: set[str] = set()
    whole = False
    for judgement in judgements:
        touched.add(judgement.nug_id)
        whole = whole or judgement.snippet_id is None
        if judgement.status == "ok" and judgement.degree is not None:
            by_assessor = degrees.setdefault(judgement.nug_id, {})
            assessor = (judgement.judge, judgement.assessor)
            by_assessor[assessor] = max(judgement.degree, by_assessor.get(assessor, 0.0))
    parts: dict[str, list[Nug]] = {}
    for nug in nugs:
        if nug.parent is not None:
            parts.setdefault(nug.parent, []).append(nug)
    found: dict[str, float] = {}
    failed = unjudged = 0
    for nug in nugs:
        if nug.parent is not None:
            continue
        own = degrees.get(nug.nug_id) or _combined(
            nug, [degrees.get(part.nug_id) for part in parts.get(nug.nug_id, [])]
        )
        if own:
            found[nug.nug_id] = sum(map(credit, own.values())) / len(own)
        elif nug.nug_id in touched:
            failed += 1
        elif touched and not whole:
            found[nug.nug_id] = 0.0
        else:
            unjudged += 1
    return NugCredits(found, failed, unjudged)


def _combined(
    nug: Nug, parts: list[dict[tuple[str, str | None], float] | None]
) -> dict[tuple[str, str | None], float] | None:
    known = [part for part in parts if part]
    if not known:
        return None
    choose = min if nug.aggregator == "and" else max
    assessors = {assessor for part in known for assessor in part}
    return {assessor: choose(part.get(assessor, 0.0) for part in known) for assessor in assessors}
