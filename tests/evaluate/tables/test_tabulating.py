from __future__ import annotations

import numpy as np
import pytest

from builders.rows import Row, judged_rows, response, score_rows, total_rows
from karat.evaluate.tables.tabulating import Tabulated, tabulated
from karat.formats import load
from karat.model import UsageError

JUDGED = judged_rows({"r": [1.0, 0.5], "s": [0.0, 0.5]})
GIVEN = score_rows({"r": [0.9, 0.5], "s": [0.2, None]})
HOLED = [*score_rows({"r": [0.9, 0.5]}), *score_rows({"s": [0.2]})]
"""Run s has no score for q1."""


def tables(rows: list[Row], **options: object) -> Tabulated:
    return tabulated(load(rows), **options)  # type: ignore[arg-type]


def refused(rows: list[Row], **options: object) -> str:
    with pytest.raises(UsageError) as raised:
        tables(rows, **options)
    return str(raised.value)


def test_named_measures_come_in_their_order_and_others_as_they_suit() -> None:
    named = tables(JUDGED, measures="lenient_all,strict_all")
    assert [table.name for table in named.tables] == ["lenient_all", "strict_all"]
    assert named.cases is not None
    suitable = ["strict_vital", "lenient_vital", "strict_all", "lenient_all"]
    assert [table.name for table in tables(JUDGED).tables] == suitable
    assert [table.name for table in tables(JUDGED, most=1).tables] == suitable[:1]


def test_beta_is_that_of_an_f_that_names_none() -> None:
    rows = [*JUDGED, *(response(f"q{at}", run_id) for run_id in "rs" for at in (0, 1))]
    assert [table.name for table in tables(rows, measures="F,F3", beta=2.0).tables] == ["F2", "F3"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"average": "mode"}, "average='mode' is not one of query, pool, median"),
        ({"missing": "drop"}, "missing='drop' is not one of error, zero, skip"),
        ({"measures": ""}, "no measure is named; choose from strict_vital, "),
        ({"measures": ["strict_vitl", "lenient"]}, "no measure is called 'strict_vitl' (did you mean strict_vital?)"),
    ],
)
def test_choices_that_do_not_exist_are_refused(option: dict[str, object], message: str) -> None:
    assert refused(JUDGED, **option).startswith(message)


def test_all_unknown_measures_are_reported_at_once() -> None:
    told = refused(JUDGED, measures="strict_vitl,lenient")
    assert "'strict_vitl'" in told
    assert "'lenient'" in told


def test_scores_per_query_are_a_table_as_they_are() -> None:
    found = tables(GIVEN)
    (table,) = found.tables
    assert (found.cases, found.notes) == (None, ())
    assert (table.name, table.run_ids, table.query_ids) == ("M", ("r", "s"), ("q0", "q1"))
    np.testing.assert_array_equal(table.values, [[0.9, 0.5], [0.2, np.nan]])
    assert not table.skipped.any()
    assert (table.n(1), table.undefined(1)) == (1, 1)


def test_a_key_makes_scores_again_from_judgements() -> None:
    assert [table.name for table in tables([*JUDGED, *GIVEN], most=1).tables] == ["strict_vital"]


def test_a_hole_in_a_table_of_scores_is_an_error_until_the_user_chooses() -> None:
    assert refused(HOLED) == (
        "run s has no score of M for query q1 (1 score missing); "
        "count missing ones as zero or leave them out with --missing zero|skip"
    )
    (zero,), counted = tables(HOLED, missing="zero").tables, tables(HOLED, missing="zero").notes
    assert (zero.totals().tolist(), zero.n(1)) == ([0.7, 0.1], 2)
    assert counted == ("M: 1 missing score, counted as zero",)
    (skip,), left_out = tables(HOLED, missing="skip").tables, tables(HOLED, missing="skip").notes
    assert left_out == ("M: 1 missing score, left out",)
    assert (skip.totals().tolist(), skip.n(1), skip.undefined(1)) == ([0.7, 0.2], 1, 0)


