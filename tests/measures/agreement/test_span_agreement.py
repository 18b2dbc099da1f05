from __future__ import annotations

import pytest

from builders.records import nugget, relevance
from karat.measures.agreement.agreement import Sheet, Unit
from karat.measures.agreement.span_agreement import (
    NO_MARKS,
    NO_TEXT,
    NOT_BOTH,
    Marks,
    mark_sheet,
    nugget_alpha,
    nugget_overlap,
    pairs_of_marks,
    relevance_from_marks,
    span_f1,
)
from karat.model import Nugget, SpanSet, UsageError

S1, S2, S3 = (("q", "r", name) for name in ("s1", "s2", "s3"))
TEXTS: dict[Unit, str] = {S1: "abcd, efgh ijkl", S2: "one two three", S3: "nothing here"}
"""s1 has letters at 0-4, 6-10 and 11-15."""


def marks(*spans: tuple[int, int]) -> Marks:
    return tuple(SpanSet([span]) for span in spans)


def marked(snippet_id: str, assessor: str | None, *spans: tuple[int, int]) -> Nugget:
    return nugget(f"{snippet_id}-{assessor}-{spans}", *spans, snippet_id=snippet_id, assessor=assessor)


def test_a_rater_looked_at_the_whole_response() -> None:
    sheet = mark_sheet(
        [marked("s1", "ann", (0, 4)), marked("s1", "ann", (6, 10)), marked("s2", None, (0, 3))],
        [],
        {("q", "r"): ["s1", "s2", "s3"], ("q", "other"): ["s1"]},
    )
    assert sheet["ann"] == {S1: marks((0, 4), (6, 10)), S2: (), S3: ()}
    assert sheet["person"] == {S2: marks((0, 3)), S1: (), S3: ()}
    assert relevance_from_marks(sheet)["ann"] == {S1: 1.0, S2: 0.0, S3: 0.0}


def test_a_rater_with_labels_looked_at_what_has_a_label() -> None:
    label = relevance("s2", "irrelevant")
    sheet = mark_sheet([marked("s1", "ann", (0, 4))], [label], {("q", "r"): ["s1", "s2", "s3"]})
    assert sheet["ann"] == {S1: marks((0, 4)), S2: ()}
    assert mark_sheet([], [label], {}) == {}


def test_overlap_counts_only_letters_and_digits() -> None:
    """Ann has abcd and the comma, ben abcd, efgh: 4 letters in both, 4 in one."""
    sheet: Sheet[Marks] = {"ann": {S1: marks((0, 5))}, "ben": {S1: marks((0, 10))}}
    pairs = [*pairs_of_marks(sheet, TEXTS)]
    assert [(pair.overlap, pair.difference) for pair in pairs] == [(4, 4)]
    assert nugget_overlap(pairs).value == pytest.approx(4 / (0.5 * 4 + 4))


def test_overlap_is_pooled_or_averaged_over_snippets_that_both_found_relevant() -> None:
    sheet: Sheet[Marks] = {
        "ann": {S1: marks((0, 4), (2, 10)), S2: marks((0, 3)), S3: marks((0, 7))},
        "ben": {S1: marks((0, 10)), S2: marks((4, 7)), S3: ()},
    }
    pairs = [*pairs_of_marks(sheet, TEXTS)]
    assert nugget_overlap(pairs).value == pytest.approx(8 / (8 + 0.5 * 6))
    assert nugget_overlap(pairs, per_snippet=True).value == pytest.approx((1 + 0) / 2)
    assert nugget_overlap(pairs).units == 2


def test_span_f1() -> None:
    """s1: one nugget of two is the same, the other has 4 of 4 + 8 letters in common; s3: found by ann alone."""
    sheet: Sheet[Marks] = {
        "ann": {S1: marks((0, 4), (6, 10)), S3: marks((0, 7))},
        "ben": {S1: marks((6, 15), (0, 4)), S3: ()},
    }
    pairs = [*pairs_of_marks(sheet, TEXTS)]
    assert span_f1(pairs).value == pytest.approx(2 * 1 / 5)
    assert span_f1(pairs, partial=True).value == pytest.approx(2 * (1 + 2 * 4 / 12) / 5)


