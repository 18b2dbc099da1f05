from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.cases import value
from builders.records import QUERY, judgement, nug, response, vote
from karat.measures.base import Measure
from karat.measures.cases.case import Case, Pool
from karat.measures.nugget_f import MacroF, NuggetF, allowed_precision
from karat.model import Judgement, Nug, Vote
from strategies import moderately

KEY = {"a": "vital", "b": "vital", "c": "vital", "d": "okay", "e": "okay"}
RECALL, PRECISION = NuggetF(part="recall"), NuggetF(part="precision")


def nugs(importance: Mapping[str, str | None] = KEY, **weights: float) -> list[Nug]:
    return [nug(one, importance=said, weight=weights.get(one)) for one, said in importance.items()]


def mark(nug_id: str, snippet_id: str | None = "s1", degree: float | None = 1.0, **fields: Any) -> Judgement:
    return judgement(nug_id, degree, snippet_id=snippet_id, **fields)


def voted(ballots: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Vote]]:
    """Votes by nug, from what each assessor (a name, or name@occasion) says of each nug."""
    votes: dict[str, list[Vote]] = {}
    for rater, ballot in ballots.items():
        assessor, _, occasion = rater.partition("@")
        for nug_id, said in ballot.items():
            cast = vote(nug_id, said, assessor, occasion=occasion or None)
            votes.setdefault(nug_id, []).append(cast)
    return votes


def answer(found: Iterable[str | Judgement], length: int | str, *, key: list[Nug] | None = None, **pool: Any) -> Case:
    """A response of so many characters (or this text) in which these nugs were marked."""
    text = "x" * length if isinstance(length, int) else length
    marks = [mark(one) if isinstance(one, str) else one for one in found]
    of_query = Pool(QUERY, nugs=nugs() if key is None else key, **pool)
    return Case(of_query, "r", judgements=marks, response=response("r", text), silent=not marks)


@pytest.mark.parametrize(("beta", "expected"), [(1.0, 12 / 17), (3.0, 60 / 89), (5.0, 156 / 233), (0.5, 30 / 41)])
def test_worked_by_hand(beta: float, expected: float) -> None:
    # Two of three vital nugs and an okay one, in 400 characters where 300 are allowed.
    one = answer("abd", 400)
    assert NuggetF().counts(one) == (2.0, 3.0, 3.0, 400.0)
    assert value(RECALL, one) == pytest.approx(2 / 3)
    assert value(PRECISION, one) == 0.75
    assert value(NuggetF(beta=beta), one) == pytest.approx(expected)


@pytest.mark.parametrize(("length", "precision"), [(1, 1), (299, 1), (300, 1), (301, 300 / 301), (600, 0.5)])
def test_the_allowance_is_a_hundred_characters_a_nug(length: int, precision: float) -> None:
    assert value(PRECISION, answer("abd", length)) == precision


def test_white_space_is_not_counted() -> None:
    assert value(PRECISION, answer("a", "x \n" * 100 + "\t")) == 1.0
    assert value(PRECISION, answer("a", "x " * 200)) == 0.5


def test_okay_nugs_raise_the_allowance_and_not_the_recall() -> None:
    without, with_okay = answer("ab", 400), answer("abde", 400)
    assert value(RECALL, without) == value(RECALL, with_okay) == pytest.approx(2 / 3)
    assert (value(PRECISION, without), value(PRECISION, with_okay)) == (0.5, 1.0)


def test_a_nug_is_credited_once_though_several_snippets_have_it() -> None:
    once, often = answer("a", 200), answer([mark("a", "s1"), mark("a", "s2"), mark("a", "s3")], 200)
    assert NuggetF().counts(often) == NuggetF().counts(once) == (1.0, 3.0, 1.0, 200.0)


def test_a_nug_contained_in_part_is_not_credited() -> None:
    assert NuggetF().counts(answer([mark("a"), mark("b", degree=0.5)], 100)) == (1.0, 3.0, 1.0, 100.0)


def test_assessors_who_differ_on_a_find_are_averaged() -> None:
    marks = [mark("a", assessor="ann"), mark("d", assessor="ann"), mark("a", assessor="bob")]
    assert NuggetF().counts(answer(marks, 100)) == (1.0, 3.0, 1.5, 100.0)


@pytest.mark.parametrize("text", ["", " \n "])
def test_an_empty_response(text: str) -> None:
    empty = answer((), text)
    for measure in (NuggetF(), RECALL, NuggetF("pyramid"), NuggetF("pyramid", "recall"), MacroF()):
        case = answer((), text, votes=voted({"ann": dict(KEY)}))
        assert value(measure, case) == 0.0
    assert math.isnan(value(PRECISION, empty))


def test_text_without_a_find_has_precision_zero() -> None:
    idle = answer((), 50)
    assert (value(PRECISION, idle), value(RECALL, idle), value(NuggetF(), idle)) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("found", ["d", ""])
