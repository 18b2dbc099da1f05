from __future__ import annotations

from typing import Literal

import pytest

from builders.records import judgement, nug
from karat.measures.cases.case import Case, Pool
from karat.measures.cases.credits import NugCredits, nug_credits, plain_credits
from karat.model import Judgement


def same(degree: float) -> float:
    return degree


def strict(degree: float) -> float:
    return float(degree >= 1)


def test_a_nug_has_the_degree_it_was_judged_to_have() -> None:
    credited = nug_credits([nug("a"), nug("b")], [judgement("a", 0.5), judgement("b", 0.0)], same)
    assert credited == NugCredits({"a": 0.5, "b": 0.0})


def test_the_credit_is_taken_of_each_degree_before_assessors_are_averaged() -> None:
    both = [judgement("a", 1.0, assessor="ann"), judgement("a", 0.5, assessor="bob")]
    assert nug_credits([nug("a")], both, same).credits == {"a": 0.75}
    assert nug_credits([nug("a")], both, strict).credits == {"a": 0.5}


def test_two_judges_count_like_two_assessors() -> None:
    both = [judgement("a", 1.0, judge="person"), judgement("a", 0.0, judge="nuggeteer")]
    assert nug_credits([nug("a")], both, same).credits == {"a": 0.5}


def test_of_several_snippets_the_best_counts() -> None:
    snippets = [judgement("a", degree, snippet_id=str(degree)) for degree in (0.0, 1.0, 0.5)]
    assert nug_credits([nug("a")], snippets, same).credits == {"a": 1.0}


def test_where_only_snippets_were_judged_silence_means_zero() -> None:
    credited = nug_credits([nug("a"), nug("b")], [judgement("a", 1.0, snippet_id="1")], same)
    assert credited == NugCredits({"a": 1.0, "b": 0.0})


def test_where_the_whole_response_was_judged_silence_is_a_nug_nobody_judged() -> None:
    credited = nug_credits([nug("a"), nug("b")], [judgement("a", 1.0)], same)
    assert credited == NugCredits({"a": 1.0}, unjudged=1)


def test_without_any_judgement_nothing_is_known() -> None:
    assert nug_credits([nug("a"), nug("b")], [], same) == NugCredits({}, unjudged=2)


def test_a_failed_judgement_gives_no_credit_and_is_counted() -> None:
    credited = nug_credits([nug("a"), nug("b")], [judgement("a", None), judgement("b", 1.0)], same)
    assert credited == NugCredits({"b": 1.0}, failed=1)


def test_a_failed_judgement_beside_a_good_one_takes_nothing_away() -> None:
    credited = nug_credits(
        [nug("a")], [judgement("a", None, assessor="ann"), judgement("a", 0.5, assessor="bob")], same
    )
    assert credited == NugCredits({"a": 0.5})


def test_an_unknown_judgement_is_none() -> None:
    unknown = judgement("a", status="unknown")
    assert nug_credits([nug("a")], [unknown], same) == NugCredits({}, failed=1)


@pytest.mark.parametrize(("aggregator", "expected"), [("or", 1.0), ("and", 0.5), (None, 1.0)])
def test_a_question_has_the_best_answer_or_the_worst_part(
    aggregator: Literal["and", "or"] | None, expected: float
) -> None:
    nugs = [nug("q", aggregator=aggregator), nug("a", parent="q"), nug("b", parent="q")]
    credited = nug_credits(nugs, [judgement("a", 1.0), judgement("b", 0.5)], same)
    assert credited == NugCredits({"q": expected})


def test_a_question_judged_itself_does_not_ask_its_answers() -> None:
    nugs = [nug("q", aggregator="or"), nug("a", parent="q")]
    assert nug_credits(nugs, [judgement("q", 0.0), judgement("a", 1.0)], same).credits == {"q": 0.0}


def test_answers_are_combined_for_each_assessor_before_assessors_are_averaged() -> None:
    nugs = [nug("q", aggregator="and"), nug("a", parent="q"), nug("b", parent="q")]
    judgements = [
        judgement("a", 1.0, assessor="ann"),
        judgement("b", 1.0, assessor="ann"),
        judgement("a", 1.0, assessor="bob"),
        judgement("b", 0.0, assessor="bob"),
    ]
    assert nug_credits(nugs, judgements, same).credits == {"q": 0.5}


def test_judgements_of_nugs_outside_the_key_are_passed_over() -> None:
    assert nug_credits([nug("a")], [judgement("a", 1.0), judgement("zz", 0.0)], same) == NugCredits({"a": 1.0})


def test_a_silent_part_of_an_and_nug_is_not_there_where_only_finds_are_marked() -> None:
    nugs = [nug("q", aggregator="and"), nug("a", parent="q"), nug("b", parent="q")]
    assert nug_credits(nugs, [judgement("a", 1.0, snippet_id="s")], same).credits == {"q": 0.0}


def test_a_question_whose_every_answer_failed_has_failed() -> None:
    nugs = [nug("q", aggregator="or"), nug("a", parent="q"), nug("b")]
    for place in ({}, {"snippet_id": "s"}):
        credited = nug_credits(nugs, [judgement("a", None, **place), judgement("b", 1.0, **place)], same)
        assert credited == NugCredits({"b": 1.0}, failed=1)


def test_an_assessor_who_marked_other_snippets_did_not_find_this_nug() -> None:
    ann, bob = {"assessor": "ann", "snippet_id": "s"}, {"assessor": "bob", "snippet_id": "s"}
    marks = [judgement("a", 1.0, **ann), judgement("b", 1.0, **ann), judgement("a", 1.0, **bob)]
    assert nug_credits([nug("a"), nug("b")], marks, same).credits == {"a": 1.0, "b": 0.5}


