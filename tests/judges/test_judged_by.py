from __future__ import annotations

import pytest

from evaluate.rows import judged, nug, response
from karat.evaluate.compare.compare import compare
from karat.evaluate.score.score import score
from karat.model import UsageError


def test_a_program_named_as_judge_judges_first() -> None:
    rows = [nug("q"), response("q", "x", "The 1 of q."), response("q", "y", "Tea.")]
    found = score(rows, judge="lexical", measures="strict_all")
    values = {one.run_id: one.value or 0.0 for one in found.of_all()}
    assert values["x"] > 0.5 > values["y"]
    assert any(note.startswith("no labels here") for note in found.notes)
    marks = [judged("q", "y", 1.0), judged("q", "y", 0.0, judge="k")]
    told = score([*rows, *marks], judge="lexical", labels="j")
    assert {one.run_id: one.value for one in told.of_all() if one.measure == "strict_vital"}["y"] == 1
    with pytest.raises(UsageError, match="labels are only used when a program judges"):
        score([*rows, judged("q", "y", 1.0)], labels="j")


def test_runs_are_compared_by_what_a_program_judges() -> None:
    rows = [nug(name) for name in "pq"]
    rows += [
        response(name, run_id, text) for name in "pq" for run_id, text in (("x", f"The 1 of {name}."), ("y", "Tea."))
    ]
    found = compare(rows, judge="lexical", measures="strict_all", baseline="y")
    (difference,) = found.measures[0].differences
    assert (difference.value or 0.0) > 0.3
    assert any(note.startswith("no labels here") for note in found.notes)
    with pytest.raises(UsageError, match="labels are only used when a program judges"):
        compare([*rows, judged("q", "y", 1.0), judged("q", "x", 1.0)], labels="j")
