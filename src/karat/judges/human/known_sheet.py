"""What the assessors of one response say of one nug, made one: their mean, as in `karat.measures.cases.credits`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from karat.model import Judgement

Assessor = tuple[str, str | None]
"""A judge and, where the judge is people, which of them."""
Level = Literal["0", "0.5", "1"]
Marks = dict[str | None, "Known"]
"""What one assessor said, by snippet; None is the whole response."""
LEVELS: tuple[Level, ...] = ("0", "0.5", "1")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one response and nug."""

    degree: float
    """The mean of the assessors."""
    snippet_id: str | None = None
    """The first snippet that contains it."""
    shares: dict[Level, float] = {}
    """Where assessors differ: how many of them say none, partial and full."""


NO = Known(degree=0.0)


class Sheet:
    """What every assessor said of one nug in one response: of the whole (None) and of its snippets."""

    def __init__(self, marks: Sequence[Judgement]) -> None:
        self.by_assessor: dict[Assessor, Marks] = {}
        self.doubtful: set[Assessor] = set()
        """Who was asked and gave no answer, which is no no."""
        for one in marks:
            if has_answer(one):
                # The first of repeated judgements counts, as in a score.
                self.by_assessor.setdefault(assessor_of(one), {}).setdefault(one.snippet_id, _said(one))
            else:
                self.doubtful.add(assessor_of(one))

    def of_all(self, silent: set[Assessor], order: Sequence[str]) -> Known | None:
        """The mean over assessors of each one's largest; those in `silent` say no where they say nothing."""
        largest = [max(own.values(), key=degree_of) for own in self.by_assessor.values()]
        if largest or not self.doubtful:
            largest += [NO] * len(silent - self.by_assessor.keys())
        marked = {name for own in self.by_assessor.values() for name, said in own.items() if said.degree}
        return _mean(largest, snippet_id=next((name for name in order if name in marked), None))

    def of_whole(self) -> Known | None:
        return _mean([own[None] for own in self.by_assessor.values() if None in own])

    def of_snippets(self, order: Sequence[str], assessors: Sequence[Assessor]) -> dict[str, Known]:
        """The mean of the assessors on each snippet of which something is known; see `_of_snippet`."""
        marks: list[Marks] = [
            {name: one for name, one in self.by_assessor.get(who, {}).items() if name is not None} for who in assessors
        ]
        doubt = not self.doubtful.issubset(assessors)
        # What nobody spoke of is the same for all such snippets.
        unmarked = self._of_snippet(None, marks, assessors, doubt=doubt)
        found = {}
        for snippet_id in order:
            spoken_of = any(snippet_id in own for own in marks)
            one = self._of_snippet(snippet_id, marks, assessors, doubt=doubt) if spoken_of else unmarked
            if one is not None:
                found[snippet_id] = one
        return found

    def _of_snippet(
        self, snippet_id: str | None, marks: Sequence[Marks], assessors: Sequence[Assessor], *, doubt: bool
    ) -> Known | None:
        """The mean of the assessors; one who marked a sibling alone does not say, who marked none says no."""
        said, explicit = [], False
        for who, own in zip(assessors, marks, strict=True):
            if snippet_id in own:
                said.append(own[snippet_id])
                explicit = True
            elif who in self.doubtful or any(one.degree for one in own.values()):
                doubt = True
            else:
                said.append(NO)
        return _mean(said) if explicit or not doubt else None


def _mean(said: Sequence[Known], *, snippet_id: str | None = None) -> Known | None:
    if not said:
        return None
    if len(said) == 1 and snippet_id is None:
        return said[0]
    shares = [_shares(one) for one in said]
    differ = any(one.shares for one in said) or len({one.degree for one in said}) > 1
    return Known(
        degree=sum(one.degree for one in said) / len(said),
        snippet_id=snippet_id,
        shares={level: sum(one[level] for one in shares) / len(said) for level in LEVELS}
        if differ and all(shares)
        else {},
    )


def _shares(one: Known) -> Mapping[Level, float]:
    """Nothing where the degree is none of the levels."""
    if one.shares or one.degree not in (0.0, 0.5, 1.0):
        return one.shares
    return {level: float(one.degree == float(level)) for level in LEVELS}


def _said(judgement: Judgement) -> Known:
    if not judgement.probabilities:
        return Known(degree=judgement.degree) if judgement.degree else NO
    given = {level: judgement.probabilities.get(level, 0.0) for level in LEVELS}
    total = sum(given.values())
    shares = {level: share / total for level, share in given.items()} if total else {}
    expected = sum(float(level) * share for level, share in shares.items())
    is_certain = max(shares.values(), default=1.0) == 1.0
    degree = expected if judgement.degree is None else judgement.degree
    return Known(degree=degree, shares={} if is_certain else shares)


def degree_of(one: Known) -> float:
    return one.degree


def assessor_of(judgement: Judgement) -> Assessor:
    return judgement.judge, judgement.assessor


def has_answer(judgement: Judgement) -> bool:
    return judgement.status == "ok" and (judgement.degree is not None or any(judgement.probabilities.values()))
