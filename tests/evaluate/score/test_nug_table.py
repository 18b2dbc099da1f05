from __future__ import annotations

import pytest

from builders.rows import judged_rows, nug, score_rows
from karat.evaluate.score.nug_table import nug_table
from karat.formats import load
from karat.model import UsageError


def test_one_row_per_nug_with_what_each_run_contains_of_it() -> None:
    rows = nug_table(load(judged_rows({"a": [1.0, 0.5], "b": [0.0, 0.5]})))
    assert [(row.query_id, row.degrees, row.mean) for row in rows] == [
        ("q0", {"a": 1.0, "b": 0.0}, 0.5),
        ("q1", {"a": 0.5, "b": 0.5}, 0.5),
    ]


def test_vital_nugs_come_first_and_the_least_found_on_top() -> None:
    rows = nug_table(load([*judged_rows({"a": [1.0, 0.0, 0.5]})]))
    assert [row.mean for row in rows] == [0.0, 0.5, 1.0]


def test_what_nobody_judged_is_not_known() -> None:
    rows = nug_table(load([*judged_rows({"a": [1.0]}), nug("q0", "other")]))
    assert {row.nug_id: row.mean for row in rows if row.nug_id == "other"} == {"other": None}


def test_scores_do_not_say_which_nugs() -> None:
    with pytest.raises(UsageError):
        nug_table(load(score_rows({"a": [0.1], "b": [0.2]})))
