from __future__ import annotations

from typing import Any

import pytest

from karat.formats.io.fields import Fields, normal_label, type_name
from karat.formats.io.source import BadUnit, Source
from karat.model import SpanSet


def fields(path: str = "", **data: Any) -> Fields:
    return Fields(Source("<bytes>", b""), data, path)


def complaints(row: Fields) -> list[str]:
    return [str(problem).removeprefix("<bytes>: ") for problem in row.source.problems]


def refused(accessor: str, value: Any) -> str:
    """What an accessor says about a value that it cannot use."""
    row = fields(x=value)
    with pytest.raises(BadUnit):
        getattr(row, accessor)("x")
    (complaint,) = complaints(row)
    return complaint.removeprefix("x: ")


def test_a_unit_is_dropped_at_its_first_fault_and_reading_goes_on() -> None:
    kept = []
    rows = fields(rows=[{"a": 1}, {}, 7, {"a": "3"}]).items("rows")
    for row in rows:
        with row.unit():
            kept.append(row.number("a"))
    assert kept == [1.0, 3.0]
    assert complaints(rows[0]) == ["rows[2]: must be an object, not a number", "rows[1].a: is missing"]
    assert [problem.code for problem in rows[0].source.problems] == ["wrong-type", "missing-field"]


def test_the_first_name_that_holds_something_wins_and_all_count_as_used() -> None:
    row = fields(a=None, b=2, c=3, d=4)
    assert row.get("a", "b", "c") == 2
    assert row.rest() == {"d": 4}
    assert row.rest("d") == {}
    assert row.get("none") is None
    assert row.has("a", "b")
    assert not row.has("a", "none")


@pytest.mark.parametrize(
    ("value", "found"), [("q1", "q1"), (" q1 ", "q1"), (7, "7"), (7.0, "7"), (10**20, str(10**20)), ("007", "007")]
)
def test_ids(value: Any, found: str) -> None:
    assert fields(x=value).id("x") == fields(x=value).optional_id("x") == found


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (None, "is missing"),
        ("", "is empty"),
        ("  ", "is empty"),
        (1.5, "an id must be a string or a whole number, not a number"),
        (True, "an id must be a string or a whole number, not true/false"),
        ([], "an id must be a string or a whole number, not a list"),
        ({}, "an id must be a string or a whole number, not an object"),
    ],
)
def test_ids_that_are_none(value: Any, complaint: str) -> None:
    assert refused("id", value) == complaint


def test_optional_values_may_be_absent_null_or_empty() -> None:
    for row in (fields(), fields(x=None), fields(x="")):
        assert row.optional_id("x") is None
        assert row.optional_number("x") is None
        assert row.optional_integer("x") is None
        assert row.optional_boolean("x") is None
        assert complaints(row) == []
    assert fields().optional_text("x") is None
    assert fields(x="").optional_text("x") == ""
    assert fields().optional_members("x") == fields().optional_items("x") == fields().optional_entries("x") == []
    assert fields().optional_child("x") is None
    assert fields().strings("x") == []


@pytest.mark.parametrize(("value", "found"), [(1, 1.0), (0.5, 0.5), ("0.5", 0.5), (" -2e3 ", -2000.0)])
def test_numbers(value: Any, found: float) -> None:
    assert fields(x=value).number("x") == found


@pytest.mark.parametrize(
    ("accessor", "value", "complaint"),
    [
        ("number", "x", "must be a number, not 'x'"),
        ("number", "", "must be a number, not ''"),
        ("number", True, "must be a number, not True"),
        ("number", [1], "must be a number, not [1]"),
        ("number", "nan", "must be a finite number, not 'nan'"),
        ("number", "1e999", "must be a finite number, not '1e999'"),
        ("number", 10**400, f"must be a number, not {10**400}"),
        ("integer", 1.5, "must be a whole number, not 1.5"),
        ("boolean", "perhaps", "'perhaps' is not one of true, false"),
        ("boolean", 2, "2 is not one of true, false"),
        ("text", 5, "must be a string, not a number"),
        ("text", None, "is missing"),
        ("members", {}, "must be a list, not an object"),
        ("items", "a", "must be a list, not a string"),
        ("entries", [], "must be an object, not a list"),
        ("child", False, "must be an object, not true/false"),
    ],
)
def test_values_of_another_kind(accessor: str, value: Any, complaint: str) -> None:
    assert refused(accessor, value) == complaint


