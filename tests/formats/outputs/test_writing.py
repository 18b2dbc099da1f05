from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from karat.formats import Losses, LossRefused, read, write, write_bytes
from karat.formats.outputs.writing import writable_format
from karat.model import AnyRecord, KaratError, Nug, Query, UsageError, Vote, content_id

TEXT = "the dance tells direction"
QUERY = Query(query_id="q", text="why?")
NUG = Nug(query_id="q", nug_id=content_id(TEXT), descriptions=(TEXT,), importance="vital")
VOTE = Vote(query_id="q", nug_id=NUG.nug_id, assessor="ann", value="vital")


def test_records_go_to_a_file_and_come_back(tmp_path: Path) -> None:
    target = tmp_path / "key.jsonl"
    assert write([QUERY, NUG, VOTE], target).lines() == []
    assert list(read(target)) == [QUERY, NUG, VOTE]


def test_a_name_that_ends_in_gz_is_compressed_and_read_again(tmp_path: Path) -> None:
    target = tmp_path / "bank.jsonl.gz"
    write([QUERY, NUG], str(target), format="nuggetizer-bank")
    assert gzip.decompress(target.read_bytes()) == write_bytes([QUERY, NUG], format="nuggetizer-bank")
    assert list(read(target)) == [QUERY, NUG]


def test_losses_are_returned_and_the_rest_is_written(tmp_path: Path) -> None:
    target = tmp_path / "bank.jsonl"
    assert write([QUERY, NUG, VOTE], target, format="nuggetizer-bank").lines() == ["vote: 1 records"]
    assert list(read(target)) == [QUERY, NUG]


def test_strict_refuses_a_loss_and_writes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "bank.jsonl"
    target.write_text("old")
    with pytest.raises(LossRefused) as raised:
        write([QUERY, NUG, VOTE, VOTE], target, format="nuggetizer-bank", strict=True)
    assert str(raised.value) == "nuggetizer-bank cannot hold:\n  vote: 2 records"
    assert raised.value.losses.counts == {"vote": 2}
    assert isinstance(raised.value, KaratError)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_strict_also_refuses_what_the_writer_itself_has_to_drop(tmp_path: Path) -> None:
    renamed = Nug(query_id="q", nug_id="mine", descriptions=(TEXT,))
    with pytest.raises(LossRefused, match=r"nug\.nug_id: 1 values \(ids are made from the text"):
        write([renamed], tmp_path / "bank.jsonl", format="nuggetizer-bank", strict=True)


def test_strict_writes_where_nothing_is_lost(tmp_path: Path) -> None:
    write([QUERY, NUG], tmp_path / "bank.jsonl", format="nuggetizer-bank", strict=True)
    assert list(read(tmp_path / "bank.jsonl")) == [QUERY, NUG]


def test_karat_records_lose_nothing() -> None:
    losses = Losses()
    odd = Query(query_id="q", text="why?", extra={"note": {"a": 1}})
    assert list(read(write_bytes([odd, VOTE], losses=losses))) == [odd, VOTE]
    assert not losses


def test_records_that_cannot_all_be_read_leave_the_old_file(tmp_path: Path) -> None:
    def records() -> Iterator[AnyRecord]:
        yield QUERY
        raise UsageError("no more")

    target = tmp_path / "key.jsonl"
    target.write_text("old")
    with pytest.raises(UsageError, match="no more"):
        write(records(), target)
    assert target.read_text() == "old"


def test_a_dash_is_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    out = TextIOWrapper(BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    write([QUERY], "-")
    assert out.buffer.getvalue() == b'{"kind":"query","v":1,"query_id":"q","text":"why?"}\n'  # type: ignore[attr-defined]


def test_a_format_that_can_only_be_read_is_refused_with_those_that_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        write([QUERY], tmp_path / "x", format="ragas")
    message = str(raised.value)
    assert message.startswith("ragas can be read but not written; these can: ")
    assert {"karat", "nuggetizer-bank", "csv"} <= set(message.partition("these can: ")[2].split(", "))
    assert list(tmp_path.iterdir()) == []


def test_a_format_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match="no format is called 'nugetizer-bank'; did you mean nuggetizer-bank"):
        writable_format("nugetizer-bank")


@pytest.mark.parametrize("format", ["karat", "nuggetizer-bank"])
def test_half_a_character_is_refused_and_nothing_written(tmp_path: Path, format: str) -> None:
    with pytest.raises(UsageError, match="which cannot be written"):
        write([Query(query_id="q", text="why\ud83d?")], tmp_path / "key.jsonl", format=format)
    assert list(tmp_path.iterdir()) == []
