"""What several assessors say about one response and nug, averaged as in `karat.measures.cases.credits`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from karat.model import Judgement

Assessor = tuple[str, str | None]
"""A judge and, where the judge is several people, which of them."""
Level = Literal["0", "0.5", "1"]
Marks = dict[str | None, "Known"]
"""What one assessor said, by snippet; the key None is the whole response."""
LEVELS: tuple[Level, ...] = ("0", "0.5", "1")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about one response and nug."""

    degree: float
    """The mean over the assessors."""
    snippet_id: str | None = None
    """The first snippet that contains the nug."""
    shares: dict[Level, float] = {}
    """Where assessors differ: the shares of them that say none, partial and full."""


NO = Known(degree=0.0)


class MarkSheet:
    """What every assessor said about one nug in one response: about the whole (None) and about its snippets."""

    def __init__(self, marks: Sequence[Judgement]) -> None:
        self.by_assessor: dict[Assessor, Marks] = {}
        self.doubtful: set[Assessor] = set()
        """Assessors who were asked and gave no answer; this does not mean "no"."""
        for judgement in marks:
            assessor = assessor_of(judgement)
            if has_answer(judgement):
                # The first of repeated judgements counts, as in a score.
                self.by_assessor.setdefault(assessor, {}).setdefault(judgement.snippet_id, _said(judgement))
            else:
                self.doubtful.add(assessor)

    def of_all(self, silent: set[Assessor], order: Sequence[str]) -> Known | None:
        """The mean over assessors of the largest degree of each; those in `silent` say "no" where they said nothing."""
        largest = [max(answers.values(), key=degree_of) for answers in self.by_assessor.values()]
        if largest or not self.doubtful:
            largest += [NO] * len(silent - self.by_assessor.keys())
        marked = {name for answers in self.by_assessor.values() for name, known in answers.items() if known.degree}
        return _mean(largest, snippet_id=next((name for name in order if name in marked), None))

    def of_whole(self) -> Known | None:
        return _mean([answers[None] for answers in self.by_assessor.values() if None in answers])

    def of_snippets(self, order: Sequence[str], assessors: Sequence[Assessor]) -> dict[str, Known]:
        """The mean over the assessors for each snippet about which something is known; see `_of_snippet`."""
        marks: list[Marks] = [
            {name: known for name, known in self.by_assessor.get(who, {}).items() if name is not None}
            for who in assessors
        ]
        doubt = not self.doubtful.issubset(assessors)
        # All snippets that nobody mentions have the same result.
        unmarked = self._of_snippet(None, marks, assessors, doubt=doubt)
        of_snippets = {}
        for snippet_id in order:
            is_mentioned = any(snippet_id in answers for answers in marks)
            known = self._of_snippet(snippet_id, marks, assessors, doubt=doubt) if is_mentioned else unmarked
            if known is not None:
                of_snippets[snippet_id] = known
        return of_snippets

    def _of_snippet(
        self, snippet_id: str | None, marks: Sequence[Marks], assessors: Sequence[Assessor], *, doubt: bool
    ) -> Known | None:
        """The mean over the assessors.

        An assessor who marked only another snippet says nothing about this one; one who marked none says "no".
        """
        said, explicit = [], False
        for who, answers in zip(assessors, marks, strict=True):
            if snippet_id in answers:
                said.append(answers[snippet_id])
                explicit = True
            elif who in self.doubtful or any(known.degree for known in answers.values()):
                doubt = True
            else:
                said.append(NO)
        return _mean(said) if explicit or not doubt else None


def _mean(said: Sequence[Known], *, snippet_id: str | None = None) -> Known | None:
    if not said:
        return None
    if len(said) == 1 and snippet_id is None:
        return said[0]
    shares = [_shares(known) for known in said]
    differ = any(known.shares for known in said) or len({known.degree for known in said}) > 1
    return Known(
        degree=sum(known.degree for known in said) / len(said),
        snippet_id=snippet_id,
        shares={level: sum(share[level] for share in shares) / len(said) for level in LEVELS}
        if differ and all(shares)
        else {},
    )


def _shares(known: Known) -> Mapping[Level, float]:
    """The shares of the three levels; empty where the degree is not one of the levels."""
    if known.shares or known.degree not in (0.0, 0.5, 1.0):
        return known.shares
    return {level: float(known.degree == float(level)) for level in LEVELS}


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


def degree_of(known: Known) -> float:
    return known.degree


def assessor_of(judgement: Judgement) -> Assessor:
    return judgement.judge, judgement.assessor


def has_answer(judgement: Judgement) -> bool:
    return judgement.status == "ok" and (judgement.degree is not None or any(judgement.probabilities.values()))
