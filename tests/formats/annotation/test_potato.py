from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from builders.records import nugget
from helpers import collect, messages
from karat.formats.annotation.potato import sniff_potato
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Response, Run, Snippet

TEXT = "A 🐝 dances\r\nre\u0301el, then hums."
SPAN = {
    "schema": "acts",
    "name": "ACT",
    "title": "Act",
    "start": 4,
    "end": 10,
    "additional_parts": [{"start": 24, "end": 28, "text": "hums"}],
}


marked = partial(
    nugget, query_id="i1", run_id="potato", type="ACT", category="acts", assessor="ann", extra={"title": "Act"}
)


def row(*spans: Any, **more: Any) -> dict[str, Any]:
    return {"user_id": "ann", "instance_id": "i1", "displayed_text": TEXT, "span_annotations": list(spans)} | more


def test_reads_spans_of_several_parts() -> None:
    collection = collect(json.dumps(row(SPAN, label_annotations={"q": 1})), "potato")
    assert collection.runs == [Run(run_id="potato")]
    assert collection.responses == [
        Response(
            query_id="i1",
            run_id="potato",
            snippets=(Snippet(snippet_id="1", text=TEXT),),
            extra={"label_annotations": {"q": 1}},
        )
    ]
    assert collection.nuggets == [marked("1", (4, 10), (24, 28))]
    assert collection.nuggets[0].spans.text(TEXT) == "dances ... hums"


def test_older_rows_and_rows_without_text() -> None:
    old = {"start": 4, "end": 10, "span": "dances", "annotation": "ACT"}
    collection = collect(json.dumps(row(old)) + "\n" + json.dumps(row(old, user_id="bob")), "potato")
    assert len(collection.responses) == 1
    assert collection.nuggets == [
        marked("1", (4, 10), category=None, extra={}),
        marked("2", (4, 10), category=None, extra={}, assessor="bob"),
    ]
    assert list(collect(json.dumps(row(old, displayed_text=None)), "potato")) == collection.nuggets[:1]


@pytest.mark.parametrize(
    "value",
    [
        {"acts": [{"start": 4, "end": 10, "label": "ACT", "id": "s9"}]},
        [[{"schema": "acts", "start": 4, "end": 10, "name": "ACT", "id": "s9"}, "true"]],
    ],
)
def test_reads_the_saved_state_of_an_annotator(value: Any) -> None:
    state = {"user_id": "ann", "instance_id_to_label_to_value": {}, "instance_id_to_span_to_value": {"i1": value}}
    assert list(collect(json.dumps(state, indent=1), "potato")) == [marked("s9", (4, 10), extra={})]


def test_what_is_wrong_is_reported() -> None:
    data = json.dumps(row({**SPAN, "end": "x"}, {**SPAN, "additional_parts": [{"start": 30, "end": 40}]}, 5)) + "\n"
    data += json.dumps(row(spans="x", span_annotations=None))
    assert messages(data, "potato") == [
        "1: span_annotations[2]: must be an object, not a number",
        "1: span_annotations[0].end: must be a number, not 'x'",
        "1: span_annotations[1]: ends at 40, but the text has 29 characters",
        "2: spans: must be a list, not a string",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (row(), True),
        (row(spans={}), True),
        ({"user_id": "a", "instance_id_to_span_to_value": {}}, True),
        ({"text": "x", "spans": [SPAN]}, True),
        ({"text": "x", "spans": [{"start": 0, "end": 1, "label": "A"}]}, False),
        ({"user_id": 1, "instance_id": 2}, False),
        ({"instance_id_to_span_to_value": 3}, False),
        ([], False),
    ],
)
def test_is_recognised(value: object, expected: bool) -> None:
    assert sniff_potato(Head(Source("<bytes>", json.dumps(value).encode()))) is expected
