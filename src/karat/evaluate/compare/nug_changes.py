"""Which nugs a run gained or lost against another."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases

SAME = 1e-9
MARGIN = 0.1
"""How far from one half the expected degrees of a program must be before a nug counts as gained or lost."""


class NugChange(msgspec.Struct, frozen=True, kw_only=True):
    """A nug that two runs contain to different degrees."""

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

    Where a program is unsure about one of the two, the expected credits must be on different sides of one half, each
    at least MARGIN away from it: the probabilities of two texts always differ a little.
    """
    changes: list[NugChange] = []
    for run_id in run_ids:
        if run_id == versus:
            continue
        for query_id in cases.query_ids:
            case, baseline = cases.case(run_id, query_id), cases.case(versus, query_id)
            if case is None or baseline is None:
                continue
            after, before = case.lenient.credits, baseline.lenient.credits
            unsure = _unsure_of(case) | _unsure_of(baseline)
            for nug in case.pool.whole_nugs:
                if nug.nug_id not in after or nug.nug_id not in before:
                    continue
                if _is_clear(before[nug.nug_id], after[nug.nug_id], unsure=nug.nug_id in unsure):
                    changes.append(
                        NugChange(
                            run_id=run_id,
                            versus=versus,
                            query_id=query_id,
                            nug_id=nug.nug_id,
                            description=next(iter(nug.descriptions), ""),
                            importance=case.pool.importance[nug.nug_id],
                            before=before[nug.nug_id],
                            after=after[nug.nug_id],
                        )
                    )
    return sorted(changes, key=lambda change: (change.importance != "vital", -abs(change.after - change.before)))


def _is_clear(before: float, after: float, *, unsure: bool) -> bool:
    if unsure:
        return min(before, after) <= 0.5 - MARGIN and max(before, after) >= 0.5 + MARGIN
    return abs(after - before) > SAME


def _unsure_of(case: Case) -> set[str]:
    """The nugs a program is unsure of, and those they are parts of."""
    unsure = {judgement.nug_id for judgement in case.judgements if is_uncertain(judgement)}
    return unsure | {nug.parent for nug in case.pool.nugs if nug.nug_id in unsure and nug.parent is not None}
