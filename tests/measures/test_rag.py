from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.cases import value
from builders.records import QUERY, judgement, nug, response
from karat.measures.cases.case import Case, Pool
from karat.measures.rag import RAG_MEASURES, LabelScores, RagMeasure, Rubric, score_labels
from karat.model import Nug, UsageError
from strategies import moderately

IMPORTANCE = {"a": "vital", "b": "vital", "c": "vital", "d": "okay", "e": "okay", "f": None}
DEGREES = {"a": 1.0, "b": 0.5, "c": 0.0, "d": 1.0, "e": 0.5, "f": 1.0}
VITAL = ["strict_vital", "lenient_vital"]


def rated(nug_id: str, importance: str | None = None, **fields: Any) -> Nug:
    return nug(nug_id, importance=importance, **fields)


def answer(nugs: list[Nug], degrees: Mapping[str, float | None]) -> Case:
    return Case(Pool(QUERY, nugs=nugs), "r", judgements=[judgement(*one) for one in degrees.items()])


def scores(case: Case) -> dict[str, float]:
    return {name: value(measure, case) for name, measure in RAG_MEASURES.items()}


KEY = [rated(*one) for one in IMPORTANCE.items()]
SILENT = Case(Pool(QUERY, nugs=KEY), "r", response=response("r"), silent=True)


def test_the_six_measures_go_by_their_names() -> None:
    names = [f"{credit}_{over}" for over in ("vital", "all", "weighted") for credit in ("strict", "lenient")]
    assert list(RAG_MEASURES) == [str(measure) for measure in RAG_MEASURES.values()] == names


def test_worked_by_hand() -> None:
    assert scores(answer(KEY, DEGREES)) == {
        "strict_vital": pytest.approx(1 / 3),
        "lenient_vital": pytest.approx(1.5 / 3),
        "strict_all": pytest.approx(3 / 6),
        "lenient_all": pytest.approx(4 / 6),
        "strict_weighted": pytest.approx((1 + 0.5 * 1) / (3 + 0.5 * 2)),
        "lenient_weighted": pytest.approx((1.5 + 0.5 * 1.5) / (3 + 0.5 * 2)),
    }


@pytest.mark.parametrize(
    ("over", "counts"), [("vital", (1.5, 3.0)), ("all", (4.0, 6.0)), ("weighted", (2.25, 4.0))]
)  # fmt: skip
def test_what_is_counted(over: Any, counts: tuple[float, float]) -> None:
    assert RagMeasure(strict=False, over=over).counts(answer(KEY, DEGREES)) == counts


@pytest.mark.parametrize(("degree", "strict"), [(1.0, 1.0), (0.999, 0.0), (0.5, 0.0), (0.0, 0.0)])
def test_strict_counts_only_full_support_and_lenient_the_degree(degree: float, strict: float) -> None:
    found = scores(answer([rated("a", "vital")], {"a": degree}))
    assert (found["strict_vital"], found["lenient_vital"]) == (strict, degree)


def test_a_perfect_answer_to_five_vital_and_two_okay_nugs_scores_one() -> None:
    # A peer's weighted form divides by all seven, and gives 6/7.
    key = [*(rated(f"v{number}", "vital") for number in range(5)), rated("o1", "okay"), rated("o2", "okay")]
    assert scores(answer(key, {nug.nug_id: 1.0 for nug in key})) == dict.fromkeys(RAG_MEASURES, 1.0)


@moderately
@given(st.integers(1, 30), st.integers(0, 30))
def test_a_perfect_answer_scores_exactly_one_whatever_the_key(vital: int, okay: int) -> None:
    key = [rated(str(number), "vital" if number < vital else "okay") for number in range(vital + okay)]
    assert scores(answer(key, {nug.nug_id: 1.0 for nug in key})) == dict.fromkeys(RAG_MEASURES, 1.0)


def test_without_a_vital_nug_vital_scores_are_undefined_and_not_zero() -> None:
    found = scores(answer([rated("d", "okay"), rated("e", "okay")], {"d": 1.0, "e": 0.0}))
    assert all(math.isnan(found.pop(name)) for name in VITAL)
    assert found == {"strict_all": 0.5, "lenient_all": 0.5, "strict_weighted": 0.5, "lenient_weighted": 0.5}


