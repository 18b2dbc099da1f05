"""`draft-key --llm`: what the model is asked, what its answers must look like, and that every nug keeps its source."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import karat
from builders.llm_stub import Call, llm_stub
from builders.rows import Row, query, response
from cli.running import karat_here
from karat.evaluate.nuggets.draft_key import DraftKey, draft_key_collection
from karat.evaluate.nuggets.drafting import llm_draft
from karat.evaluate.nuggets.drafting.llm_draft import pieces_of
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness
from karat.evaluate.nuggets.drafting.sources import SourceText
from karat.model import UsageError

pytest.importorskip("openai")
ROWS: list[Row] = [
    query("q", "What did the storm do?"),
    response("q", "a", "The storm destroyed 40 houses in Cusco. It also flooded the old market hall."),
    response("q", "b", "In Cusco 40 houses were destroyed by the storm.", "The river Huatanay rose by two metres."),
]
HOUSES, RIVER = "The storm destroyed 40 houses in Cusco.", "The river Huatanay rose by two metres."
INVENTED = "The president visited the injured in hospital."


def drafts(*statements: str) -> Any:
    """A model that drafts these statements from any text, and joins lists by equal texts."""

    def script(call: Call) -> None:
        user = call.body["messages"][1]["content"]
        if "New statements:" not in user:
            call.reply(call.complete(json.dumps({"statements": statements})))
            return
        joined: dict[str, list[str]] = {}
        for name, text in re.findall(r"^([ab]\d+): (.*)$", user, re.MULTILINE):
            joined.setdefault(text, []).append(name)
        merged = [{"text": text, "from": names} for text, names in joined.items()]
        call.reply(call.complete(json.dumps({"statements": merged})))

    return script


def drafted(url: str, folder: Path, rows: list[Row] | None = None, **more: Any) -> DraftKey:
    with karat.llm(url=url, model="m", log=folder / "log", yes=True):
        return draft_key_collection(karat.load(rows or ROWS), llm=True, sameness=LexicalSameness(), **more)


def test_every_nug_has_the_sentences_that_say_it_and_an_invented_one_is_left_out(tmp_path: Path) -> None:
    with llm_stub(drafts(RIVER, HOUSES, INVENTED)) as stub:
        draft = drafted(stub.url, tmp_path)
        assert stub.calls == 1
        sent = stub.bodies[0]["messages"][1]["content"]
        assert drafted(stub.url, tmp_path) == draft
        assert stub.calls == 1
    assert "What did the storm do?" in sent
    assert all(text["text"] in sent for row in ROWS[1:] for text in row["snippets"])
    # What two runs say comes first.
    assert [nug.descriptions[0] for nug in draft.nugs] == [HOUSES, RIVER]
    assert [(nug.extra["runs"], nug.importance) for nug in draft.nugs] == [(2, "vital"), (1, "okay")]
    assert "1 nug that the model wrote left out: no sentence of the texts says it" in draft.notes
    nuggets = {nugget.nugget_id: nugget for nugget in draft.nuggets}
    texts = {("a", "1"): ROWS[1]["snippets"][0]["text"], ("b", "1"): ROWS[2]["snippets"][0]["text"]}
    texts["b", "2"] = ROWS[2]["snippets"][1]["text"]
    sources = []
    for nug in draft.nugs:
        assert nug.members
        for member in nug.members:
            nugget = nuggets[member.nugget_id]
            (span,) = nugget.spans
            sources.append((nug.nug_id, texts[nugget.run_id, nugget.snippet_id][slice(*span)]))
    assert sources == [
        ("d1", "The storm destroyed 40 houses in Cusco."),
        ("d1", "In Cusco 40 houses were destroyed by the storm."),
        ("d2", "The river Huatanay rose by two metres."),
    ]
    signature = karat.Signature.parse(draft.signature).settings
    assert signature["llm"] == "m"
    assert re.fullmatch(r"draft\.1@\w{8},merge\.1@\w{8}", signature["prompts"])


def test_a_statement_with_another_number_has_no_source(tmp_path: Path) -> None:
    with llm_stub(drafts(HOUSES.replace("40", "400"))) as stub:
        draft = drafted(stub.url, tmp_path)
    assert draft.nugs == ()
    assert "no nug for 1 query: q" in draft.notes


def test_a_sentence_that_says_two_nugs_counts_for_both(tmp_path: Path) -> None:
    rows = [query("q", "What did the storm do?")]
    both = "The storm destroyed 40 houses in Cusco and flooded the old market hall."
    rows += [response("q", run_id, both) for run_id in "ab"]
    with llm_stub(drafts(HOUSES, "The storm flooded the old market hall.")) as stub:
        draft = drafted(stub.url, tmp_path, rows)
    assert [nug.extra["runs"] for nug in draft.nugs] == [2, 2]
    assert all(member.degree == 0.5 for nug in draft.nugs for member in nug.members)


def test_long_texts_are_drafted_in_pieces_and_the_lists_are_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_draft, "CHUNK", 60)
    with llm_stub(drafts(HOUSES, RIVER)) as stub:
        draft = drafted(stub.url, tmp_path)
        asked = [body["messages"][1]["content"] for body in stub.bodies]
    assert sum("New statements:" not in text for text in asked) == 4
    # The same two lists are joined once.
    assert len(asked) == 5
    assert [nug.descriptions[0] for nug in draft.nugs] == [HOUSES, RIVER]


def test_pieces_are_cut_between_sentences() -> None:
    def text(content: str) -> SourceText:
        return SourceText(query_id="q", run_id="r", said_by="r", snippets=(("1", content),))

    long = " ".join(f"This is the sentence with the number {at}." for at in range(800))
    pieces = pieces_of([text("Short."), text(long), text(""), text("x" * 30_000)])
    assert all(sum(map(len, piece)) <= llm_draft.CHUNK for piece in pieces)
    parts = [part for piece in pieces for part in piece]
    assert "".join(parts) == f"Short.{long}{'x' * 30_000}"
    assert [part.strip().endswith((".", "x")) for part in parts] == [True] * len(parts)


BAD_DRAFTS = {
    "a list": '["one"]',
    "no list": '{"statements": "one"}',
    "a number": '{"statements": [1]}',
    "an empty text": '{"statements": [" "]}',
    "a long text": json.dumps({"statements": ["x" * 401]}),
    "too many": json.dumps({"statements": [f"s {at}" for at in range(200)]}),
}


@pytest.mark.parametrize("name", BAD_DRAFTS)
def test_a_bad_draft_is_asked_again_and_then_failed(name: str, tmp_path: Path) -> None:
    good = drafts(HOUSES)
    with llm_stub(lambda call: call.reply(call.complete(BAD_DRAFTS[name])) if call.number == 1 else good(call)) as stub:
        assert [nug.descriptions[0] for nug in drafted(stub.url, tmp_path).nugs] == [HOUSES]
        assert stub.calls == 2
    with llm_stub(lambda call: call.reply(call.complete(BAD_DRAFTS[name]))) as stub:
        draft = drafted(stub.url, tmp_path, [*ROWS, response("q", "c", "More.")])
    assert draft.nugs == ()
    assert any("nothing was drafted from 3 texts: the model's answers cannot be used" in note for note in draft.notes)


BAD_JOINS = {
    "no origin": '{"statements": [{"text": "x"}]}',
    "an unknown origin": '{"statements": [{"text": "x", "from": ["c1"]}]}',
    "an origin twice": '{"statements": [{"text": "x", "from": ["a1"]}, {"text": "y", "from": ["a1"]}]}',
    "no text": '{"statements": [{"from": ["a1"]}]}',
    "texts only": '{"statements": ["x"]}',
}


@pytest.mark.parametrize("name", BAD_JOINS)
def test_lists_that_cannot_be_joined_are_both_kept(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_draft, "CHUNK", 100)

    def script(call: Call) -> None:
        user = call.body["messages"][1]["content"]
        if "New statements:" in user:
            call.reply(call.complete(BAD_JOINS[name]))
        else:
            drafts(HOUSES if "market hall" in user else RIVER)(call)

    with llm_stub(script) as stub:
        draft = drafted(stub.url, tmp_path)
    assert [nug.descriptions[0] for nug in draft.nugs] == [HOUSES, RIVER]
    assert any("two lists of statements were not joined" in note for note in draft.notes)


def test_a_statement_that_the_model_forgets_when_it_joins_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_draft, "CHUNK", 100)

    def script(call: Call) -> None:
        user = call.body["messages"][1]["content"]
        if "New statements:" in user:
            call.reply(call.complete('{"statements": []}'))
        else:
            drafts(HOUSES if "market hall" in user else RIVER)(call)

    with llm_stub(script) as stub:
        assert [nug.descriptions[0] for nug in drafted(stub.url, tmp_path).nugs] == [HOUSES, RIVER]


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    with llm_stub(drafts(HOUSES, RIVER)) as stub:
        given = ["draft-key", "runs.jsonl", "--llm", "--llm-url", stub.url, "--llm-model", "m", "-o", "key.jsonl"]
        outcome = karat_here(*given, "--max-calls", "1")
        assert outcome.code == 0, outcome.err
        assert "llm: 1 call to " in outcome.err
        assert "Drafted 2 nugs for 1 query from 3 nuggets." in outcome.err
        refused = karat_here(*given[:2], "--llm-url", stub.url, "-o", "other.jsonl")
    assert refused.code == 2
    assert "--llm-url: no language model is asked here; add --llm." in refused.err
    records = [json.loads(line) for line in (tmp_path / "key.jsonl").read_text().splitlines()]
    assert [record["kind"] for record in records] == ["query", "nug", "nug"]
    assert (tmp_path / "key.nuggets.jsonl").exists()
    scored = karat_here("score", "key.jsonl", "runs.jsonl", "--judge", "lexical")
    assert scored.code == 0


def test_a_server_and_a_model_are_needed() -> None:
    with pytest.raises(UsageError, match="--llm-url URL"):
        karat.draft_key(ROWS, llm=True)
    with karat.llm(url="http://127.0.0.1:9/v1"), pytest.raises(UsageError, match="which model"):
        karat.draft_key(ROWS, llm=True)