def test_without_a_vital_nug_recall_and_f_are_undefined(found: str) -> None:
    no_vital = answer(found, 50, key=nugs({"d": "okay", "e": "okay", "f": None}))
    assert math.isnan(value(NuggetF(), no_vital))
    assert math.isnan(value(RECALL, no_vital))
    assert value(PRECISION, no_vital) == float(found == "d")


def test_the_primary_vote_replaces_the_importance() -> None:
    votes = {one: [vote(one, said, primary=True)] for one, said in KEY.items()}
    unlabelled = answer("abd", 400, key=nugs(dict.fromkeys(KEY)), votes=votes)
    assert NuggetF().counts(unlabelled) == NuggetF().counts(answer("abd", 400))


def test_several_questions_are_added_up() -> None:
    # 3 of 6 vital nugs; 400 characters allowed, 500 used.
    assert value(RECALL, answer("abd", 400), answer("a", 100)) == 0.5
    assert value(PRECISION, answer("abd", 400), answer("a", 100)) == 0.8


@pytest.mark.parametrize("measure", [NuggetF(), RECALL, NuggetF("pyramid"), MacroF()], ids=str)
def test_a_question_without_a_score_is_not_charged_for_its_length(measure: Measure) -> None:
    votes = voted({"ann": KEY})
    scored, no_vital = answer("abd", 400, votes=votes), answer("d", 900, key=nugs({"d": "okay"}))
    failed = answer([mark("a", degree=None)], 900, key=nugs({"a": "vital"}), votes=votes)
    assert value(measure, scored, no_vital, failed) == value(measure, scored)


def test_precision_of_a_response_that_could_not_be_judged_is_undefined() -> None:
    failed = answer([mark("a", degree=None)], 900, key=nugs({"a": "vital"}))
    assert math.isnan(value(PRECISION, failed))


def test_pyramid_recall_weighs_nugs_by_their_votes() -> None:
    # a: 3 votes of 3, b: 2, c: 1, d: 0, so the weights are 1, 2/3, 1/3 and 0.
    ballots = {
        "ann": {"a": "vital", "b": "vital", "c": "vital", "d": "okay"},
        "bob": {"a": "vital", "b": "vital", "c": "okay", "d": "okay"},
        "cyd": {"a": "vital", "b": "okay", "c": "okay", "d": "okay"},
    }
    one = answer("bcd", 400, key=nugs(dict.fromkeys("abcd")), votes=voted(ballots))
    assert value(NuggetF("pyramid", "recall"), one) == pytest.approx(0.5)
    # The okay nug is worth its allowance: precision 3/4, recall 1/2.
    assert value(NuggetF("pyramid", beta=1.0), one) == pytest.approx(0.6)
    assert value(NuggetF("pyramid"), one) == pytest.approx(10 * 0.375 / (9 * 0.75 + 0.5))


def test_pyramid_weights_of_the_key_serve_where_nobody_voted() -> None:
    one = answer("bd", 100, key=nugs(KEY, a=1.0, b=0.5, c=0.5, d=0.0))
    assert NuggetF("pyramid").counts(one) == (0.5, 2.0, 2.0, 100.0)


def test_pyramid_is_undefined_without_votes_and_weights() -> None:
    assert math.isnan(value(NuggetF("pyramid"), answer("a", 10)))
    nothing_vital = answer("a", 10, votes=voted({"ann": dict.fromkeys(KEY, "okay")}))
    assert math.isnan(value(NuggetF("pyramid"), nothing_vital))
    assert math.isnan(value(MacroF(), nothing_vital))


def test_macro_averaging_by_hand() -> None:
    # Precision is 1. ann: 1 of 2 vital; bob: 1 of 1; cyd calls nothing vital and is left out.
    ballots = {
        "ann": {"a": "vital", "b": "vital", "c": "okay"},
        "bob": {"a": "vital", "b": "okay", "c": "okay"},
        "cyd": {"a": "okay", "b": "okay", "c": "okay"},
    }
    one = answer("a", 50, key=nugs(dict.fromkeys("abc")), votes=voted(ballots))
    f_of_ann = 10 * 0.5 / 9.5
    assert MacroF().counts(one) == pytest.approx((f_of_ann + 1, 2.0, 1.0))
    assert value(MacroF(), one) == pytest.approx((f_of_ann + 1) / 2)
    assert value(MacroF(beta=1.0), one) == pytest.approx((2 / 3 + 1) / 2)