def test_without_importance_only_the_scores_over_all_nugs_are_defined() -> None:
    found = scores(answer([rated("f")], {"f": 1.0}))
    assert {name for name, score in found.items() if score == 1.0} == {"strict_all", "lenient_all"}
    assert sum(map(math.isnan, found.values())) == 4


def test_an_empty_response_scores_zero() -> None:
    assert scores(SILENT) == dict.fromkeys(RAG_MEASURES, 0.0)


def test_a_response_that_nobody_judged_is_undefined() -> None:
    assert all(map(math.isnan, scores(answer(KEY, {})).values()))


def test_a_failed_judgement_leaves_the_rest() -> None:
    found = scores(answer(KEY, DEGREES | {"c": None}))
    assert found["strict_vital"] == 0.5
    assert found["strict_all"] == 3 / 5


def test_and_and_or_nugs_count_once() -> None:
    key = [
        rated("either", "vital", aggregator="or"), rated("e1", "vital", parent="either"), rated("e2", parent="either"),
        rated("both", "okay", aggregator="and"), rated("b1", "vital", parent="both"), rated("b2", parent="both"),
    ]  # fmt: skip
    found = answer(key, {"e1": 0.0, "e2": 1.0, "b1": 1.0, "b2": 0.5})
    assert RAG_MEASURES["lenient_vital"].counts(found) == (1.0, 1.0)
    assert scores(found) == {
        "strict_vital": 1.0,
        "lenient_vital": 1.0,
        "strict_all": 0.5,
        "lenient_all": 0.75,
        "strict_weighted": pytest.approx(1 / 1.5),
        "lenient_weighted": pytest.approx(1.25 / 1.5),
    }


def test_several_queries_are_added_up() -> None:
    one, other = (
        answer([rated("a", "vital")], {"a": 1.0}),
        answer([rated("b", "vital"), rated("c", "vital")], {"b": 0.0}),
    )
    assert value(RAG_MEASURES["strict_vital"], one, other) == 0.5


def test_why_a_value_is_undefined() -> None:
    assert {str(measure): measure.undefined() for measure in RAG_MEASURES.values()} == {
        name: "no vital nug was judged" if name in VITAL else "no nug was judged" for name in RAG_MEASURES
    }


LABELS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


def test_scores_of_labels_by_hand() -> None:
    label_of = {degree: label for label, degree in LABELS.items()}
    rows = [{"importance": IMPORTANCE[one], "assignment": label_of[DEGREES[one]], "text": one} for one in "abcdef"]
    assert score_labels(rows) == LabelScores(
        strict_vital=1 / 3, lenient_vital=0.5, strict_all=0.5, lenient_all=4 / 6, strict_weighted=0.375,
        lenient_weighted=0.5625, left_out=0,
    )  # fmt: skip


def test_without_labels_there_are_no_scores() -> None:
    assert score_labels([]) == LabelScores(None, None, None, None, None, None, 0)
    assert score_labels([{"importance": "vital", "assignment": "failed"}]).left_out == 1


