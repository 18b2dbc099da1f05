"""Which nugs a run gained or lost against another."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.cases import Cases

SAME = 1e-9


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
    """Every nug whose degree differs, vital ones and large changes first."""
    found: list[NugChange] = []
    for run_id in run_ids:
        if run_id == versus:
            continue
        for query_id in cases.query_ids:
            one, other = cases.case(run_id, query_id), cases.case(versus, query_id)
            if one is None or other is None:
                continue
            after, before = one.lenient.credits, other.lenient.credits
            for nug in one.pool.standing:
                change = after.get(nug.nug_id, 0.0) - before.get(nug.nug_id, 0.0)
                if nug.nug_id in after and nug.nug_id in before and abs(change) > SAME:
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