def test_graded_votes_weigh_the_recall_of_each_assessor() -> None:
    # ann finds 0.5 of 2, bob 1 of 1: recalls 1/4 and 1, F1 0.4 and 1.
    ballots = {"ann": {"a": 0.5, "b": 1.0, "c": 0.5}, "bob": {"a": 1.0, "b": 0.0}}
    one = answer("a", 50, key=nugs(dict.fromkeys("abc")), votes=voted(ballots))
    assert value(MacroF(beta=1.0), one) == pytest.approx(0.7)
    # The shares are 0.75, 0.5, 0.5.
    assert value(NuggetF("pyramid", "recall"), one) == pytest.approx(0.75 / 1.75)


def test_who_votes_on_two_occasions_counts_twice() -> None:
    ballots = {
        "ann@first": {"a": "vital", "b": "okay"},
        "ann@second": {"a": "okay", "b": "vital"},
        "bob": {"a": "okay", "b": "vital"},
    }
    one = answer("a", 50, key=nugs(dict.fromkeys("ab")), votes=voted(ballots))
    assert MacroF().counts(one) == (1.0, 3.0, 0.0)
    assert value(NuggetF("pyramid", "recall"), one) == pytest.approx(0.5 / 1.5)


def test_an_assessor_whose_vital_nug_could_not_be_judged_is_left_out() -> None:
    ballots = {"ann": {"a": "vital"}, "bob": {"b": "vital"}}
    marks = [mark("a"), mark("b", degree=None)]
    one = answer(marks, 50, key=nugs(dict.fromkeys("ab")), votes=voted(ballots))
    assert MacroF().counts(one) == (1.0, 1.0, 1.0)


def test_without_votes_nobody_is_averaged() -> None:
    assert MacroF().counts(answer("a", 50)) == (0.0, 0.0, 0.0)
    assert math.isnan(value(MacroF(), answer("a", 50)))


def test_precision_of_arrays() -> None:
    found, length = np.array([[1.0, 1.0, 0.0], [0.0, 1.5, 1.0]]), np.array([[50.0, 200.0, 10.0], [0.0, 300.0, 0.0]])
    np.testing.assert_array_equal(allowed_precision(found, length), [[1.0, 0.5, 0.0], [math.nan, 0.5, math.nan]])


@pytest.mark.parametrize(
    ("measure", "name", "needs_texts"),
    [
        (NuggetF(), "F3", True),
        (NuggetF(beta=0.5), "F0.5", True),
        (NuggetF("pyramid", beta=1.0), "pyramid_F1", True),
        (RECALL, "nugget_recall", False),
        (PRECISION, "nugget_precision", True),
        (NuggetF("pyramid", "recall"), "pyramid_recall", False),
        (MacroF(), "macro_F3", True),
    ],
)
def test_names_and_needs(measure: Measure, name: str, needs_texts: bool) -> None:
    assert str(measure) == name
    assert ("lengths" in measure.needs()) == needs_texts
    assert set(measure.needs()) >= {"nugs", "judgements"}


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (NuggetF(), "no vital nug was judged, or some were found in a response without text"),
        (RECALL, "no vital nug was judged"),
        (
            NuggetF("pyramid"),
            "no nug has votes or a weight above 0, or some were found in a response without text",
        ),
        (PRECISION, "the response is empty, or no nug was judged"),
        (MacroF(), "nobody voted any nug vital, or some were found in a response without text"),
    ],
)
def test_why_a_value_is_undefined(measure: Measure, reason: str) -> None:
    assert measure.undefined() == reason


@moderately
@given(st.sets(st.sampled_from("abcde")), st.integers(0, 900), st.sampled_from([0.5, 1.0, 3.0, 5.0]))
def test_scores_are_shares(found: set[str], length: int, beta: float) -> None:
    one = answer(found, length)
    assert 0.0 <= value(RECALL, one) <= 1.0
    assert (length == 0 and not found.isdisjoint("abc")) or 0.0 <= value(NuggetF(beta=beta), one) <= 1.0
    assert length == 0 or 0.0 <= value(PRECISION, one) <= 1.0


@pytest.mark.parametrize("measure", [NuggetF(), NuggetF("pyramid"), MacroF(), PRECISION], ids=str)
@pytest.mark.parametrize("text", ["", " \n "])
def test_nugs_found_in_a_response_without_text_have_no_score(measure: Measure, text: str) -> None:
    votes = voted({"ann": KEY, "bob": {"a": "okay", "b": "vital"}})
    contradiction, scored = answer("a", text, votes=votes), answer("ab", 400, votes=votes)
    assert math.isnan(value(measure, contradiction))
    assert value(measure, contradiction, scored) == value(measure, scored)
    assert value(RECALL, contradiction) == pytest.approx(1 / 3)


def test_an_okay_nug_found_in_a_response_without_text_allows_nothing() -> None:
    okay = answer("d", "")
    assert value(NuggetF(), okay) == 0.0
    assert math.isnan(value(PRECISION, okay))
    assert NuggetF().counts(okay) == NuggetF().counts(answer((), ""))
