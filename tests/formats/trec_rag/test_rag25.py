from __future__ import annotations

import json

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import open_reading, write_bytes
from karat.model import Citation, Query, Response, Run, Snippet

METADATA = {
    "team_id": "hive",
    "run_id": "a",
    "type": "automatic",
    "narrative_id": "14",
    "narrative": "Why do bees dance?",
    "prompt": "Answer well.",
}
ANSWER = {
    "metadata": METADATA,
    "references": ["d1", "d2"],
    "answer": [{"text": "They tell the way.", "citations": [0, 1]}, {"text": "They vote.", "citations": [1]}],
}
BY_ID = ANSWER | {"answer": [{"text": "They tell the way.", "citations": ["d1", "d2"]}]}


def line(**changes: object) -> str:
    return json.dumps(ANSWER | changes)


def test_reads_an_answer_as_query_run_and_response() -> None:
    collection = collect(line(), "trec-rag25")
    assert collection.queries == [Query(query_id="14", text="Why do bees dance?")]
    assert collection.runs == [Run(run_id="a", group="hive")]
    assert collection.responses == [
        Response(
            query_id="14",
            run_id="a",
            snippets=(
                Snippet(
                    snippet_id="1",
                    text="They tell the way.",
                    citations=(Citation(doc_id="d1"), Citation(doc_id="d2")),
                ),
                Snippet(snippet_id="2", text="They vote.", citations=(Citation(doc_id="d2"),)),
            ),
            extra={"metadata": {"prompt": "Answer well."}},
        )
    ]


def test_citations_by_id_are_read_and_written_as_they_were() -> None:
    collection = collect(json.dumps(BY_ID), "trec-rag25")
    assert [citation.doc_id for citation in collection.responses[0].snippets[0].citations] == ["d1", "d2"]
    assert json.loads(round_trip(collection, "trec-rag25")) == BY_ID


def test_a_manual_run_is_a_person() -> None:
    data = line(metadata=METADATA | {"type": "manual"})
    collection = collect(data, "trec-rag25")
    assert collection.runs == [Run(run_id="a", group="hive", human=True)]
    assert json.loads(round_trip(collection, "trec-rag25")) == json.loads(data)


@pytest.mark.parametrize("written", ["Manual", " manual", "AUTOMATIC"])
def test_other_spellings_of_a_type_are_kept(written: str) -> None:
    data = line(metadata=METADATA | {"type": written})
    assert json.loads(round_trip(collect(data, "trec-rag25"), "trec-rag25")) == json.loads(data)


def test_numbers_as_ids_a_byte_order_mark_and_absent_metadata_are_read() -> None:
    row = {"metadata": {"run_id": 1, "narrative_id": 14}, "answer": [{"text": "They vote.", "citations": None}]}
    collection = collect("\ufeff" + json.dumps(row) + "\r\n", "trec-rag25")
    assert collection.queries == []
    assert collection.runs == [Run(run_id="1")]
    assert collection.responses == [
        Response(query_id="14", run_id="1", snippets=(Snippet(snippet_id="1", text="They vote."),))
    ]
    round_trip(collection, "trec-rag25")


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    rows = [
        ANSWER | {"metadata": METADATA | {"type": "half"}, "answer": [{"text": "They vote.", "citations": [5]}]},
        ANSWER | {"metadata": {"narrative_id": "14"}},
        ANSWER | {"metadata": "none"},
    ]
    data = "\n".join(map(json.dumps, rows))
    assert messages(data, "trec-rag25") == [
        "1: metadata.type: 'half' is not one of automatic, manual",
        "1: answer[0].citations[0]: there is no reference 5: there are 2, counted from 0",
        "2: metadata.run_id: is missing",
        "3: metadata: must be an object, not a string",
    ]
    collection, _ = collect_with_problems(data, "trec-rag25")
    assert collection.runs == [Run(run_id="a", group="hive")]
    assert collection.responses[0].extra["metadata"] == {"prompt": "Answer well.", "type": "half"}


def test_a_cited_document_that_is_no_reference_is_kept_with_a_warning() -> None:
    data = line(answer=[{"text": "They vote.", "citations": ["d9"]}])
    reading = open_reading(data.encode(), format="trec-rag25")
    records = list(reading)
    assert [warning.code for warning in reading.source.warnings] == ["dangling-reference"]
    assert json.loads(round_trip(records, "trec-rag25")) == json.loads(data)


def test_round_trip_keeps_unknown_fields_everywhere() -> None:
    sentence = {"text": "They vote.", "citations": [1], "grade": 1}
    data = line(metadata=METADATA | {"topic_id": "x", "seed": 7}, answer=[sentence], log=["l"])
    assert json.loads(round_trip(collect(data, "trec-rag25"), "trec-rag25")) == json.loads(data)


def test_extra_never_overrides_what_is_known() -> None:
    extra = {"answer": 1, "metadata": {"run_id": "z", "team_id": "z", "type": "manual"}}
    records = [Run(run_id="a", group="g"), Response(query_id="q", run_id="a", snippets=(), extra=extra)]
    assert json.loads(write_bytes(records, format="trec-rag25")) == {
        "metadata": {"team_id": "g", "run_id": "a", "type": "automatic", "narrative_id": "q"},
        "references": [],
        "answer": [],
    }


def test_what_cannot_be_written_is_counted() -> None:
    snippet = Snippet(snippet_id="s1", text="x", citations=(Citation(doc_id="d", extra={"score": 1}),))
    records = [
        Query(query_id="q9", text="unanswered"),
        Run(run_id="silent"),
        Response(query_id="q", run_id="r", snippets=(snippet,), extra={"metadata": "odd"}),
    ]
    assert lost(records, "trec-rag25") == {
        "query": 1,
        "run": 1,
        "response.extra": 1,
        "response.snippets.snippet_id": 1,
        "response.snippets.citations.extra": 1,
    }


def test_is_recognised() -> None:
    assert sniffed(line()) == "trec-rag25"
    assert sniffed(json.dumps(BY_ID)) == "trec-rag25"
