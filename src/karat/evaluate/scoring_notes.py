"""What is to be said about scores: undefined, failed, unjudged, and how often a pyramid tells what F does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from karat.evaluate.cases import ALL_QUERIES, Cases, number_of
from karat.evaluate.table import ScoreTable
from karat.measure.trec import NuggetF
from karat.model import Score

FEW_QUERIES = 3
"""Up to so many queries of a run with the same trouble are told one by one."""


def undefined_note(table: ScoreTable, row: int) -> list[str]:
    """For how many queries a run has no score, and why."""
    undefined = table.undefined(row)
    if not undefined:
        return []
    reason = table.measure.undefined() if table.measure else "it has no value there"
    where = "" if table.average == "pool" else f" for {number_of(undefined, 'query')}"
    told = {"query": ", left out of the mean", "median": ", left out of the median", "pool": ""}[table.average]
    return [f"run {table.run_ids[row]}: {table.name} is undefined{where} ({reason}){told}"]


def trouble_notes(cases: Cases, run_id: str) -> list[str]:
    """What could not be judged of a run's responses: a line a query, or the sums where there are many."""
    failed: dict[str, int] = {}
    unjudged: dict[str, int] = {}
    for query_id in cases.query_ids:
        case = cases.case(run_id, query_id)
        # Only what a measure has looked at counts as trouble.
        looked = (
            [] if case is None else [case.__dict__[name] for name in ("strict", "lenient") if name in case.__dict__]
        )
        for one in looked[:1]:
            failed |= {query_id: one.failed} if one.failed else {}
            unjudged |= {query_id: one.unjudged} if one.unjudged else {}
    return [
        *_told(run_id, failed, lambda count: number_of(count, "failed judgement")),
        *_told(run_id, unjudged, lambda count: f"{number_of(count, 'nug')} not judged"),
    ]


def _told(run_id: str, counts: dict[str, int], words: Callable[[int], str]) -> list[str]:
    if len(counts) > FEW_QUERIES:
        return [f"run {run_id}: {words(sum(counts.values()))} in {len(counts)} queries, scored on the rest"]
    return [f"run {run_id}, query {query_id}: {words(count)}, scored on the rest" for query_id, count in counts.items()]


def ratio_notes(ratios: Sequence[Score], relative_to: str) -> list[str]:
    return [
        f"run {one.run_id}: {one.measure} is undefined{'' if one.query_id == ALL_QUERIES else f' for {one.query_id}'} "
        f"({relative_to} scores 0 or has no score, or the run has none)"
        for one in ratios
        if one.value is None
    ]


def zero_share_notes(tables: Sequence[ScoreTable]) -> list[str]:
    """How often the binary score is zero where the pyramid's is not (Dang & Lin 2007, section 3.2: 16.4 %)."""
    binary = {t.measure.beta: t for t in tables if isinstance(t.measure, NuggetF) and str(t.measure).startswith("F")}
    notes = []
    for table in tables:
        measure = table.measure
        if isinstance(measure, NuggetF) and (measure.weighing, measure.part) == ("pyramid", "F"):
            other = binary.get(measure.beta)
            if other is not None:
                both = ~np.isnan(table.values) & ~np.isnan(other.values)
                raised = int(((other.values == 0) & (table.values > 0) & both).sum())
                total = int(both.sum())
                if total:
                    share = f"{raised} of {total:,} responses ({raised / total:.1%})"
                    notes.append(f"{table.name} is above zero where {other.name} is zero for {share}")
    return notes
