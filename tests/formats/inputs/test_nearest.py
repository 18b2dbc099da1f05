from __future__ import annotations

import pytest

from karat.formats import FORMAT_NAMES, Source, sniff
from karat.formats.inputs.nearest import SHAPES, about_fields
from karat.model import UsageError


def test_shapes_are_of_known_formats() -> None:
    assert {format for format, _ in SHAPES} <= {*FORMAT_NAMES}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            ["uid", "question", "anwser"],
            "it has the fields 'uid', 'question', 'anwser'; the nearest known format is named-rows with 'query', and "
            "'answer' (is 'anwser' meant?) is missing for it",
        ),
        (
            ["input", "output_text"],
            "it has the fields 'input', 'output_text'; the nearest known format is deepeval with 'input', and "
            "'actual_output' is missing for it",
        ),
        (["foo"], "it has the fields 'foo'"),
    ],
)
def test_what_is_missing_for_the_nearest_format(fields: list[str], message: str) -> None:
    assert about_fields(fields) == message


def test_rows_in_no_known_format_are_described() -> None:
    with pytest.raises(UsageError) as caught:
        sniff(Source("x", b'{"qid": 1, "txt": "So."}'))
    assert str(caught.value) == (
        "x: the format is not recognised: it has the fields 'qid', 'txt'; the nearest known format is named-rows with "
        "'query_id', and 'answer' is missing for it; rename fields, or name it with --from FORMAT (format= in Python); "
        "`karat formats` lists all formats"
    )
