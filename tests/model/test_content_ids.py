from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.model import ContentIds, content_id
from strategies import moderately, texts


@pytest.mark.parametrize(
    ("parts", "identifier"),
    [
        (("born in Brooklyn",), "d27c861053a67bdd"),
        (("né à Köln 🐝",), "e2d196a2a33dc654"),
        (("q1", "born in Brooklyn"), "9560de4039c2ad00"),
        (("",), "ca08ea5bca49cc18"),
    ],
)
def test_an_id_is_the_same_for_ever(parts: tuple[str, ...], identifier: str) -> None:
    assert content_id(*parts) == identifier


def test_parts_are_kept_apart() -> None:
    assert content_id("ab", "c") != content_id("a", "bc")
    assert content_id("a") != content_id("a", "")


@moderately
@given(st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_other_parts_have_another_id(one: list[str], other: list[str]) -> None:
    assert (content_id(*one) == content_id(*other)) == (one == other)


@moderately
@given(st.lists(st.text(), max_size=3))
def test_an_id_is_sixteen_hex_digits_of_any_text(parts: list[str]) -> None:
    identifier = content_id(*parts)
    assert len(identifier) == 16
    assert set(identifier) <= set("0123456789abcdef")


def test_white_space_case_and_composition_make_another_text() -> None:
    assert len({content_id(text) for text in ("é", "e\u0301", "É", "é ")}) == 4


def test_a_repeated_text_gets_ordinals() -> None:
    ids = ContentIds()
    first = content_id("a")
    assert [ids.next("a"), ids.next("b"), ids.next("a"), ids.next("a"), ids.next("b")] == [
        first,
        content_id("b"),
        f"{first}-2",
        f"{first}-3",
        f"{content_id('b')}-2",
    ]


def test_each_query_counts_anew() -> None:
    assert ContentIds().next("a") == ContentIds().next("a") == content_id("a")


@moderately
@given(st.lists(st.lists(st.sampled_from(["", "a", "ab", "b", "-2"]), max_size=2), max_size=12))
def test_no_two_things_get_one_id(things: list[list[str]]) -> None:
    ids = ContentIds()
    given_out = [ids.next(*parts) for parts in things]
    assert len(set(given_out)) == len(things)
