from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from karat.cli.commands import stability as module
from karat.cli.commands.stability import command
from karat.model import UsageError

RUNS, QUERIES, NUGS = ("a", "b", "c"), ("p", "q", "r", "s"), ("1", "2", "3")
FILE = ("rows.jsonl", "--trials", "5")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = [{"kind": "run", "run_id": run, "group": f"lab {run}", "human": False} for run in RUNS]
    for query in QUERIES:
        for nug in NUGS:
            rows.append({"kind": "nug", "query_id": query, "nug_id": nug, "descriptions": [nug], "importance": "vital"})
            for who in "xy":
                value = "vital" if rng.random() < 0.7 else "okay"
                rows.append({"kind": "vote", "query_id": query, "nug_id": nug, "assessor": who, "value": value})
        for at, run in enumerate(RUNS):
            snippets = [{"snippet_id": "1", "text": "w" * 150}]
            rows.append({"kind": "response", "query_id": query, "run_id": run, "snippets": snippets})
            for nug in NUGS:
                degree = float(rng.random() < 0.3 + 0.2 * at)
                judged = {"query_id": query, "run_id": run, "nug_id": nug, "degree": degree, "judge": "j"}
                rows.append({"kind": "judgement", "status": "ok"} | judged)
    Path("rows.jsonl").write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in rows))


def stability(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def heads(done: Result) -> list[str]:
    lines = done.stdout.splitlines()
    return [lines[at - 1] for at, line in enumerate(lines) if line.startswith("--")]


def test_tables_by_queries_variance_and_pool_bias() -> None:
    done = stability(*FILE)
    assert done.exit_code == 0
    first, variance, bias = heads(done)
    assert first.split()[:2] == ["strict_vital,", "queries"]
    assert [line.split()[0] for line in done.stdout.splitlines()[2:6]] == ["1", "2", "3", "4"]
    assert variance.startswith("strict_vital varies with")
    assert bias.split()[:4] == ["run", "group", "unique", "nugs"]
    assert "3 pairs of 3 runs on 4 queries" in done.stderr
    assert "without the nugs that only its group found" in done.stderr
    assert re.search(
        r"signature: strict_vital\|judge:j\|missing:error\|unjudged:skip\|assessors:mean\|key:[0-9a-f]{16}\|"
        r"sizes:1,2,3,4\|trials:5\|",
        done.stderr,
    )


def test_measures_of_votes_have_tables_by_assessors() -> None:
    done = stability(*FILE, "--measures", "pyramid_F3,macro_F3", "--sizes", "2")
    found = heads(done)
    assert [head.split()[:2] for head in found if "panels" in head] == [
        ["pyramid_F3,", "assessors"],
        ["macro_F3,", "assessors"],
    ]
    assert sum(head.startswith("macro_F3 by a single assessor varies with") for head in found) == 1


def test_jsonl_is_score_records_that_karat_reads() -> None:
    from karat.formats import load

    done = stability(*FILE, "--measures", "macro_F3", "--sizes", "2,3", "--panels", "1", "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    by_name = {(row["run_id"], row["measure"]): row for row in rows}
    assert len(by_name) == len(rows) == len(load(done.stdout.encode()).scores)
    swapped = by_name["all", "macro_F3:swapped(2)"]
    assert (swapped["n"], swapped["trials"], swapped["pairs"]) == (2, 5, 3)
    assert 0 <= swapped["low"] <= swapped["value"] <= swapped["high"] <= 1
    assert by_name["all", "macro_F3:told_apart_by_assessors(1)"]["trials"] == 2
    assert by_name["all", "macro_F3:variance:run"]["percent"] <= 100
    bias = by_name["b", "macro_F3:pool_bias"]
    assert bias["value"] == pytest.approx(bias["without"] - bias["with"])
    assert bias["group"] == "lab b"


def test_tsv_has_the_further_fields_as_columns() -> None:
    done = stability(*FILE, "--sizes", "2", "--format", "tsv")
    head, *rows = (line.split("\t") for line in done.stdout.splitlines())
    assert head[:6] == ["run_id", "measure", "n", "value", "low", "high"]
    assert {"trials", "percent", "unique_nugs", "rank_without"} < set(head)
    assert {len(row) for row in rows} == {len(head)}


def test_a_progress_bar_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert list(module._track([1, 2], "queries")) == [1, 2]
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(module._track([1, 2], "queries")) == [1, 2]
    assert "queries" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_numbers_that_are_none_are_reported() -> None:
    done = stability(*FILE, "--sizes", "5,x")
    assert done.exit_code == 2
    assert "'5,x' is not a list of whole numbers such as 5,10,25" in done.stderr


def test_sizes_that_cannot_be_drawn_are_a_usage_error() -> None:
    done = stability(*FILE, "--sizes", "2,50")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == "cannot draw 50 queries: sizes must be from 1 to 4 here"
