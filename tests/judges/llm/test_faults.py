"""Servers that fail in every way that servers do: each ends in the right judgements or in `failed`, paid once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import karat
from builders.llm_stub import Call, Script, llm_stub, well
from builders.rows import nug, query, response
from karat.judges.judge import Judging
from karat.judges.llm.attempts import ATTEMPTS, LONGEST_WAIT, REPAIRS
from karat.judges.llm.log import CallLog
from karat.judges.llm.request import Stopped
from karat.model import Judgement, UsageError
from karat.reports.review import explanation_tables

pytest.importorskip("openai")
ROWS = [
    query("q", "What is there?"),
    *(nug("q", name, descriptions=[text]) for name, text in (("a", "A red fox"), ("b", "The blue sea"), ("c", "tea"))),
    response("q", "x", "A red fox sat. The end."),
    response("q", "y", "Some tea."),
]
TIMEOUT = 60.0
SHORT = 5.0
"""For faults that last until the client gives up: long enough for the right answer that follows, on any machine."""
RIGHT = {("x", "a"): 1.0, ("x", "b"): 0.5, ("x", "c"): 0.0, ("y", "a"): 0.0, ("y", "b"): 0.0, ("y", "c"): 1.0}


def once(fault: Script) -> Script:
    """The fault at the first call of each request, the right answer after it."""
    return lambda call: fault(call) if call.number == 1 else well(call)


def labelled(change: Callable[[dict[str, object]], object]) -> Script:
    """An answer whose labels are changed; nobody can use it."""
    return lambda call: call.reply(call.complete(json.dumps(change(call.labels())), paid=False))


def silent(call: Call) -> None:
    # Until the client has gone.
    call.handler.connection.recv(1)
    call.handler.close_connection = True


def cut_off(call: Call) -> None:
    body = call.complete(paid=False)
    call.reply(body[: len(body) // 2], length=len(body))
    call.reset()


def slow(call: Call) -> None:
    body = call.complete(paid=False)
    call.handler.send_response(200)
    call.handler.send_header("Content-Length", str(len(body)))
    call.handler.end_headers()
    for at in range(len(body)):
        call.handler.wfile.write(body[at : at + 1])
        time.sleep(0.1)


def endless(call: Call) -> None:
    call.handler.send_response(503)
    call.handler.end_headers()
    # Until the client has gone, which ends this with an error.
    while True:
        call.handler.wfile.write(b" ")
        time.sleep(0.05)


def refuses(*forms: str) -> Script:
    def script(call: Call) -> None:
        if call.body.get("response_format", {}).get("type") in forms:
            call.refuse(400, "response_format is not supported")
        else:
            well(call)

    return script


def without(labels: dict[str, object]) -> dict[str, object]:
    return {name: label for name, label in labels.items() if name != "n2"}


PASSING: dict[str, Script] = {
    "silence": once(silent),
    "too many requests": once(lambda call: call.refuse(429)),
    "too many requests, wait": once(lambda call: call.refuse(429, Retry_After="7")),
    "half a reply": once(lambda call: call.reply(call.complete(paid=False)[:40])),
    "half an answer": once(lambda call: call.reply(call.complete(json.dumps(call.labels())[:30], paid=False))),
    "no answer": once(lambda call: call.reply(call.complete("", paid=False))),
    "null": once(lambda call: call.reply(call.complete("x", paid=False).replace(b'"x"', b"null"))),
    "wrong labels": once(labelled(lambda labels: {name: {"quote": "", "label": "maybe"} for name in labels})),
    "a number for a label": once(labelled(lambda labels: dict.fromkeys(labels, 1))),
    "a missing nug": once(labelled(without)),
    "a nug too many": once(labelled(lambda labels: labels | {"n9": {"quote": "", "label": "support"}})),
    "a nug twice": once(
        lambda call: call.reply(
            call.complete(json.dumps(call.labels())[:-1] + ', "n1": {"quote": "", "label": "support"}}', paid=False)
        )
    ),
    "connection reset": once(lambda call: call.reset()),
    "reset in the middle": once(cut_off),
    "500": once(lambda call: call.refuse(500)),
    "503 as a page": once(lambda call: call.reply(b"<html>busy</html>", 503, content_type="text/html")),
    "a slow body": once(slow),
    "an empty body": once(lambda call: call.reply(b"")),
    "a page for an answer": once(lambda call: call.reply(b"<html>hello</html>", content_type="text/html")),
    "JSON of another kind": once(lambda call: call.reply(b'{"choices": []}')),
    "JSON as plain text": lambda call: call.reply(call.complete(), content_type="text/plain"),
    "no schemas": refuses("json_schema"),
    "no response_format": refuses("json_schema", "json_object"),
    "words around it": lambda call: call.reply(call.complete(f"Here:\n```json\n{json.dumps(call.labels())}\n```\nBye")),
    "thoughts before it": lambda call: call.reply(
        call.complete('<think>{"n1": "support"}?</think>' + json.dumps(call.labels()))
    ),
    "lines": lambda call: call.reply(
        call.complete("\n".join(f"- {name}: {label['label']}" for name, label in call.labels().items()))
    ),
}


def said(change: Callable[[dict[str, Any]], object]) -> Script:
    """The right answer, with something odd in the reply around it."""

    def script(call: Call) -> None:
        body = json.loads(call.complete())
        change(body)
        call.reply(json.dumps(body).encode())

    return script


def quoting(quote: str) -> Script:
    """The right labels, with an odd passage; written with the escapes of JSON, as servers do."""

    def script(call: Call) -> None:
        labels = call.labels()
        labels["n1"]["quote"] = quote
        call.reply(call.complete(json.dumps(labels, ensure_ascii=False)))

    return script


PASSING |= {
    "half a character": quoting("\ud800"),
    "a passage that ends thoughts": quoting("red </think> fox"),
    "a list for the usage": said(lambda body: body.update(usage=[1])),
    "a usage that no number can hold": said(lambda body: body["usage"].update(prompt_tokens=10**30)),
    "201": lambda call: call.reply(call.complete(), 201),
    "a number of 5,000 digits": once(lambda call: call.reply(call.complete('{"n1": ' + "5" * 5_000 + "}", paid=False))),
    "deep lists": once(lambda call: call.reply(call.complete('{"n1": ' + "[" * 900 + "]" * 900 + "}", paid=False))),
    "a refusal without an end": once(endless),
}
TIMED = {"silence", "a slow body", "a refusal without an end"}
LASTING: dict[str, tuple[Script, str, int]] = {
    "always 500": (lambda call: call.refuse(500, "down"), 'status 500: {"error": {"message": "down"}}', ATTEMPTS),
    "always reset": (lambda call: call.reset(), "the connection failed", ATTEMPTS),
    "always empty": (lambda call: call.reply(b""), "the reply is empty", ATTEMPTS),
    "always wrong": (
        labelled(without),
        "the model's answers cannot be used: n2 is missing",
        REPAIRS + 1,
    ),
}
STOPPING: dict[str, tuple[Script, str]] = {
    "401": (lambda call: call.refuse(401), "Check the key"),
    "403": (lambda call: call.refuse(403), "Check the key"),
    "404": (lambda call: call.refuse(404, "no such model"), "no such model.*Check --llm-url"),
    "400": (lambda call: call.refuse(400, "context too long"), "context too long"),
    "no money": (lambda call: call.refuse(429, "insufficient_quota"), "insufficient_quota"),
    "a redirect": (lambda call: call.refuse(302, Location="http://example.org/v1"), "sends requests elsewhere"),
}


def judged(url: str | None, log: Path, *, waits: list[float] | None = None, **more: object) -> Judging:
    given = {"url": url, "model": "m", "log": log, "yes": True, "timeout": TIMEOUT, "concurrency": 2} | more
    waits = [] if waits is None else waits
    with karat.llm(**given, sleep=waits.append):  # type: ignore[arg-type]
        return karat.judge(ROWS, judge="llm")


def scores(judgements: tuple[Judgement, ...]) -> dict[tuple[str, str], float]:
    return {(one.run_id, one.nug_id): one.extra["score"] for one in judgements if one.status == "ok"}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_ends_in_the_right_judgements_paid_once(name: str, tmp_path: Path) -> None:
    waits: list[float] = []
    with llm_stub(PASSING[name]) as stub:
        judging = judged(stub.url, tmp_path / "log", waits=waits, timeout=SHORT if name in TIMED else TIMEOUT)
        assert scores(judging.judgements) == RIGHT
        assert set(stub.completed.values()) == {1}
        assert len(stub.completed) == 2
        calls = stub.calls
        assert judged(stub.url, tmp_path / "log") == judging
        assert stub.calls == calls
    assert all(wait <= LONGEST_WAIT for wait in waits)
    if name == "too many requests, wait":
        assert waits == [7.0, 7.0]


@pytest.mark.parametrize("name", LASTING)
def test_a_fault_that_lasts_ends_in_failed_and_stays_failed(name: str, tmp_path: Path) -> None:
    fault, reason, calls = LASTING[name]
    with llm_stub(lambda call: fault(call) if "Some tea" in call.name else well(call)) as stub:
        judging = judged(stub.url, tmp_path / "log")
        assert scores(judging.judgements) == {pair: score for pair, score in RIGHT.items() if pair[0] == "x"}
        failed = [one for one in judging.judgements if one.status == "failed"]
        assert [one.run_id for one in failed] == ["y"] * 3
        assert all(reason in one.extra["reason"] and one.degree is None and not one.probabilities for one in failed)
        assert any(note.startswith("3 of 6 judgements failed, and scores leave them out: ") for note in judging.notes)
        assert stub.calls == calls + 1
        assert judged(stub.url, tmp_path / "log") == judging
        assert stub.calls == calls + 1
        stub.script = well
        assert scores(judged(stub.url, tmp_path / "log", retry_failed=True).judgements) == RIGHT
        assert stub.calls == calls + 2
        assert set(stub.completed.values()) == {1}


@pytest.mark.parametrize("name", STOPPING)
def test_what_a_server_refuses_stops_the_work_at_once(name: str, tmp_path: Path) -> None:
    fault, said = STOPPING[name]
    with llm_stub(fault) as stub:
        with pytest.raises(Stopped, match=said):
            judged(stub.url, tmp_path / "log", concurrency=1)
        # A 400 may be about the response format, so that the other two forms are tried.
        assert stub.calls == (3 if name == "400" else 1)
        stub.script = well
        assert scores(judged(stub.url, tmp_path / "log").judgements) == RIGHT


def test_a_server_that_is_down_stops_the_work_after_a_few_requests(tmp_path: Path) -> None:
    rows = [*ROWS, *(response("q", f"run{number}", f"Text {number}.") for number in range(20))]
    with llm_stub(lambda call: call.refuse(502)) as stub:
        with (
            karat.llm(url=stub.url, model="m", log=tmp_path / "log", yes=True, concurrency=1, sleep=lambda _: None),
            pytest.raises(Stopped, match=r"5 requests in a row got no answer.*--retry-failed"),
        ):
            karat.judge(rows, judge="llm")
        assert stub.calls == 5 * ATTEMPTS


def test_every_attempt_is_in_the_log_with_what_was_sent_and_received(tmp_path: Path) -> None:
    with llm_stub(PASSING["wrong labels"]) as stub:
        judged(stub.url, tmp_path / "log", concurrency=1, price=(1.0, 2.0))
    log = CallLog(tmp_path / "log")
    rows = log._db.execute(
        "SELECT outcome, sent, received, prompt_tokens, completion_tokens, cost, http_status, started <= ended, "
        "problem FROM attempt ORDER BY id"
    ).fetchall()
    log.close()
    assert [row[0] for row in rows] == ["invalid", "ok", "invalid", "ok"]
    assert all(json.loads(row[1])["messages"][0]["role"] == "system" for row in rows)
    # The model is told what was wrong.
    assert "the label of n1 is" in json.loads(rows[1][1])["messages"][-1]["content"]
    assert all("choices" in json.loads(row[2]) and row[3:8] == (100, 20, 0.00014, 200, 1) for row in rows)
    assert rows[0][8] == 'the label of n1 is "maybe", not one of support, partial_support, not_support'


def test_scores_leave_failed_judgements_out_and_say_so(tmp_path: Path) -> None:
    fault = labelled(without)
    with llm_stub(lambda call: fault(call) if "Some tea" in call.name else well(call)) as stub:
        given = {"url": stub.url, "model": "m", "log": tmp_path / "log", "yes": True}
        with karat.llm(**given):  # type: ignore[arg-type]
            scoring = karat.score(ROWS, judge="llm", measures="strict_all")
    values = {score.run_id: score.value for score in scoring.of_all()}
    assert values["x"] is not None
    assert values["y"] is None
    assert any("failed judgement" in note for note in scoring.notes)


def test_a_failed_judgement_is_called_failed_and_compared_without_a_warning(tmp_path: Path) -> None:
    with (
        llm_stub(lambda call: call.reset() if "Some tea" in call.name else well(call)) as stub,
        karat.llm(url=stub.url, model="m", log=tmp_path / "log", yes=True, sleep=lambda _: None),
    ):
        explaining = karat.explain(ROWS, query="q", judge="llm")
        # Warnings are errors in tests.
        comparison = karat.compare(ROWS, judge="llm", measures="strict_all")
    (_, table) = explanation_tables(explaining.explanations)
    assert [row[3] for row in table.rows] == ["failed"] * 3
    assert "undefined" in str(comparison)


def test_what_failed_stays_failed_until_the_user_agrees_to_new_calls(tmp_path: Path) -> None:
    with llm_stub(labelled(without)) as stub:
        judging = judged(stub.url, tmp_path / "log")
        calls = stub.calls
        for url in (stub.url, None):
            with pytest.raises(UsageError):
                judged(url, tmp_path / "log", retry_failed=True, yes=False)
        assert judged(stub.url, tmp_path / "log") == judging
        assert stub.calls == calls
