"""The judge llm: what it asks, what it makes of answers, what may be spent, and what is never sent or written."""

from __future__ import annotations

import json
import pickle
import socket
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from builders.llm_stub import Call, llm_stub
from builders.rows import Row, judgement, nug, query, response
from cli.running import commands_with, karat_here
from karat.judges.base import Task
from karat.judges.calibration.priors import PRIORS
from karat.judges.llm.budget import Budget, BudgetUsedUp, Prices
from karat.judges.llm.client import Client, NoReply, Secret
from karat.judges.llm.llm import Llm
from karat.judges.llm.prompts import load_prompt
from karat.judges.llm.quotes import find_quote
from karat.judges.llm.request import InvalidAnswer, Stopped
from karat.judges.pairs import tasks_of
from karat.judges.registry import parse_judge
from karat.model import Response, Snippet, UsageError
from karat.model.errors import MissingExtra

pytest.importorskip("openai")
NUGS = {"a": "A red fox", "b": "The blue sea", "c": "tea"}
ROWS: list[Row] = [
    query("q", "What is there?"),
    *(nug("q", name, descriptions=[text]) for name, text in NUGS.items()),
    response("q", "x", "A red fox sat.", "The end."),
    response("q", "y", "Some tea."),
    response("q", "z", " "),
]
SECRET = "sk-planted-4f1d92c7a0"


def asked(rows: list[Row], folder: Path, *, judge: str = "llm", **more: Any) -> tuple[Any, Any]:
    with llm_stub() as stub:
        given = {"url": stub.url, "model": "m", "log": folder / "log", "yes": True} | more
        with karat.llm(**given):
            return karat.judge(rows, judge=judge), stub


def test_a_call_has_one_response_and_a_batch_of_nugs_in_the_order_of_the_key(tmp_path: Path) -> None:
    judging, stub = asked(ROWS, tmp_path, judge="llm(batch=2)", concurrency=1)
    sent = [body["messages"][1]["content"] for body in stub.bodies]
    # The empty response is not sent.
    assert ["A red fox sat.\nThe end." in text for text in sent] == [True, True, False, False]
    assert ["n1: A red fox\nn2: The blue sea\n" in text for text in sent] == [True, False, True, False]
    assert ["n1: tea\n" in text for text in sent] == [False, True, False, True]
    assert all("What is there?" in text for text in sent)
    body = stub.bodies[0]
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0, 0)
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["n1", "n2"]
    found = {(one.run_id, one.nug_id): one.extra["score"] for one in judging.judgements}
    assert found["x", "a"] == 1.0
    assert found["x", "b"] == 0.5
    assert all(found["z", name] == 0.0 for name in NUGS)


def test_the_evidence_is_the_passage_in_its_snippet_and_only_if_it_is_there(tmp_path: Path) -> None:
    judging, _ = asked(ROWS, tmp_path)
    evidence = {(one.run_id, one.nug_id): one.evidence for one in judging.judgements}
    assert evidence["x", "a"].extra == {"snippet_id": "1", "span": [0, 9]}
    assert evidence["x", "a"].words == ("red", "fox")
    assert evidence["x", "b"].extra == {"snippet_id": "2", "span": [0, 3]}
    assert evidence["x", "c"] is None

    def invents(call: Call) -> None:
        labels = {name: {"quote": "nowhere to be found", "label": "support"} for name in call.labels()}
        call.reply(call.complete(json.dumps(labels)))

    with (
        llm_stub(invents) as stub,
        karat.llm(url=stub.url, model="m", log=tmp_path / "other", max_calls=2),
    ):
        judging = karat.judge(ROWS, judge="llm")
    assert all(one.evidence is None for one in judging.judgements)
    assert any("6 of 6 passages that the model gave are not in the response" in note for note in judging.notes)


def test_a_quote_is_found_whatever_its_case_spaces_and_quotation_marks() -> None:
    body = Response(
        query_id="q",
        run_id="r",
        snippets=(Snippet(snippet_id="1", text="No."), Snippet(snippet_id="2", text="He said:  “It’s\n A red–fox” 🦊")),
    )
    assert find_quote('"it\'s a RED-fox..."', body) == ("2", 11, 26)
    assert find_quote("fox", body) == ("2", 23, 26)
    assert find_quote("", body) is None
    assert find_quote("a blue fox", body) is None
    assert find_quote("(", body) is None


