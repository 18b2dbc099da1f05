from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from karat.model import Difference, Signature
from strategies import moderately, texts

names = texts | st.text("|:%\n\r2A5a é", max_size=8)
signatures = st.builds(Signature, names, st.dictionaries(names, names, max_size=4))


def test_it_prints_its_name_and_settings_in_order() -> None:
    settings = {"judge": "nuggeteer", "ngram": "2", "v": "0.1.0"}
    assert str(Signature("F3", settings)) == "F3|judge:nuggeteer|ngram:2|v:0.1.0"


def test_a_name_without_settings_is_a_signature() -> None:
    assert str(Signature("F3")) == "F3"
    assert Signature.parse("F3") == Signature("F3", {})


@pytest.mark.parametrize(
    ("signature", "printed"),
    [
        (Signature("a|b"), "a%7Cb"),
        (Signature("a:b"), "a:b"),
        (Signature("50%7C"), "50%257C"),
        (Signature("x", {"a:b": "c:d"}), "x|a%3Ab:c:d"),
        (Signature("x", {"k": "1|2\r\n3"}), "x|k:1%7C2%0D%0A3"),
        (Signature("é", {"模": "🐝"}), "é|模:🐝"),
        (Signature("", {"": ""}), "|:"),
    ],
)
def test_only_what_would_be_misread_is_escaped(signature: Signature, printed: str) -> None:
    assert str(signature) == printed
    assert Signature.parse(printed) == signature


@moderately
@given(signatures)
@example(Signature("%", {"%3A": "%7C", ":": ":", "|": "|", "\n": "%0A"}))
def test_what_prints_parses_back(signature: Signature) -> None:
    again = Signature.parse(str(signature))
    assert again == signature
    assert list(again.settings) == list(signature.settings)


@moderately
@given(signatures)
def test_it_prints_on_one_line(signature: Signature) -> None:
    assert not {"\n", "\r"} & set(str(signature))


@moderately
@given(signatures, signatures)
def test_two_signatures_print_alike_only_if_they_are_alike(one: Signature, other: Signature) -> None:
    same = one.name == other.name and list(one.settings.items()) == list(other.settings.items())
    assert (str(one) == str(other)) == same


def test_the_order_of_settings_does_not_matter() -> None:
    one, other = Signature("F", {"a": "1", "b": "2"}), Signature("F", {"b": "2", "a": "1"})
    assert one == other
    assert hash(one) == hash(other)
    assert one.differences(other) == []


@pytest.mark.parametrize("other", [Signature("G", {"a": "1"}), Signature("F", {"a": "2"}), Signature("F"), "F|a:1"])
def test_another_name_or_setting_is_another_signature(other: object) -> None:
    assert Signature("F", {"a": "1"}) != other


def test_differences_name_what_differs_and_what_is_lacking() -> None:
    signature = Signature("F", {"same": "1", "seed": "7", "left": "x"})
    other = Signature("G", {"right": "", "seed": "8", "same": "1"})
    assert signature.differences(other) == [
        Difference("name", "F", "G"),
        Difference("seed", "7", "8"),
        Difference("left", "x", None),
        Difference("right", None, ""),
    ]


@moderately
@given(signatures, signatures)
def test_differences_are_none_only_between_equals_and_mirror(one: Signature, other: Signature) -> None:
    there, back = one.differences(other), other.differences(one)
    assert (not there) == (one == other)
    assert {(d.key, d.left, d.right) for d in there} == {(d.key, d.right, d.left) for d in back}


def test_a_part_without_a_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="signature part 'seed' is not KEY:VALUE"):
        Signature.parse("F|seed")


@pytest.mark.parametrize("printed", ["F|a:1|a:2", "F|a:1|%61:1"])
def test_a_setting_named_twice_is_an_error(printed: str) -> None:
    with pytest.raises(ValueError, match="the signature has the setting 'a' twice"):
        Signature.parse(printed)
