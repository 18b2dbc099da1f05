from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import response
from karat.model import Response
from karat.text.response_units import UnitKind, UnitPlace, Units, units_of


def answer(*texts: str) -> Response:
    return response("r", *texts, first=0)


RESPONSES = [answer("One. Two. Three. Four.", "  Five. "), answer(), answer("", " \n"), answer("Six")]


@pytest.mark.parametrize(
    ("kind", "texts", "starts"),
    [
        ("snippet", ["One. Two. Three. Four.", "  Five. ", "Six"], [0, 2, 2, 2, 3]),
        ("response", ["One. Two. Three. Four.\n  Five. ", "Six"], [0, 1, 1, 1, 2]),
        ("sentence", ["One.", "Two.", "Three.", "Four.", "Five.", "Six"], [0, 5, 5, 5, 6]),
        ("window", ["One. Two. Three.", "Two. Three. Four.", "Three. Four. Five.", "Six"], [0, 3, 3, 3, 4]),
    ],
)
def test_units(kind: UnitKind, texts: list[str], starts: list[int]) -> None:
    units = units_of(RESPONSES, kind)
    assert units.texts == texts
    assert units.starts.tolist() == starts
    assert len(units.places) == len(texts)


@pytest.mark.parametrize("kind", ["snippet", "sentence"])
def test_a_place_is_where_the_text_is(kind: UnitKind) -> None:
    units = units_of(RESPONSES[:1], kind)
    by_id = {snippet.snippet_id: snippet.text for snippet in RESPONSES[0].snippets}
    for text, place in zip(units.texts, units.places, strict=True):
        assert place.snippet_id is not None
        assert by_id[place.snippet_id][place.start : place.end] == text


def test_the_place_of_a_window_is_what_lies_in_its_first_snippet() -> None:
    units = units_of([answer("One.  Two. Three.", "Four.", "Five.")], "window")
    assert units.texts == ["One. Two. Three.", "Two. Three. Four.", "Three. Four. Five."]
    assert units.places == [UnitPlace("s0", 0, 17), UnitPlace("s0", 6, 17), UnitPlace("s0", 11, 17)]
    assert units_of([answer("One. Two.")], "window").texts == ["One. Two."]


def test_the_whole_response_is_in_no_snippet() -> None:
    assert units_of([answer("ab", "c")], "response").places == [UnitPlace(None, 0, 4)]


def test_no_responses_have_no_units() -> None:
    units = units_of([])
    assert (units.texts, units.starts.tolist()) == ([], [0])
    values, best = units.best(np.zeros((0, 3), np.float32))
    assert values.shape == best.shape == (0, 3)


def test_the_best_unit_is_the_first_of_equals_and_none_where_there_is_none() -> None:
    units = Units(["a", "b", "c"], [UnitPlace(None, 0, 1)] * 3, np.array([0, 2, 2, 3]))
    values, best = units.best(np.array([[0.2, 0.5, 0.0], [0.4, 0.5, 0.0], [0.1, 0.0, 1.0]], np.float32))
    assert values == pytest.approx(np.array([[0.4, 0.5, 0.0], [0.0, 0.0, 0.0], [0.1, 0.0, 1.0]]))
    assert best.tolist() == [[1, 0, 0], [-1, -1, -1], [2, 2, 2]]


@given(
    lengths=st.lists(st.integers(0, 4), max_size=6),
    nugs=st.integers(0, 3),
    step=st.integers(1, 5),
    seed=st.integers(0, 1000),
)
def test_blocks_of_scores_give_the_same_best(lengths: list[int], nugs: int, step: int, seed: int) -> None:
    starts = np.cumsum([0, *lengths])
    units = Units([""] * starts[-1], [UnitPlace(None, 0, 0)] * starts[-1], starts)
    scores = np.random.default_rng(seed).integers(0, 3, (starts[-1], nugs)).astype(np.float32)
    values, best = units.best_of_blocks((scores[at : at + step] for at in range(0, len(scores), step)), nugs)
    for row, (start, end) in enumerate(pairwise(starts)):
        for nug in range(nugs):
            own = scores[start:end, nug].tolist()
            assert values[row, nug] == max(own, default=0.0)
            assert best[row, nug] == (start + own.index(max(own)) if own else -1)
