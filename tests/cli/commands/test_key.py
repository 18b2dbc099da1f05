from __future__ import annotations

import json
from pathlib import Path

import pytest

import karat
from builders.records import judgement, nug
from cli.running import karat_here

OLD = [nug("1", "The quick red fox jumped.", query_id=query, importance="vital") for query in "pqrst"] + [
    nug("2", "Rivers carry minerals into the ocean.", query_id=query, importance="okay") for query in "pqrst"
]
NEW = [
    *OLD[1:],
    nug("1", "The quick red fox jumped.", query_id="p", importance="okay"),
    nug("3", "Honey is sweet.", query_id="p", importance="vital"),
]
JUDGED = [
    judgement(nug_id, float((run == "a") == (nug_id == "1")), query_id=query, run_id=run)
    for query in "pqrst" for run in "ab" for nug_id in "12"
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, records in (("old", OLD), ("new", NEW), ("judgements", JUDGED)):
        karat.write(records, f"{name}.jsonl")


def diff(*more: str) -> tuple[str, ...]:
    return ("key", "diff", "old.jsonl", "new.jsonl", *more, "--by", "words")


def test_the_hash_is_that_of_the_verb() -> None:
    assert karat_here("key", "hash", "old.jsonl").lines == [f"key:{karat.key_hash(OLD)}"]
    (row,) = map(json.loads, karat_here("key", "hash", "old.jsonl", "--format", "jsonl").lines)
    assert row == {"key": karat.key_hash(OLD), "queries": 5, "nugs": 10, "votes": 0}
    assert karat_here("key", "hash", "judgements.jsonl").code == 3


def test_the_table_names_the_changes_and_what_they_do() -> None:
    done = karat_here(*diff("judgements.jsonl", "--measures", "strict_vital"))
    assert done.code == 0
    assert "1: The quick red fox jumped. (importance vital -> okay)" in done.text
    assert "+ 3: Honey is sweet. (vital)" in done.text
    assert any(line.split()[:2] == ["strict_vital", "old"] for line in done.lines)
    assert "nobody judged 1 nug of the new key (the first: nug 3 of query p)" in done.err
    assert f"signature: key-diff|old:{karat.key_hash(OLD)}|new:{karat.key_hash(NEW)}|by:lexical|" in done.err


def test_rows_for_programs_have_every_part() -> None:
    rows = [json.loads(line) for line in karat_here(*diff("judgements.jsonl", "--format", "jsonl")).lines]
    assert {row["part"] for row in rows} >= {"change", "run", "alone"}
    assert sum(row["part"] == "change" for row in rows) == 11
    header, *lines = karat_here(*diff("judgements.jsonl", "--format", "tsv")).lines
    assert header.startswith("part\tquery_id\tkinds\t")
    assert all(line.count("\t") == header.count("\t") for line in lines)
    page = karat_here(*diff("--format", "markdown")).text
    assert "| query | kind | sure | nugs |" in page


def test_the_output_can_be_a_file_but_not_a_key(tmp_path: Path) -> None:
    assert karat_here(*diff("-o", "diff.txt")).code == 0
    assert "importance vital -> okay" in Path("diff.txt").read_text()
    assert karat_here(*diff("-o", "new.jsonl")).code == 2
    assert karat.key_hash("new.jsonl") == karat.key_hash(NEW)


def test_mistakes_are_said() -> None:
    assert "no nugs" in karat_here("key", "diff", "old.jsonl", "judgements.jsonl").err
    assert "give the judgements" in karat_here(*diff("--carry")).err
