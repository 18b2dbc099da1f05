from __future__ import annotations

import pytest

import karat


def test_a_data_frame_scores_like_its_rows() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [
        {"query_id": f"q{number}", "run_id": run, "nugget": "a fox", "importance": "vital", "label": number % 2}
        for number in range(4)
        for run in "ab"
    ]
    assert karat.score(pandas.DataFrame(rows)).scores == karat.score(rows).scores
