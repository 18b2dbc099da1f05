from __future__ import annotations

from typing import Any

import pytest

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
    assert lines[0].startswith("new is 1.000 worse than main in strict_vital (n 10, p 0.0010)")
    assert lines[1].startswith("  lost: q0 ")
    assert lines[1].endswith("(1 -> 0) a red fox")
    assert len(lines) == 11


def test_a_gain_is_not_worse() -> None:
    assert_not_worse([*labels("main", [0.0] * 10), *labels("new", [1.0] * 10)], baseline="main", run="new")


def test_a_loss_too_small_for_a_test_passes_unless_a_margin_is_set() -> None:
    rows = [*GOOD, *labels("new", [0.0, *[1.0] * 9])]
    assert_not_worse(rows, baseline="main", run="new")
    with pytest.raises(AssertionError, match=r"new is 0\.100 worse than main"):
        assert_not_worse(rows, baseline="main", run="new", margin=0.05)


def test_other_runs_are_left_alone_where_one_is_named() -> None:
    rows = [*GOOD, *labels("new", [1.0] * 10), *labels("old", [0.0] * 10)]
    assert_not_worse(rows, baseline="main", run="new")
    with pytest.raises(AssertionError, match=r"old is 1\.000 worse"):
        assert_not_worse(rows, baseline="main")


def test_a_run_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match="there is no run 'next'; choose from main, new"):
        assert_not_worse([*GOOD, *labels("new", [1.0] * 10)], baseline="main", run="next")
