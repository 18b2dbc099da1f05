from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from karat.model import SpanSet
from strategies import TRICKY_CHARACTERS, moderately, span_pairs, span_sets

FAMILY = "👩\u200d👩\u200d👧"
tricky_texts = st.lists(st.sampled_from(TRICKY_CHARACTERS), min_size=1, max_size=10).map("".join)


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, SpanSet]:
    text = draw(tricky_texts)
    return text, draw(span_sets(len(text)))


def positions(spans: SpanSet) -> set[int]:
    return {position for start, end in spans for position in range(start, end)}


def from_positions(wanted: set[int]) -> SpanSet:
    return SpanSet([(position, position + 1) for position in wanted])


def boundaries(text: str) -> list[int]:
    """The UTF-16 position before each character of the text, and after the last."""
    return [len(text[:index].encode("utf-16-le")) // 2 for index in range(len(text) + 1)]


@moderately
@given(st.lists(span_pairs(), max_size=6))
def test_it_holds_the_positions_of_its_pairs_and_no_other(pairs: list[tuple[int, int]]) -> None:
    assert positions(SpanSet(pairs)) == {position for start, end in pairs for position in range(start, end)}


@moderately
@given(st.lists(span_pairs(), max_size=6))
def test_pieces_are_sorted_and_never_touch(pairs: list[tuple[int, int]]) -> None:
    spans = SpanSet(pairs)
    assert all(start < end for start, end in spans)
    assert all(left[1] < right[0] for left, right in pairwise(spans))


@moderately
@given(span_sets())
def test_equal_sets_of_positions_are_equal_values(spans: SpanSet) -> None:
    again = from_positions(positions(spans))
    assert again == spans
    assert hash(again) == hash(spans)
    assert SpanSet(spans) == spans


@moderately
@given(span_sets(), span_sets())
def test_union_intersection_and_difference_are_those_of_sets(left: SpanSet, right: SpanSet) -> None:
    assert left.union(right) == from_positions(positions(left) | positions(right))
    assert left.intersection(right) == from_positions(positions(left) & positions(right))
    assert left.difference(right) == from_positions(positions(left) - positions(right))


@moderately
@given(span_sets(), span_sets())
def test_overlap_is_a_shared_position(left: SpanSet, right: SpanSet) -> None:
    assert left.overlaps(right) == bool(positions(left) & positions(right))


@moderately
@given(span_sets())
def test_a_set_with_itself_changes_nothing(spans: SpanSet) -> None:
    assert spans.union(spans) == spans
    assert spans.intersection(spans) == spans
    assert spans.difference(spans) == SpanSet()


@moderately
@given(span_sets())
def test_length_counts_positions(spans: SpanSet) -> None:
    assert spans.length == len(positions(spans))


def test_touching_pieces_do_not_overlap_but_are_joined() -> None:
    left, right = SpanSet([(0, 3)]), SpanSet([(3, 5)])
    assert not left.overlaps(right)
    assert left.union(right) == ((0, 5),)


def test_difference_can_cut_a_piece_in_three() -> None:
    assert SpanSet([(0, 10)]).difference(SpanSet([(2, 3), (5, 6)])) == ((0, 2), (3, 5), (6, 10))


def test_results_are_span_sets_again() -> None:
    spans = SpanSet([(0, 2)])
    assert {type(spans.union(spans)), type(spans.intersection(spans)), type(spans.difference(spans))} == {SpanSet}


@moderately
@given(texts_with_spans())
def test_meaningful_length_counts_the_letters_and_digits_covered(case: tuple[str, SpanSet]) -> None:
    text, spans = case
    assert spans.meaningful_length(text) == sum(text[position].isalnum() for position in positions(spans))


def test_marks_and_white_space_mean_nothing() -> None:
    assert SpanSet([(0, 12)]).meaningful_length("e\u0301, 中 7-🐝\u200d 𝒳") == 4
    assert SpanSet([(1, 3)]).meaningful_length("ab c") == 1


@moderately
@given(texts_with_spans())
def test_text_is_the_pieces_with_an_ellipsis_between(case: tuple[str, SpanSet]) -> None:
    text, spans = case
    pieces = [text[start:end] for start, end in spans]
    assert len(spans.text(text)) == spans.length + 5 * max(0, len(spans) - 1)
    assert spans.text(text) == " ... ".join(pieces)


@pytest.mark.parametrize(
    ("pairs", "covered"),
    [
        ([], ""),
        ([(0, 5)], "Alpha"),
        ([(0, 5), (11, 16)], "Alpha ... gamma"),
        ([(11, 16), (0, 5), (5, 10)], "Alpha beta ... gamma"),
    ],
)
def test_text_of_pieces(pairs: list[tuple[int, int]], covered: str) -> None:
    assert SpanSet(pairs).text("Alpha beta gamma") == covered


def test_positions_in_text_count_code_points() -> None:
    assert SpanSet([(1, 2), (4, 6)]).text("🐝b🐝🐝e\u0301") == "b ... e\u0301"


def test_a_set_fits_a_text_that_reaches_to_its_end() -> None:
    assert SpanSet([(0, 1), (2, 3)]).fits("🐝🐝🐝")
    assert not SpanSet([(0, 1), (2, 4)]).fits("🐝🐝🐝")
    assert SpanSet().fits("")


@moderately
@given(texts_with_spans())
@example((FAMILY, SpanSet([(0, 1), (2, 5)])))
def test_utf16_there_and_back(case: tuple[str, SpanSet]) -> None:
    text, spans = case
    assert SpanSet.from_utf16(spans.to_utf16(text), text) == spans


@moderately
@given(texts_with_spans())
def test_utf16_positions_cut_the_same_text_from_code_units(case: tuple[str, SpanSet]) -> None:
    text, spans = case
    code_units = text.encode("utf-16-le")
    cut = [code_units[2 * start : 2 * end].decode("utf-16-le") for start, end in spans.to_utf16(text)]
    assert cut == [text[start:end] for start, end in spans]


def test_utf16_counts_an_astral_character_twice() -> None:
    text = "a🐝e\u0301" + FAMILY
    assert SpanSet([(1, 2), (3, 4), (5, 9)]).to_utf16(text) == [(1, 3), (4, 5), (7, 13)]
    assert SpanSet.from_utf16([[1, 3], [4, 5], [7, 13]], text) == ((1, 2), (3, 4), (5, 9))


def test_utf16_of_a_lone_surrogate_is_one_unit() -> None:
    text = "\ud83da🐝"
    assert SpanSet([(1, 3)]).to_utf16(text) == [(1, 4)]
    assert SpanSet.from_utf16([(1, 4)], text) == ((1, 3),)


@moderately
@given(tricky_texts)
def test_a_utf16_position_is_accepted_only_between_characters(text: str) -> None:
    between = boundaries(text)
    for unit in range(1, between[-1] + 2):
        if unit in between:
            assert SpanSet.from_utf16([(0, unit)], text) == ((0, between.index(unit)),)
        else:
            with pytest.raises(ValueError, match=f"UTF-16 position {unit} is inside a character or past the end"):
                SpanSet.from_utf16([(0, unit)], text)


def test_half_a_character_is_no_start() -> None:
    with pytest.raises(ValueError, match="UTF-16 position 2 is inside a character"):
        SpanSet.from_utf16([(2, 3)], "a🐝")


def test_utf16_of_places_past_the_text_is_an_error() -> None:
    with pytest.raises(ValueError, match="a span ends at 3, but the text has 2 characters"):
        SpanSet([(0, 3)]).to_utf16("a🐝")


@pytest.mark.parametrize("pair", [(3, 3), (4, 2), (-1, 2)])
def test_a_pair_must_be_forward_and_inside(pair: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"a span needs 0 <= start < end, not \\[{pair[0]}, {pair[1]}\\]"):
        SpanSet([(0, 1), pair])


@pytest.mark.parametrize("pair", [(1,), (1, 2, 3), (1, 2.0), (False, True), ("1", "2"), (None, 2), "12", 12])
def test_a_pair_must_be_two_whole_numbers(pair: Any) -> None:
    with pytest.raises(ValueError, match="a span is two whole numbers"):
        SpanSet([pair])


def test_pairs_may_be_lists_as_json_gives_them() -> None:
    assert SpanSet([[4, 6], [0, 2]]) == ((0, 2), (4, 6))


def test_it_prints_as_it_is_written() -> None:
    assert repr(SpanSet([(4, 6), (0, 2)])) == "SpanSet([(0, 2), (4, 6)])"


def test_it_survives_the_way_to_another_process() -> None:
    spans = SpanSet([(0, 2), (4, 6)])
    again = pickle.loads(pickle.dumps(spans))
    assert again == spans
    assert type(again) is SpanSet
