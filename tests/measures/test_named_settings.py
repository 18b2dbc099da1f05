from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from karat.measures.named_settings import Call, made, parse_call
from karat.model import UsageError


class Thing(msgspec.Struct, frozen=True):
    size: Annotated[float, msgspec.Meta(ge=0.0, le=9.0)] = 1.0
    share: Annotated[float, msgspec.Meta(gt=0.0)] = 1.0
    times: int = 2
    kind: Literal["a", "b"] = "a"
    loud: bool = False


ALL = ("size", "share", "times", "kind", "loud")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("F3", Call("F3", {})),
        ("  F3 ", Call("F3", {})),
        ("F3()", Call("F3", {})),
        ("F3 ( a=1 , b = x y ,)", Call("F3", {"a": "1", "b": "x y"})),
        ("p(a=b=c)", Call("p", {"a": "b=c"})),
    ],
)
def test_parse(name: str, expected: Call) -> None:
    assert parse_call(name) == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is not NAME"),
        ("(a=1)", "is not NAME"),
        ("F(a=1", "is not NAME"),
        ("F(a=(1))", "is not NAME"),
        ("F(a=1)x", "is not NAME"),
        ("F(a)", "'a' is not setting=value"),
        ("F(a=)", "'a=' is not setting=value"),
        ("F(a=1,a=2)", "'a' is set twice"),
    ],
)
def test_what_is_no_call(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_call(name)


def test_made_with_settings_and_what_is_fixed() -> None:
    found = made("t", Thing, {"size": "0.5", "loud": "true", "kind": "b"}, allowed=ALL, fixed={"times": 7})
    assert found == Thing(size=0.5, times=7, kind="b", loud=True)
    assert made("t", Thing, {}, allowed=()) == Thing()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"size": "-1"}, "size=-1 is below 0"),
        ({"size": "10"}, "size=10 is above 9"),
        ({"share": "0"}, "share=0 is not above 0"),
        ({"size": "nan"}, "size=nan is not a number"),
        ({"size": "big"}, "size=big is not a number"),
        ({"times": "1.5"}, "times=1.5 is not a whole number"),
        ({"kind": "c"}, "kind=c is not one of a, b"),
        ({"loud": "perhaps"}, "loud=perhaps is not true or false"),
        ({"colour": "red"}, "there is no setting 'colour'; it has size, share, times, kind, loud"),
    ],
)
def test_what_cannot_be_made(settings: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=f"'t': {said}$"):
        made("t", Thing, settings, allowed=ALL)


def test_a_name_without_settings_says_so() -> None:
    with pytest.raises(UsageError, match="it has none"):
        made("t", Thing, {"size": "1"}, allowed=())
