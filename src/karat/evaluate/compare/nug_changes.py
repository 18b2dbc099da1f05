"""Which nugs a run gained or lost against another."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.score.judge_draws import is_uncertain
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases

SAME = 1e-9
MARGIN = 0.1
"""A program has to be so sure on either side of one half before a nug counts as gained or lost."""


class NugChange(msgspec.Struct, frozen=True, kw_only=True):
    """A nug that one run contains to another degree than the other."""

    run_id: str
    versus: str
    query_id: str
    nug_id: str
    description: str
    importance: str | None
    before: float
    after: float

    @property
    def gained(self) -> bool:
        return self.after > self.before


def nug_changes(cases: Cases, run_ids: Sequence[str], versus: str) -> list[NugChange]:
    """Every nug whose degree differs, vital ones and large changes first.

    Where a program is unsure of one of the two, the expected credits have to lie on either side of one half, each at
    least MARGIN away: whatever it reads anew, its probabilities always differ a little.
    """
    found: list[NugChange] = []
    for run_id in run_ids:
        if run_id == versus:
            continue
        for query_id in cases.query_ids:
            one, other = cases.case(run_id, query_id), cases.case(versus, query_id)
            if one is None or other is None:
                continue
            after, before = one.lenient.credits, other.lenient.credits
            unsure = _unsure_of(one) | _unsure_of(other)
            for nug in one.pool.whole_nugs:
                if nug.nug_id not in after or nug.nug_id not in before:
                    continue
                if _is_clear(before[nug.nug_id], after[nug.nug_id], unsure=nug.nug_id in unsure):
                    found.append(
                        NugChange(
                            run_id=run_id,
                            versus=versus,
                            query_id=query_id,
                            nug_id=nug.nug_id,
                            description=next(iter(nug.descriptions), ""),
                            importance=one.pool.importance[nug.nug_id],
                            before=before[nug.nug_id],
                            after=after[nug.nug_id],
                        )
                    )
    return sorted(found, key=lambda one: (one.importance != "vital", -abs(one.after - one.before)))


def _is_clear(before: float, after: float, *, unsure: bool) -> bool:
    if unsure:
        return min(before, after) <= 0.5 - MARGIN and max(before, after) >= 0.5 + MARGIN
    return abs(after - before) > SAME


def _unsure_of(case: Case) -> set[str]:
    """The nugs a program is unsure of, and those they are parts of."""
    found = {one.nug_id for one in case.judgements if is_uncertain(one)}
    return found | {nug.parent for nug in case.pool.nugs if nug.nug_id in found and nug.parent is not None}