def test_of_two_scores_of_one_cell_the_first_counts() -> None:
    table = tables([*score_rows({"r": [0.9]}), *score_rows({"r": [0.1]})])
    assert table.tables[0].values.tolist() == [[0.9]]
    assert table.notes == ("M: 1 repeated score left out, 1 that contradicts it: the first counts",)
    again = tables([*score_rows({"r": [0.9]}), *score_rows({"r": [0.9]})])
    assert again.notes == ("M: 1 repeated score left out: the first counts",)


def test_a_run_with_only_a_score_over_all_queries_is_left_out_and_named() -> None:
    table = tables([*score_rows({"r": [0.1, 0.3]}), *total_rows({"s": 0.9, "t": 0.8})])
    assert table.tables[0].run_ids == ("r",)
    assert table.notes == ("M: s, t left out: with a score over all queries, but none by query",)


def test_scores_over_all_queries_give_way_to_scores_by_query() -> None:
    (table,) = tables([*total_rows({"r": 0.0, "s": 0.0}), *GIVEN]).tables
    assert table.query_ids == ("q0", "q1")
    (alone,) = tables(total_rows({"r": 0.4, "s": 0.3})).tables
    assert (alone.query_ids, alone.totals().tolist()) == (("all",), [0.4, 0.3])


def test_scores_of_slices_are_no_queries_but_a_query_may_have_an_equals_sign() -> None:
    sliced = [row | {"query_id": "language=en", "by": "language"} for row in total_rows({"r": 0.4, "s": 0.3})]
    (table,) = tables([*sliced, *GIVEN]).tables
    assert table.query_ids == ("q0", "q1")
    assert refused(sliced).startswith("all scores are means over several queries each; give scores by query")
    (named,) = tables([row | {"query_id": f"id={row['query_id']}"} for row in GIVEN]).tables
    assert named.query_ids == ("id=q0", "id=q1")


def test_measures_of_a_table_of_scores_go_by_its_own_names() -> None:
    rows = [*GIVEN, *score_rows({"r": [0.1, 0.2], "s": [0.3, 0.4]}, measure="ndcg")]
    assert [table.name for table in tables(rows, measures="ndcg,M").tables] == ["ndcg", "M"]
    assert [table.name for table in tables(rows, most=1).tables] == ["M"]
    assert refused(rows, measures="ndgc") == "there are no scores of ndgc; there are scores of M, ndcg"


def test_scores_cannot_be_pooled() -> None:
    assert refused(GIVEN, average="pool") == (
        "scores by query cannot be pooled; give the judgements for --average pool"
    )
    (table,) = tables(score_rows({"r": [0.1, 0.9, 0.2]}), average="median").tables
    assert table.totals().tolist() == [0.2]


def test_all_missing_scores_are_counted_in_the_error() -> None:
    rows = [*score_rows({"r": [0.9, 0.5, 0.1]}), *score_rows({"s": [0.2]}), *score_rows({"t": [0.2, 0.3]})]
    assert refused(rows).startswith("run s has no score of M for query q1 (3 scores missing); ")


def test_queries_are_in_the_order_of_their_numbers() -> None:
    rows = [score_rows({"r": [0.5]})[0] | {"query_id": one} for one in ("q10", "q2", "q1")]
    assert tables(rows).tables[0].query_ids == ("q1", "q2", "q10")


@pytest.mark.parametrize("measures", [None, "strict_all", "F3", "F3,strict_all"])
def test_a_beta_that_nothing_takes_is_refused(measures: str | None) -> None:
    rows = [*JUDGED, *(response(f"q{at}", run_id) for run_id in "rs" for at in (0, 1))]
    assert refused(rows, measures=measures, beta=2.0) == (
        "beta is only for an F without its own beta: measures=F, pyramid_F or macro_F"
    )
