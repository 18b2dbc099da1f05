from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from karat.formats.io import source as source_module
from karat.formats.io.source import Source
from karat.model import InputError, UsageError


def failure(source: Source, read: str) -> str:
    """What a reading that gives the file up says, without the file's name."""
    with pytest.raises(InputError) as caught:
        # What comes as an iterator is used up; the rest has failed already.
        list(getattr(source, read)())
    return str(caught.value).removeprefix(f"{source.name}:")


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"\n\na\n\n", [b"", b"", b"a", b""]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"a\r\nb\r", [b"a", b"b"]),
        (b"a\rb\r\r\n", [b"a\rb\r"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", [b"a", b"\xef\xbb\xbfb"]),
        ("a\u2028b\x85c\x0bd\n".encode(), ["a\u2028b\x85c\x0bd".encode()]),
    ],
)
def test_lines(data: bytes, lines: list[bytes]) -> None:
    assert list(Source("<bytes>", data).lines()) == lines
    assert list(Source("<bytes>", gzip.compress(data)).lines()) == lines


@pytest.mark.parametrize("block", range(4, 12))
def test_lines_do_not_depend_on_where_blocks_end(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "BLOCK", block)
    source = Source("<bytes>", b"\xef\xbb\xbfone\ntwo\nthree\n\nlast line")
    assert [(line, source.line) for line in source.lines()] == [
        (b"one", 1),
        (b"two", 2),
        (b"three", 3),
        (b"", 4),
        (b"last line", 5),
    ]


def test_the_line_follows_along_and_starts_anew() -> None:
    source = Source("<bytes>", b"a\nb\n")
    for _ in range(2):
        assert [(line, source.line, source.current) for line in source.lines()] == [(b"a", 1, b"a"), (b"b", 2, b"b")]


def test_problems_name_file_line_path_and_query() -> None:
    source = Source("some.jsonl", b"a\nb\n")
    for number, _ in enumerate(source.lines()):
        source.query_id = f"q{number}"
        source.report("x[1].y", "'z'", code="impossible-label", choices=("a", "b"))
    source.warn("", "looks odd", code="odd", line=0)
    assert [str(problem) for problem in source.problems] == [
        "some.jsonl:1: x[1].y: 'z' is not one of a, b",
        "some.jsonl:2: x[1].y: 'z' is not one of a, b",
    ]
    assert [problem.query_id for problem in source.problems] == ["q0", "q1"]
    assert [str(warning) for warning in source.warnings] == ["some.jsonl: looks odd"]


def test_problems_past_the_most_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "MAX_PROBLEMS", 2)
    source = Source("<bytes>", b"")
    for _ in range(5):
        source.report("", "no", code="x", line=1)
        source.warn("", "hm", code="x", line=1)
    assert (len(source.problems), source.unlisted, len(source.warnings)) == (2, 3, 2)
    with pytest.raises(InputError, match=r"\.\.\. and 4 more"):
        source.fail("enough", code="x")


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.txt: no such file"):
        Source(tmp_path / "nowhere.txt")


def test_a_directory_has_no_lines(tmp_path: Path) -> None:
    source = Source(tmp_path)
    assert source.is_directory
    with pytest.raises(UsageError, match="directory"):
        list(source.lines())


