from __future__ import annotations

from typing import Any

import pytest

from karat.formats import Source
from karat.formats.io.rows import blank_separated, is_json_lines, json_rows, table_rows
from karat.model import InputError


def source(data: str) -> Source:
    return Source("x", data.encode())


def rows_and_problems(data: str) -> tuple[list[dict[str, Any]], list[str]]:
    file = source(data)
    return [row.data for row in json_rows(file)], [str(problem) for problem in file.problems]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ('{"a": 1}\n{"a": 2}\n', True),
        ('{"a": 1}', True),
        ('\n\n{"a": 1}\n', True),
        ('{"a": 1\n{"a": 2}\n', True),
        ('[{"a": 1}, {"a": 2}]', False),
        ('[{"a": 1},\n {"a": 2}]', False),
        ('{\n "a": 1\n}', False),
        ('[\n {\n  "a": 1\n }\n]', False),
        ("", False),
    ],
)
def test_a_value_a_line_is_reported_from_a_document(data: str, lines: bool) -> None:
    assert is_json_lines(source(data)) is lines


@pytest.mark.parametrize(
    "data",
    [
        '{"a": 1}\n{"a": 2}',
        '\ufeff{"a": 1}\r\n\r\n{"a": 2}\r\n',
        '[{"a": 1}, {"a": 2}]',
        '[{"a": 1},\n {"a": 2}]\n',
        '[\n {\n  "a": 1\n },\n {\n  "a": 2\n }\n]',
    ],
)
def test_the_same_rows_come_out_of_lines_and_arrays(data: str) -> None:
    assert rows_and_problems(data) == ([{"a": 1}, {"a": 2}], [])


def test_a_lone_object_is_one_row() -> None:
    assert rows_and_problems('{\n "a": 1\n}') == ([{"a": 1}], [])


def test_a_broken_line_is_reported_and_the_next_one_read() -> None:
    rows, problems = rows_and_problems('{"a": 1}\n{"a": \n[2]\n{"a": 3}')
    assert rows == [{"a": 1}, {"a": 3}]
    assert problems == ["x:2: is not JSON: Input data was truncated", "x:3: a row must be an object, not a list"]


def test_a_broken_first_line_does_not_make_a_document() -> None:
    rows, problems = rows_and_problems('{"a": \n{"a": 2}\n')
    assert rows == [{"a": 2}]
    assert problems == ["x:1: is not JSON: Input data was truncated"]


def test_a_member_of_an_array_that_is_no_object_is_reported_with_its_line_and_index() -> None:
    rows, problems = rows_and_problems('[{"a": 1},\n 3,\n {"a": 2}]')
    assert rows == [{"a": 1}, {"a": 2}]
    assert problems == ["x:2: [1]: a row must be an object, not a number"]


def test_a_problem_in_an_array_names_the_row() -> None:
    file = source('[{"a": 1},\n {"a": "x"}]')
    for row in json_rows(file):
        with row.unit():
            row.number("a")
    assert [str(problem) for problem in file.problems] == ["x:2: [1].a: must be a number, not 'x'"]


@pytest.mark.parametrize("data", ["", "\n", '{\n "a":\n', '[{"a": 1},\n'])
def test_a_document_that_is_not_json_refuses_the_file(data: str) -> None:
    with pytest.raises(InputError, match="is not JSON"):
        list(json_rows(source(data)))


@pytest.mark.parametrize(("data", "what"), [("3", "a number"), ("null", "null"), ('"a"', "a string")])
def test_a_value_that_is_no_object_is_no_row(data: str, what: str) -> None:
    assert rows_and_problems(data) == ([], [f"x:1: a row must be an object, not {what}"])


def table(data: str, delimiter: str, columns: list[str] | None = None) -> tuple[list[dict[str, Any]], list[str]]:
    file = source(data)
    rows = [row.data for row in table_rows(file, delimiter=delimiter, columns=columns)]
    return rows, [str(problem) for problem in file.problems]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_the_first_row_names_the_columns(delimiter: str) -> None:
    data = "run , n\na,1\n\nb,2\n".replace(",", delimiter)
    assert table(data, delimiter) == ([{"run": "a", "n": "1"}, {"run": "b", "n": "2"}], [])


def test_columns_that_are_given_need_no_header() -> None:
    assert table("a\t1\n", "\t", ["run", "n"]) == ([{"run": "a", "n": "1"}], [])


def test_quotes_mean_something_in_csv_and_nothing_in_tsv() -> None:
    assert table('a,b\n"x, ""y""\nz",2\n', ",") == ([{"a": 'x, "y"\nz', "b": "2"}], [])
    assert table('a\tb\n"x\t2"\n', "\t") == ([{"a": '"x', "b": '2"'}], [])


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_too_many_or_too_few_values_are_reported_and_empty_ones_at_the_end_forgiven(delimiter: str) -> None:
    data = "a,b,c\n1,2\n1,2,3,4\n1,2,3,,\n4,5,6\n".replace(",", delimiter)
    rows, problems = table(data, delimiter)
    assert [row["a"] for row in rows] == ["1", "4"]
    assert problems == ["x:2: c: the row has 2 values for 3 columns", "x:3: the row has 4 values for 3 columns"]


def test_the_line_of_a_csv_row_is_where_it_begins() -> None:
    assert table('a,b\n"x\ny",1\n1\n"p\nq",2,3\n', ",")[1] == [
        "x:4: b: the row has 1 values for 2 columns",
        "x:5: the row has 3 values for 2 columns",
    ]


def test_a_column_that_appears_twice_refuses_the_file() -> None:
    with pytest.raises(InputError, match="x:1: the column 'a' appears twice in the header"):
        table("a,b,a\n1,2,3\n", ",")


def test_an_open_quote_refuses_the_file() -> None:
    with pytest.raises(InputError, match="x:3: cannot be read as a table"):
        table('a,b\n1,2\n"3,4\n', ",")


def blanks(data: str, *, rest: bool = False) -> tuple[list[dict[str, Any]], list[str]]:
    file = source(data)
    rows = [row.data for row in blank_separated(file, columns=("q", "run", "text"), last_takes_rest=rest)]
    return rows, [str(problem) for problem in file.problems]


def test_columns_may_be_separated_by_tabs_or_runs_of_blanks() -> None:
    assert blanks("1 a  x\n\n2\tb \ty\n") == (
        [{"q": "1", "run": "a", "text": "x"}, {"q": "2", "run": "b", "text": "y"}],
        [],
    )


def test_the_last_column_may_take_the_rest_of_the_line() -> None:
    assert blanks("1 a  a red  fox\n", rest=True)[0] == [{"q": "1", "run": "a", "text": "a red  fox"}]


def test_a_line_with_another_number_of_values_is_reported() -> None:
    rows, problems = blanks("1 a x y\n2 b\n3 c z\n")
    assert [row["q"] for row in rows] == ["3"]
    assert problems == [
        "x:1: the row has 4 values for the 3 columns q run text",
        "x:2: the row has 2 values for the 3 columns q run text",
    ]


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ('[\n{"a":1},\n{"b":2}\n]', [{"a": 1}, {"b": 2}]),
        ('[ {"a":1} ]', [{"a": 1}]),
        ("[]", []),
        ('{"a":1,"items":[\n{"x":1},\n{"x":2}\n]}', [{"a": 1, "items": [{"x": 1}, {"x": 2}]}]),
    ],
)
def test_a_document_with_an_object_a_line_is_one_document(data: str, rows: list[dict[str, Any]]) -> None:
    file = source(data)
    assert [row.data for row in json_rows(file)] == rows
    assert file.problems == []
