"""TruLens records with feedback, as exported from its data frame: JSON rows or CSV.

`{"app_name"?, "app_version"?, "app_id", "record_id", "input", "output", ..., "Answer Relevance": 0.9,
"Answer Relevance_calls": [...]}`: every numeric column that is not one of TruLens' own columns is a feedback.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import Answers, run_of_file, score_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows, table_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord

TITLE = "TruLens records and feedback"
CALLS = "_calls"
"""The end of the name of a column that explains a feedback."""
_APP = ("app_name", "app_version", "app_id", "app_json", "type")
_NOT_FEEDBACK = frozenset(
    {
        "record_id", "tags", "record_json", "cost_json", "perf_json", "ts", "latency", "total_tokens", "total_cost",
        "cost_currency", "num_events", "events", "multi_result", "calls", "index", "level_0", "Unnamed: 0", "",
    }
)  # fmt: skip


def sniff_trulens(head: Head) -> bool:
    names = frozenset(head.columns(",") if not head.shape else head.row)
    asks = {"input", "output"} <= names or {"main_input", "main_output"} <= names
    return asks and "record_id" in names and not names.isdisjoint({"app_id", "app_name"})


def read_trulens(source: Source) -> Iterator[AnyRecord]:
    """The run is the app (`name:version` or its id), the query's id comes from its text, feedback is a score."""
    answers = Answers(source)
    rows = json_rows(source) if Head(source).shape else table_rows(source, delimiter=",")
    for row in rows:
        with row.unit():
            yield from _read_record(row, answers)


def _read_record(row: Fields, answers: Answers) -> Iterator[AnyRecord]:
    run_id = _run_id(row)
    text = row.text("input", "main_input")
    output = row.optional_text("output", "main_output")
    query_id = row.source.query_id = answers.query_id(text, run_id)
    feedback = [name for name in row.data if _is_feedback(name, row.data)]
    app = {name: value for name in _APP if (value := row.get(name)) not in (None, "")}
    extra = {name: value for name, value in row.rest(*feedback).items() if name and value not in (None, "")}
    yield from answers.query(query_id, text)
    yield from answers.run(run_id, extra=app)
    yield from answers.response(row, "output", query_id, run_id, output or "", extra)
    for name in feedback:
        with row.unit():
            yield score_of(run_id, query_id, name, None if _is_nan(row.data[name]) else row.optional_number(name))


def _run_id(row: Fields) -> str:
    name, version = row.optional_id("app_name"), row.optional_id("app_version")
    if name is None:
        return row.optional_id("app_id") or run_of_file(row.source)
    return name if version is None else f"{name}:{version}"


def _is_feedback(name: str, data: dict[str, Any]) -> bool:
    if name in _NOT_FEEDBACK or name in _APP or name in ("input", "output", "main_input", "main_output"):
        return False
    value = data[name]
    if name.endswith(CALLS) or "feedback cost" in name or isinstance(value, bool):
        return False
    if value is None or value == "" or _is_nan(value):
        return f"{name}{CALLS}" in data
    try:
        return isinstance(value, str | int | float) and math.isfinite(float(value))
    except (ValueError, OverflowError):
        return False


def _is_nan(value: Any) -> bool:
    """Whether a cell is how pandas writes a missing feedback."""
    return isinstance(value, str) and value.strip().lower() == "nan"
