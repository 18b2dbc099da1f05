from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import nugget
from karat.measures.agreement.nugget_matching import MatchRule, matched_nuggets, parse_match
from karat.model import Nugget, SpanSet, UsageError
from strategies import moderately, span_sets

OVERLAP = MatchRule()


def typed(*spans: tuple[int, int], type: str | None = "LOC", anchor: tuple[int, int] | None = None) -> Nugget:
    return nugget("n", *spans, type=type, anchor=SpanSet([anchor]) if anchor else None, source="auto")


def count(one: list[Nugget], other: list[Nugget], rule: MatchRule = OVERLAP, text: str | None = None) -> int:
    return len(matched_nuggets(one, other, rule=rule, text=text))


def test_a_shared_letter_is_enough_and_a_shared_blank_is_not() -> None:
    text = "in May, here"
    assert count([typed((0, 6))], [typed((5, 12))], text=text) == 1
    assert count([typed((0, 7))], [typed((6, 12))], text=text) == 0
    assert count([typed((0, 7))], [typed((6, 12))]) == 1


def test_the_type_must_be_the_same() -> None:
    assert count([typed((0, 6))], [typed((0, 6), type="GPE")]) == 0
    assert count([typed((0, 6), type=None)], [typed((0, 6), type=None)]) == 1


@pytest.mark.parametrize("kind", ["EVT", "STM"])
def test_events_and_statements_match_by_their_anchors_where_both_have_one(kind: str) -> None:
    whole, verb = (0, 20), (4, 8)
    one = typed(whole, type=kind, anchor=verb)
    assert count([one], [typed(whole, type=kind, anchor=(10, 14))]) == 0
    assert count([one], [typed((6, 9), type=kind, anchor=(6, 9))]) == 1
    assert count([one], [typed((18, 20), type=kind)]) == 1
    assert count([typed(whole, anchor=verb)], [typed(whole, anchor=(10, 14))]) == 1


def test_each_nugget_matches_once_and_as_many_as_can() -> None:
    wide, left, right = typed((0, 20)), typed((0, 4)), typed((10, 20))
    assert count([wide], [left, right]) == 1
    # Taking the best pair first (wide with right) would leave left without a partner.
    assert count([wide, typed((12, 20))], [left, right]) == 2


def test_equal_nuggets_without_a_letter_match() -> None:
    assert count([typed((0, 1))], [typed((0, 1))], text="$ 5") == 1


@pytest.mark.parametrize(("end", "expected"), [(8, 1), (7, 0), (10, 1)])
def test_jaccard_counts_code_points(end: int, expected: int) -> None:
    assert count([typed((0, 10))], [typed((0, end))], parse_match("jaccard:0.8")) == expected


def test_jaccard_ignores_anchors() -> None:
    one, other = (typed((0, 10), type="EVT", anchor=anchor) for anchor in ((0, 2), (5, 7)))
    assert count([one], [other], parse_match("jaccard:1")) == 1


@pytest.mark.parametrize("name", ["", "exact", "jaccard", "jaccard:", "jaccard:0", "jaccard:1.5", "jaccard:nan"])
def test_other_rules_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"is neither overlap nor jaccard:X with 0 < X <= 1"):
        parse_match(name)


many = st.lists(span_sets(12).filter(bool).map(lambda spans: typed(*spans)), max_size=5)
rules = st.sampled_from([OVERLAP, MatchRule(0.3), MatchRule(1.0)])


@given(many, many, rules)
@moderately
def test_matching_is_one_to_one_and_symmetric(one: list[Nugget], other: list[Nugget], rule: MatchRule) -> None:
    found = count(one, other, rule)
    assert found == count(other, one, rule)
    assert found <= min(len(one), len(other))
    assert count(one, one, rule) == len(one)
    assert found <= count(one, other, OVERLAP)
