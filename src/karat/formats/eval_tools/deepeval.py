"""DeepEval's test cases and goldens: `{"input", "actual_output"?, "expected_output"?, "retrieval_context"?, ...}`.

An array, one object per line, or lists named `test_cases`, `testCases` or `goldens`; names in snake_case or camelCase.
A mark in the output such as `[2]` is a citation of the second retrieved passage (see inline_citations).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import QUERY_IDS, Answers, run_of_file, score_of
from karat.formats.eval_tools.inline_citations import snippet_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord
from karat.model.default_names import REFERENCE

TITLE = "DeepEval test cases and goldens"
_LISTS = ("goldens", "test_cases", "testCases")
_ACTUAL = ("actual_output", "actualOutput")
_EXPECTED = ("expected_output", "expectedOutput")
_METRICS = ("metrics_data", "metricsData")
_TELLING = frozenset({*_ACTUAL, *_EXPECTED, "retrieval_context", "retrievalContext"})


def sniff_deepeval(head: Head) -> bool:
    rows: list[dict[str, Any]] = [head.row, *(head.first(name) for name in _LISTS)]
    return any("input" in row and not _TELLING.isdisjoint(row) for row in rows)


def read_deepeval(source: Source) -> Iterator[AnyRecord]:
    """The output is a response of the run named like the file, the expected output one of the run "reference".

    Passages, tools and other fields are kept in the response's `extra` (without an output: in the query's).
    """
    run_id = run_of_file(source, avoid=REFERENCE)
    answers = Answers(source)
    for document in json_rows(source):
        with document.unit():
            lists = [name for name in _LISTS if document.has(name)]
            rows = [row for name in lists for row in document.items(name)] if lists else [document]
            for row in rows:
                with row.unit():
                    yield from _read_case(row, run_id, answers)


def _read_case(row: Fields, run_id: str, answers: Answers) -> Iterator[AnyRecord]:
    text = row.text("input")
    actual, expected = row.optional_text(*_ACTUAL), row.optional_text(*_EXPECTED)
    # A golden and the test case made from it are the same query.
    asked_by = run_id if actual is not None else REFERENCE
    query_id = row.source.query_id = row.optional_id(*QUERY_IDS) or answers.query_id(text, asked_by)
    metrics = row.optional_items(*_METRICS)
    extra = {name: value for name, value in row.rest().items() if value is not None}
    yield from answers.query(query_id, text, extra=extra if actual is None else {})
    if expected is not None:
        yield from answers.response(row, _EXPECTED[0], query_id, REFERENCE, expected)
    if actual is not None:
        passages = row.data.get("retrieval_context") or row.data.get("retrievalContext")
        snippet = snippet_of(row, actual, passages=passages, question=text)
        yield from answers.response(row, _ACTUAL[0], query_id, run_id, actual, extra, snippet=snippet)
    if metrics:
        yield from answers.run(run_id)
    for metric in metrics:
        with metric.unit():
            name, value = metric.text("name"), metric.optional_number("score")
            yield score_of(run_id, query_id, name, value, **metric.rest())
