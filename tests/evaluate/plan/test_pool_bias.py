from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from builders.rows import Row, judgement, nug, vote
from karat.evaluate.plan import pool_bias as module
from karat.evaluate.plan.pool_bias import LeftOut, PoolBias, _ranks, pool_bias
from karat.evaluate.score.score import score
from karat.formats import load
from karat.measures.cases.cases import Cases
from karat.measures.registry import parse_measure
from karat.model import UsageError


def judgements(run_id: str, contained: str, nug_ids: str, query_id: str = "q") -> list[Row]:
    """What a run contains of these nugs."""
    return [judgement(query_id, run_id, float(nug_id in contained), nug_id) for nug_id in nug_ids]


def bias(rows: list[Row], measure: str = "strict_all", missing: Any = "error", **options: Any) -> PoolBias:
    return pool_bias(Cases(load(rows), missing=missing), parse_measure(measure), **options)


def by_run(found: PoolBias) -> dict[str, LeftOut]:
    return {run.run_id: run for run in found.runs}


KEY = [nug("q", one) for one in "1234"]
ROWS = [*KEY, *judgements("a", "124", "1234"), *judgements("b", "12", "1234"), *judgements("c", "13", "1234")]


def test_a_run_loses_what_only_it_found() -> None:
    left_out = by_run(bias(ROWS))
    assert {run: one.unique_nugs for run, one in left_out.items()} == {"a": 1, "b": 0, "c": 1}
    # Without nug 4, a has 2 of 3; without nug 3, c has 1 of 3, and a and b have 3 and 2 of 3.
    assert (left_out["a"].score, left_out["a"].without) == (0.75, pytest.approx(2 / 3))
    assert (left_out["c"].score, left_out["c"].without) == (0.5, pytest.approx(1 / 3))
    assert (left_out["b"].score, left_out["b"].without, left_out["b"].difference) == (0.5, 0.5, 0.0)
    assert left_out["a"].difference == pytest.approx(2 / 3 - 0.75)


def test_ranks_are_among_all_runs_by_the_smaller_key() -> None:
    left_out = by_run(bias(ROWS))
    # Without nug 4, all three have 2 of 3; without nug 3, c is alone at the end.
    assert (left_out["a"].rank, left_out["a"].rank_without) == (1, 2)
    assert (left_out["b"].rank, left_out["b"].rank_without) == (2.5, 2.5)
    assert (left_out["c"].rank, left_out["c"].rank_without) == (2.5, 3)


def test_the_summary_is_the_mean_change_and_tau() -> None:
    result = bias(ROWS)
    assert result.mean_absolute_change == pytest.approx(((0.75 - 2 / 3) + 0.0 + (0.5 - 1 / 3)) / 3)
    assert result.largest_rank_change == 1
    # Scores 3/4, 1/2, 1/2 against 2/3, 1/2, 1/3: two pairs in order, one tied on one side.
    assert result.tau == pytest.approx(2 / (2 * 3) ** 0.5)
    assert result.measure == "strict_all"


def test_scoring_without_unique_nugs_is_scoring_by_a_key_without_them() -> None:
    second = [nug("p", one) for one in "12"]
    rows = [*ROWS, *second, *(row for run in "abc" for row in judgements(run, "1", "12", "p"))]
    left_out = by_run(bias(rows, "lenient_vital"))
    smaller = [row for row in rows if (row["query_id"], row["nug_id"]) != ("q", "4")]
    (official,) = [one.value for one in score(smaller, measures="lenient_vital").of_all() if one.run_id == "a"]
    assert left_out["a"].without == pytest.approx(official)


def test_runs_of_one_group_do_not_vouch_for_each_other() -> None:
    grouped = by_run(bias(ROWS, groups={"a": "lab", "b": "lab", "c": None}))
    # Nugs 2 and 4 are only the lab's.
    assert {run: one.unique_nugs for run, one in grouped.items()} == {"a": 2, "b": 2, "c": 1}
    assert grouped["a"].group == "lab"
    assert (grouped["b"].without, grouped["c"].group) == (0.5, None)


def test_a_nug_found_in_part_is_found() -> None:
    rows = [nug("q", "1"), nug("q", "2"), *judgements("a", "12", "12"), *judgements("b", "1", "1")]
    rows += [judgement("q", "b", 0.5, "2")]
    assert {run: one.unique_nugs for run, one in by_run(bias(rows)).items()} == {"a": 0, "b": 0}


def test_parts_go_with_their_nug() -> None:
    rows = [nug("q", "1"), nug("q", "2", aggregator="or"), nug("q", "x", parent="2"), nug("q", "y", parent="2")]
    rows += judgements("a", "1x", "1xy") + judgements("b", "1", "1xy")
    left_out = by_run(bias(rows))
    assert (left_out["a"].score, left_out["a"].without, left_out["a"].unique_nugs) == (1.0, 1.0, 1)
    assert (left_out["b"].score, left_out["b"].unique_nugs) == (0.5, 0)


