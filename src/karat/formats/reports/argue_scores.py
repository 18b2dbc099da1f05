"""Scores of Auto-ARGUE, a table with the header `run_id<TAB>request_id<TAB>metric<TAB>value`.

example-run<TAB>300<TAB>nugget_coverage<TAB>0.6
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Score

TITLE = "Auto-ARGUE scores"
_COLUMNS = {"run_id", "request_id", "metric", "value"}
_NO_NUMBER = ("", "nan", "none", "null", "na", "n/a")


def sniff_argue_scores(head: Head) -> bool:
    return set(head.columns("\t")) >= _COLUMNS


def read_argue_scores(source: Source) -> Iterator[AnyRecord]:
    """One Score per row; the topic `all` means all topics, as in the file. An empty value is undefined, not zero."""
    seen: set[tuple[str, str, str]] = set()
    for row in table_rows(source, delimiter="\t"):
        with row.unit():
            run_id, measure = row.id("run_id"), row.id("metric")
            query_id = source.query_id = row.id("request_id", "topic_id")
            undefined = str(row.get("value") or "").strip().lower() in _NO_NUMBER
            value = None if undefined else row.number("value")
            if (run_id, query_id, measure) in seen:
                row.bad("metric", f"{measure!r} of run {run_id!r} on {query_id!r} appears twice", code="duplicate-id")
            seen.add((run_id, query_id, measure))
            yield Score(
                run_id=run_id,
                query_id=query_id,
                measure=measure,
                value=value,
                undefined=1 if undefined else None,
                extra=row.rest(),
            )
