from __future__ import annotations

import json

import pytest

from builders.records import nugget
from helpers import collect, collect_with_problems, messages
from karat.formats.annotation.doccano import sniff_doccano
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Nugget, Response, Run, Snippet, SpanSet

TEXT = "A 🐝 dances\r\nre\u0301el."


def marked(nugget_id: str, start: int, end: int, label: str | None) -> Nugget:
    return nugget(nugget_id, (start, end), query_id="1", run_id="doccano", type=label)


@pytest.mark.parametrize("name", ["label", "labels"])
def test_reads_spans_in_code_points(name: str) -> None:
    row = {"id": 1, "text": TEXT, name: [[2, 3, "BEE"], [4, 10, "ACT"]], "Comments": ["x"]}
    collection = collect(b"\xef\xbb\xbf" + json.dumps(row).encode() + b"\r\n", "doccano")
    assert collection.runs == [Run(run_id="doccano")]
    assert collection.responses == [
        Response(
            query_id="1",
            run_id="doccano",
            snippets=(Snippet(snippet_id="1", text=TEXT),),
            extra={"Comments": ["x"]},
        )
    ]
    assert collection.nuggets == [marked("1", 2, 3, "BEE"), marked("2", 4, 10, "ACT")]


def test_reads_entities_and_keeps_relations() -> None:
    entities = [{"id": 70, "label": "ACT", "start_offset": 4, "end_offset": 10}]
    rows = [
        {"data": TEXT, "entities": entities, "relations": [{"from_id": 70}]},
        {"id": "x", "text": "", "entities": []},
    ]
    collection = collect("\n".join(map(json.dumps, rows)), "doccano")
    assert collection.nuggets == [marked("70", 4, 10, "ACT")]
    assert [response.query_id for response in collection.responses] == ["1", "x"]
    assert collection.responses[0].extra == {"relations": [{"from_id": 70}]}
    assert collection.responses[1].snippets == ()


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    rows = [
        {"id": 1, "text": "ab", "label": [[0, 9, "X"], [1, 1, "X"], ["0", 1, "X"], [0, 1], {"start": 0, "end": 2}]},
        {"id": 1, "text": "other", "label": []},
        {"id": 2, "label": []},
        {"id": 3, "text": "ab", "label": "X"},
    ]
    data = "\n".join(map(json.dumps, rows))
    assert messages(data, "doccano") == [
        "1: label[3]: must be [start, end, label]",
        "1: label[0]: ends at 9, but the text has 2 characters",
        "1: label[1]: a span needs 0 <= start < end, not [1, 1]",
        "2: text: '1' has a different text in an earlier row",
        "3: text: is missing",
        "4: label: must be a list, not a string",
    ]
    collection = collect_with_problems(data, "doccano")[0]
    assert [nugget.spans for nugget in collection.nuggets] == [SpanSet([(0, 1)]), SpanSet([(0, 2)])]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"text": "x", "label": [[0, 1, "A"]]}, True),
        ({"data": "x", "labels": [[0, 1, "A"]]}, True),
        ({"text": "x", "entities": [{"start_offset": 0}]}, True),
        ({"text": "x", "label": ["A"]}, False),
        ({"text": "x", "label": []}, False),
        ({"text": "x", "label": "A"}, False),
        ({"text": 1, "label": [[0, 1, "A"]]}, False),
        ({"text": "x", "label": [[True, 1, "A"]]}, False),
        ({"text": "x", "entities": [1]}, False),
    ],
)
def test_is_recognised(row: dict[str, object], expected: bool) -> None:
    data = (json.dumps({"text": "y", "label": []}) + "\n" + json.dumps(row)).encode()
    assert sniff_doccano(Head(Source("<bytes>", data))) is expected
