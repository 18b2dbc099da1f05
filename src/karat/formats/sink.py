"""Sink: one output, written whole or not at all."""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from karat.formats.losses import Losses
from karat.formats.overwriting import check_target
from karat.model import UsageError

_encode_json = msgspec.json.Encoder().encode


class Sink:
    """Where a writer puts its bytes, and where it says what the format could not hold."""

    def __init__(self, file: IO[bytes], losses: Losses | None = None) -> None:
        self._file = file
        self.write_bytes = file.write
        self.losses = Losses() if losses is None else losses

    def write(self, text: str) -> None:
        """Text, as UTF-8."""
        self.write_bytes(text.encode("utf-8", "surrogatepass"))

    @property
    def written(self) -> bool:
        """Whether anything was written."""
        return self._file.tell() > 0

    def json_line(self, value: Any) -> None:
        """One JSON value on a line of its own."""
        self.write_bytes(_encode_json(value) + b"\n")

    def json_document(self, value: Any) -> None:
        """One JSON value as an indented document."""
        self.write_bytes(msgspec.json.format(_encode_json(value), indent=1) + b"\n")

    def lose(self, what: str, reason: str = "") -> None:
        """Say that one thing could not be written: `judgement.degree`, and why."""
        self.losses.add(what, reason)


@contextmanager
def open_sink(target: str | Path, losses: Losses | None = None) -> Iterator[Sink]:
    """A Sink that becomes the file `target` (`-`: standard output) only when all went well.

    The bytes go to a temporary file beside the target, which is renamed at the end. A name ending in .gz is
    compressed. A device or pipe gets the bytes at the end, too. What may not be written over (see overwriting) is left
    as it is, and a UsageError says so.
    """
    name = "-" if str(target) in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1") else str(target)
    if not name:
        raise UsageError("the output has no name; name a file, or - for standard output")
    directly = name == "-" or _is_special(Path(name))
    if name != "-":
        check_target(name)
    folder = None if directly else Path(os.path.realpath(name)).parent
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=".karat-", suffix=".part", dir=folder)
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            if name.endswith(".gz"):
                # No name and no time inside: the same records give the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                    yield Sink(packed, losses)  # type: ignore[arg-type]
            else:
                yield Sink(file, losses)
        if name != "-":
            # Again: some inputs are opened only while their records are being written.
            check_target(name)
        if directly:
            _copy(temporary, name)
        else:
            _take_mode(temporary, name)
            os.replace(temporary, os.path.realpath(name))
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    Path(temporary).unlink(missing_ok=True)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        raise UsageError(f"{path}: is a directory; name a file")
    return not stat.S_ISREG(mode) or str(path).startswith(("/dev/", "/proc/"))


def _copy(temporary: str, name: str) -> None:
    with open(temporary, "rb") as file:
        if name == "-":
            if sys.stdout is None:
                raise UsageError("standard output is closed")
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        # Appended: an open descriptor may be a file that others are writing to.
        with open(name, "ab") as out:
            shutil.copyfileobj(file, out)


def _take_mode(temporary: str, name: str) -> None:
    """The permissions of the file that is replaced, or those a new file gets."""
    try:
        mode = stat.S_IMODE(os.stat(name).st_mode)
    except OSError:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    os.chmod(temporary, mode)
