"""The bytes of an input: a file, standard input, a pipe or memory; plain or gzipped; readable more than once."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from karat.formats.io.overwriting import note_input
from karat.model import UnfitInput

_GZIP_MAGIC = b"\x1f\x8b"
_IN_MEMORY = 8 << 20
_BLOCK = 1 << 16
_STEP = 1 << 20
RATIO = 200
"""How many times its size a compressed file may expand to: text expands to 3 to 40 times, deflate can reach 1,000."""
FREE = 16 << 20
"""Up to this size (16 MiB) a file may expand as it likes."""


class ByteSource:
    """Opens an input from its beginning. An input that can be read only once is copied, to disk if it is large."""

    def __init__(self, file: str, data: bytes | None = None) -> None:
        self._file = file
        self._data = data
        self._spool: IO[bytes] | None = None

    def open(self) -> IO[bytes]:
        """The bytes, decompressed."""
        raw = self._open_raw()
        magic = raw.read(2)
        raw.seek(0)
        if magic != _GZIP_MAGIC:
            return raw
        unpacked = _BoundedGzip(fileobj=raw)
        unpacked.myfileobj = raw  # type: ignore[assignment]  # so that closing the gzip file closes the file below it
        return cast(IO[bytes], unpacked)

    def _open_raw(self) -> IO[bytes]:
        if self._data is not None:
            return io.BytesIO(self._data)
        if self._spool is None:
            if self._file == "-":
                if sys.stdin is None:
                    raise UnfitInput("standard input is closed; name a file instead of -")
                self._spool = _spooled(sys.stdin.buffer)
            else:
                file = Path(self._file).open("rb")
                note_input(file.fileno())
                if file.seekable():
                    return file
                with file:
                    self._spool = _spooled(file)
        self._spool.seek(0)
        return cast(IO[bytes], _Unclosed(self._spool))

    def __del__(self) -> None:
        if getattr(self, "_spool", None) is not None:
            assert self._spool is not None
            self._spool.close()


class _BoundedGzip(gzip.GzipFile):
    """A gzip file that stops where it expands to much more than any text does: such a file was made to fill memory."""

    def read(self, size: int | None = -1) -> bytes:
        # In steps, so that a request for everything does not expand everything.
        wanted = -1 if size is None else size
        parts: list[bytes] = []
        got = 0
        while wanted < 0 or got < wanted:
            part = super().read(_STEP if wanted < 0 else min(_STEP, wanted - got))
            if not part:
                break
            parts.append(part)
            got += len(part)
            packed = max(1, cast(IO[bytes], self.fileobj).tell())
            if self.tell() > FREE and self.tell() > RATIO * packed:
                raise OSError(
                    f"it expands to more than {RATIO} times its size ({self.tell() >> 20} MiB so far); if it is meant "
                    "to be so, unpack it with gunzip first"
                )
        return parts[0] if len(parts) == 1 else b"".join(parts)


class _Unclosed(io.BufferedIOBase):
    """A copied input that can be read again after its reader has closed it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int | None = -1, /) -> bytes:
        return self._file.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


def pieces_of(file: IO[bytes], size: int) -> Iterator[bytes]:
    """The bytes of a file in pieces of this size.

    They are read in steps that do not depend on it, and what was read before a damage is given out before the error: so
    all readers get equally far.
    """
    read: list[bytes] = []
    try:
        while step := file.read(_BLOCK):
            read.append(step)
            if len(read) * _BLOCK >= size:
                yield b"".join(read)
                read.clear()
    except (OSError, EOFError, zlib.error):
        if read:
            yield b"".join(read)
        raise
    if read:
        yield b"".join(read)


def _spooled(stream: IO[bytes]) -> IO[bytes]:
    spool = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)
    while block := stream.read(_BLOCK):
        spool.write(block)
    return cast(IO[bytes], spool)
