from __future__ import annotations

import json

from helpers import collect, collect_with_problems
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.registry import sniff
from karat.model import Query, Response, Run, Snippet, content_id

CHAT = {
    "messages": [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "why do bees dance"},
        {"role": "assistant", "content": [{"type": "text", "text": "To talk."}]},
    ],
    "model": "m-1",
}
ASKED = content_id("why do bees dance")


def test_the_last_answer_and_the_question_before_it() -> None:
    collection = collect(json.dumps(CHAT), "chat")
    assert collection.queries == [Query(query_id=ASKED, text="why do bees dance")]
    assert collection.runs == [Run(run_id="run")]
    kept = {"model": "m-1", "messages": [{"role": "system", "content": "Be short."}]}
    snippets = (Snippet(snippet_id="1", text="To talk."),)
    assert collection.responses == [Response(query_id=ASKED, run_id="run", snippets=snippets, extra=kept)]


def test_rows_of_a_batch_have_the_id_of_the_query() -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": "To talk."}}]}
    row = {"custom_id": "q1", "response": {"status_code": 200, "body": body}}
    collection = collect(json.dumps(row), "chat")
    assert [(each.query_id, each.snippets[0].text) for each in collection.responses] == [("q1", "To talk.")]


def test_a_chat_without_an_answer_is_reported() -> None:
    silent = {"messages": [{"role": "user", "content": "why"}]}
    collection, problems = collect_with_problems("\n".join(map(json.dumps, (silent, CHAT))), "chat")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: messages: no message is the assistant's (roles: user), so there is no answer"
    ]
    assert len(collection.responses) == 1


def test_is_recognised() -> None:
    for row in (CHAT, CHAT | {"query_id": "1"}, {"choices": [{"message": {"role": "assistant", "content": "x"}}]}):
        assert sniff(Source("<bytes>", json.dumps(row).encode())).name == "chat"
    assert Head(Source("<bytes>", b'{"messages": "none"}')).first("messages") == {}
