"""NAME=FILE: the run of a file under another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.formats import load, open_inputs, read
from karat.model import InputError, Judgement, Nug, encode_record

KEY = Nug(query_id="q", nug_id="1", descriptions=("fox",))


def judgement(run_id: str) -> Judgement:
    return Judgement(query_id="q", run_id=run_id, nug_id="1", degree=1.0, judge="j")


def file(folder: Path, name: str, *records: Nug | Judgement) -> Path:
    path = folder / name
    path.write_bytes(b"".join(encode_record(record) + b"\n" for record in records))
    return path


def test_one_run_gets_the_name_and_several_get_it_as_a_prefix(tmp_path: Path) -> None:
    one = file(tmp_path, "one.jsonl", KEY, judgement("mine"))
    two = file(tmp_path, "two.jsonl", judgement("a"), judgement("b"))
    assert list(read(f"old={one}")) == [KEY, judgement("old")]
    assert list(read(f"old={two}")) == [judgement("old/a"), judgement("old/b")]


def test_two_files_with_the_same_run_are_two_runs(tmp_path: Path) -> None:
    first = file(tmp_path, "monday.jsonl", judgement("mine"))
    second = file(tmp_path, "tuesday.jsonl", judgement("mine"))
    collection = load([KEY], f"old={first}", f"new={second}")
    assert [record.run_id for record in collection.judgements] == ["old", "new"]


def test_tables_are_renamed_like_karats_own_files(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("query_id,run_id,nugget,label\nq,mine,fox,1\n")
    assert [record.run_id for record in load(f"old={path}").judgements] == ["old"]


def test_a_file_that_has_an_equals_sign_in_its_name_is_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "b.jsonl", judgement("mine"))
    file(tmp_path, "a=b.jsonl", judgement("yours"))
    assert [record.run_id for record in load("a=b.jsonl").judgements] == ["yours"]


def test_what_is_wrong_in_a_renamed_file_is_reported_with_its_file_and_line(tmp_path: Path) -> None:
    path = file(tmp_path, "one.jsonl", KEY, judgement("mine"))
    with path.open("ab") as out:
        out.write(b'{"kind": "judgement", "query_id": "q"}\n')
    with pytest.raises(InputError) as raised:
        load(f"old={path}")
    first = raised.value.problems[0]
    assert (first.file, first.line) == (str(path), 3)
    inputs = open_inputs(f"old={path}", on_error="skip")
    assert [record.run_id for record in inputs if isinstance(record, Judgement)] == ["old"]
    assert inputs.problems