def test_without_a_degree_the_expected_credit_counts() -> None:
    unsure = judgement("a", None, probabilities={"0": 0.2, "0.5": 0.2, "1": 0.6}, status="ok")
    assert nug_credits([nug("a")], [unsure], same).credits == pytest.approx({"a": 0.7})
    assert nug_credits([nug("a")], [unsure], strict).credits == pytest.approx({"a": 0.6})


def test_parts_of_parts_count() -> None:
    nugs = [
        nug("a", aggregator="and"),
        nug("b", parent="a", aggregator="or"),
        nug("c", parent="a"),
        nug("d", parent="b"),
    ]
    assert nug_credits(nugs, [judgement("c", 1.0), judgement("d", 0.0)], same).credits == {"a": 0.0}


@pytest.mark.parametrize(("marks", "failed", "unjudged"), [([judgement("b", None)], 1, 0), ([], 0, 1)])
def test_an_and_nug_is_not_known_while_a_part_is_not(marks: list[Judgement], failed: int, unjudged: int) -> None:
    nugs = [nug("q", aggregator="and"), nug("a", parent="q"), nug("b", parent="q")]
    assert nug_credits(nugs, [judgement("a", 1.0), *marks], same) == NugCredits({}, failed, unjudged)
    assert nug_credits(nugs, [judgement("a", 0.0), *marks], same).credits == {"q": 0.0}


AND_OF_TWO = [nug("q", aggregator="and"), nug("a", parent="q"), nug("b", parent="q")]


@pytest.mark.parametrize(("of_ann", "expected"), [(1.0, 0.0), (0.5, 0.0), (0.0, 0.0)])
def test_who_judged_some_parts_of_an_and_nug_has_no_say_in_it(of_ann: float, expected: float) -> None:
    marks = [
        judgement("a", of_ann, assessor="ann"),
        judgement("a", 1.0, assessor="bob"),
        judgement("b", 0.0, assessor="bob"),
    ]
    assert nug_credits(AND_OF_TWO, marks, same) == NugCredits({"q": expected})


def test_a_part_that_is_not_contained_is_enough_to_know_an_and_nug() -> None:
    marks = [
        judgement("a", 0.0, assessor="ann"),
        judgement("a", 1.0, assessor="bob"),
        judgement("b", 1.0, assessor="bob"),
    ]
    assert nug_credits(AND_OF_TWO, marks, same) == NugCredits({"q": 0.5})


def test_an_and_nug_of_which_nobody_knows_all_parts_is_not_known() -> None:
    halves = [judgement("a", 1.0, assessor="ann"), judgement("b", 1.0, assessor="bob")]
    assert nug_credits(AND_OF_TWO, halves, same) == NugCredits({}, unjudged=1)
    failed = judgement("b", None, assessor="ann")
    assert nug_credits(AND_OF_TWO, [*halves, failed], same) == NugCredits({}, failed=1)


def test_who_judged_some_parts_of_an_or_nug_has_a_say_in_it() -> None:
    nugs = [nug("q", aggregator="or"), nug("a", parent="q"), nug("b", parent="q")]
    marks = [
        judgement("a", 1.0, assessor="ann"),
        judgement("a", 0.0, assessor="bob"),
        judgement("b", 0.0, assessor="bob"),
    ]
    assert nug_credits(nugs, marks, same) == NugCredits({"q": 0.5})


def test_who_says_how_sure_it_is_means_more_than_its_decision() -> None:
    for degree in (1.0, 0.0, 0.5):
        unsure = judgement("a", degree, probabilities={"0": 0.5, "0.5": 0.2, "1": 0.3})
        assert nug_credits([nug("a")], [unsure], same).credits == pytest.approx({"a": 0.4})
        assert nug_credits([nug("a")], [unsure], strict).credits == pytest.approx({"a": 0.3})


def test_probabilities_that_do_not_sum_to_one_are_shares() -> None:
    unsure = judgement("a", 1.0, probabilities={"0": 0.3, "1": 0.1})
    assert nug_credits([nug("a")], [unsure], same).credits == pytest.approx({"a": 0.25})


def test_where_all_probabilities_are_zero_the_degree_counts() -> None:
    empty = judgement("a", 0.5, probabilities={"0": 0.0, "1": 0.0})
    assert nug_credits([nug("a")], [empty], same).credits == {"a": 0.5}
    neither = judgement("a", None, probabilities={"1": 0.0}, status="ok")
    assert nug_credits([nug("a")], [neither], same) == NugCredits({}, failed=1)


def test_the_short_way_is_not_taken_where_there_are_probabilities() -> None:
    sure, unsure = judgement("a", 1.0), judgement("b", 1.0, probabilities={"0": 0.6, "1": 0.4})
    assert plain_credits([nug("a"), nug("b")], [sure, unsure]) is None
    assert plain_credits([nug("a")], [sure]) == NugCredits({"a": 1.0})
    case = Case(Pool("q", nugs=[nug("a"), nug("b")]), "r", [sure, unsure])
    assert case.strict.credits == pytest.approx({"a": 1.0, "b": 0.4})


def test_a_failed_judgement_gives_nothing_for_its_probabilities() -> None:
    failed = judgement("a", None, probabilities={"1": 1.0})
    assert nug_credits([nug("a")], [failed], same) == NugCredits({}, failed=1)
