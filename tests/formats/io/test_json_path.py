from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.formats.io.json_path import JsonPlaces, join

TEXT = """\
{
 "a": 1,
 "list": [
  {"x": "one, [two] {three}: \\" four",
   "y": null},
  [],
  [2,
   -3.5e1]
 ],
 "b": {
  "c d": {"e": true}}
}"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("", 1),
        ("a", 2),
        ("list", 3),
        ("list[0]", 4),
        ("list[0].x", 4),
        ("list[0].y", 5),
        ("list[1]", 6),
        ("list[2][0]", 7),
        ("list[2][1]", 8),
        ("b", 10),
        ("b.c d.e", 11),
        # What is not there is at the nearest enclosing value.
        ("list[0].missing", 4),
        ("list[0].x.deeper[3]", 4),
        ("list[9]", 3),
        ("nothing", 1),
    ],
)
def test_the_line_of_a_value(path: str, line: int) -> None:
    assert JsonPlaces(TEXT).line_of(path) == line


def test_an_array_and_a_lone_value() -> None:
    assert JsonPlaces('[\n{"a":\n1}]').line_of("[0].a") == 3
    assert JsonPlaces("\n\n7").line_of("") == 3
    assert JsonPlaces("").line_of("a.b") == 1


def test_keys_are_compared_as_they_read() -> None:
    assert JsonPlaces('{\n"\\u00e4":\n1}').line_of("ä") == 3


def test_a_path_grows_by_names_and_numbers() -> None:
    assert join("", "nuggets") == "nuggets"
    assert join("nuggets", 3) == "nuggets[3]"
    assert join("nuggets[3]", "text") == "nuggets[3].text"
    assert join("", 0) == "[0]"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"[a-z]{1,3}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_every_value_of_an_indented_document_is_found(value: object) -> None:
    """With an indent each value begins a line of its own, so that counting values counts lines."""
    text = json.dumps(value, indent=1)
    places = JsonPlaces(text)
    lines = text.split("\n")

    def check(inner: object, path: str) -> None:
        line = lines[places.line_of(path) - 1].strip()
        begin = json.dumps(inner, indent=1).split("\n")[0]
        assert begin in line
        if isinstance(inner, dict):
            for key, member in inner.items():
                check(member, join(path, key))
        elif isinstance(inner, list):
            for index, member in enumerate(inner):
                check(member, join(path, index))

    check(value, "")