def test_explain_shows_the_passage(tmp_path: Path) -> None:
    rows = [*ROWS, query("other"), nug("other", "d"), response("other", "x", "Nobody asks about this.")]
    with llm_stub() as stub, karat.llm(url=stub.url, model="m", log=tmp_path / "log", max_calls=1):
        explaining = karat.explain(rows, query="q", runs=["x"], judge="llm")
        # What is not explained is not asked.
        assert stub.calls == 1
    (first, *_) = explaining.explanations
    assert (first.nug_id, first.text, first.marks) == ("a", "A red fox", ((2, 5), (6, 9)))


def test_only_pairs_that_are_asked_are_sent(tmp_path: Path) -> None:
    (task,) = tasks_of(karat.load(ROWS))
    mask = np.array([[True, False, True], [False, False, False], [True, True, True]])
    task = Task(task.query_id, task.nugs, task.responses, task.question, asked=mask)
    with llm_stub() as stub, karat.llm(url=stub.url, model="m", log=tmp_path / "log", max_calls=1):
        matches = Llm(model="m").match(task)
        assert stub.calls == 1
    assert np.isnan(matches.scores).tolist() == [[False, True, False], [True, True, True], [False, False, False]]
    assert not matches.failures


def test_the_order_of_nugs_can_be_shuffled_to_see_whether_it_matters(tmp_path: Path) -> None:
    rows = [*ROWS[:1], *(nug("q", f"n{at}", descriptions=[f"statement {at}"]) for at in range(9)), ROWS[4]]
    plain, in_order = asked(rows, tmp_path)
    results = [asked(rows, tmp_path, judge=f"llm(order=shuffled,seed={seed})") for seed in (1, 1, 2)]
    sent = [stub.bodies[0]["messages"][1]["content"] for _, stub in (results[0], results[2])]
    assert len({*sent, in_order.bodies[0]["messages"][1]["content"]}) == 3
    # The same seed asks the same, which is in the log.
    assert results[1][1].calls == 0
    assert all(judging.judgements == plain.judgements for judging, _ in results)
    assert "order:shuffled|seed:1" in results[0][0].signature


def test_everything_that_changes_an_answer_is_in_the_signature_and_where_it_is_sent_is_not(tmp_path: Path) -> None:
    judging, stub = asked(ROWS, tmp_path, key=SECRET, max_calls=9, concurrency=2)
    settings = karat.Signature.parse(judging.signature).settings
    assert settings["model"] == "m"
    assert settings["prompt"] == load_prompt("assign").signature
    assert all(field in settings for field in Llm.__struct_fields__)
    assert not any(hidden in judging.signature for hidden in (stub.url, "127.0.0.1", SECRET, str(tmp_path)))
    # Another server, key and budget: the same requests, which are in the log.
    again, other = asked(ROWS, tmp_path, key="another-key", max_calls=0)
    assert other.calls == 0
    assert again == judging
    for name in ("llm(model=other)", "llm(seed=1)", "llm(batch=1)", "llm(prompt=labels)", "llm(form=text)"):
        assert asked(ROWS, tmp_path, judge=name)[1].calls > 0


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    fields = {"name": "mine", "version": "3", "system": "Label it.", "again": "$problem"}
    user = "=== $mark\\n$text\\n=== $mark\\n$statements\\n$names $question"
    file.write_text("\n".join([*(f'{name} = "{value}"' for name, value in fields.items()), f'user = "{user}"']))
    judge = f"llm(prompt={file})"
    judging, stub = asked(ROWS, tmp_path, judge=judge)
    assert stub.bodies[0]["messages"][0]["content"] == "Label it."
    assert f"prompt:{load_prompt(str(file)).signature}" in judging.signature
    assert parse_judge(str(parse_judge(judge))) == parse_judge(judge)
    load_prompt.cache_clear()
    signature = load_prompt(str(file)).signature
    file.write_text(file.read_text().replace("Label", "Mark"))
    load_prompt.cache_clear()
    with pytest.raises(UsageError, match="is another one now"):
        load_prompt(signature)
    for content, said in (("x", "prompt "), ('name = "x"', "missing required field"), ("name = 1", "Expected `str`")):
        file.write_text(content)
        with pytest.raises(UsageError, match=said):
            load_prompt(str(file))
    lines = ['name = "x"', 'version = "1"', 'again = "$problem"', 'system = ""']
    for user, said in (
        (
            "$text $statements $unknown",
            r"user: \$unknown is not one of \$question, \$text, \$mark, \$statements, \$names",
        ),
        ("$statements", r"\$text is missing, so that the model could not read it"),
        ("$text $statements 5 $", r"user: a dollar sign that begins no name is written \$\$"),
    ):
        file.write_text("\n".join([*lines, f'user = "{user}"']))
        load_prompt.cache_clear()
        with pytest.raises(UsageError, match=said):
            load_prompt(str(file))
    with pytest.raises(UsageError, match=r"prompt draft: it is for something else: it needs \$most"):
        asked(ROWS, tmp_path, judge="llm(prompt=draft)")
    with pytest.raises(UsageError, match=r"no prompt is called 'none'; choose from assign"):
        load_prompt("none")


