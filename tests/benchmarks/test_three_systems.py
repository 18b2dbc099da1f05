"""Three systems, one of which paraphrases everything: without labels, no letter may say that it is the worst."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat

FOLDER = Path(__file__).parents[2] / "benchmarks" / "judges" / "probe" / "three_systems"


def test_the_system_that_paraphrases_is_not_said_to_be_worse_than_the_weak_one() -> None:
    pytest.importorskip("onnxruntime")
    scoring = karat.score(FOLDER / "key.jsonl", FOLDER / "runs.jsonl", judge="semantic", measures="strict_all")
    over_all = [row for row in scoring.to_dicts() if row["query_id"] == "all"]
    letters = {row["run_id"]: row["tie"] for row in over_all}
    value = {row["run_id"]: row["value"] for row in over_all}
    assert value["atlas"] > value["birch"]
    assert set(letters["birch"]) & set(letters["cedar"])
