from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import open_reading, write_bytes
from karat.model import Citation, Query, Response, Run, Snippet

ANSWER = {
    "run_id": "a",
    "topic_id": "q1",
    "topic": "why do bees dance",
    "references": ["d1", "d2"],
    "response_length": 9,
    "answer": [
        {"text": "They tell the way to food.", "citations": [0, 1]},
        {"text": "They also vote.", "citations": []},
    ],
}
RESPONSE = Response(
    query_id="q1",
    run_id="a",
    snippets=(
        Snippet(
            snippet_id="1",
            text="They tell the way to food.",
            citations=(Citation(doc_id="d1"), Citation(doc_id="d2")),
        ),
        Snippet(snippet_id="2", text="They also vote."),
    ),
)


def line(**changes: object) -> str:
    return json.dumps(ANSWER | changes)


def test_reads_an_answer_as_query_run_and_response() -> None:
    collection = collect(line(), "trec-rag24")
    assert collection.queries == [Query(query_id="q1", text="why do bees dance")]
    assert collection.runs == [Run(run_id="a")]
    assert collection.responses == [RESPONSE]


def test_number_ids_missing_fields_and_document_ids_as_citations_are_read() -> None:
    sentence = {"text": "They tell the way to food.", "citations": ["d2", "0"], "grade": 1}
    row = {"run_id": 3, "topic_id": 7, "references": ["d1", "d2"], "answer": [sentence, {"text": "So."}]}
    collection = collect("\ufeff" + json.dumps(row) + "\r\n", "trec-rag24")
    assert collection.queries == []
    (response,) = collection.responses
    assert (response.query_id, response.run_id) == ("7", "3")
    assert response.snippets[0].citations == (Citation(doc_id="d2"), Citation(doc_id="d1"))
    assert response.snippets[0].extra == {"grade": 1}
    assert response.snippets[1].citations == ()


def test_a_citation_past_the_references_is_reported_and_the_sentence_kept() -> None:
    data = line(answer=[{"text": "They vote.", "citations": [1, 2, -1, 0.5, True]}])
    assert messages(data, "trec-rag24") == [
        "1: answer[0].citations[1]: there is no reference 2: there are 2, counted from 0",
        "1: answer[0].citations[2]: there is no reference -1: there are 2, counted from 0",
        "1: answer[0].citations[3]: must be a document id or a whole number "
        "(a position in the references), not a number",
        "1: answer[0].citations[4]: must be a document id or a whole number "
        "(a position in the references), not true/false",
    ]
    collection, problems = collect_with_problems(data, "trec-rag24")
    assert collection.responses[0].snippets[0].citations == (Citation(doc_id="d2"),)
    assert [problem.code for problem in problems] == ["dangling-reference"] * 2 + ["wrong-type"] * 2
    assert {problem.query_id for problem in problems} == {"q1"}


def test_a_cited_document_that_is_no_reference_is_kept_with_a_warning() -> None:
    data = line(answer=[{"text": "They vote.", "citations": ["d9"]}])
    reading = open_reading(data.encode(), format="trec-rag24")
    assert [type(record).__name__ for record in reading] == ["Query", "Run", "Response"]
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: answer[0].citations[0]: 'd9' is not among the references"
    ]


def test_a_broken_sentence_or_a_second_answer_is_left_out() -> None:
    data = line(answer=[{"citations": [0]}, {"text": "They vote."}]) + "\n" + line()
    assert messages(data, "trec-rag24") == [
        "1: answer[0].text: is missing",
        "2: a second response with query_id 'q1', run_id 'a'; only one is allowed",
    ]
    collection, _ = collect_with_problems(data, "trec-rag24")
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["2"]


def test_a_reference_that_is_no_id_keeps_its_place() -> None:
    data = line(references=["d1", None, "d3"], answer=[{"text": "They vote.", "citations": [1, 2]}])
    assert messages(data, "trec-rag24") == [
        "1: references[1]: a document's id must be a string, not null",
        "1: answer[0].citations[0]: there is no reference 1: there are 3, counted from 0",
    ]
    assert collect_with_problems(data, "trec-rag24")[0].responses[0].snippets[0].citations == (Citation(doc_id="d3"),)


