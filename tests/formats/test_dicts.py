from __future__ import annotations

from collections import UserDict
from typing import Any

import pytest

from karat.formats import load, read
from karat.formats.reading import source_of_dicts
from karat.model import InputError, Nug, Query, UsageError

NUG = {"kind": "nug", "query_id": "q", "nug_id": "n", "descriptions": ["red fox"]}


def test_dicts_are_read_as_the_lines_they_would_be() -> None:
    assert list(read([NUG])) == [Nug(query_id="q", nug_id="n", descriptions=("red fox",))]


def test_dicts_of_another_format_are_recognised() -> None:
    collection = load([{"qid": 3, "query": "why?", "nuggets": [{"text": "red fox", "importance": "vital"}]}])
    assert collection.queries == [Query(query_id="3", text="why?")]
    assert [nug.importance for nug in collection.nugs] == ["vital"]


def test_records_and_dicts_may_be_mixed_and_unknown_fields_stay() -> None:
    query = Query(query_id="q", text="why?", extra={"note": 1})
    assert list(read([query, UserDict(NUG)])) == [query, Nug(query_id="q", nug_id="n", descriptions=("red fox",))]


def test_a_generator_of_dicts_will_do() -> None:
    assert len(list(read(NUG | {"nug_id": str(i)} for i in range(3)))) == 3  # type: ignore[arg-type]


def test_the_line_of_a_problem_is_the_place_in_the_list() -> None:
    with pytest.raises(InputError, match=r"<list>:2: descriptions: is missing"):
        list(read([NUG, {"kind": "nug", "query_id": "q", "nug_id": "m"}]))


class Frame:
    """A data frame as far as Karat looks at one."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows


class PolarsFrame(Frame):
    def to_dicts(self) -> list[dict[str, Any]]:
        return self.rows


class PandasFrame(Frame):
    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return self.rows


@pytest.mark.parametrize("frame", [PolarsFrame, PandasFrame])
def test_a_data_frame_counts_as_the_list_of_its_rows(frame: type[Frame]) -> None:
    assert source_of_dicts(frame([{"a": 1}, {"a": 2}]), "table").read_bytes() == b'{"a":1}\n{"a":2}'


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("text", "<list>:2: must be a record or a dict, not str"),
        ({"a": object()}, "<list>:2: cannot be read as JSON: "),
        ({("a", "b"): 1}, "<list>:2: cannot be read as JSON: "),
    ],
)
def test_what_is_no_row_is_reported_with_its_place(item: object, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        source_of_dicts([{"a": 1}, item])
    assert str(raised.value).startswith(message)


def test_a_dict_that_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    with pytest.raises(UsageError, match="<list>:1: cannot be read as JSON"):
        source_of_dicts([loop])
