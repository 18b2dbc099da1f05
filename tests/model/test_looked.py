from __future__ import annotations

from typing import Any

import pytest

from builders.records import nugget
from karat.model import Response, Snippet
from karat.model.looked import add_found_none, found_none, people_looked, unrevised, without_found_none


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


def test_of_two_versions_of_a_nugget_the_last_counts() -> None:
    first, second, third = nugget("a"), nugget("b", revises=("a",)), nugget("c", revises=("b",))
    assert unrevised([first, second, third]) == [third]
    assert unrevised([first, second]) == [second]
    assert unrevised([first, third]) == [first, third]


def test_ids_of_nuggets_belong_to_their_query() -> None:
    elsewhere = nugget("b", revises=("a",), query_id="p")
    assert unrevised([nugget("a"), elsewhere]) == [nugget("a"), elsewhere]


def test_a_nugget_that_names_itself_is_not_lost() -> None:
    itself = nugget("a", revises=("a",))
    assert unrevised([itself]) == [itself]


def test_where_a_person_has_nuggets_automatic_ones_do_not_count() -> None:
    here, there = nugget("a", source="auto"), nugget("b", source="auto", snippet_id="2")
    own = nugget("c", revises=("a",))
    assert people_looked([here, there, own]) == [there, own]
    assert people_looked([here, there]) == [here, there]
