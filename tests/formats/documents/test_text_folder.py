from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from karat.formats import Source, load, open_reading, sniff
from karat.model import Collection, Document, UsageError


def test_each_text_file_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "d10.txt").write_text("ten\n", "utf-8")
    (tmp_path / "d2.txt").write_text("two", "utf-8")
    (tmp_path / "zipped.id.txt.gz").write_bytes(gzip.compress(b"packed"))
    (tmp_path / ".hidden").write_text("x", "utf-8")
    assert sniff(Source(tmp_path)).name == "text-folder"
    assert load(tmp_path).documents == [
        Document(doc_id="d2", text="two"),
        Document(doc_id="d10", text="ten\n"),
        Document(doc_id="zipped.id", text="packed"),
    ]


def test_a_file_that_is_no_text_is_reported_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a", "utf-8")
    (tmp_path / "b.txt").write_bytes(b"\xff\xff")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"again"))
    reading = open_reading(tmp_path, on_error="skip")
    assert [document.doc_id for document in Collection(reading).documents] == ["a"]
    assert [problem.message for problem in reading.source.problems] == [
        "a.txt.gz and a.txt are both document 'a'",
        "byte 1 of the file is not UTF-8; save the file as UTF-8",
    ]


def test_other_folders_are_not_taken_for_documents(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a", "utf-8")
    (tmp_path / "scores.csv").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="is a folder"):
        sniff(Source(tmp_path))
