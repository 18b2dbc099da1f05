from __future__ import annotations

import json
from typing import Any

import pytest

from builders.records import nugget
from helpers import collect, messages
from karat.formats import open_reading
from karat.formats.annotation.argilla import sniff_argilla
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Collection, Nugget, Response, Run, Snippet

TEXT = "A 🐝 dances\r\nre\u0301el."
ACT = {"start": 4, "end": 10, "label": "ACT"}


def marked(nugget_id: str, **fields: Any) -> Nugget:
    place = {"query_id": "r1", "run_id": "argilla"}
    return nugget(nugget_id, (4, 10), **place | {"type": "ACT", "category": "marks", "assessor": "ann"} | fields)


NEW = {
    "id": "r1",
    "fields": {"text": TEXT, "title": "t"},
    "metadata": {"k": 1},
    "responses": {
        "marks": [{"value": [ACT], "user_id": "ann"}, {"value": [ACT], "user_id": "bob"}],
        "rating": [{"value": 3, "user_id": "ann"}],
    },
    "suggestions": {"marks": {"value": [ACT], "agent": "m", "score": None}},
}
OLD = {
    "external_id": "r1",
    "fields": {"text": TEXT},
    "responses": [
        {"user_id": "ann", "status": "submitted", "values": {"marks": {"value": [ACT]}, "ok": {"value": "yes"}}},
        {"user_id": "bob", "status": "discarded", "values": {}},
    ],
    "suggestions": [{"question_name": "marks", "value": [ACT], "agent": "m"}],
}
FLAT = {
    "id": "r1",
    "text": TEXT,
    "marks.responses": [[ACT]],
    "marks.responses.users": ["ann"],
    "marks.responses.status": ["submitted"],
    "marks.suggestion": [ACT],
    "marks.suggestion.agent": "m",
}


def test_reads_records_of_the_sdk() -> None:
    collection = collect(json.dumps([NEW]), "argilla")
    assert collection.runs == [Run(run_id="argilla")]
    assert collection.responses == [
        Response(
            query_id="r1",
            run_id="argilla",
            snippets=(Snippet(snippet_id="1", text=TEXT),),
            extra={
                "metadata": {"k": 1},
                "fields": {"title": "t"},
                "answers": [{"question": "rating", "value": 3, "user_id": "ann"}],
            },
        )
    ]
    assert collection.nuggets == [
        marked("1"),
        marked("2", assessor="bob"),
        marked("3", assessor=None, source="auto", rule="m"),
    ]


def test_reads_older_records_and_tells_what_was_discarded() -> None:
    reading = open_reading(json.dumps(OLD).encode(), format="argilla")
    collection = Collection(reading)
    assert collection.nuggets == [marked("1"), marked("2", assessor=None, source="auto", rule="m")]
    assert collection.responses[0].extra == {"answers": [{"question": "ok", "value": "yes", "user_id": "ann"}]}
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: responses[1]: was discarded by its annotator, so it is not read"
    ]


def test_reads_flat_rows() -> None:
    collection = collect(json.dumps(FLAT), "argilla")
    assert collection.nuggets == [marked("1"), marked("2", assessor=None, source="auto", rule="m")]
    assert collection.responses[0].extra == {"marks.responses.status": ["submitted"]}


def test_a_field_by_another_name_is_the_text() -> None:
    record = {"id": "r1", "fields": {"body": TEXT, "title": "t"}, "responses": {"marks": [{"value": [ACT]}]}}
    reading = open_reading(json.dumps(record).encode(), format="argilla")
    assert Collection(reading).nuggets == [marked("1", assessor=None)]
    assert [warning.code for warning in reading.source.warnings] == ["ambiguous-text"]


def test_what_is_wrong_is_reported() -> None:
    bad = {"marks": [{"value": [{"start": 0, "end": 99}, {"start": 2, "end": 1}]}, 5]}
    records = [
        NEW | {"responses": bad},
        {"id": 2, "fields": {}, "responses": {}},
        {"id": 3, "fields": [], "responses": {}},
    ]
    assert messages(json.dumps(records), "argilla") == [
        "1: [0].responses.marks[1]: must be an object, not a number",
        "1: [0].responses.marks[0].value[0]: ends at 99, but the text has 18 characters",
        "1: [0].responses.marks[0].value[1]: a span needs 0 <= start < end, not [2, 1]",
        "1: [1].fields.text: is missing",
        "1: [2].fields: must be an object, not a list",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([NEW], True),
        (OLD, True),
        (FLAT, True),
        ({"fields": {}, "responses": "x"}, False),
        ({"fields": [], "responses": []}, False),
        ({"x.responses": []}, False),
        ({"responses": [], "references": []}, False),
        ([], False),
    ],
)
def test_is_recognised(value: object, expected: bool) -> None:
    assert sniff_argilla(Head(Source("<bytes>", json.dumps(value).encode()))) is expected
