"""TREC Temporal Summarization official scores: `QueryID TeamID RunID` and one column per measure, tab-separated.

TS14.11<TAB>some-team<TAB>run1<TAB>...  one run on one query
AVG<TAB>some-team<TAB>run1<TAB>...      (also STD, MIN, MAX) one run over all queries
TS14.11<TAB>AVG<TAB>-<TAB>...           all runs on one query: not the score of a run, so it is left out
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.source import Source
from karat.formats.trec_temporal.run import run_names
from karat.model import AnyRecord, Run, Score

TITLE = "TREC Temporal Summarization scores"
_OVER_QUERIES = {"AVG": "", "STD": "STD of ", "MIN": "MIN of ", "MAX": "MAX of "}
"""What is put before the names of measures in rows over all queries; nothing for the mean."""
_NO_RUN = "-"
_UNDEFINED = ("", "-", "nan")


def sniff_tempsumm_scores(head: Head) -> bool:
    columns = head.columns("\t")
    return columns[:3] == ["QueryID", "TeamID", "RunID"] and len(columns) > 3


def read_tempsumm_scores(source: Source) -> Iterator[AnyRecord]:
    """The Runs (their group is the team) and one Score per column; the query "all" means over all queries."""
    rows: list[tuple[int, Fields]] = []
    warned = False
    for row in table_rows(source, delimiter="\t"):
        with row.unit():
            query_id, team, run = row.id("QueryID"), row.id("TeamID"), row.id("RunID")
            if run != _NO_RUN:
                rows.append((source.line, row))
            elif not warned:
                warned = True
                source.warn("RunID", f"rows over all runs ({team} {query_id}, ...) are left out", code="left-out")
    names = run_names((row.id("TeamID"), row.id("RunID")) for _, row in rows)
    for (team, _), run_id in names.items():
        yield Run(run_id=run_id, group=team)
    seen: set[tuple[str, str]] = set()
    for line, row in rows:
        source.line = line
        with row.unit():
            query_id, run_id = row.id("QueryID"), names[row.id("TeamID"), row.id("RunID")]
            source.query_id = None if query_id in _OVER_QUERIES else query_id
            if (query_id, run_id) in seen:
                row.bad("RunID", f"{run_id!r} already has a row for {query_id}", code="duplicate-id")
            seen.add((query_id, run_id))
            yield from _read_scores(row, query_id, run_id)


def _read_scores(row: Fields, query_id: str, run_id: str) -> Iterator[Score]:
    prefix = _OVER_QUERIES.get(query_id, "")
    for column in row.rest():
        with row.unit():
            undefined = str(row.get(column)).strip().lower() in _UNDEFINED
            yield Score(
                run_id=run_id,
                query_id="all" if query_id in _OVER_QUERIES else query_id,
                measure=f"{prefix}{column}",
                value=None if undefined else row.number(column),
                undefined=1 if undefined else None,
            )
