from __future__ import annotations

import numpy as np
import pytest

from builders.rows import Row, judged_rows
from karat.evaluate.compare.compare import compare
from karat.evaluate.score.score import score
from karat.evaluate.tables.score_table import Average


def easy_and_hard() -> list[Row]:
    """A has only easy queries, B has hard ones as well: B is the better on every query that both have."""
    draw = np.random.default_rng(2)
    easy, hard = draw.uniform(0.6, 0.7, 12), draw.uniform(0.1, 0.2, 12)
    return judged_rows({"A": easy.round(2).tolist(), "B": [*(easy + 0.2).round(2).tolist(), *hard.round(2).tolist()]})


@pytest.mark.parametrize("average", ["pool", "median"])
def test_rows_follow_the_queries_that_all_runs_have(average: Average) -> None:
    rows = easy_and_hard()
    scoring = score(rows, measures="lenient_vital", average=average, missing="skip")
    by_run = {each.run_id: each for each in scoring.of_all()}
    assert (by_run["A"].value or 0) > (by_run["B"].value or 0)
    assert [line.split()[0] for line in str(scoring).splitlines()[2:4]] == ["B", "A"]
    assert any("follow the scores over the queries that all runs have" in note for note in scoring.notes)
    if average == "pool":
        assert (by_run["A"].extra["tie"], by_run["B"].extra["tie"]) == ("b", "a")
        (pair,) = compare(rows, measures="lenient_vital", average="pool", missing="skip").measures[0].differences
        assert (pair.run_id, pair.significant, pair.loss < 0) == ("B", True, True)


def test_without_a_query_that_all_have_pooled_scores_have_no_letters() -> None:
    rows = [
        row
        for row in judged_rows({name: [0.5, 0.75] * 12 for name in "ABC"})
        if row["kind"] != "judgement" or int(row["query_id"][1:]) // 8 != "ABC".index(row["run_id"])
    ]
    scoring = score(rows, measures="lenient_vital", average="pool", missing="skip")
    assert not any("tie" in each.extra for each in scoring.of_all())
    assert any("no query that all runs have gives pooled scores an order" in note for note in scoring.notes)
    assert any("the order of the rows says nothing" in note for note in scoring.notes)
    means = score(rows, measures="lenient_vital", missing="skip")
    assert all(each.extra["tie"] == "a" for each in means.of_all())


def test_scores_close_together_and_far_from_a_bound_have_a_note() -> None:
    matrix = {"even": [0.9 + 0.01 * (at % 7) for at in range(20)], "mixed": [0.1 * (at % 9) for at in range(20)]}
    (note,) = (
        note for note in score(judged_rows(matrix), measures="lenient_vital").interval_notes if "rare failure" in note
    )
    assert note.startswith("lenient_vital (even): all scores lie close together")
    assert not any("rare failure" in note for note in score(judged_rows({"mixed": matrix["mixed"]})).interval_notes)
