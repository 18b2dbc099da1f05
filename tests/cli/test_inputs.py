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
