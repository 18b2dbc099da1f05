from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import karat_here

LABELS = "query_id,run_id,nugget,importance,label\nq1,mine,bees dance,vital,1\nq1,mine,food is far,vital,{}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_runs_of_two_files_get_the_names_that_the_user_gives() -> None:
    Path("monday.csv").write_text(LABELS.format(0))
    Path("tuesday.csv").write_text(LABELS.format(1))
    done = karat_here("compare", "old=monday.csv", "new=tuesday.csv", "--baseline", "old", "--format", "jsonl")
    assert done.code == 0
    (row,) = map(json.loads, done.lines)
    assert (row["run_id"], row["versus"], row["value"]) == ("new", "old", 0.5)
    Path("a=b.csv").write_text(LABELS.format(1))
    assert "mine" in karat_here("score", "a=b.csv").out.decode()


def test_judgements_with_other_query_ids_than_the_key_are_named() -> None:
    key = {"kind": "nug", "query_id": "1", "nug_id": "a", "descriptions": ["x"], "importance": "vital"}
    Path("key.jsonl").write_text(json.dumps(key))
    Path("labels.jsonl").write_text(json.dumps({"query_id": "q01", "run_id": "r", "nug_id": "a", "label": 1}))
    done = karat_here("score", "key.jsonl", "labels.jsonl")
    assert done.code == 2
    assert "the key has '1', the judgements and runs have 'q01'. Perhaps 'q01' is '1'." in done.err
