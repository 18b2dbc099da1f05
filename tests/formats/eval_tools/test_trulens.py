from __future__ import annotations

import json

from helpers import collect, messages
from karat.formats import Source
from karat.formats.eval_tools.trulens import sniff_trulens
from karat.formats.io.head import Head
from karat.model import Query, Response, Run, Score, Snippet, content_id

RECORD = {
    "app_name": "rag",
    "app_version": "v1",
    "app_id": "app_hash_1",
    "type": "app",
    "record_id": "record_hash_1",
    "input": "why do bees dance",
    "output": "To talk.",
    "tags": "",
    "ts": "2024-01-01",
    "latency": 2,
    "total_tokens": 10,
    "Answer Relevance": 0.75,
    "Answer Relevance_calls": [{"ret": 0.75}],
    "Groundedness": None,
    "Groundedness_calls": None,
    "Groundedness feedback cost in USD": 0.01,
}
ASKED = content_id("why do bees dance")


def test_reads_a_record_with_its_feedback() -> None:
    collection = collect(json.dumps(RECORD), "trulens")
    app = {name: RECORD[name] for name in ("app_name", "app_version", "app_id", "type")}
    assert collection.queries == [Query(query_id=ASKED, text="why do bees dance")]
    assert collection.runs == [Run(run_id="rag:v1", extra=app)]
    names = (
        "record_id",
        "ts",
        "latency",
        "total_tokens",
        "Answer Relevance_calls",
        "Groundedness feedback cost in USD",
    )
    assert collection.responses == [
        Response(
            query_id=ASKED,
            run_id="rag:v1",
            snippets=(Snippet(snippet_id="1", text="To talk."),),
            extra={name: RECORD[name] for name in names},
        )
    ]
    assert collection.scores == [
        Score(run_id="rag:v1", query_id=ASKED, measure="Answer Relevance", value=0.75),
        Score(run_id="rag:v1", query_id=ASKED, measure="Groundedness", undefined=1),
    ]


def test_apps_that_answer_the_same_question_meet() -> None:
    rows = [RECORD, RECORD | {"app_version": "v2"}, RECORD, {**RECORD, "app_name": None, "app_version": None}]
    collection = collect(json.dumps(rows, indent=1), "trulens")
    assert [(response.query_id, response.run_id) for response in collection.responses] == [
        (ASKED, "rag:v1"),
        (ASKED, "rag:v2"),
        (f"{ASKED}-2", "rag:v1"),
        (ASKED, "app_hash_1"),
    ]


def test_reads_csv() -> None:
    data = (
        "\ufeffapp_id,record_id,input,output,Relevance,Relevance_calls,comment\r\n"
        'a,r1,"why, bees",To talk.,0.5,[],fine\r\n'
        "a,r2,how,,,,\r\n"
        "a,r3,when,In May.,NaN,[],\r\n"
    )
    collection = collect(data, "trulens")
    assert [response.snippets for response in collection.responses] == [
        (Snippet(snippet_id="1", text="To talk."),),
        (),
        (Snippet(snippet_id="1", text="In May."),),
    ]
    assert collection.responses[0].extra == {"record_id": "r1", "Relevance_calls": "[]", "comment": "fine"}
    assert [score.value for score in collection.scores] == [0.5, None, None]


def test_a_record_without_input_is_reported() -> None:
    rows = [RECORD | {"input": None}, RECORD]
    assert messages("\n".join(map(json.dumps, rows)), "trulens") == ["1: input: is missing"]


def test_is_recognised() -> None:
    for data in (json.dumps(RECORD), json.dumps([RECORD]), "app_id,record_id,input,output,x\n"):
        assert sniff_trulens(Head(Source("<bytes>", data.encode())))
    for data in ('{"input": "a", "output": "b"}', "record_id,input,output\n", "{}", ""):
        assert not sniff_trulens(Head(Source("<bytes>", data.encode())))
