from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from builders.rows import judgement, nug, response
from builders.simulated import simulated, unlabelled
from karat.evaluate.validate.cross_validation import labelled_pairs, try_judge
from karat.evaluate.validate.figures import JudgedPairs, RunScores
from karat.evaluate.validate.label_statistics import found_by_rows, statistic_rows
from karat.evaluate.validate.views import calibration_rows, model_rows, swap_rows, threshold_rows, view_collection
from karat.formats import load
from karat.judges.registry import parse_judge
from karat.model import UsageError

JUDGE = "rouge(stem=none,unit=response)"


def scores(official: list[list[float]], judged: list[list[float]]) -> RunScores:
    runs, queries = np.array(official).shape
    return RunScores(
        tuple(f"r{at}" for at in range(runs)),
        tuple(f"q{at}" for at in range(queries)),
        np.array(official),
        np.array(judged),
    )


SMALL = load(
    [
        *(nug("p", each, importance, descriptions=["a b"]) for each, importance in (("1", "vital"), ("2", "okay"))),
        nug("q", "1", "vital", descriptions=["c"]),
        *(response("p", run_id, "a") for run_id in "xyz"),
        response("q", "x", "b"),
        *(judgement("p", run_id, degree, "1") for run_id, degree in (("x", 1.0), ("y", 0.5), ("z", 1.0))),
        *(judgement("p", run_id, 0.0, "2") for run_id in "xyz"),
        judgement("q", "x", 1.0, "1"),
    ]
)


def test_statistics_of_a_data_set() -> None:
    found = {one.statistic: one.value for one in statistic_rows(SMALL)}
    assert found == {
        "queries": 2, "vital nugs": 2, "okay nugs": 1, "nugs without importance": 0, "nugs per query": 1.5, "runs": 3,
        "responses": 4, "responses per run": 4 / 3, "responses per query": 2, "snippets per run": 4 / 3,
        "snippets per query": 2, "pairs": 7, "pairs judged": 7, "contained in full": 3, "contained in part": 1,
        "share contained in full": 3 / 7,
    }  # fmt: skip


def test_nugs_by_the_number_of_runs_that_found_them() -> None:
    found = [(one.runs, one.nugs, one.vital, one.share) for one in found_by_rows(SMALL)]
    assert found == [(0, 1, 0, 1 / 3), (1, 1, 1, 1 / 3), (2, 1, 1, 1 / 3)]


def test_hard_decisions_at_each_threshold() -> None:
    judge = parse_judge(JUDGE)
    rows = threshold_rows(*labelled_pairs(simulated(), judge), judge, "strict_vital")
    assert [row.threshold for row in rows] == pytest.approx(np.linspace(0, 1, 21).tolist())
    first, best, last = rows[0], rows[10], rows[-1]
    assert (first.contained, first.kappa, first.tau_runs) == (1, 0, None)
    # The words tell the truth: from one of them to all.
    assert (best.kappa, best.f1, best.tau_runs, best.rmse) == (1, 1, 1, 0)
    assert last.contained == best.contained < 1


def test_swaps_by_the_size_of_the_official_difference() -> None:
    people = [[0.1], [0.105], [0.3], [0.3]]
    judge = [[0.2], [0.1], [0.25], [0.15]]
    found = {
        (one.above, one.up_to): (one.pairs, one.swapped, one.tied, one.share)
        for one in swap_rows(scores(people, judge), "F3")
    }
    # 1-2 is swapped; of 1 and 2 with 3 and 4, 1-4 is; 3-4 have no official order.
    assert found[0.0, 0.01] == (1, 1, 0, 1.0)
    assert found[0.15, 0.2] == (4, 1, 0, 0.25)
    assert found[0.3, 1.0] == (0, 0, 0, None)
    assert sum(pairs for pairs, *_ in found.values()) == 5


def test_a_judge_that_gives_the_same_score_ties() -> None:
    (row,) = [one for one in swap_rows(scores([[0.1], [0.5]], [[0.4], [0.4]]), "F3") if one.pairs]
    assert (row.above, row.swapped, row.tied) == (0.3, 0, 1)