def test_a_query_without_a_key_left_is_left_out_and_counted() -> None:
    rows = [nug("q", "1"), *judgements("a", "1", "1"), *judgements("b", "", "1")]
    rows += [nug("p", "1"), *judgements("a", "1", "1", "p"), *judgements("b", "1", "1", "p")]
    left_out = by_run(bias(rows))
    assert (left_out["a"].unique_nugs, left_out["a"].queries_lost, left_out["a"].without) == (1, 1, 1.0)
    assert left_out["b"].queries_lost == 0


def test_a_run_left_with_nothing_has_no_score_and_no_rank() -> None:
    result = bias([nug("q", "1"), *judgements("a", "1", "1"), *judgements("b", "", "1")])
    a = by_run(result)["a"]
    assert (a.score, a.without, a.difference, a.rank, a.rank_without) == (1.0, None, None, 1, None)
    assert (result.mean_absolute_change, result.tau) == (0.0, None)


def test_a_single_run_owes_all_to_itself() -> None:
    result = bias([*KEY, *judgements("a", "12", "1234")])
    (a,) = result.runs
    assert (a.unique_nugs, a.score, a.without, a.rank_without, result.tau) == (2, 0.5, 0.0, 1, None)


def test_a_response_that_is_skipped_finds_nothing() -> None:
    rows = [*ROWS, nug("p", "1"), *judgements("a", "1", "1", "p"), *judgements("b", "1", "1", "p")]
    left_out = by_run(bias(rows, missing="skip"))
    assert (left_out["c"].score, left_out["c"].unique_nugs) == (0.5, 1)


def test_a_pyramid_is_built_again_from_the_nugs_that_are_left() -> None:
    votes = [
        vote(nug_id, value, who)
        for nug_id, values in {"1": ("vital", "okay"), "2": ("vital", "vital")}.items()
        for who, value in zip("xy", values, strict=True)
    ]
    rows = [nug("q", "1"), nug("q", "2"), *votes, *judgements("a", "12", "12"), *judgements("b", "1", "12")]
    left_out = by_run(bias(rows, "pyramid_recall"))
    # Nug 1 weighs 1/2 beside nug 2, and 1 alone.
    assert (left_out["a"].score, left_out["a"].without, left_out["b"].score) == (1.0, 1.0, pytest.approx(1 / 3))
    assert left_out["a"].rank_without == 1.5


def test_progress_is_reported_by_group_with_nugs_of_its_own() -> None:
    seen = []

    def track(items: Any, what: str) -> Any:
        seen.append((what, len(items)))
        return items

    bias(ROWS, track=track)
    assert seen == [("pool bias", 2)]


def test_without_judgements_there_is_nothing_to_leave_out() -> None:
    with pytest.raises(
        UsageError, match="strict_all: pool bias needs a key with judgements, and a measure that counts judgements"
    ):
        bias(KEY)


def test_ranks_are_those_of_comparing_every_run_with_every_other() -> None:
    draw = np.random.default_rng(0)
    scores = draw.integers(0, 6, 30) / 7
    scores[[3, 8]] = np.nan
    for less in (False, True):
        turned = (-scores if less else scores).round(12)
        expected = [
            np.nan if np.isnan(own) else (turned > own).sum() + ((turned == own).sum() + 1) / 2 for own in turned
        ]
        np.testing.assert_array_equal(_ranks(scores, less), expected)


def test_no_table_of_all_runs_and_queries_is_kept_per_group(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[weakref.ref[Any]] = []
    rescored = module._rescored

    def noted(*arguments: Any) -> Any:
        values = rescored(*arguments)
        tables.append(weakref.ref(values))
        return values

    def track(items: Any, _: str) -> Any:
        for item in items:
            # Before a group's work, that of the group before it may be there.
            assert sum(table() is not None for table in tables) <= 1
            yield item

    monkeypatch.setattr(module, "_rescored", noted)
    names = "abcdefgh"
    rows = [nug("q", name) for name in names] + [row for name in names for row in judgements(name, name, names)]
    assert [run.unique_nugs for run in bias(rows, track=track).runs] == [1] * 8
    assert len(tables) == 8


def test_only_groups_with_nugs_of_their_own_are_scored_again() -> None:
    # Nug 1 is in all runs but b, nug 2 only in a, nug 3 in two runs of one group.
    found = {"a": "12", "b": "", "c": "13", "d": "13", "e": "1"}
    rows = [nug("q", nug_id) for nug_id in "123"]
    rows += [row for run_id, contained in found.items() for row in judgements(run_id, contained, "123")]
    counted = []

    class Counted(list[Any]):
        def __iter__(self) -> Any:
            counted.append(len(self))
            return super().__iter__()

    left_out = by_run(bias(rows, groups={"c": "g", "d": "g"}, track=lambda items, _: Counted(items)))
    assert counted == [2]
    assert {run_id: run.unique_nugs for run_id, run in left_out.items()} == {"a": 1, "b": 0, "c": 1, "d": 1, "e": 0}
    assert left_out["c"].without == left_out["d"].without == pytest.approx(1 / 2)
    assert left_out["e"].without == left_out["e"].score == pytest.approx(1 / 3)
    assert left_out["e"].rank_without == left_out["e"].rank == 4
