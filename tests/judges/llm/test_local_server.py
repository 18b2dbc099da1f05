"""The judge llm against a real server with a real model, from the command line to judgements."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from builders.local_llm import local_llm, model_file
from builders.rows import nug, query, response
from cli.running import karat_here

ROWS = [
    query("q", "Why did the bridge close?"),
    nug("q", "a", descriptions=["Engineers found cracks."]),
    nug("q", "b", descriptions=["The bridge closed on Monday."]),
    response("q", "mine", "Engineers found cracks on Monday."),
    response("q", "theirs", "Two cables had cracks."),
]


def attempts(log: Path) -> list[tuple[str, int, int]]:
    connection = sqlite3.connect(log)
    try:
        return connection.execute("SELECT outcome, http_status, completion_tokens FROM attempt").fetchall()
    finally:
        connection.close()


def test_two_responses_are_judged_by_a_real_model_and_a_second_run_makes_no_call(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("xllamacpp")
    if model_file() is None:
        pytest.skip("the model is not installed: see requirements-llm.txt")
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    log = tmp_path / "log.sqlite"
    # By a schema, which the server turns into a grammar, and in words alone.
    for judge in ("llm", "llm(prompt=labels,form=text)"):
        given = [
            "judge",
            str(tmp_path / "all.jsonl"),
            "--judge",
            judge,
            "--llm-model",
            "smollm2",
            "--llm-log",
            str(log),
        ]
        with local_llm() as url:
            first = karat_here(*given, "--llm-url", url, "--max-calls", "20", "--concurrency", "1", "--yes")
            assert first.code == 0, first.err
            made = attempts(log)
            assert karat_here(*given, "--llm-url", url).out == first.out
        judgements = [json.loads(line) for line in first.lines]
        assert [(one["run_id"], one["nug_id"]) for one in judgements] == [
            (run_id, nug_id) for run_id in ("mine", "theirs") for nug_id in ("a", "b")
        ]
        assert all(one["status"] == "failed" or one["score"] in (0.0, 0.5, 1.0) for one in judgements)
        if judge == "llm":
            # The grammar leaves no way to answer wrongly, but to be cut off.
            assert {one["status"] for one in judgements} == {"ok"}
        assert all(status == 200 and tokens > 0 for _, status, tokens in made)
        # Without the server the log has everything.
        assert karat_here(*given).out == first.out
        assert attempts(log) == made
