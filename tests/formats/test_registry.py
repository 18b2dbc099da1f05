from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

import karat.formats
from karat.formats import FORMAT_NAMES, Source, all_formats, get_format, open_reading, sniff, write_bytes
from karat.formats.registry import DATASET_NAMES, FORMATS, Format
from karat.model import RECORD_TYPE_BY_KIND, Collection, InputError, Response, Run, UsageError

WRITABLE = [name for name in FORMAT_NAMES if get_format(name).write is not None]


def refusal(source: Source) -> str:
    with pytest.raises(UsageError) as raised:
        sniff(source)
    return str(raised.value)


def test_names_are_unique_and_spelt_alike() -> None:
    assert len(set(FORMAT_NAMES)) == len(FORMAT_NAMES)
    assert [name for name in FORMAT_NAMES if name != name.lower() or "_" in name or " " in name] == []
    assert set(FORMAT_NAMES) >= DATASET_NAMES


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_every_format_loads_and_has_a_title(name: str) -> None:
    format = get_format(name)
    assert isinstance(format, Format)
    assert format.name == name
    assert format.title.strip() == format.title
    assert format.title


def test_titles_are_different() -> None:
    titles = [format.title for format in all_formats()]
    assert len(set(titles)) == len(titles)


def test_every_module_with_the_verbs_of_a_format_is_registered() -> None:
    folder = Path(karat.formats.__file__).parent
    modules = set()
    for path in folder.rglob("*.py"):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        if path.stem != "__init__" and hasattr(import_module(f"karat.formats.{name}"), "TITLE"):
            modules.add(name)
    assert modules == set(FORMATS.values())


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_what_can_be_written_says_what_it_carries_and_nothing_else_does(name: str) -> None:
    format = get_format(name)
    assert bool(format.carries) == (format.write is not None)
    for kind, fields in format.carries.items():
        assert fields - {"*"} <= fields_of(kind)


def fields_of(kind: str) -> set[str]:
    """The fields of a record and its parts, with dots."""
    from karat.formats.karat.schema import record_schema

    definitions = record_schema()["$defs"]

    def names(struct: str, prefix: str = "") -> set[str]:
        paths = {f"{prefix}extra"}
        for name, shape in definitions[struct]["properties"].items():
            paths.add(f"{prefix}{name}")
            inner = str(shape).partition("#/$defs/")[2].partition("'")[0]
            if inner:
                paths |= names(inner, f"{prefix}{name}.")
        return paths

    return names(RECORD_TYPE_BY_KIND[kind].__name__)


@pytest.mark.parametrize("name", WRITABLE)
def test_nothing_written_is_read_as_nothing_or_refused_as_empty(name: str) -> None:
    reading = open_reading(write_bytes([], format=name), format=name, on_error="skip")
    collection = Collection(reading)
    assert [problem.line for problem in reading.source.problems] in ([], [1])
    # A peer annotation is one response, be it an empty one.
    assert [record for record in collection if not isinstance(record, Run | Response)] == []
    assert [response for response in collection.responses if response.snippets] == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("karta", "no format is called 'karta'; did you mean karat or "),
        ("nugetizer-bank", "no format is called 'nugetizer-bank'; did you mean nuggetizer-bank or "),
        ("xqzjw", "no format is called 'xqzjw' (`karat formats` lists all formats)"),
        ("", "no format is called '' (`karat formats` lists all formats)"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        get_format(name)
    assert str(raised.value).startswith(hint)
    assert str(raised.value).endswith("(`karat formats` lists all formats)")


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_called_empty(data: bytes) -> None:
    assert refusal(Source("x.jsonl", data)) == "x.jsonl: is empty"


@pytest.mark.parametrize("kind", ["nugs", 3])
def test_an_unknown_kind_of_record_is_answered_with_the_kinds(kind: object) -> None:
    message = refusal(Source("x", json.dumps({"kind": kind}).encode()))
    assert message == (
        "x: the format is not recognised: it has a field 'kind', as Karat's own records do, but "
        f"{kind!r} is not one of {', '.join(RECORD_TYPE_BY_KIND)}"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"hello world",
        b"{}",
        b"[1, 2, 3]",
        b"{broken",
        b"<html><body>no</body></html>",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        bytes(range(256)),
        b"\xff\xfe{\x00}\x00",
        b"[" * 100_000,
    ],
)
def test_what_nobody_recognises_is_answered_with_what_to_do(data: bytes) -> None:
    assert refusal(Source("x", data)) == (
        "x: the format is not recognised; name it with --from FORMAT (format= in Python); "
        "`karat formats` lists all formats"
    )


def test_a_table_with_other_columns_says_which_are_understood() -> None:
    source = Source("x.csv", b"colour,size\nred,3\n")
    with pytest.raises(InputError, match="the columns colour, size give no record; a table needs query_id"):
        list(sniff(source).read(source))


def test_a_folder_nobody_recognises_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("hello")
    assert refusal(Source(tmp_path)).startswith(f"{tmp_path}: is a folder")


def test_recognising_leaves_no_problem_behind() -> None:
    source = Source("x", b'{"kind": "run"\n{"kind": "run", "run_id": "r"}\n')
    assert sniff(source).name == "karat"
    assert source.problems == []
    assert source.warnings == []