def test_a_file_is_closed_after_reading(tmp_path: Path) -> None:
    """Warnings are errors in the tests, so an unclosed file would fail this one."""
    for name, data in (("a.txt", b"a\nb\n"), ("a.txt.gz", gzip.compress(b"a\nb\n"))):
        path = tmp_path / name
        path.write_bytes(data)
        source = Source(path)
        assert list(source.lines()) == [b"a", b"b"]
        assert source.read_text() == "a\nb\n"
        assert not source.is_directory


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_may_be_read_twice(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"a\nb\n"
    stream = io.BytesIO(gzip.compress(data) if packed else data)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    source = Source("-")
    assert not source.is_directory
    assert list(source.lines()) == [b"a", b"b"]
    assert list(source.lines()) == [b"a", b"b"]
    assert source.read_bytes() == data


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("read", ["lines", "read_bytes", "read_text", "document", "json_lines"])
def test_utf_16_is_refused(encoding: str, read: str) -> None:
    data = ("\ufeff" if encoding == "utf-16-be" else "").encode(encoding) + '{"a": 1}'.encode(encoding)
    assert failure(Source("<bytes>", data), read) == "1: is UTF-16 text; save it as UTF-8"


def test_a_truncated_or_damaged_gzip_file_is_refused() -> None:
    whole = gzip.compress(b"line\n" * 50_000)
    for data in (whole[: len(whole) // 2], whole[:-3], whole[:40] + b"\xff\xff\xff" + whole[43:], whole[:2]):
        assert "cannot be read: " in failure(Source("<bytes>", data), "lines")
        assert "cannot be read: " in failure(Source("<bytes>", data), "read_bytes")


def test_a_line_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "MAX_LINE", 1 << 20)
    monkeypatch.setattr(source_module, "BLOCK", 1 << 16)
    source = Source("<bytes>", b"short\n" + b"x" * (3 << 20))
    assert failure(source, "lines") == "2: the line is longer than 1 MiB"


def test_a_document_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "MAX_DOCUMENT", 10)
    assert "the document is larger than 0 MiB" in failure(Source("<bytes>", gzip.compress(b"x" * 11)), "read_bytes")
    assert Source("<bytes>", b"x" * 10).read_bytes() == b"x" * 10


def test_text_that_is_not_utf_8() -> None:
    source = Source("<bytes>", b"a\n\xe4b\nc")
    assert list(source.text_lines()) == ["a", "c"]
    assert [str(problem) for problem in source.problems] == [
        "<bytes>:2: byte 1 of the line is not UTF-8; save the file as UTF-8"
    ]
    assert (
        failure(Source("<bytes>", b"a\nb\xe4"), "read_text")
        == "2: byte 4 of the file is not UTF-8; save the file as UTF-8"
    )


def test_json_lines() -> None:
    source = Source("<bytes>", b'{"a": 1}\n\n  \nnope\n[2]\n' + b"[" * 200_000 + b"\n3")
    assert [(value, source.line) for value in source.json_lines()] == [({"a": 1}, 1), ([2], 5), (3, 7)]
    assert [(problem.line, problem.code) for problem in source.problems] == [(4, "bad-json"), (6, "bad-json")]
    assert source.problems[1].message == "is nested too deeply"


def test_pythons_nan_is_no_value() -> None:
    source = Source("<bytes>", b'{"a": NaN}\n{"a": -Infinity}\nNaNa')
    assert list(source.json_lines()) == [{"a": None}, {"a": None}]
    assert [problem.line for problem in source.problems] == [3]


def test_a_document_knows_the_lines_of_its_parts() -> None:
    source = Source("<bytes>", b'\xef\xbb\xbf{\r\n "a": [\r\n  {"b": 1},\r\n  {"b": 2}\r\n ]\r\n}')
    assert source.document() == {"a": [{"b": 1}, {"b": 2}]}
    source.enter("a[1]")
    assert source.line == 4
    source.report("a[0].b", "no", code="x")
    source.report("c", "no", code="x")
    assert [problem.line for problem in source.problems] == [3, 1]


@pytest.mark.parametrize(
    ("data", "message"),
    [(b'{"a": 1,\n"b" 2}', "2: is not JSON: "), (b"", "1: is not JSON: "), (b"[" * 200_000, "1: is nested too deeply")],
)
def test_a_document_that_is_not_json(data: bytes, message: str) -> None:
    assert failure(Source("<bytes>", data), "document").startswith(message)


def test_mixed_ids_are_reported_once() -> None:
    source = Source("<bytes>", b"")
    for value in ("a", 1, "b", 2):
        source.note_id("qid", value)
    source.note_id("run", 1)
    assert [str(warning) for warning in source.warnings] == [
        "<bytes>: qid: some ids in this field are strings and some are numbers (number here)"
    ]
