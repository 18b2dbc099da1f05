"""From judgements to the credit of each nug in one response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from karat.model import Judgement, Nug

Assessor = tuple[str, str | None]
"""A judge and, where the judge is people, which of them."""
Credits = dict[Assessor, float]


class NugCredits(msgspec.Struct, frozen=True):
    """The credit of every nug that could be judged, and how many could not."""

    credits: dict[str, float]
    failed: int = 0
    """Nugs whose every judgement failed, or that depend on a part whose judgement failed."""
    unjudged: int = 0
    """Nugs of the key that nobody judged in a response that was judged."""

    def replaced(self, credits: Mapping[str, float]) -> NugCredits:
        """The same with other credits for some nugs; a nug that had none keeps none."""
        changed = {nug_id: credit for nug_id, credit in credits.items() if nug_id in self.credits}
        return NugCredits(self.credits | changed, self.failed, self.unjudged)


class CaseCredits(msgspec.Struct, frozen=True):
    """The credits of all nugs in one response: only for full containment, and by degree."""

    strict: NugCredits
    lenient: NugCredits


def strict(degree: float) -> float:
    """Only full support counts."""
    return float(degree >= 1.0)


def lenient(degree: float) -> float:
    """A nug is worth the degree to which it is contained."""
    return degree


def plain_credits(nugs: Sequence[Nug], judgements: Sequence[Judgement]) -> NugCredits | None:
    """The degrees of the nugs in the usual case: the result of `nug_credits`, in a fraction of the time.

    The usual case: one assessor, whole responses, degrees, no parts, no nug twice. None for any other case.
    """
    if not judgements:
        return None
    judge, assessor = judgements[0].judge, judgements[0].assessor
    degrees: dict[str, float] = {}
    failed: set[str] = set()
    for judgement in judgements:
        if judgement.snippet_id is not None or judgement.judge != judge or judgement.assessor != assessor:
            return None
        if judgement.status != "ok":
            failed.add(judgement.nug_id)
        elif judgement.degree is None or judgement.probabilities:
            return None
        else:
            degrees[judgement.nug_id] = judgement.degree
    if len(degrees) + len(failed) != len(judgements) or not failed.isdisjoint(degrees):
        return None
    credits: dict[str, float] = {}
    for nug in nugs:
        if nug.parent is not None:
            return None
        degree = degrees.get(nug.nug_id)
        if degree is not None:
            credits[nug.nug_id] = degree
    failures = sum(nug.nug_id in failed for nug in nugs) if failed else 0
    return NugCredits(credits, failures, len(nugs) - len(credits) - failures)


def nug_credits(nugs: Sequence[Nug], judgements: Iterable[Judgement], credit: Callable[[float], float]) -> NugCredits:
    """The credit of each nug that is not a part of another, from all judgements of one response.

    An assessor's credit for a nug is the largest over the snippets judged; credits are averaged over assessors. A
    judgement with probabilities has their expected credit, whatever its degree. An OR nug that was not judged itself
    has the largest credit of its parts that the assessor judged; an AND nug the smallest of all, so that an assessor
    who lacks a part is left out of it, unless the others hold a 0, which no part can lift. The parts are not counted
    again. Where only snippets were judged (as in TREC QA, where only finds are marked) an unmarked nug has degree 0.
    """
    known: dict[str, Credits] = {}
    failed: set[str] = set()
    assessors: set[Assessor] = set()
    only_snippets = True
    for judgement in judgements:
        only_snippets = only_snippets and judgement.snippet_id is not None
        assessor = (judgement.judge, judgement.assessor)
        # An assessor whose judgement of one nug failed has looked for the others nevertheless.
        assessors.add(assessor)
        value = _credit_of(judgement, credit)
        if value is None:
            failed.add(judgement.nug_id)
            continue
        by_assessor = known.setdefault(judgement.nug_id, {})
        by_assessor[assessor] = max(value, by_assessor.get(assessor, 0.0))
    parts: dict[str, list[Nug]] = {}
    for nug in nugs:
        if nug.parent is not None:
            parts.setdefault(nug.parent, []).append(nug)
    if only_snippets:
        for nug in nugs:
            # A nug with parts that nobody marked is judged through its parts.
            if nug.nug_id in known or (nug.nug_id not in failed and nug.nug_id not in parts):
                known[nug.nug_id] = dict.fromkeys(assessors, credit(0.0)) | known.get(nug.nug_id, {})
    credits: dict[str, float] = {}
    failures = unjudged = 0
    for nug in nugs:
        if nug.parent is not None:
            continue
        resolved, hindered = _resolve(nug, known, failed, parts)
        if resolved:
            credits[nug.nug_id] = sum(resolved.values()) / len(resolved)
        elif hindered:
            failures += 1
        else:
            unjudged += 1
    return NugCredits(credits, failures, unjudged)


def _resolve(
    nug: Nug, known: dict[str, Credits], failed: set[str], parts: dict[str, list[Nug]]
) -> tuple[Credits | None, bool]:
    """The credits of a nug by assessor (None: not known), and whether a failed judgement may be why."""
    hindered = nug.nug_id in failed
    by_assessor = known.get(nug.nug_id)
    if by_assessor:
        return by_assessor, hindered
    of_parts: dict[Assessor, list[float]] = {}
    all_parts = parts.get(nug.nug_id, [])
    for part in all_parts:
        of_part, hindered_part = _resolve(part, known, failed, parts)
        hindered = hindered or hindered_part
        for assessor, value in (of_part or {}).items():
            of_parts.setdefault(assessor, []).append(value)
    if nug.aggregator == "and":
        chosen = {
            assessor: min(values)
            for assessor, values in of_parts.items()
            if len(values) == len(all_parts) or not min(values)
        }
    else:
        chosen = {assessor: max(values) for assessor, values in of_parts.items()}
    return chosen or None, hindered


def _credit_of(judgement: Judgement, credit: Callable[[float], float]) -> float | None:
    if judgement.status != "ok":
        return None
    if not judgement.probabilities:
        return None if judgement.degree is None else credit(judgement.degree)
    # Probabilities say more than the decision.
    total = sum(judgement.probabilities.values())
    if not total:
        return None if judgement.degree is None else credit(judgement.degree)
    return sum(share * credit(float(degree)) for degree, share in judgement.probabilities.items()) / total
