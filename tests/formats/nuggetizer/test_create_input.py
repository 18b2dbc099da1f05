from __future__ import annotations

import json

import pytest

from helpers import collect, collect_with_problems, messages, sniffed
from karat.formats import get_format
from karat.model import Citation, Query, Response, Run, Snippet, content_id

REQUEST = {
    "query": {"qid": "q1", "text": "why do bees dance"},
    "candidates": [
        {"docid": "d1", "score": 10.0, "judgment": 2, "doc": {"segment": "They tell the way.", "title": "Bees"}},
        {"docid": "d2", "doc": {"contents": "They vote."}},
    ],
}
BANK = {"query": "why", "qid": "q1", "nuggets": [{"text": "a b", "importance": "vital"}]}


def enveloped(*artifacts: tuple[str, object]) -> str:
    return json.dumps(
        {
            "schema_version": "castorini.cli.v1",
            "command": "create",
            "status": "success",
            "artifacts": [{"name": name, "data": data} for name, data in artifacts],
        }
    )


def test_reads_candidates_as_snippets_of_one_response() -> None:
    collection = collect(json.dumps(REQUEST), "nuggetizer-input")
    assert collection.queries == [Query(query_id="q1", text="why do bees dance")]
    assert collection.runs == [Run(run_id="candidates")]
    assert collection.responses == [
        Response(
            query_id="q1",
            run_id="candidates",
            snippets=(
                Snippet(
                    snippet_id="d1",
                    text="They tell the way.",
                    citations=(Citation(doc_id="d1"),),
                    extra={"title": "Bees", "score": 10.0, "judgment": 2},
                ),
                Snippet(snippet_id="d2", text="They vote.", citations=(Citation(doc_id="d2"),)),
            ),
        )
    ]


def test_strings_are_queries_and_candidates_without_ids() -> None:
    data = json.dumps({"query": "why do bees dance", "candidates": ["They vote.", {"text": "They hum."}]})
    collection = collect("\ufeff" + data + "\r\n", "nuggetizer-input")
    query_id = content_id("why do bees dance")
    assert collection.queries == [Query(query_id=query_id, text="why do bees dance")]
    assert collection.responses[0].snippets == (
        Snippet(snippet_id="1", text="They vote."),
        Snippet(snippet_id="2", text="They hum."),
    )


def test_number_ids_missing_texts_and_unknown_fields_are_read() -> None:
    row = {"query": {"qid": 7, "lang": "en"}, "candidates": [{"docid": 3, "doc": "They vote."}], "k": 5}
    collection = collect(json.dumps(row), "nuggetizer-input")
    assert collection.queries == [Query(query_id="7", text="", extra={"lang": "en"})]
    assert collection.responses[0].snippets[0].citations == (Citation(doc_id="3"),)
    assert collection.responses[0].extra == {"k": 5}


def test_judged_passages_are_gathered_by_query() -> None:
    rows = [
        {"query": "why", "passage": "They vote.", "judgment": 3, "docid": "d1", "prediction": "3"},
        {"query": "who", "passage": "Bees.", "judgment": 0},
    ]
    more = {"query": {"qid": "q9", "text": "how"}, "passage": "By dance.", "judgment": 1}
    data = (
        json.dumps({"judgments": rows, "model": "m"})
        + "\n"
        + json.dumps({"judgments": [rows[0] | {"docid": "d2"}, more]})
    )
    collection = collect(data, "nuggetizer-input")
    assert [query.text for query in collection.queries] == ["why", "who", "how"]
    assert collection.runs == [Run(run_id="candidates")]
    first, second, third = collection.responses
    assert (first.query_id, first.extra) == (content_id("why"), {"model": "m"})
    assert [snippet.snippet_id for snippet in first.snippets] == ["d1", "d2"]
    assert first.snippets[0].extra == {"judgment": 3, "prediction": "3"}
    assert second.snippets == (Snippet(snippet_id="1", text="Bees.", extra={"judgment": 0}),)
    assert third.query_id == "q9"


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    candidates = [
        "They vote.",
        5,
        {"docid": "d1", "doc": {"title": "x"}},
        {"docid": "d2", "text": "y"},
        {"docid": "d2", "text": "z"},
    ]
    rows = [
        {"query": "why", "candidates": candidates},
        {"query": "why", "candidates": ["x"]},
        {"candidates": []},
        {"query": 3},
    ]
    data = "\n".join(map(json.dumps, rows))
    assert messages(data, "nuggetizer-input") == [
        "1: candidates[1]: a candidate must be a string or an object, not a number",
        "1: candidates[2].doc.segment: is missing",
        "1: candidates[4].docid: 'd2' appears twice among the candidates",
        f"2: a second response with query_id '{content_id('why')}', run_id 'candidates'; only one is allowed",
        "3: query: is missing",
        "4: query: must be an object, not a number",
    ]
    collection, _ = collect_with_problems(data, "nuggetizer-input")
    assert [snippet.text for snippet in collection.responses[0].snippets] == ["They vote.", "y"]


