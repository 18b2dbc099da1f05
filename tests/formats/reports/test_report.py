from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import open_reading, write_bytes
from karat.model import Citation, Query, Response, Run, Snippet

METADATA = {"team_id": "hive", "run_id": "a", "topic_id": "300", "collection_ids": ["bees"], "task": "english"}
REPORT = {
    "metadata": METADATA,
    "responses": [
        {"text": "They tell the way.", "citations": {"d1": 100.0, "d2": 1}},
        {"text": "They vote.", "citations": ["d2"]},
        {"text": "They hum.", "citations": []},
        {"text": "They rest.", "citations": {}},
    ],
    "references": ["d1", "d2"],
}


def line(**changes: object) -> str:
    return json.dumps(REPORT | changes)


def test_reads_a_report_as_run_and_response() -> None:
    collection = collect(line(), "report")
    assert collection.runs == [Run(run_id="a", group="hive")]
    assert collection.responses == [
        Response(
            query_id="300",
            run_id="a",
            snippets=(
                Snippet(
                    snippet_id="1",
                    text="They tell the way.",
                    citations=(
                        Citation(doc_id="d1", extra={"score": 100.0}),
                        Citation(doc_id="d2", extra={"score": 1}),
                    ),
                ),
                Snippet(snippet_id="2", text="They vote.", citations=(Citation(doc_id="d2"),)),
                Snippet(snippet_id="3", text="They hum."),
                Snippet(snippet_id="4", text="They rest.", extra={"citations": {}}),
            ),
            extra={"metadata": {"collection_ids": ["bees"], "task": "english"}},
        )
    ]


def test_round_trip_writes_the_same_object() -> None:
    documents = {"d1": {"id": "d1", "text": "Bees."}}
    sentence = {"text": "They hum.", "citations": ["d2", "d2"], "metadata": {"x": 1}, "evaldata": None}
    data = line(
        responses=[*REPORT["responses"], sentence],
        references=["d3", "d2", "d1"],
        documents=documents,
        metadata=METADATA | {"request_id": "300", "type": "automatic", "limit": 2000},
    )
    for text in (line(), data):
        assert json.loads(round_trip(collect(text, "report"), "report")) == json.loads(text)


@pytest.mark.parametrize("name", ["request_id", "narrative_id"])
def test_other_names_of_the_topic_and_number_ids_are_read(name: str) -> None:
    row = {"metadata": {"run_id": 5, name: 300, "type": "manual"}, "responses": [{"text": "x", "citations": [77]}]}
    collection = collect("\ufeff" + json.dumps(row) + "\r\n", "report")
    assert collection.runs == [Run(run_id="5", human=True)]
    assert collection.responses[0].query_id == "300"
    assert collection.responses[0].snippets[0].citations == (Citation(doc_id="77"),)
    round_trip(collection, "report")


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    rows = [
        REPORT
        | {"responses": [{"text": "x", "citations": ["d1", None, {}]}, {"text": 5}, {"text": "y", "citations": 3}]},
        REPORT,
        {"metadata": {"team_id": "hive", "run_id": "a"}, "responses": []},
    ]
    data = "\n".join(map(json.dumps, rows))
    assert messages(data, "report") == [
        "1: responses[0].citations[1]: a document's id must be a string, not null",
        "1: responses[0].citations[2]: a document's id must be a string, not an object",
        "1: responses[1].text: must be a string, not a number",
        "1: responses[2].citations: must be a list, not a number",
        "2: a second response with query_id '300', run_id 'a'; only one is allowed",
        "3: metadata.topic_id: is missing",
    ]
    collection, _ = collect_with_problems(data, "report")
    assert [snippet.citations for snippet in collection.responses[0].snippets] == [(Citation(doc_id="d1"),)]


def test_a_cited_document_that_is_no_reference_is_kept_with_a_warning() -> None:
    reading = open_reading(line(references=["d1"]).encode(), format="report")
    assert len(list(reading)) == 2
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: responses[0].citations.d2: 'd2' is not among the references",
        "<bytes>:1: responses[1].citations[0]: 'd2' is not among the references",
    ]


def test_what_cannot_be_written_is_counted() -> None:
    scored = tuple(Citation(doc_id="d", extra={"score": score}) for score in (1, 2))
    snippets = (
        Snippet(snippet_id="1", text="x", citations=scored),
        Snippet(snippet_id="s", text="y", citations=(Citation(doc_id="d", language="en", extra={"page": 3}),)),
    )
    records = [
        Query(query_id="q", text="why"),
        Run(run_id="silent"),
        Response(query_id="q", run_id="r", snippets=snippets),
    ]
    assert lost(records, "report") == {
        "query": 1,
        "run": 1,
        "response.snippets.snippet_id": 1,
        "response.snippets.citations": 1,
        "response.snippets.citations.extra": 1,
        "response.snippets.citations.language": 1,
    }


def test_a_persons_run_is_written_as_manual() -> None:
    records = [Run(run_id="r", human=True), Response(query_id="q", run_id="r", snippets=())]
    written = json.loads(write_bytes(records, format="report"))
    assert written["metadata"] == {"run_id": "r", "topic_id": "q", "type": "manual"}


def test_is_recognised() -> None:
    assert sniffed(line()) == "report"


@pytest.mark.real_data
def test_ragtime_run(real_data: Path) -> None:
    data = (real_data / "ragtime26-runs" / "task1" / "T1_run_1.jsonl").read_bytes()
    rows = [json.loads(row) for row in data.splitlines()]
    reading = open_reading(data)
    collection = collect(data, "report")
    assert reading.format.name == "report"
    assert collection.runs == [Run(run_id="T1-e2e-omt", group=rows[0]["metadata"]["team_id"])]
    assert len(collection.responses) == len(rows) == 103
    snippets = [snippet for response in collection.responses for snippet in response.snippets]
    sentences = [sentence for row in rows for sentence in row["responses"]]
    assert len(snippets) == len(sentences) == 2672
    cited = sum(len(snippet.citations) for snippet in snippets)
    assert cited == sum(len(sentence["citations"]) for sentence in sentences) == 2687
    assert collection.responses[0].query_id == rows[0]["metadata"]["topic_id"] == "2000"
    assert snippets[0].text == sentences[0]["text"]
    assert {citation.doc_id: citation.extra["score"] for citation in snippets[-1].citations} == sentences[-1][
        "citations"
    ]
    assert [json.loads(row) for row in round_trip(collection, "report").splitlines()] == rows
    list(reading)
    assert reading.source.warnings == []