def test_round_trip_keeps_uncited_references_their_order_a_stated_length_and_unknown_fields() -> None:
    sentence = {"text": "They vote.", "citations": [2, 0], "grade": 1}
    data = line(references=["d1", "d2", "d3"], response_length=99, answer=[sentence], model="m")
    collection = collect(data, "trec-rag24")
    assert collection.responses[0].extra == {"model": "m", "references": ["d1", "d2", "d3"], "response_length": 99}
    assert json.loads(round_trip(collection, "trec-rag24")) == json.loads(data)
    assert json.loads(round_trip(collect(line(), "trec-rag24"), "trec-rag24")) == ANSWER


def test_an_empty_answer_survives() -> None:
    data = line(answer=[], references=[], response_length=0)
    assert json.loads(round_trip(collect(data, "trec-rag24"), "trec-rag24")) == json.loads(data)


def test_a_document_that_the_kept_references_lack_is_added_to_them() -> None:
    snippet = Snippet(snippet_id="1", text="x", citations=(Citation(doc_id="d9"),))
    response = Response(query_id="q", run_id="r", snippets=(snippet,), extra={"references": ["d1"]})
    row = json.loads(write_bytes([response], format="trec-rag24"))
    assert (row["references"], row["answer"][0]["citations"]) == (["d1", "d9"], [1])


def test_what_cannot_be_written_is_counted() -> None:
    snippet = Snippet(snippet_id="s1", text="x", citations=(Citation(doc_id="d", excerpt="y"),))
    records = [
        Query(query_id="q9", text="unanswered"),
        Run(run_id="r", group="g"),
        Run(run_id="silent"),
        Response(query_id="q", run_id="r", snippets=(snippet,)),
    ]
    assert lost(records, "trec-rag24") == {
        "query": 1,
        "run": 1,
        "run.group": 1,
        "response.snippets.snippet_id": 1,
        "response.snippets.citations.excerpt": 1,
    }


def test_is_recognised() -> None:
    assert sniffed(line()) == "trec-rag24"
    assert sniffed(line(answer=[])) == "trec-rag24"


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["command-r-plus", "gpt-4o", "l31_70b_instruct"])
def test_rag24_answers(real_data: Path, name: str) -> None:
    path = real_data / "nuggetizer-rag24" / "answers" / f"baseline_rag24.test_{name}_top20.jsonl.gz"
    rows = [json.loads(row) for row in gzip.open(path, "rt")]
    collection = collect(path.read_bytes(), "trec-rag24")
    assert sniffed(path.read_bytes()) == "trec-rag24"
    assert len(collection.responses) == len(collection.queries) == len(rows) == 301
    assert collection.runs == [Run(run_id=f"baseline_rag24.test_{name}_top20")]
    snippets = [snippet for response in collection.responses for snippet in response.snippets]
    sentences = [sentence for row in rows for sentence in row["answer"]]
    counts = {"command-r-plus": (3713, 7836), "gpt-4o": (4029, 4195), "l31_70b_instruct": (2295, 3947)}
    cited = sum(len(snippet.citations) for snippet in snippets)
    assert (len(snippets), cited) == counts[name]
    assert (len(sentences), sum(len(sentence["citations"]) for sentence in sentences)) == counts[name]
    for response, row in ((collection.responses[0], rows[0]), (collection.responses[-1], rows[-1])):
        assert response.query_id == row["topic_id"]
        assert response.snippets[0].text == row["answer"][0]["text"]
        assert [citation.doc_id for citation in response.snippets[0].citations] == [
            row["references"][index] for index in row["answer"][0]["citations"]
        ]
    written = round_trip(collection, "trec-rag24")
    assert [json.loads(row) for row in written.splitlines()] == rows
