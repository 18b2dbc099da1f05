from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders.rows import nug
from karat.formats import load
from karat.formats.folders import files_of
from karat.model import UsageError


def test_a_folder_of_runs_is_read_file_by_file(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / name).write_text(json.dumps({"query_id": "q", "query": "Why?", "answer": f"Of {name}."}))
    (tmp_path / "notes.md").write_text("mine")
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
