from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from karat.language.analysis import Argument
from karat.language.roles.decoding import ONCE, decode

LABELS = ("", "ARG0", "ARG1", "ARGM-TMP")


def decoded(*rows: tuple[int, int, float, float, float], bias: float = 0.0) -> tuple[Argument, ...]:
    spans = np.array([row[:2] for row in rows])
    scores = np.array([(0.0, *row[2:]) for row in rows], dtype=np.float32)
    return decode(scores, spans, LABELS, bias=bias)


def test_the_better_of_two_overlapping_spans_is_taken() -> None:
    assert decoded((0, 2, 1.0, -1, -1), (1, 3, 2.0, -1, -1)) == (Argument("ARG0", 1, 3),)


def test_a_core_label_comes_once_and_the_next_best_label_stands_in() -> None:
    assert decoded((0, 1, 3.0, -1, -1), (2, 3, 2.0, 1.0, -1)) == (Argument("ARG0", 0, 1), Argument("ARG1", 2, 3))


def test_a_modifier_may_come_twice() -> None:
    assert [one.label for one in decoded((0, 1, -1, -1, 1.0), (2, 3, -1, -1, 1.0))] == ["ARGM-TMP", "ARGM-TMP"]


def test_nothing_above_the_bias_is_no_argument() -> None:
    assert decoded((0, 1, -1, -2, -3)) == ()
    assert decoded((0, 1, -1, -2, -3), bias=-1.5) == (Argument("ARG0", 0, 1),)


@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.integers(1, 4), *[st.floats(-3, 3, width=32)] * 3), min_size=1, max_size=12
    )
)
def test_arguments_never_overlap_nor_repeat_a_core_label(rows: list[tuple[int, int, float, float, float]]) -> None:
    found = decoded(*[(start, start + width, *scores) for start, width, *scores in rows])
    for left, right in itertools.pairwise(found):
        assert left.end_token <= right.start_token
    core = [one.label for one in found if one.label in ONCE]
    assert len(core) == len(set(core))