GOOD = {"importance": "vital", "assignment": "support"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([GOOD, {"importance": "vital", "label": "support"}],
         "row 2: no column 'assignment'; a row needs 'importance' (vital or okay) and 'assignment' (support, "
         "partial_support or not_support); the columns here are 'importance', 'label'"),
        ([{"assignment": "support"}], "row 1: no column 'importance'; "),
        ([GOOD, GOOD | {"assignment": "failed"}, {}],
         "row 3: no column 'importance', 'assignment'; a row needs 'importance' (vital or okay) and 'assignment' "
         "(support, partial_support or not_support); the columns here are none"),
        (["support"], "row 1 is a str; give a dict per nug with 'importance' (vital or okay) and 'assignment' ("),
        ([["vital", "support"]], "row 1 is a list; "),
    ],
)  # fmt: skip
def test_a_wrong_column_is_named_with_those_there_are(rows: list[Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        score_labels(rows)
    assert str(error.value).startswith(message)


labelled = st.lists(
    st.tuples(st.sampled_from(["vital", "okay", None]), st.sampled_from([*LABELS, "failed", "", "Support"])),
    max_size=12,
)


@moderately
@given(labelled)
def test_scores_of_labels_are_those_of_the_measures(rows: list[tuple[str | None, str]]) -> None:
    key = [rated(str(number), importance) for number, (importance, _) in enumerate(rows)]
    case = answer(key, {str(number): LABELS.get(label) for number, (_, label) in enumerate(rows)})
    found = score_labels([{"importance": importance, "assignment": label} for importance, label in rows])
    assert found.left_out == case.strict.failed == sum(label not in LABELS for _, label in rows)
    for name, score in scores(case).items():
        assert getattr(found, name) == (None if math.isnan(score) else score)


ITEMS = [rated("good", weight=5.0), rated("fair", weight=3.0), rated("fault", weight=-4.0)]


@pytest.mark.parametrize(
    ("good", "fair", "fault", "query", "none"),
    [
        (1.0, 1.0, 0.0, 1.0, 1.0),
        (1.0, 0.0, 0.0, 5 / 8, 5 / 8),
        (1.0, 0.5, 1.0, 2.5 / 8, 2.5 / 8),
        (0.0, 1.0, 1.0, 0.0, -1 / 8),
        (0.0, 0.0, 1.0, 0.0, -4 / 8),
        (0.0, 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_rubric_by_hand(good: float, fair: float, fault: float, query: float, none: float) -> None:
    case = answer(ITEMS, {"good": good, "fair": fair, "fault": fault})
    assert value(Rubric(), case) == query
    assert value(Rubric(clip="none"), case) == none


def test_a_rubric_item_without_weight_weighs_by_its_importance() -> None:
    items = [
        rated("a", "vital"),
        rated("b", "okay"),
        rated("c"),
        rated("d", "okay", weight=2.0),
        rated("e", weight=0.0),
    ]
    case = answer(items, {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 1.0})
    assert Rubric().counts(case) == (1.5, 1 + 0.5 + 1 + 2)


def test_a_query_below_zero_takes_nothing_from_the_others_unless_asked() -> None:
    bad, good = answer(ITEMS, {"fault": 1.0, "good": 0.0}), answer(ITEMS, {"good": 1.0})
    assert value(Rubric(), bad, good) == 5 / 10
    assert value(Rubric(clip="none"), bad, good) == 1 / 10


def test_a_rubric_of_only_faults_is_undefined() -> None:
    for shown in (0.0, 1.0):
        faults = answer([rated("fault", weight=-1.0), rated("none", weight=0.0)], {"fault": shown, "none": 1.0})
        assert math.isnan(value(Rubric(), faults))
        assert math.isnan(value(Rubric(clip="none"), faults))
    assert Rubric().undefined() == "no item of positive weight was judged"


def test_weights_of_a_rubric_have_two_ends() -> None:
    huge = [rated("a", weight=1.5e308), rated("b", weight=1.5e308), rated("fault", weight=-1.5e308)]
    assert value(Rubric(), answer(huge, {"a": 1.0, "b": 1.0, "fault": 0.0})) == 1.0
    assert value(Rubric(clip="none"), answer(huge, {"a": 0.0, "b": 0.0, "fault": 1.0})) == -0.5


def test_a_rubric_item_whose_judgement_failed_is_left_out() -> None:
    case = answer(ITEMS, {"good": 1.0, "fair": None, "fault": None})
    assert Rubric().counts(case) == (5.0, 5.0)


@moderately
@given(st.lists(st.tuples(st.floats(-10.0, 10.0) | st.none(), st.sampled_from([0.0, 0.5, 1.0])), max_size=6))
def test_an_empty_response_never_beats_another_under_a_rubric(items: list[tuple[float | None, float]]) -> None:
    key = [rated(str(number), weight=weight) for number, (weight, _) in enumerate(items)]
    said = answer(key, {str(number): degree for number, (_, degree) in enumerate(items)})
    empty = Case(said.pool, "r", response=response("r"), silent=True)
    found = value(Rubric(), said)
    assert math.isnan(found) == math.isnan(value(Rubric(), empty))
    assert math.isnan(found) or 0.0 == value(Rubric(), empty) <= found <= 1.0


def test_rubrics_by_name() -> None:
    assert (str(Rubric()), str(Rubric(clip="none"))) == ("rubric", "rubric(clip=none)")
    assert Rubric.COUNTS == ("points", "possible")
    np.testing.assert_array_equal(Rubric().values(np.array([[1.0, 2.0], [0.0, 0.0]])), [0.5, math.nan])
