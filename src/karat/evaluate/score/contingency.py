"""Contingency tables of one's own data: what each run has right, wrong, missing and redundant (White et al. 2008).

For a key with members (or judgements) the rows are by the rules of 2008, one increment a nug as in the paper's Table 3,
and `estimated` is its Table 4: the wrong nugs estimated in un-nuggetized text, characters / density. Nuggets with
relevance labels and no key are counted by the rules of 2012; there, redundant are the nuggets of redundant snippets.
#Wrong of the measures is wrong + redundant + estimated. Where several assessors annotated a query, their mean counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

import msgspec
import numpy as np

from karat.evaluate.tables.judged_pool import spread_pool
from karat.measures.cases.case import Case
from karat.measures.cases.cases import ALL_QUERIES, Cases
from karat.measures.cases.rules import Rules
from karat.measures.distillation.contingency import nug_degrees, nug_tables, redundancy
from karat.measures.distillation.distillation import Distillation
from karat.measures.distillation.rules2012 import contingency_2012
from karat.model import Collection, UnfitInput


class Increment(msgspec.Struct, frozen=True, kw_only=True):
    """What one nug adds to the table of a run."""

    query_id: str
    nug_id: str
    run_id: str
    description: str
    right: float
    wrong: float
    redundant: float
    missing: float
    other: float


class ContingencyRow(msgspec.Struct, frozen=True, kw_only=True):
    """The table of a run, for a query or for all."""

    run_id: str
    query_id: str
    right: float
    wrong: float
    redundant: float
    estimated: float
    missing: float


class Contingency(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of all runs, by query and over all queries; and the increments of all nugs."""

    rows: tuple[ContingencyRow, ...]
    increments: tuple[Increment, ...]
    """Empty by the rules of 2012, which have no nugs."""
    notes: tuple[str, ...]
    rules: str
    """2008 or 2012."""


def contingency_rows(collection: Collection, **rules: Unpack[Rules]) -> Contingency:
    """The tables of a collection."""
    cases = Cases(spread_pool(collection).collection, **rules)
    by_nugs = cases.has_key and bool(cases.nuggets or cases.judgements)
    if not by_nugs and not (cases.nuggets and cases.relevances):
        raise UnfitInput("contingency tables need a key with members or judgements, or nuggets and relevance labels")
    cases.check_missing()
    rows, increments = [], []
    for run_id in cases.run_ids:
        of_run = []
        for query_id in cases.query_ids:
            case = cases.case(run_id, query_id)
            if case is None:
                continue
            views = case.views or (case,)
            if by_nugs:
                found = [list(_increments(view)) for view in views]
                increments += _means(found)
                of_run.append(_row(run_id, query_id, [(_of_nugs(*pair)) for pair in zip(views, found, strict=True)]))
            else:
                of_run.append(_row(run_id, query_id, [_of_2012(view) for view in views]))
        rows += [*of_run, _total(run_id, of_run)]
    return Contingency(
        rows=tuple(rows),
        increments=tuple(increments),
        notes=tuple(cases.notes),
        rules="2008" if by_nugs else "2012",
    )


def _increments(case: Case) -> Iterable[Increment]:
    degrees = nug_degrees(case)
    tables = nug_tables(case)
    for nug in case.pool.whole_nugs:
        if nug.nug_id in tables:
            table, redundant = tables[nug.nug_id], redundancy(degrees[nug.nug_id])
            yield Increment(
                query_id=case.query_id, nug_id=nug.nug_id, run_id=case.run_id,
                description=" ".join(" / ".join(nug.descriptions).split()), right=table.right,
                wrong=table.wrong - redundant, redundant=redundant, missing=table.missing, other=table.other,
            )  # fmt: skip


def _means(of_views: list[list[Increment]]) -> list[Increment]:
    """The mean increment of each nug over the assessors whose annotation has it."""
    by_nug: dict[str, list[Increment]] = {}
    for increments in of_views:
        for increment in increments:
            by_nug.setdefault(increment.nug_id, []).append(increment)
    names = ("right", "wrong", "redundant", "missing", "other")
    return [
        msgspec.structs.replace(
            alike[0], **{name: float(np.mean([getattr(increment, name) for increment in alike])) for name in names}
        )
        for alike in by_nug.values()
    ]


_CELLS = ("right", "wrong", "redundant", "estimated", "missing")


def _of_nugs(case: Case, increments: list[Increment]) -> list[float]:
    measure = Distillation(part="precision")
    chars = measure.counts(case)[measure.COUNTS.index("chars")]
    sums = {name: sum(getattr(increment, name) for increment in increments) for name in _CELLS if name != "estimated"}
    return [{**sums, "estimated": chars / measure.density}[name] for name in _CELLS]


def _of_2012(case: Case) -> list[float]:
    table = contingency_2012(case)
    without = [relevance for relevance in case.pool.relevances if relevance.label != "redundant"]
    irrelevant = contingency_2012(replace(case, pool=replace(case.pool, relevances=without))).wrong
    return [table.right + table.repeated, irrelevant, table.wrong - irrelevant, 0.0, table.missing]


def _row(run_id: str, query_id: str, of_views: list[list[float]]) -> ContingencyRow:
    return ContingencyRow(
        run_id=run_id, query_id=query_id, **dict(zip(_CELLS, np.mean(of_views, axis=0).tolist(), strict=True))
    )


def _total(run_id: str, rows: list[ContingencyRow]) -> ContingencyRow:
    sums = {name: float(sum(getattr(row, name) for row in rows)) for name in _CELLS}
    return ContingencyRow(run_id=run_id, query_id=ALL_QUERIES, **sums)
