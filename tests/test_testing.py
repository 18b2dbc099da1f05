from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.model import UsageError
from karat.testing import assert_not_worse


def labels(run_id: str, found: list[float]) -> list[dict[str, Any]]:
    return [
        {"query_id": f"q{number}", "run_id": run_id, "nugget": "a red fox", "importance": "vital", "label": degree}
        for number, degree in enumerate(found)
    ]


GOOD = labels("main", [1.0] * 10)


def test_the_same_run_is_not_worse() -> None:
    comparison = assert_not_worse([*GOOD, *labels("new", [1.0] * 10)], baseline="main", run="new")
    assert comparison.measures[0].differences[0].value == 0.0


def test_a_clear_loss_fails_and_names_the_lost_nugs() -> None:
    with pytest.raises(AssertionError) as raised:
        assert_not_worse([*GOOD, *labels("new", [0.0] * 10)], baseline="main", run="new", measures="strict_vital")
    lines = str(raised.value).splitlines()
    assert lines[0].startswith("worse: new is 1.000 worse than main in strict_vital (p = 0.0010 after correction)")
    assert lines[1].startswith("  lost: q0 ")
    assert lines[1].endswith("(1 -> 0) a red fox")
    assert len(lines) == 11


def test_a_gain_is_not_worse() -> None:
    assert_not_worse([*labels("main", [0.0] * 10), *labels("new", [1.0] * 10)], baseline="main", run="new")


def test_a_loss_too_small_for_a_test_passes_unless_a_largest_loss_is_set() -> None:
    rows = [*GOOD, *labels("new", [0.0, *[1.0] * 9])]
    assert_not_worse(rows, baseline="main", run="new")
    with pytest.raises(AssertionError, match=r"not shown: new is not shown to lose less than 0\.05 .* may lose 0\.3"):
        assert_not_worse(rows, baseline="main", run="new", max_loss=0.05)
    assert_not_worse(rows, baseline="main", run="new", max_loss=0.5)


def test_other_runs_are_not_tested_where_one_is_named() -> None:
    rows = [*GOOD, *labels("new", [1.0] * 10), *labels("old", [0.0] * 10)]
    assert_not_worse(rows, baseline="main", run="new")
    with pytest.raises(AssertionError, match=r"old is 1\.000 worse"):
        assert_not_worse(rows, baseline="main")


def test_a_run_that_is_not_there_is_reported() -> None:
    with pytest.raises(UsageError, match="there is no run 'next'; choose from main, new"):
        assert_not_worse([*GOOD, *labels("new", [1.0] * 10)], baseline="main", run="next")


def test_a_check_that_could_never_fail_fails() -> None:
    rows = [*labels("main", [1.0] * 4), *labels("new", [0.0] * 4)]
    with pytest.raises(AssertionError, match="undecided: with 4 queries no difference"):
        assert_not_worse(rows, baseline="main", run="new")
    for loss in (0.5, 0.999):
        with pytest.raises(AssertionError, match=r"not shown: new is not shown to lose less than"):
            assert_not_worse(rows, baseline="main", run="new", max_loss=loss)
    # Four equal queries rule out a loss of 1 - 0.05^(1/4) = 0.527.
    equal = [*labels("main", [1.0] * 4), *labels("new", [1.0] * 4)]
    assert_not_worse(equal, baseline="main", max_loss=0.53)
    with pytest.raises(AssertionError, match=r"may lose 0\.528 .*as many as 6 equal queries would show it"):
        assert_not_worse(equal, baseline="main", max_loss=0.4)
    with pytest.raises(UsageError, match="--max-loss 0: a difference that does not matter is a number above 0"):
        assert_not_worse(equal, baseline="main", max_loss=0.0)


def test_runs_without_a_query_in_common_fail() -> None:
    failed = [row | {"label": "failed"} for row in labels("new", [1.0] * 10)]
    for options in ({}, {"max_loss": 0.9}):
        with pytest.raises(AssertionError, match="new and main have no query with strict_vital in common"):
            assert_not_worse([*GOOD, *failed], baseline="main", run="new", measures="strict_vital", **options)


def test_the_rules_of_scoring_are_taken() -> None:
    rows = [*GOOD, *labels("new", [1.0] * 9)]
    with pytest.raises(UsageError, match="run new has no response to query q9"):
        assert_not_worse(rows, baseline="main", run="new")
    assert_not_worse(rows, baseline="main", run="new", missing="skip", max_loss=0.3)
    with pytest.raises(AssertionError, match=r"not shown: .*seen: -0\.100, 10 queries"):
        assert_not_worse(rows, baseline="main", run="new", missing="zero", max_loss=0.3)


def test_files_are_named_as_on_the_command_line(tmp_path: Path) -> None:
    for name, degree in (("monday", 1.0), ("tuesday", 0.0)):
        karat.write(labels("mine", [degree] * 10), tmp_path / f"{name}.jsonl")
    old, new = f"old={tmp_path}/monday.jsonl", f"new={tmp_path}/tuesday.jsonl"
    with pytest.raises(AssertionError, match=r"new is 1\.000 worse than old in strict_vital"):
        assert_not_worse(old, new, baseline="old", run="new", measures="strict_vital")
    assert_not_worse(old, new, baseline="new", run="old", measures="strict_vital")
