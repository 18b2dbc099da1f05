"""The nuggetizer's metrics: `{"qid", "strict_vital_score", "vital_score", ...}`, one row per query, then "all".

The run is not named in the file: the name of the file is taken as the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Collection, Run, Score

TITLE = "nuggetizer metrics"
CARRIES = carries(run="run_id", score="run_id query_id measure value extra")
_ENDING = "_score"


def sniff_nuggetizer_metrics(head: Head) -> bool:
    return head.has("qid") and "nuggets" not in head.row and any(name.endswith(_ENDING) for name in head.row)


def read_nuggetizer_metrics(source: Source) -> Iterator[AnyRecord]:
    """A Run named after the file and one Score per `*_score` field; other fields are kept with a row's first score."""
    run_id = run_id_of_file(source.name)
    yield Run(run_id=run_id)
    seen: set[str] = set()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("qid")
            if query_id in seen:
                row.bad("qid", f"the scores of {query_id!r} appear twice", code="duplicate-id")
            seen.add(query_id)
            measures = [name for name in row.data if name.endswith(_ENDING)]
            if not measures:
                row.bad("", f"has no field that ends in {_ENDING}", code="missing-field")
            extra = row.rest(*measures)
            for measure in measures:
                with row.unit():
                    value = row.optional_number(measure)
                    yield Score(run_id=run_id, query_id=query_id, measure=measure, value=value, extra=extra)
                    extra = {}


def run_id_of_file(name: str) -> str:
    """The run of a file: `best` for `runs/best.jsonl.gz`."""
    stem = Path(name).name.removesuffix(".gz")
    return stem.removesuffix(".jsonl").removesuffix(".json") or name


def write_nuggetizer_metrics(records: Iterable[AnyRecord], sink: Sink) -> None:
    """The scores of the first run: a file holds only one, and is named after it."""
    collection = Collection(records)
    run_ids = dict.fromkeys((*(run.run_id for run in collection.runs), *(score.run_id for score in collection.scores)))
    first = next(iter(run_ids), None)
    for run in collection.runs:
        if run.run_id != first:
            sink.lose("run", "only one run per file")
    rows: dict[str, dict[str, Any]] = {}
    for score in collection.scores:
        row = rows.setdefault(score.query_id, {"qid": score.query_id}) if score.run_id == first else {}
        if score.run_id != first:
            sink.lose("score", "only one run per file")
        elif not score.measure.endswith(_ENDING):
            sink.lose("score", f"a measure's name must end in {_ENDING}")
        elif score.measure in row:
            sink.lose("score", "only one value per measure and query")
        else:
            row[score.measure] = score.value
            row |= {name: value for name, value in score.extra.items() if name not in row}
    for row in rows.values():
        if len(row) > 1:
            sink.json_line(row)