def test_models_of_the_threshold_are_those_of_the_paper() -> None:
    pairs, _ = labelled_pairs(simulated(noise=0.2), parse_judge(JUDGE))
    rows = model_rows(pairs)
    assert [one.model for one in rows][:2] == ["optimally biased coin", "global threshold"]
    assert len(rows) == 8
    assert rows[1].log10_evidence > rows[0].log10_evidence


def test_calibration_counts_every_pair_once() -> None:
    trial = try_judge(simulated(noise=0.2), judge=JUDGE)
    rows = calibration_rows(trial.pairs)
    assert sum(row.pairs for row in rows) == len(trial.pairs.labels)
    total = sum(row.pairs * (row.contained or 0) for row in rows)
    assert total == pytest.approx(trial.pairs.labels.sum())


@pytest.mark.parametrize("view", ["runs", "statistics", "systems", "thresholds", "swaps", "calibration", "models"])
def test_every_view_has_rows_of_one_kind(view: Any) -> None:
    found = view_collection(simulated(noise=0.2), view=view, judge=JUDGE)
    assert len({type(row) for row in found.rows}) == 1
    with pytest.raises(UsageError, match="there is nothing to"):
        view_collection(unlabelled(simulated()), view=view, judge=JUDGE)


def test_a_view_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="no view 'x'; choose from runs, statistics, systems, thresholds, swaps"):
        view_collection(simulated(), view="x")  # type: ignore[arg-type]


def test_the_calibration_view_sets_what_was_said_beside_what_was_so() -> None:
    labels, chances = np.array([1.0, 0, 1, 1]), np.array([0.42, 0.48, 0.81, 1.0])
    rows = calibration_rows(JudgedPairs(labels, chances, labels, chances, np.zeros(4, int)))
    assert len(rows) == 10
    assert (rows[0].pairs, rows[0].probability, rows[0].contained) == (0, None, None)
    assert (rows[4].pairs, rows[4].probability, rows[4].contained) == (2, pytest.approx(0.45), 0.5)
    assert (rows[9].low, rows[9].high, rows[9].pairs, rows[9].contained) == (pytest.approx(0.9), 1.0, 1, 1.0)


def test_runs_are_shown_by_measure() -> None:
    rows = view_collection(simulated(noise=0.2), view="runs", judge=JUDGE, measures=["F3", "strict_all"]).rows
    assert [(row.measure, row.run_id) for row in rows[::6]] == [("F3", "r0"), ("strict_all", "r0")]  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="no measure is called 'strict'"):
        view_collection(simulated(noise=0.2), view="runs", judge=JUDGE, measures="strict")


@pytest.mark.parametrize("view", ["runs", "swaps", "thresholds"])
def test_views_of_runs_have_every_measure(view: Any) -> None:
    both = view_collection(simulated(noise=0.2), view=view, judge=JUDGE, measures=["F3", "strict_all"]).rows
    alone = view_collection(simulated(noise=0.2), view=view, judge=JUDGE, measures="strict_all").rows
    assert {row.measure for row in both} == {"F3", "strict_all"}  # type: ignore[attr-defined]
    assert tuple(row for row in both if row.measure == "strict_all") == alone  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("view", "options", "said"),
    [
        ("models", {"measures": "F3"}, "shows no scores of runs: leave out --measures"),
        ("calibration", {"measures": "F3"}, "shows no scores of runs: leave out --measures"),
        ("models", {"cv": "run"}, "hides none: leave out --cv run"),
        ("thresholds", {"cv": "snippet"}, "hides none: leave out --cv snippet"),
        ("thresholds", {"folds": 2}, "hides none: leave out --folds"),
        ("statistics", {"cv": "query"}, "hides none: leave out --cv query"),
        ("systems", {"folds": 3}, "hides none: leave out --folds"),
    ],
)
def test_what_a_view_cannot_obey_is_refused(view: Any, options: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        view_collection(simulated(noise=0.2), view=view, judge=JUDGE, **options)


@pytest.mark.parametrize("view", ["thresholds", "models"])
def test_a_judge_that_reads_judged_texts_sees_those_that_cv_leaves(view: Any) -> None:
    truth = simulated(noise=0.2, groups=True)
    alone, others = (view_collection(truth, view=view, judge="neighbours", cv=cv) for cv in ("query", "run"))  # type: ignore[arg-type]
    assert alone.rows != others.rows
    assert "|cv:run|" in others.signature
