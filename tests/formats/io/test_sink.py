from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from karat.formats.io.overwriting import inputs_are_kept
from karat.formats.io.sink import Losses, Sink, open_sink
from karat.formats.io.source import Source
from karat.model import UsageError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_half(target: str | Path, error: type[BaseException]) -> None:
    with open_sink(target) as sink:
        sink.write("half")
        raise error


def test_text_lines_and_documents_are_written_as_utf_8() -> None:
    buffer = io.BytesIO()
    sink = Sink(buffer)
    sink.write("né\n")
    sink.json_line({"a": "é"})
    sink.json_document({"b": [1]})
    assert buffer.getvalue().decode() == 'né\n{"a":"é"}\n{\n "b": [\n  1\n ]\n}\n'


def test_what_cannot_be_written_is_reported_to_the_losses() -> None:
    losses = Losses()
    Sink(io.BytesIO(), losses).lose("nug.weight", "no room")
    assert losses.lines() == ["nug.weight: 1 values (no room)"]


def test_a_sink_keeps_the_losses_it_was_given_even_when_they_are_empty() -> None:
    losses = Losses()
    assert Sink(io.BytesIO(), losses).losses is losses


def test_the_file_is_there_when_all_went_well_and_nothing_else_is(tmp_path: Path) -> None:
    with open_sink(tmp_path / "out.txt") as sink:
        sink.write("done")
        assert not (tmp_path / "out.txt").exists()
    assert (tmp_path / "out.txt").read_text() == "done"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_when_something_fails_the_old_file_stays_as_it_was(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(error):
        write_half(target, error)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_when_something_fails_no_new_file_appears(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), open_sink(tmp_path / "out.txt.gz") as sink:
        sink.write(str(1 / 0))
    assert names(tmp_path) == []


def test_a_name_that_ends_in_gz_is_compressed_to_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        with open_sink(tmp_path / name) as sink:
            sink.write("text")
    first = (tmp_path / "a.jsonl.gz").read_bytes()
    assert gzip.decompress(first) == b"text"
    flags, time = first[3], first[4:8]
    assert (flags, time) == (0, b"\0\0\0\0")
    assert first == (tmp_path / "b.jsonl.gz").read_bytes()


def test_a_link_keeps_pointing_at_the_file_that_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir()
    (folder / "out.txt").write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(folder / "out.txt")
    with open_sink(link) as sink:
        sink.write("new")
    assert link.is_symlink()
    assert (folder / "out.txt").read_text() == "new"
    assert names(folder) == ["out.txt"]


def test_a_replaced_file_keeps_its_permissions_and_a_new_one_gets_the_usual(tmp_path: Path) -> None:
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_text("x")
    old.chmod(0o640)
    plain.write_text("x")
    for target in (old, new):
        with open_sink(target) as sink:
            sink.write("y")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_dash_is_standard_output_and_gets_nothing_when_something_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    with open_sink("-") as sink:
        sink.write("é")
    with pytest.raises(ValueError):
        write_half("-", ValueError)
    assert out.buffer.getvalue() == "é".encode()  # type: ignore[attr-defined]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    with open_sink(pipe) as sink:
        sink.write("through")
    reader.join(timeout=30)
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder; name a file"), open_sink(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"no/out\.txt: cannot be written: No such file"),
        open_sink(tmp_path / "no" / "out.txt"),
    ):
        pass


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o000])
def test_a_write_protected_file_is_not_replaced(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    target.chmod(mode)
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    for name in (target, link):
        with pytest.raises(UsageError, match="is write-protected; name another file or make it writable"):
            write_half(name, ValueError)
    target.chmod(0o644)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["link.txt", "out.txt"]


def test_a_file_that_became_write_protected_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(UsageError, match="is write-protected"), open_sink(target):
        target.chmod(0o444)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_inputs_are_kept_only_where_that_is_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "x.txt"
    target.write_text("old")
    with inputs_are_kept():
        Source(target).read_bytes()
        with pytest.raises(UsageError, match=r"x\.txt: is one of the inputs; name another file"):
            write_half(target, ValueError)
    assert target.read_text() == "old"
    # Python code that reads a file and writes it back means it.
    with open_sink(target) as sink:
        sink.write(Source(target).read_text() + "er")
    assert target.read_text() == "older"


def test_an_input_that_is_read_while_the_output_is_written_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "x.txt"
    target.write_text("old")
    with (
        inputs_are_kept(),
        pytest.raises(UsageError, match="is one of the inputs"),
        open_sink(target) as sink,
    ):
        sink.write(Source(target).read_text())
    assert target.read_text() == "old"
    assert names(tmp_path) == ["x.txt"]


def test_a_device_that_is_read_may_be_written_to() -> None:
    with inputs_are_kept([os.devnull]), open_sink(os.devnull) as sink:
        Source(os.devnull).read_bytes()
        sink.write("nothing")
