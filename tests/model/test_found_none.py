from __future__ import annotations

from typing import Any

import pytest

from karat.model import Response, Snippet
from karat.model.found_none import add_found_none, found_none, without_found_none


def snippet_with(**extra: Any) -> Snippet:
    return Snippet(snippet_id="1", text="Hm.", extra=extra)


@pytest.mark.parametrize(
    ("said", "sources"),
    [(["corrected"], ("corrected",)), (["me", 7, "person"], ("person",)), ("person", ()), (True, ()), (None, ())],
)
def test_a_field_that_says_something_else_is_not_ours(said: Any, sources: tuple[str, ...]) -> None:
    assert found_none(snippet_with(found_none=said)) == sources


def test_sources_are_added_once_and_other_fields_stay() -> None:
    once = add_found_none(snippet_with(style="news"), ["person", "person"])
    assert once.extra == {"style": "news", "found_none": ["person"]}
    assert add_found_none(once, ["person"]) is once
    assert found_none(add_found_none(once, ["corrected"])) == ("person", "corrected")


def test_a_response_without_it_is_as_it_was_before() -> None:
    plain = Response(query_id="q", run_id="r", snippets=(snippet_with(style="news"), snippet_with()))
    marked = Response(
        query_id="q", run_id="r", snippets=(snippet_with(style="news", found_none=["person"]), snippet_with())
    )
    assert without_found_none(marked) == plain
    assert without_found_none(plain) is plain
