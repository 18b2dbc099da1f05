from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import karat_here


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    karat_here("demo", "--copy", ".")


def test_a_pyramid_is_a_key_that_score_takes() -> None:
    done = karat_here("pyramid", "key.jsonl", "-o", "pyramid.jsonl")
    assert (done.code, done.out) == (0, b"")
    nugs = [json.loads(line) for line in Path("pyramid.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in nugs] == ["query"] * 12 + ["nug"] * 77
    assert nugs[0]["text"] == "Why do honeybees dance?"
    nugs = nugs[12:]
    assert max(nug["weight"] for nug in nugs) == 1.0
    judged = ("judgements.jsonl", "runs.jsonl", "--on-error", "skip", "--measures", "pyramid_F3", "--format", "jsonl")
    by_weight = [json.loads(line) for line in karat_here("score", "pyramid.jsonl", *judged).lines]
    by_votes = [json.loads(line) for line in karat_here("score", "key.jsonl", *judged).lines]
    assert [row["value"] for row in by_weight] == pytest.approx([row["value"] for row in by_votes])


def test_a_pyramid_as_a_table_tsv_and_jsonl() -> None:
    table = karat_here("pyramid", "key.jsonl")
    assert table.lines[0].split() == ["query", "nug", "votes", "of", "weight", "description"]
    rows = [line.split("\t") for line in karat_here("pyramid", "key.jsonl", "--format", "tsv").lines]
    assert rows[0][:2] == ["query_id", "nug_id"]
    assert len(rows) == 78
    lines = karat_here("pyramid", "key.jsonl", "--format", "jsonl").lines
    assert [json.loads(line)["kind"] for line in lines] == ["query"] * 12 + ["nug"] * 77


def test_votes_alone_give_the_same_weights() -> None:
    votes = [line for line in Path("key.jsonl").read_text().splitlines() if json.loads(line)["kind"] == "vote"]
    Path("votes.jsonl").write_text("\n".join(votes) + "\n")
    alone = karat_here("pyramid", "votes.jsonl", "--format", "tsv")
    whole = karat_here("pyramid", "key.jsonl", "--format", "tsv")
    assert alone.code == 0
    assert [line.split("\t")[:5] for line in alone.lines] == [line.split("\t")[:5] for line in whole.lines]
    assert "77 nugs with votes in no key: without descriptions here" in alone.err
    assert karat_here("pyramid", "votes.jsonl", "-o", "weights.jsonl").code == 0
    assert karat_here("show", "weights.jsonl").code == 0


def test_a_pyramid_needs_votes() -> None:
    done = karat_here("pyramid", "runs.jsonl")
    assert (done.code, done.out) == (3, b"")
    assert "there are no votes" in done.err
