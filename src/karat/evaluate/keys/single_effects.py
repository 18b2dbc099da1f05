"""What each change of a key does by itself: the old key with this one change, against the old key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from karat.evaluate.keys.changes import Change, Kind
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import tabulated
from karat.judges.judge import Judged
from karat.measures.base import Array
from karat.model import Collection, Judgement, Nug, Record, Run, UsageError, Vote
from karat.model.wording import number_of

MOST_CELLS = 400_000
"""Changes times runs times measures: more are not tried one by one."""
SEPARATE = "new:"
"""Before the ids of new nugs while a single change is tried: an old nug that stays may have the same id."""


class SingleEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What one change does to the scores of all runs by one measure."""

    change: int
    """Its place in the list of changes."""
    query_id: str
    kinds: tuple[Kind, ...]
    measure: str
    mean: float
    """The mean over runs of the difference (new - old)."""
    size: float
    """The mean over runs of the absolute difference: what the list is ordered by."""
    most: float
    """The largest difference of a run."""
    run_id: str
    """That run."""


def single_effects(
    changes: Sequence[Change], old: Judged, new: Judged, measures: str | Sequence[str], options: Mapping[str, Any]
) -> tuple[list[SingleEffect], list[str]]:
    """The effect of each change alone, by each measure, the largest first; and notes.

    Only the queries of a change are scored again. Where a program judged, its judgements of both keys are used (nothing
    is judged again), with their expected degrees. Effects need not add up to the effect of the whole edit.
    """
    tried = [(at, change) for at, change in enumerate(changes) if change.kind != "unchanged"]
    options = {name: value for name, value in options.items() if name != "seed"} | {"judge": old.judge}
    whole = tabulated(old.collection, measures=measures, **options)
    runs = max((len(table.run_ids) for table in whole.tables), default=0)
    most = MOST_CELLS // max(1, runs * len(whole.tables))
    notes = []
    if len(tried) > most:
        notes.append(
            f"{number_of(len(tried), 'change')} are too many to try each by itself: no list of what each does alone "
            f"(at most {most:,} with {number_of(runs, 'run')}; give fewer runs or measures to see it)"
        )
        return [], notes
    parts = _ByQuery(old.collection), _ByQuery(new.collection)
    # A run without a response to the query of a change is missing there, whatever the rule for whole scores.
    rules = options | {"missing": "skip" if options.get("missing", "error") == "error" else options["missing"]}
    effects: list[SingleEffect] = []
    failed = 0
    base: dict[str, Mapping[str, ScoreTable]] = {}
    for at, change in tried:
        queries = dict.fromkeys(nug.query_id for nug in (*change.old, *change.new))
        for query_id in queries:
            if query_id not in base:
                base[query_id] = _tables(parts[0].of(query_id), measures, rules)
        edited = {query_id: _tables(_edited(query_id, change, *parts), measures, rules) for query_id in queries}
        if not any(edited.values()) and not any(base[query_id] for query_id in queries):
            failed += 1
            continue
        for table in whole.tables:
            before = _totals(table, {query_id: base[query_id].get(table.name) for query_id in queries})
            after = _totals(table, {query_id: edited[query_id].get(table.name) for query_id in queries})
            differences = after - before
            if np.isnan(differences).all():
                failed += 1
                continue
            row = int(np.nanargmax(np.abs(differences)))
            effects.append(
                SingleEffect(
                    change=at, query_id=change.query_id, kinds=change.kinds, measure=table.name,
                    mean=float(np.nanmean(differences)), size=float(np.nanmean(np.abs(differences))),
                    most=float(differences[row]), run_id=table.run_ids[row],
                )
            )  # fmt: skip
    if failed:
        notes.append(f"{number_of(failed, 'change')}: what each does alone could not be computed (no run has a score)")
    names = [table.name for table in whole.tables]
    effects.sort(key=lambda effect: (names.index(effect.measure), -effect.size, effect.change))
    return effects, notes


class _ByQuery:
    """The records of a collection by query; runs belong to every query."""

    def __init__(self, collection: Collection) -> None:
        self.runs = [record for record in collection if isinstance(record, Run)]
        self._records: dict[str, list[Record]] = {}
        for record in collection:
            if (query_id := getattr(record, "query_id", None)) is not None:
                self._records.setdefault(query_id, []).append(record)

    def of(self, query_id: str) -> list[Record]:
        return [*self.runs, *self._records.get(query_id, ())]


def _tables(
    records: Iterable[Record], measures: str | Sequence[str], rules: Mapping[str, Any]
) -> dict[str, ScoreTable]:
    """The tables of one query; none where its key is empty or nothing in it was judged."""
    collection = Collection(records)
    if not collection.nugs:
        return {}
    try:
        return {table.name: table for table in tabulated(collection, measures=measures, **rules).tables}
    except UsageError:
        return {}


def _edited(query_id: str, change: Change, old: _ByQuery, new: _ByQuery) -> list[Record]:
    """The records of a query with the old key, except for this change."""
    gone = {nug.nug_id for nug in change.old if nug.query_id == query_id}
    come = {nug.nug_id for nug in change.new if nug.query_id == query_id}
    records = [
        record
        for record in old.of(query_id)
        if not (isinstance(record, Nug | Vote | Judgement) and record.nug_id in gone)
    ]
    heir = SEPARATE + min(come) if come else None
    records = [
        replace(record, parent=heir) if isinstance(record, Nug) and record.parent in gone else record
        for record in records
    ]
    there = {record.nug_id for record in records if isinstance(record, Nug)}
    for record in new.of(query_id):
        if not isinstance(record, Nug | Vote | Judgement) or record.nug_id not in come:
            continue
        if isinstance(record, Nug) and record.parent is not None:
            # A parent of the same change has its new id; one that the old key does not have is left out.
            own = SEPARATE + record.parent if record.parent in come else record.parent
            record = replace(record, parent=own if own in there or record.parent in come else None)
        records.append(replace(record, nug_id=SEPARATE + record.nug_id))
    return records


def _totals(table: ScoreTable, columns: Mapping[str, ScoreTable | None]) -> Array:
    """The totals of the runs with the columns of some queries exchanged, added, or (None) taken away."""
    kept = [at for at, query_id in enumerate(table.query_ids) if query_id not in columns]
    parts = [table.values[:, kept]], [table.skipped[:, kept]], [_counts(table)[:, kept]]
    queries = [table.query_ids[at] for at in kept]
    for query_id, column in columns.items():
        if column is None or query_id not in column.query_ids:
            continue
        place = column.query_ids.index(query_id)
        row_of = {run_id: row for row, run_id in enumerate(column.run_ids)}
        rows = [row_of.get(run_id) for run_id in table.run_ids]
        values = [np.nan if row is None else column.values[row, place] for row in rows]
        skipped = [row is None or bool(column.skipped[row, place]) for row in rows]
        width = _counts(table).shape[2]
        counts = [np.full(width, np.nan) if row is None else _counts(column)[row, place] for row in rows]
        parts[0].append(np.array(values, float)[:, None])
        parts[1].append(np.array(skipped, bool)[:, None])
        parts[2].append(np.array(counts, float)[:, None])
        queries.append(query_id)
    whole = [np.concatenate(part, axis=1) for part in parts]
    return ScoreTable(
        table.name,
        table.run_ids,
        tuple(queries),
        whole[0].astype(float),
        whole[1].astype(bool),
        whole[2].astype(float),
        table.measure,
        table.average,
        table.less,
    ).totals()


def _counts(table: ScoreTable) -> Array:
    return table.counts if table.counts is not None else np.full((*table.values.shape, 1), np.nan)
