from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from karat.text.pieces import pieces


@given(st.text(alphabet="ab. \n😀", max_size=200), st.integers(2, 30))
def test_pieces_hold_everything_but_white_space_in_order(text: str, most: int) -> None:
    places = pieces(text, most=most)
    assert all(start < end for start, end in places)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(places))
    kept = "".join(text[start:end] for start, end in places)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(end - start <= most for start, end in places)


def test_a_text_that_fits_is_one_piece() -> None:
    assert pieces("One. Two.") == [(0, 9)]
    assert pieces(" \n ") == []


def test_a_word_longer_than_a_piece_is_cut_anywhere() -> None:
    assert pieces("x" * 25, most=10) == [(0, 10), (10, 20), (20, 25)]
