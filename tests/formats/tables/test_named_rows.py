from __future__ import annotations

import gzip
import json

import pytest

from helpers import collect, messages
from karat.formats import Source, load, read
from karat.formats.io.head import Head
from karat.formats.tables.named_rows import sniff_named_rows
from karat.model import Citation, Collection, Judgement, Nug, Query, Response, Run, Snippet, content_id

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
        ({"question": "x", "answer": "y"}, True),
        ({"answer": "y"}, False),
        ({"text": "x"}, False),
        ([1], False),
    ],
)
def test_is_recognised_by_its_fields(row: object, expected: bool) -> None:
    assert sniff_named_rows(Head(Source("<bytes>", json.dumps(row).encode()))) is expected


def test_answers_without_runs_are_one_run_named_after_the_file() -> None:
    rows = [
        {
            "query_id": "1",
            "query": "Why?",
            "answer": "Two cables had cracks [1]. It closed [2][3].",
            "sources": ["a", "b"],
        },
        {"query_id": "2", "query": "Who?", "answer": ""},
    ]
    source = Source("runs/mine.jsonl.gz", gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    collection = Collection(read(source))
    assert collection.runs == [Run(run_id="mine")]
    first, second = collection.responses
    (snippet,) = first.snippets
    assert snippet.text == "Two cables had cracks. It closed."
    cited = [
        (citation.doc_id, snippet.text[citation.chunk[0][0] : citation.chunk[0][1]]) for citation in snippet.citations
    ]
    assert cited == [("a", "Two cables had cracks."), ("b", "It closed."), ("3", "It closed.")]
    assert snippet.extra["text_with_marks"] == rows[0]["answer"]
    assert (second.query_id, second.run_id, second.snippets) == ("2", "mine", ())
    assert [str(warning) for warning in source.warnings] == [
        "runs/mine.jsonl.gz:1: the answer cites [3], but the list of sources has 2"
    ]


def test_an_id_without_a_run_is_the_query_s() -> None:
    collection = Collection(read([{"id": 7, "question": "Why?", "output": "So."}]))
    assert [(query.query_id, query.text) for query in collection.queries] == [("7", "Why?")]
    with_runs = Collection(read([{"id": 7, "question": "Why?", "system": "a", "answer": "So."}]))
    assert with_runs.queries[0].query_id == content_id("Why?")