def test_an_envelope_holds_requests_and_judgments() -> None:
    assert collect(enveloped(("requests", [REQUEST])), "nuggetizer-input") == collect(
        json.dumps(REQUEST), "nuggetizer-input"
    )
    judgments = [{"query": "why", "passage": "They vote.", "judgment": 3}]
    assert collect(enveloped(("judgments", judgments)), "nuggetizer-input") == collect(
        json.dumps({"judgments": judgments}), "nuggetizer-input"
    )


@pytest.mark.parametrize(
    ("name", "format", "row"),
    [
        ("create-result", "nuggetizer-bank", BANK),
        (
            "assign-result",
            "nuggetizer-assignments",
            BANK | {"run_id": "a", "answer_text": "x", "nuggets": [{"text": "a b", "assignment": "support"}]},
        ),
        (
            "generation-results",
            "trec-rag24",
            {"run_id": "a", "topic_id": "q1", "references": ["d"], "answer": [{"text": "x", "citations": [0]}]},
        ),
    ],
)
def test_an_envelope_holds_results(name: str, format: str, row: dict[str, object]) -> None:
    expected = collect(json.dumps(row), format)
    assert collect(enveloped((name, [row])), "nuggetizer-input") == expected
    assert collect(enveloped((name, row)), "nuggetizer-input") == expected


def test_problems_inside_an_envelope_name_their_place() -> None:
    bad = BANK | {"qid": "q2", "nuggets": [{"text": "c", "importance": "crucial"}]}
    text = json.dumps(json.loads(enveloped(("create-result", [BANK, bad]))), indent=1)
    line = text[: text.index("crucial")].count("\n") + 1
    collection, problems = collect_with_problems(text, "nuggetizer-input")
    assert [str(problem) for problem in problems] == [
        f"<bytes>:{line}: artifacts[0].data[1].nuggets[0].importance: 'crucial' is not one of vital, okay, failed"
    ]
    assert problems[0].query_id == "q2"
    assert len(collection.nugs) == 2


def test_an_artifact_that_cannot_be_read_is_named() -> None:
    data = enveloped(("prompts", [{"text": "x"}]), ("create-result", []), ("requests", [REQUEST]))
    assert messages(data, "nuggetizer-input") == [
        "1: artifacts[0].name: 'prompts' is not one of create-result, assign-result, generation-results, judgments, "
        "a list of queries with candidates"
    ]
    assert len(collect_with_problems(data, "nuggetizer-input")[0].responses) == 1


def test_is_recognised_and_read_only() -> None:
    assert sniffed(json.dumps(REQUEST)) == "nuggetizer-input"
    assert sniffed(json.dumps({"query": "why", "candidates": ["x"]})) == "nuggetizer-input"
    assert sniffed(json.dumps({"judgments": [{"query": "why", "passage": "x", "judgment": 1}]})) == "nuggetizer-input"
    assert sniffed(enveloped(("create-result", [BANK]))) == "nuggetizer-input"
    assert get_format("nuggetizer-input").write is None