def test_the_best_matching_is_not_the_greedy_one() -> None:
    """Both of ann's nuggets are nearest to ben's first; one to one, the second must do for one of them."""
    text = {S1: "abcdefghij"}
    sheet: Sheet[Marks] = {"ann": {S1: marks((0, 6), (0, 4))}, "ben": {S1: marks((0, 5), (0, 9))}}
    (pair,) = pairs_of_marks(sheet, text)
    straight, crossed = 2 * 5 / 11 + 2 * 4 / 13, 2 * 6 / 15 + 2 * 4 / 9
    assert pair.credit == pytest.approx(max(straight, crossed))
    assert crossed > straight
    assert pair.exact == 0


def test_a_nugget_marked_twice_is_matched_once() -> None:
    (pair,) = pairs_of_marks({"ann": {S1: marks((0, 4), (0, 4))}, "ben": {S1: marks((0, 4))}}, TEXTS)
    assert (pair.exact, pair.credit) == (1, 1)


def test_three_raters_make_three_pairs() -> None:
    sheet: Sheet[Marks] = {name: {S1: marks((0, 4))} for name in ("ann", "ben", "cho")}
    pairs = [*pairs_of_marks(sheet, TEXTS)]
    assert [(pair.left, pair.right) for pair in pairs] == [("ann", "ben"), ("ann", "cho"), ("ben", "cho")]
    found = span_f1(pairs)
    assert (found.value, found.units, found.raters) == (1, 1, 3)
    # The pairs of one snippet are no three independent looks at anything.
    assert found.low is None


def test_alpha_u_is_over_all_that_two_looked_at() -> None:
    same: Sheet[Marks] = {name: {S1: marks((0, 4), (2, 10)), S3: ()} for name in ("ann", "ben")}
    found = nugget_alpha(same, TEXTS)
    assert (found.value, found.units, found.raters) == (1, 2, 2)
    other: Sheet[Marks] = {"ann": {S1: marks((0, 4)), S2: marks((0, 3))}, "ben": {S1: marks((6, 15)), S2: ()}}
    assert (nugget_alpha(other, TEXTS).value or 0) < 0


def test_without_the_text_only_exact_matches_count() -> None:
    sheet: Sheet[Marks] = {"ann": {S1: marks((0, 4), (6, 10))}, "ben": {S1: marks((0, 4))}}
    pairs = [*pairs_of_marks(sheet, {})]
    assert span_f1(pairs).value == pytest.approx(2 / 3)
    for found in (
        nugget_overlap(pairs), nugget_overlap(pairs, per_snippet=True), span_f1(pairs, partial=True),
        nugget_alpha(sheet, {}),
    ):  # fmt: skip
        assert (found.value, found.low, found.reason) == (None, None, NO_TEXT)


def test_nothing_to_compare() -> None:
    apart: Sheet[Marks] = {"ann": {S1: marks((0, 4))}, "ben": {S1: ()}}
    pairs = [*pairs_of_marks(apart, TEXTS)]
    assert nugget_overlap(pairs).reason == NOT_BOTH
    assert nugget_overlap(pairs, per_snippet=True).reason == NOT_BOTH
    assert span_f1(pairs).value == 0
    assert [*pairs_of_marks({"ann": {S1: ()}, "ben": {S1: ()}}, TEXTS)] == []
    assert span_f1([]).reason == span_f1([], partial=True).reason == NO_MARKS
    assert nugget_overlap([]).reason == NOT_BOTH
    commas: Sheet[Marks] = {"ann": {S1: marks((4, 5))}, "ben": {S1: marks((4, 6))}}
    assert nugget_overlap([*pairs_of_marks(commas, TEXTS)]).reason == NOT_BOTH
    assert span_f1([*pairs_of_marks(commas, TEXTS)], partial=True).value == 0


def test_marks_that_lie_outside_the_text_are_of_another_text() -> None:
    sheet: Sheet[Marks] = {"ann": {S1: marks((0, 99))}, "ben": {S1: ()}}
    with pytest.raises(UsageError, match="query q, run r, snippet s1: a nugget of ann ends after the text of 15"):
        [*pairs_of_marks(sheet, TEXTS)]


def test_the_interval_of_an_overlap_stays_between_0_and_1() -> None:
    sheet: Sheet[Marks] = {
        "ann": {S1: marks((0, 4)), S2: marks((0, 3)), S3: marks((0, 7))},
        "ben": {S1: marks((6, 10)), S2: marks((0, 3)), S3: marks((0, 7))},
    }
    found = nugget_overlap([*pairs_of_marks(sheet, TEXTS)])
    assert found.low is not None
    assert 0 <= found.low < found.value < 1
