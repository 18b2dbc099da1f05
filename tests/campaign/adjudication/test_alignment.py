"""Which nuggets are compared: those that may overlap, and no others."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from karat.campaign.adjudication.alignment import touching
from karat.model import SpanSet

PIECE = st.tuples(st.integers(0, 30), st.integers(1, 6)).map(lambda piece: (piece[0], piece[0] + piece[1]))
SPANS = st.lists(PIECE, min_size=1, max_size=3).map(SpanSet)


@given(st.lists(SPANS, max_size=12))
def test_every_pair_that_overlaps_is_compared_once(marked: list[SpanSet]) -> None:
    spans = {(place % 3, f"n-{place}"): each for place, each in enumerate(marked)}
    compared = list(touching(spans))
    overlapping = {(one, other) for one, other in combinations(spans, 2) if spans[one].intersection(spans[other])}
    assert len(compared) == len(set(compared))
    assert overlapping <= set(compared) <= set(combinations(spans, 2))


def test_nuggets_side_by_side_are_not_compared() -> None:
    """Every pair would be twelve million."""
    spans = {(place % 2, f"n-{place}"): SpanSet([(10 * place, 10 * place + 9)]) for place in range(5_000)}
    assert list(touching(spans)) == []
