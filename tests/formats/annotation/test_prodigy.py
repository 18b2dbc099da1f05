from __future__ import annotations

import json
from typing import Any

import pytest

from builders.records import nugget
from helpers import collect, messages
from karat.formats import open_reading
from karat.formats.annotation.prodigy import sniff_prodigy
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Collection, Nugget, Response, Run, Snippet

TEXT = "A 🐝 dances\r\nre\u0301el."


def row(**changes: Any) -> dict[str, Any]:
    spans = [{"start": 4, "end": 10, "label": "ACT", "token_start": 2}]
    given = {
        "text": TEXT,
        "spans": spans,
        "answer": "accept",
        "_input_hash": -5,
        "_task_hash": 6,
        "_annotator_id": "ann",
    }
    return given | changes


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


def marked(nugget_id: str, assessor: str | None) -> Nugget:
    place = {"query_id": "-5", "run_id": "prodigy"}
    return nugget(nugget_id, (4, 10), **place, type="ACT", assessor=assessor, extra={"token_start": 2})


def test_reads_a_text_once_and_the_spans_of_each_annotator() -> None:
    collection = collect(
        lines(row(meta={"s": 1}), row(meta={"s": 1}, _annotator_id="bob"), row(text="x", id=9, spans=None)), "prodigy"
    )
    assert collection.runs == [Run(run_id="prodigy")]
    assert collection.responses == [
        Response(
            query_id="-5",
            run_id="prodigy",
            snippets=(Snippet(snippet_id="1", text=TEXT),),
            extra={"meta": {"s": 1}},
        ),
        Response(
            query_id="9",
            run_id="prodigy",
            snippets=(Snippet(snippet_id="1", text="x"),),
            extra={"_input_hash": -5},
        ),
    ]
    assert collection.nuggets == [marked("1", "ann"), marked("2", "bob")]


@pytest.mark.parametrize("answer", ["reject", "ignore", "Reject"])
def test_what_was_not_accepted_is_a_finding(answer: str) -> None:
    reading = open_reading(lines(row(answer=answer)).encode(), format="prodigy")
    collection = Collection(reading)
    assert len(collection.responses) == 1
    assert collection.nuggets == []
    assert [str(warning) for warning in reading.source.warnings] == [
        f"<bytes>:1: the answer is {answer!r}: its 1 spans are not kept"
    ]


def test_another_context_in_a_further_row_is_a_finding() -> None:
    reading = open_reading(lines(row(meta=1), row(meta=2, _annotator_id=None)).encode(), format="prodigy")
    assert Collection(reading).nuggets == [marked("1", "ann"), marked("2", None)]
    assert [warning.message for warning in reading.source.warnings] == [
        "meta differs from the first row about '-5' and is not kept"
    ]


def test_what_is_wrong_is_reported() -> None:
    data = lines(
        row(answer="yes"),
        row(spans=[{"start": 0, "end": 99}, {"end": 1}, 5]),
        row(text=None),
        row(text="another"),
    )
    assert messages(data, "prodigy") == [
        "1: answer: 'yes' is not one of accept, reject, ignore",
        "2: spans[2]: must be an object, not a number",
        "2: spans[0]: ends at 99, but the text has 18 characters",
        "2: spans[1].start: is missing",
        "3: text: is missing",
        "4: text: '-5' has a different text in an earlier row",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (row(), True),
        ({"text": "x", "answer": "reject"}, True),
        ({"text": "x", "_task_hash": 1}, True),
        ({"text": "x", "answer": "Paris"}, False),
        ({"text": "x", "answer": ["accept"]}, False),
        ({"text": 1, "_task_hash": 1}, False),
        ([1], False),
    ],
)
def test_is_recognised(value: object, expected: bool) -> None:
    assert sniff_prodigy(Head(Source("<bytes>", json.dumps(value).encode()))) is expected
