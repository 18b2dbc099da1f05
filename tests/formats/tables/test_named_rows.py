from __future__ import annotations

import json

import pytest

from helpers import collect, messages
from karat.formats import Source, load
from karat.formats.io.head import Head
from karat.formats.tables.named_rows import sniff_named_rows
from karat.model import Citation, Judgement, Nug, Query, Response, Run, Snippet

ROW = {
    "queryId": 7,
    "question": "why do bees dance",
    "system": "a",
    "answer": "They tell the way.",
    "citations": ["d1", 2],
    "nugget_id": "n",
    "fact": "it tells the way",
    "label": True,
    "steps": [1, 2],
    "comment": None,
}


def lines(*rows: object) -> str:
    return "\n".join(map(json.dumps, rows))


def test_reads_flat_objects() -> None:
    collection = collect(lines(ROW), "named-rows")
    assert collection.queries == [Query(query_id="7", text="why do bees dance")]
    assert collection.runs == [Run(run_id="a")]
    snippet = Snippet(
        snippet_id="1", text="They tell the way.", citations=(Citation(doc_id="d1"), Citation(doc_id="2"))
    )
    assert collection.responses == [Response(query_id="7", run_id="a", snippets=(snippet,))]
    assert collection.nugs == [Nug(query_id="7", nug_id="n", descriptions=("it tells the way",))]
    assert collection.judgements == [
        Judgement(query_id="7", run_id="a", nug_id="n", degree=1.0, judge="given", extra={"steps": [1, 2]})
    ]
    assert collect(json.dumps([ROW], indent=1), "named-rows") == collection
    assert load([ROW], format="named-rows") == collection


def test_ids_without_a_use_are_kept() -> None:
    collection = collect(lines({"qid": "1", "query": "why", "run": "a", "nug_id": "n", "judge": "x"}), "named-rows")
    assert collection.queries == [Query(query_id="1", text="why", extra={"run": "a", "nug_id": "n", "judge": "x"})]
    assert len(collection) == 1


def test_what_is_wrong_is_reported() -> None:
    data = lines(ROW | {"answer": ["x"]}, ROW | {"label": 2}, {"colour": "red"}, {"qid": "1", "colour": "red"})
    assert messages(data, "named-rows")[:3] == [
        "1: answer: must be a string, not a list",
        "2: label: 2 is not one of support, partial_support, not_support, yes, no, full, partial, none, 0 to 1",
        "3: query_id: is missing",
    ]
    assert messages(data, "named-rows")[3].startswith("4: qid, colour give no record; a row needs query_id + query, or")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (ROW, True),
        ({"qid": "1", "query": "x"}, True),
        ({"qid": "1", "run_id": "a", "answer": [{"text": "x"}]}, False),
        ({"qid": "1", "query": {"text": "x"}}, False),
        ({"question": "x", "answer": "y"}, False),
        ({"text": "x"}, False),
        ([1], False),
    ],
)
def test_is_recognised_by_its_fields(row: object, expected: bool) -> None:
    assert sniff_named_rows(Head(Source("<bytes>", json.dumps(row).encode()))) is expected
