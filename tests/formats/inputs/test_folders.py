from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from builders.rows import nug
from karat.formats import load, open_inputs
from karat.formats.inputs.folders import files_of
from karat.model import UsageError


def test_a_folder_of_runs_is_read_file_by_file(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / name).write_text(json.dumps({"query_id": "q", "query": "Why?", "answer": f"Of {name}."}))
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / ".hidden.jsonl").write_text("{}")
    collection = load([nug("q")], str(tmp_path))
    assert [response.run_id for response in collection.responses] == ["a", "b"]


def test_a_part_of_a_known_collection_is_read_in_its_formats(tmp_path: Path) -> None:
    folder = tmp_path / "nuggetizer-rag24"
    (folder / "nuggets").mkdir(parents=True)
    (folder / "answers").mkdir()
    (folder / "README.md").write_text("about")
    (folder / "nuggets" / "one.jsonl").write_text("{}")
    (folder / "answers" / "run.jsonl").write_text("{}")
    whole = [(path.relative_to(tmp_path.resolve()).as_posix(), format) for path, format in files_of(folder)]
    assert whole == [
        ("nuggetizer-rag24/nuggets/one.jsonl", "nuggetizer-bank"),
        ("nuggetizer-rag24/answers/run.jsonl", "trec-rag24"),
    ]
    assert [format for _, format in files_of(folder / "answers")] == ["trec-rag24"]


def test_a_folder_with_nothing_to_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"x")
    with pytest.raises(UsageError, match=r"is a folder without files that Karat reads .* name the files"):
        load(str(tmp_path))


def row(run_id: str) -> str:
    return json.dumps({"query_id": "q", "query": "Why?", "run_id": run_id, "answer": f"Of {run_id}."})


def told(folder: Path) -> list[str]:
    inputs = open_inputs([nug("q")], str(folder))
    list(inputs)
    return [str(warning) for warning in inputs.warnings]


def test_what_a_folder_has_besides_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(row("a"))
    assert told(tmp_path) == []
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.jsonl").write_text(row("b"))
    for name in ("c.jsonl.bz2", "d.txt", "e.jsonl.part", "README.md", "_SUCCESS"):
        (tmp_path / name).write_text(row("x"))
    (said,) = told(tmp_path)
    assert said.startswith(f"{tmp_path}: not read: c.jsonl.bz2, d.txt, deep/ and 1 more; of a folder only files are")


def test_data_whose_name_begins_with_an_underscore_is_read(tmp_path: Path) -> None:
    for name in ("a", "_b"):
        (tmp_path / f"{name}.jsonl").write_text(row(name))
    assert [response.run_id for response in load([nug("q")], str(tmp_path)).responses] == ["_b", "a"]


def test_runs_are_read_in_the_natural_order_of_their_names(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        (tmp_path / f"run{number}.jsonl").write_text(row(f"r{number}"))
    assert [path.name for path, _ in files_of(tmp_path)] == ["run1.jsonl", "run2.jsonl", "run10.jsonl"]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_answers_in_files_that_are_called_like_shards_are_read(tmp_path: Path, ending: str) -> None:
    """Other programs call their files `part-...`, too."""
    for number, run_id in enumerate("ab"):
        content = row(run_id).encode()
        (tmp_path / f"part-{number}.{ending}").write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    assert [response.run_id for response in load([nug("q")], str(tmp_path)).responses] == ["a", "b"]