def test_integers_and_truth_values() -> None:
    assert [fields(x=value).integer("x") for value in (3, 3.0, "3", "-3")] == [3, 3, 3, -3]
    assert [fields(x=value).boolean("x") for value in (True, "True", "YES", 1, "1")] == [True] * 5
    assert [fields(x=value).boolean("x") for value in (False, "false ", "no", 0, "0")] == [False] * 5


def test_labels_are_compared_in_one_spelling() -> None:
    choices = {"partial_support": 0.5, "1": 1.0}
    for value in ("Partial Support", "partial-support ", "PARTIAL_SUPPORT"):
        assert fields(x=value).label("x", choices) == 0.5
    assert fields(x=1).label("x", choices) == 1.0
    assert normal_label(" Not-Support ") == "not_support"


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("suport", "x: 'suport' is not one of support, not_support"),
        ("", "x: '' is not one of support, not_support"),
        (2, "x: 2 is not one of support, not_support"),
        (None, "x: is missing"),
        (True, "x: a label must be a string, not true/false"),
        (["support"], "x: a label must be a string, not a list"),
    ],
)
def test_an_impossible_label_is_reported_but_does_not_drop_the_unit(value: Any, complaint: str) -> None:
    row = fields(x=value)
    assert row.label("x", {"support": 1.0, "not_support": 0.0}) is None
    assert complaints(row) == [complaint]
    assert row.source.problems[0].code == "impossible-label"


def test_spans() -> None:
    assert fields().spans("x", [[4, 6], [0, 2]], "abcdef") == SpanSet([(0, 2), (4, 6)])
    for pairs, code, complaint in (
        ([[2, 1]], "bad-span", "x: a span needs 0 <= start < end, not [2, 1]"),
        ([[0, 1.5]], "bad-span", "x: a span is two whole numbers [start, end], not [0, 1.5]"),
        ([7], "bad-span", "x: a span is two whole numbers [start, end], not 7"),
        ([[0, 7]], "span-outside", "x: ends at 7, but the text has 6 characters"),
    ):
        row = fields()
        with pytest.raises(BadUnit):
            row.spans("x", pairs, "abcdef")
        assert complaints(row) == [complaint]
        assert row.source.problems[0].code == code


def test_lists_and_objects_inside() -> None:
    row = fields("top", words=["a", 5, "b"], parts=[{"n": 1}, None], by_name={"k": 1}, one={"m": 2})
    assert row.strings("words") == ["a", "b"]
    (part,) = row.items("parts")
    assert (part.path, part.integer("n")) == ("top.parts[0]", 1)
    assert row.entries("by_name") == [("k", 1)]
    assert row.child("one").path == "top.one"
    assert row.inside(3, {}).path == "top[3]"
    assert row.rest() == {}
    assert complaints(row) == [
        "top.words[1]: must be a string, not a number",
        "top.parts[1]: must be an object, not null",
    ]


def test_complaints_about_the_whole_and_about_a_field() -> None:
    row = fields("rows[2]", x=1)
    row.complain("", "is odd")
    row.complain("x", "'a'", choices=("b",))
    with pytest.raises(BadUnit):
        row.bad("x", "is bad", code="odd")
    assert complaints(row) == ["rows[2]: is odd", "rows[2].x: 'a' is not one of b", "rows[2].x: is bad"]


def test_names_of_json_types() -> None:
    values = (None, {}, [], "", True, 1, 1.5)
    assert [type_name(value) for value in values] == [
        "null", "an object", "a list", "a string", "true/false", "a number", "a number",
    ]  # fmt: skip
    assert repr(fields("a", b=1)) == "<Fields a b'{\"b\":1}'>"