def test_a_note_says_where_the_calibration_comes_from(tmp_path: Path) -> None:
    judging, _ = asked(ROWS, tmp_path)
    assert "no labels here: scores use a calibration from six LLMs of 2024 on one collection" in judging.notes[-1]
    assert "98 %" not in judging.notes[-1]


def test_a_long_response_is_refused_or_cut_with_a_note(tmp_path: Path) -> None:
    rows = [*ROWS[:4], response("q", "x", "A red fox slept. More words follow here. And tea.")]
    with llm_stub() as stub:
        with (
            karat.llm(url=stub.url, model="m", log=tmp_path / "log", yes=True),
            pytest.raises(UsageError, match=r"1 response with more than 30 characters \(run x, query q\)"),
        ):
            karat.judge(rows, judge="llm(longest=30)")
        assert stub.calls == 0
    judging, stub = asked(rows, tmp_path, judge="llm(longest=30,long=cut)")
    assert "A red fox slept.\n===" in stub.bodies[0]["messages"][1]["content"]
    assert any("were cut there for the model: what follows counts as not said" in note for note in judging.notes)


def test_labels_calibrate_it_and_failed_pairs_teach_nothing(tmp_path: Path) -> None:
    rows: list[Row] = []
    for at in range(24):
        fox, tea = at % 2 == 0, at % 3 == 0
        rows += [query(f"q{at}", "What?"), *(nug(f"q{at}", name, descriptions=[text]) for name, text in NUGS.items())]
        text = " and ".join(["Start", *["A red fox"] * fox, *["tea"] * tea])
        rows.append(response(f"q{at}", "x", f"{text} number {at}."))
        rows += [
            judgement(f"q{at}", "x", 1.0 if fox else 0.0, "a"),
            judgement(f"q{at}", "x", 0.0, "b"),
            judgement(f"q{at}", "x", 1.0 if tea else 0.0, "c"),
        ]

    def script(call: Call) -> None:
        if "number 7." in call.name:
            call.reply(call.complete("I will not say", paid=False))
        else:
            call.reply(call.complete())

    new = response("q1", "new", "A red fox.")
    with llm_stub(script) as stub, karat.llm(url=stub.url, model="m", log=tmp_path / "log", yes=True):
        judging = karat.judge([*rows, new], judge="llm")
        validation = karat.validate(rows, judge="llm")
    full = {one.nug_id: one.probabilities["1"] for one in judging.judgements if one.run_id == "new"}
    assert full["a"] > 0.9 > 0.1 > full["b"]
    assert "cal:logistic" in judging.signature
    assert validation.figures["kappa"].value == pytest.approx(1.0)
    assert any("the judge failed on 3 of 72 pairs: left out" in note for note in validation.notes)


