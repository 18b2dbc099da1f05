from __future__ import annotations

from typing import Literal

import pytest

from builders.records import nug
from karat.measures.cases.and_or_parts import Parts
from karat.model import Nug


def part(nug_id: str, parent: str | None = None, aggregator: Literal["and", "or"] | None = None) -> Nug:
    return nug(nug_id, parent=parent, aggregator=aggregator)


KEY = [
    part("p", aggregator="and"), part("x", "p", "or"), part("b", "p"), part("d", "x"), part("e", "x"),
    part("lost", "nowhere"), part("egg", "hen"), part("hen", "egg"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("nug_id", "path"),
    [("p", "p"), ("b", "bp"), ("d", "dxp"), ("lost", ""), ("egg", ""), ("hen", ""), ("not in the key", "")],
)
def test_the_way_up_to_the_nug_that_has_no_parent(nug_id: str, path: str) -> None:
    parts = Parts(KEY, judged=set())
    assert parts.path(nug_id) == [*path]
    assert parts.whole(nug_id) == (path[-1] if path else None)


@pytest.mark.parametrize(
    ("heard", "said"), [("d", "dx"), ("b", "b"), ("db", "dxbp"), ("bd", "dxbp"), ("de", "dex"), ("p", "p"), ("", "")]
)
def test_an_or_nug_is_said_with_its_first_part_and_an_and_nug_with_its_last(heard: str, said: str) -> None:
    parts, found = Parts(KEY, judged=set()), set[str]()
    for nug_id in heard:
        parts.say(nug_id, found)
    assert found == {*said}


def test_parts_of_what_was_judged_itself_are_not_asked() -> None:
    parts, found = Parts(KEY, judged={"x", "d"}), set[str]()
    parts.say("d", found)
    assert (parts.path("d"), parts.whole("x"), found) == ([], "p", set())
    parts.say("x", found)
    assert found == {"x"}


def test_any_depth() -> None:
    deep = [part("0"), *(part(str(depth), str(depth - 1)) for depth in range(1, 2000))]
    assert Parts(deep, judged=set()).whole("1999") == "0"
