"""A cascade by its name: what is explained, and what the printed commands say."""

from __future__ import annotations

from pathlib import Path

import karat
from cli.running import karat_here
from karat.model import Nug
from karat.model.identity import key_hash


def test_a_cascade_is_explained_without_levels() -> None:
    result = karat_here("judges", "cascade")
    assert result.code == 0
    assert "uncertain moves on" in result.text


def test_a_plan_prints_a_score_command_that_works(tmp_path: Path) -> None:
    key, _, runs = karat.demo_files()
    judge = "cascade(lexical,human)"
    plan = tmp_path / "q.json"
    result = karat_here("plan", str(key), str(runs), "--review", "--minutes", "10", "--judge", judge, "-o", str(plan))
    assert result.code == 0, result.err
    assert f"--judge '{judge}'" in result.err + result.text


def test_a_key_with_minus_zero_is_the_same_key() -> None:
    one, other = (Nug(query_id="q", nug_id="1", descriptions=("a",), weight=weight) for weight in (0.0, -0.0))
    assert key_hash([one]) == key_hash([other])