def test_without_labels_the_prior_of_llms_is_used_and_orders_the_labels() -> None:
    prior = PRIORS["llm"]
    (slope,) = prior.full.slopes
    assert slope > 0
    assert prior.between.level >= PRIORS["semantic"].between.level
    assert prior.between.slope >= PRIORS["semantic"].between.slope


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "it has no JSON object"),
        ('{"n1": "support"', "not complete, or not valid"),
        ('{"n1": "support"}', "n2 is missing"),
        ('{"n1": "support", "n2": "support", "n3": "support"}', "n3 was not asked for"),
        ('{"n1": "support", "n2": "support", "n1": "not_support"}', "n1 is there more than once"),
        ('{"n1": "support", "n2": null}', "the label of n2 is null"),
        ('{"n1": "support", "n2": {"quote": "x"}}', "the label of n2 is null"),
        ("[" * 100_000, "it has no JSON object"),
        ('{"n1":' * 100_000, "not complete, or not valid"),
        ('{"n1": ' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
        ('{"n1": ' + "5" * 5_000 + "}", "not complete, or not valid"),
        ('{"\\u001b[31mred": "support"}', r"^\?\[31mred was not asked for$"),
        ('{"' + "x" * 99 + '": 1, "' + "x" * 99 + '": 1}', "^x{20} is there more than once$"),
        # The time to say so must not grow with the square of the length.
        ("\n" * 1_000_000, "it has no JSON object"),
        ("n1: a" + " " * 1_000_000 + ";x", "it has no JSON object"),
    ],
)
def test_answers_that_cannot_be_used(text: str, said: str) -> None:
    from karat.judges.llm.answers import read_labels

    with pytest.raises(InvalidAnswer, match=said):
        read_labels(text, ["n1", "n2"], quotes=True)


def test_answers_that_can_be_used() -> None:
    from karat.judges.llm.answers import read_labels

    for text in (
        '{"n1": "Partial Support", "n2": {"label": "not-support"}}',
        'Sure! {"labels": {"n1": {"quote": 3, "label": "partial_support"}, "n2": {"label": "not_support"}}} Done.',
        "n1: partial_support\nn2: not_support",
        "**n1** - `partial_support`\n* n2 = not support.",
    ):
        labels = read_labels(text, ["n1", "n2"], quotes=True)
        assert (labels["n1"].degree, labels["n2"].degree) == (0.5, 0.0), text


# What may be spent


@pytest.mark.parametrize("judge", ["llm", "cascade(lexical,llm,sure=0.99)"])
def test_validating_asks_only_about_responses_with_labels_and_only_if_they_can_validate(
    judge: str, tmp_path: Path
) -> None:
    rows: list[Row] = []
    for at in range(3):
        name = f"q{at}"
        rows += [query(name), nug(name, "a", descriptions=["A red fox"]), nug(name, "b", descriptions=["The blue sea"])]
        rows += [response(name, run, f"A red fox and {run}, {at}.") for run in ("x", "y")]
    labels = [judgement(f"q{at}", "x", degree, name) for at in range(3) for name, degree in (("a", 1.0), ("b", 0.0))]
    with llm_stub() as stub, karat.llm(url=stub.url, model="m", log=tmp_path / "log", yes=True):
        with pytest.raises(UsageError, match="only one query has labels"):
            karat.validate([*rows, *labels[:2]], judge=judge)
        with pytest.raises(UsageError, match="all labels are equal"):
            karat.validate([*rows, *labels[::2]], judge=judge)
        assert stub.calls == 0
        assert karat.validate([*rows, *labels], judge=judge).figures["pairs"].value == 6
        assert stub.calls == 3
        karat.judge(rows, judge=judge)
        assert stub.calls == 6


