"""What occurs more than once among very many things."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from karat.formats.inputs import repeats
from karat.formats.inputs.repeats import Hashes

things = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 3)))


@given(things, things, st.sampled_from([0, 4, repeats.FEW]))
def test_repeats_are_found_within_and_across_what_was_added(first: list[object], more: list[object], few: int) -> None:
    hashes = Hashes(first)
    hashes.update(more)
    together = [*first, *more]
    with patch.object(repeats, "FEW", few):
        assert hashes.repeated() == {hash(thing) for thing in together if together.count(thing) > 1}
    assert len(hashes) == len(together)


@given(things, things)
def test_what_others_have_too(own: list[object], others: list[object]) -> None:
    left, right = Hashes(own), Hashes(others)
    assert left.among(right) == set(map(hash, own)) & set(map(hash, others))
