"""Which nugs each run contains: the details behind a score."""

from __future__ import annotations

from typing import Unpack

import msgspec

from karat.evaluate.tables.tabulating import tabulated
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import Rules
from karat.model import Collection, UnfitInput


class NugRow(msgspec.Struct, frozen=True, kw_only=True):
    """A nug, and to what degree each run contains it; None: nobody could judge."""

    query_id: str
    nug_id: str
    importance: str | None
    description: str
    degrees: dict[str, float | None]

    @property
    def mean(self) -> float | None:
        """The mean degree over the runs that were judged."""
        known = [degree for degree in self.degrees.values() if degree is not None]
        return sum(known) / len(known) if known else None


def nug_table(collection: Collection, **rules: Unpack[Rules]) -> list[NugRow]:
    """Every nug, vital ones first, and those that runs contain least first."""
    cases = tabulated(collection, measures="lenient_all", **rules).cases
    if cases is None:
        raise UnfitInput("scores do not say which nugs were found; give the judgements")
    rows = [row for query_id in cases.query_ids for row in _of_query(cases, query_id)]
    return sorted(rows, key=lambda row: (row.importance != "vital", 2.0 if row.mean is None else row.mean))


def _of_query(cases: Cases, query_id: str) -> list[NugRow]:
    credits = {
        run_id: case.lenient.credits for run_id in cases.run_ids if (case := cases.case(run_id, query_id)) is not None
    }
    pool = cases.pools[query_id]
    return [
        NugRow(
            query_id=query_id,
            nug_id=nug.nug_id,
            importance=pool.importance[nug.nug_id],
            description=" ".join(" / ".join(nug.descriptions).split()),
            degrees={run_id: of_nugs.get(nug.nug_id) for run_id, of_nugs in credits.items()},
        )
        for nug in pool.whole_nugs
    ]