def test_nothing_is_sent_without_consent(tmp_path: Path) -> None:
    with llm_stub() as stub:
        given = {"url": stub.url, "model": "m", "log": tmp_path / "log"}
        said: list[str] = []
        with (
            karat.llm(**given, say=said.append),  # type: ignore[arg-type]
            pytest.raises(UsageError, match=r"2 calls needed, and nothing is sent without your consent: add --yes"),
        ):
            karat.judge(ROWS, judge="llm")
        assert said[0].startswith(f"llm: 2 calls to {stub.url}, model m; log: {tmp_path / 'log'}\nllm: about ")
        with (
            karat.llm(**given, max_calls=1),  # type: ignore[arg-type]
            pytest.raises(UsageError, match=r"the limits do not cover this.*--max-calls 2"),
        ):
            karat.judge(ROWS, judge="llm")
        with (
            karat.llm(**given, ask=lambda question: False),  # type: ignore[arg-type]
            pytest.raises(Stopped, match="stopped before the first call"),
        ):
            karat.judge(ROWS, judge="llm")
        assert stub.calls == 0
        with karat.llm(**given, ask=lambda question: True):  # type: ignore[arg-type]
            karat.judge(ROWS, judge="llm")
        assert stub.calls == 2
        # Nobody is asked about what is in the log.
        with karat.llm(**given, say=said.append):  # type: ignore[arg-type]
            karat.judge(ROWS, judge="llm")
        assert len(said) == 1


def test_a_used_up_budget_stops_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    rows = [*ROWS[:4], *(response("q", f"r{at}", f"A red fox sat {at} times.") for at in range(9))]
    with llm_stub(delay=0.01) as stub:
        given = {"url": stub.url, "model": "m", "log": tmp_path / "log", "yes": True, "concurrency": 4}
        for calls in (4, 8):
            with (
                karat.llm(**given, max_calls=4),  # type: ignore[arg-type]
                pytest.raises(Stopped, match="the 4 calls of --max-calls are used up"),
            ):
                karat.judge(rows, judge="llm")
            assert stub.calls == calls
        with karat.llm(**given, max_calls=4):  # type: ignore[arg-type]
            assert len(karat.judge(rows, judge="llm").judgements) == 27
        assert stub.calls == 9


def test_the_cost_is_a_hard_bound_also_with_many_calls_at_once(tmp_path: Path) -> None:
    rows = [*ROWS[:4], *(response("q", f"r{at}", f"A red fox sat {at} times.") for at in range(30))]
    with llm_stub(delay=0.01) as stub:
        with (
            karat.llm(
                url=stub.url, model="m", log=tmp_path / "log", yes=True, concurrency=8, price=(10, 100), max_cost=0.5
            ) as connection,
            pytest.raises(Stopped, match=r"--max-cost 0.5: 0.\d+ is spent, and the next call could cost"),
        ):
            karat.judge(rows, judge="llm")
        # The stub counts 100 tokens in and 20 out for every call.
        assert connection.budget.spent == pytest.approx(stub.calls * 0.003)
        assert connection.budget.spent <= 0.5
        assert 0 < stub.calls < 30


def test_a_budget_counts_what_is_unknown_as_spent() -> None:
    budget = Budget(max_calls=None, max_cost=1.0, prices=Prices(1, 1))
    aside = budget.reserve(400_000, 200_000)
    with pytest.raises(BudgetUsedUp):
        budget.reserve(400_000, 200_000)
    budget.settle(aside, None)
    assert budget.spent == pytest.approx(0.6)
    with pytest.raises(UsageError, match="--max-cost needs the prices"), karat.llm(max_cost=1):
        pass


@pytest.mark.parametrize("price", ["1", "1,2,3", "a,b", "-1,2", "1,nan"])
def test_bad_prices(price: str) -> None:
    with pytest.raises(UsageError, match="give two prices per million tokens"):
        Prices.parse(price)


# What is never sent, and never written

COMMANDS = commands_with("--llm-url")


def files_for(command: str, folder: Path) -> list[str]:
    rows = [*ROWS[:-1], judgement("q", "x", 1.0, "a"), judgement("q", "y", 0.0, "a")]
    (folder / "all.jsonl").write_text("\n".join(map(json.dumps, rows if command == "validate" else ROWS)))
    more = {"explain": ["--query", "q"], "draft-key": ["--llm", "-o", str(folder / "key.jsonl")]}
    more |= {"review": ["-o", str(folder / "review.jsonl")], "plan": ["--difference", "0.1"]}
    more |= {"validate": ["--cv", "run"]}
    kind = ["leaderboard"] if command == "plot" else []
    return [command, *kind, str(folder / "all.jsonl"), *more.get(command, ()), *_judge(command)]


