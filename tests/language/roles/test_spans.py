from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from karat.language.roles.spans import ALONE, FULL, RUN, candidate_spans, downwards


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    """The heads of a random tree: the head of each token, except the root, was placed before it."""
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    heads[order[0]] = order[0]
    for place in range(1, size):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    return heads


@given(trees())
def test_downwards_has_every_token_once_and_after_its_head(heads: list[int]) -> None:
    order, children = downwards(heads)
    assert sorted(order) == list(range(len(heads)))
    place = {token: number for number, token in enumerate(order)}
    assert all(heads[token] == token or place[heads[token]] < place[token] for token in order)
    assert sum(map(len, children)) == len(heads) - 1


@given(trees(), st.data())
def test_spans_are_inside_the_sentence_and_come_once(heads: list[int], data: st.DataObject) -> None:
    marks = data.draw(st.lists(st.booleans(), min_size=len(heads), max_size=len(heads)))
    order, children = downwards(heads)
    spans = candidate_spans(order, children, punctuation=marks)
    assert all(0 <= start < end <= len(heads) for start, end, _, _ in spans)
    assert len({span[:2] for span in spans}) == len(spans)
    words = {place for place, mark in enumerate(marks) if not mark}
    assert {start for start, end, _, _ in spans if end == start + 1} >= words


def test_a_wrongly_attached_phrase_is_still_among_the_candidates() -> None:
    # "saw the man with dogs", "with dogs" attached to the verb: the whole phrase is a run of two branches
    order, children = downwards([0, 2, 0, 0, 3])
    spans = {(start, end): kind for start, end, _, kind in candidate_spans(order, children, punctuation=[False] * 5)}
    assert spans[1, 5] == RUN
    assert spans[1, 3] == FULL
    assert spans[2, 3] == ALONE or (2, 3) in spans


def test_punctuation_is_cut_from_the_ends() -> None:
    order, children = downwards([1, 1, 1])
    spans = {span[:2] for span in candidate_spans(order, children, punctuation=[False, False, True])}
    assert (0, 2) in spans


def test_a_token_with_very_many_branches_does_not_blow_up() -> None:
    heads = [0] * 400
    order, children = downwards(heads)
    assert len(candidate_spans(order, children, punctuation=[False] * 400)) < 5_000