def _judge(command: str) -> list[str]:
    return [] if command == "draft-key" else ["--judge", "llm(model=m)"]


def test_the_commands_that_may_ask_a_model() -> None:
    wanted = {"judge", "score", "compare", "validate", "explain", "review", "plan"}
    assert wanted <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_named_server_nothing_is_sent_whatever_the_environment_says(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*arguments: object) -> None:
        raise AssertionError(f"a connection was opened: {arguments}")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    given = files_for(command, tmp_path)
    for more in ([], ["--yes"], ["--llm-log", str(tmp_path / "log"), "--llm-model", "m", "--yes"]):
        outcome = karat_here(*given, *more)
        assert outcome.code == 2, outcome.err
        assert "--llm-url URL" in outcome.err
        assert SECRET not in outcome.err


def test_a_request_has_no_header_from_the_environment_and_only_the_key_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ORG_ID", "PROJECT_ID", "ADMIN_KEY", "WEBHOOK_SECRET", "API_KEY"):
        monkeypatch.setenv(f"OPENAI_{name}", "from-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-mine: from-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    _, stub = asked(ROWS, tmp_path)
    _, with_key = asked(ROWS, tmp_path, judge="llm(seed=1)", key=SECRET)
    needed = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
    for headers in stub.headers:
        assert set(headers) <= {*needed, "x-stainless-raw-response"}
    assert all(headers["authorization"] == f"Bearer {SECRET}" for headers in with_key.headers)
    assert "from-the-environment" not in str([*stub.headers, *stub.bodies, *with_key.headers, *with_key.bodies])


def test_the_usual_variable_is_only_read_for_https_and_any_other_only_if_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("MY_KEY", "my-own-key")
    given = files_for("judge", tmp_path)
    with llm_stub() as stub:
        outcome = karat_here(*given, "--llm-url", stub.url, "--yes")
        assert outcome.code == 0, outcome.err
        outcome = karat_here(*given[:-1], "llm(model=n)", "--llm-url", stub.url, "--yes", "--llm-key-env", "MY_KEY")
        assert outcome.code == 0, outcome.err
    keys = {headers.get("authorization") for headers in stub.headers}
    assert keys == {None, "Bearer my-own-key"}
    outcome = karat_here(*given, "--llm-url", stub.url, "--yes", "--llm-key-env", "NOT_THERE")
    assert outcome.code == 2
    assert "the environment variable is not set" in outcome.err


def echoes(status: int) -> Any:
    def script(call: Call) -> None:
        said = f"key {call.handler.headers['Authorization']} and in JSON {json.dumps(SECRET)}"
        if status == 200:
            body = call.complete(json.dumps(call.labels() | {"extra": said}), paid=False)
            call.reply(body if call.number == 1 else call.complete(f"{said} {json.dumps(call.labels())}"))
        else:
            call.refuse(status, said)

    return script


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_key_is_nowhere_even_if_the_server_repeats_it(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", SECRET)
    monkeypatch.setattr("karat.judges.llm.attempts.FIRST_WAIT", 0.0)
    given = files_for("judge", tmp_path)
    with llm_stub(echoes(status)) as stub:
        outcome = karat_here(
            *given, "--llm-url", stub.url, "--yes", "--llm-key-env", "MY_KEY", "--llm-log", "log.sqlite", "-o", "out"
        )
    assert stub.calls > 0
    assert f"Bearer {SECRET}" in {headers["authorization"] for headers in stub.headers}
    assert outcome.code == (5 if status in (400, 401) else 0)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert "log.sqlite" in written
    assert b"[secret]" in b"".join(written.values())
    for hidden in (SECRET.encode(), b"Bearer sk-"):
        assert hidden not in outcome.out + outcome.err.encode()
        assert not [name for name, content in written.items() if hidden in content]


@pytest.mark.parametrize(
    "write",
    [
        lambda key: key.replace("/", r"\/"),
        lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
        lambda key: json.dumps(json.dumps(key.replace("/", r"\/")))[3:-3],
    ],
)
def test_a_key_is_hidden_however_a_server_writes_it_in_json(write: Any, tmp_path: Path) -> None:
    key = "sk-planted/4f1d92c7a0"

    def script(call: Call) -> None:
        content = call.complete(json.dumps({"n1": "support", "HERE": 1})).replace(b"HERE", write(key).encode())
        call.reply(content)

    log = tmp_path / "log"
    with llm_stub(script) as stub, karat.llm(url=stub.url, model="m", key=key, log=log, yes=True):
        judging = karat.judge(ROWS, judge="llm")
    with closing(sqlite3.connect(log)) as database:
        dump = "\n".join(database.iterdump())
    for text in (dump, repr(judging)):
        assert "4f1d92c7a0" not in text.replace("\\", "")
        assert write(key) not in text
    assert "[secret]" in dump


def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(tmp_path: Path) -> None:
    with llm_stub() as stub:
        for key in ("sk-planted\nx", "sk-plantéd", "sk planted"):
            with (
                karat.llm(url=stub.url, model="m", key=key, log=tmp_path / "log", yes=True),
                pytest.raises(
                    UsageError, match="the key of the server has a space, a line break or a letter"
                ) as caught,
            ):
                karat.judge(ROWS, judge="llm")
            assert "plant" not in str(caught.value)
        assert stub.calls == 0
        # A file or a shell may add a line break at the end.
        with karat.llm(url=stub.url, model="m", key="sk-planted\r\n", log=tmp_path / "log", yes=True):
            karat.judge(ROWS, judge="llm")
        assert stub.headers[0]["authorization"] == "Bearer sk-planted"


def test_the_usual_port_may_be_written() -> None:
    for url in ("http://127.0.0.1:80/v1", "http://127.0.0.1/v1", "https://127.0.0.1:443/v1"):
        # Whether anybody listens there or not, the call is made: it is to the named server.
        with closing(Client(url, Secret(None), timeout=1)) as client, suppress(NoReply):
            client.send({"model": "m", "messages": []})


def test_a_key_does_not_show_in_python(tmp_path: Path) -> None:
    with karat.llm(url="http://127.0.0.1:9/v1", model="m", key=SECRET, log=tmp_path / "log") as connection:
        assert SECRET not in repr(connection) + str(connection)
        assert connection.key.reveal() == SECRET
    with pytest.raises(TypeError):
        pickle.dumps(Secret(SECRET))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "ftp://x/v1",
        "http://",
        "http://h:99999/",
        f"http://me:{SECRET}@h/v1",
        f"https://h/?k={SECRET}",
        "http://a b/v1",
        "http://h:1\t/v1",
    ],
)
def test_bad_urls_are_refused_without_showing_a_key(url: str, tmp_path: Path) -> None:
    with karat.llm(url=url, model="m", log=tmp_path / "log", yes=True), pytest.raises(UsageError) as caught:
        karat.judge(ROWS, judge="llm")
    assert "--llm-url" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_options_that_would_change_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    outcome = karat_here("judge", tmp_path / "all.jsonl", "--judge", "lexical", "--max-calls", "3")
    assert outcome.code == 2
    assert "--max-calls: no language model is asked here; add --judge llm." in outcome.err


def test_a_result_is_never_written_over_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = files_for("judge", tmp_path)
    with llm_stub() as stub:
        connected = [*given, "--llm-url", stub.url, "--yes"]
        assert karat_here(*connected, "-o", "out").code == 0
        for more in (["-o", "karat-llm.sqlite"], ["--llm-log", "x/../out", "-o", tmp_path / "out"]):
            outcome = karat_here(*connected, *more)
            assert outcome.code == 2
            assert "this is the log of calls (--llm-log); name another file." in outcome.err
        calls = stub.calls
        assert karat_here(*connected, "-o", "out").code == 0
        assert stub.calls == calls


def test_without_the_client_a_message_says_what_to_install_but_the_log_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judging, _ = asked(ROWS, tmp_path)
    monkeypatch.setitem(sys.modules, "openai", None)
    with karat.llm(url="http://127.0.0.1:9/v1", model="other", log=tmp_path / "log", yes=True):
        with pytest.raises(MissingExtra, match=r"pip install '.\[llm\]'"):
            karat.judge(ROWS, judge="llm")
        assert karat.judge(ROWS, judge="llm(model=m)") == judging
