"""Source: one input, read tolerantly; everything that is wrong in it is collected while it is read."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import length_hint
from pathlib import Path
from typing import IO, Any, NoReturn

import msgspec

from karat.formats.io.byte_source import ByteSource, pieces_of
from karat.formats.io.json_path import JsonPlaces, TooManyValues, check_size, decode_reported
from karat.model import InputError, Problem, UnfitInput, UsageError

BLOCK = 1 << 16
MAX_LINE = 64 << 20
"""The longest line that is read (64 MiB): a longer one is not a record but a broken or hostile file."""
MAX_DOCUMENT = 256 << 20
"""The largest file that is read as one document (256 MiB, after decompression)."""
MAX_PROBLEMS = 10_000
"""How many problems of one file are listed; further ones are only counted."""

_UTF8_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class BadUnit(Exception):
    """The unit being read cannot be kept; what is wrong with it has been reported."""


class Source:
    """A file, `-` for standard input, a directory, or bytes in memory; plain or gzipped.

    Readers call `report` when something is wrong and go on with the next unit; at the end, the caller decides
    whether problems stop the work (see formats.inputs.reading).
    """

    def __init__(self, name: str | Path, data: bytes | None = None) -> None:
        self._file = str(name)
        # A file name that is not valid text must not break the message that contains it.
        self.name = self._file.encode("utf-8", "replace").decode("utf-8")
        self.problems: list[Problem] = []
        self.unlisted = 0
        """How many problems there are beyond MAX_PROBLEMS."""
        self.warnings: list[Problem] = []
        self.beside: list[Problem] = []
        """Warnings of what is in the same folder and is not read: they stay when the source is read again."""
        """What is strange about the file although it can be read: `karat lint` shows it."""
        self.query_id: str | None = None
        """The query being read, for the problems found in it."""
        self.sheet = ""
        """In a spreadsheet: the sheet being read."""
        self.part: Source | None = None
        """Of a folder of shards: the shard being read."""
        self._data = data
        self._bytes = ByteSource(self._file, data)
        self._line = 0
        self._block: list[bytes] = []
        self._cursor: Iterator[bytes] | None = None
        self._places: JsonPlaces | None = None
        self._path = ""
        self._id_types: defaultdict[tuple[str, int], dict[str, int]] = defaultdict(dict)
        if data is None and not self._file:
            raise UsageError("the name of an input file is empty")
        if data is None and self._file != "-" and not Path(self._file).exists():
            raise UnfitInput(f"{self.name}: no such file")

    @property
    def path(self) -> Path:
        """Where the file is; only for formats that consist of several files."""
        return Path(self._file)

    @property
    def is_directory(self) -> bool:
        return self._data is None and self._file != "-" and Path(self._file).is_dir()

    # -- places ---------------------------------------------------------------------------------

    @property
    def line(self) -> int:
        """The line of the unit being read, from 1."""
        if self.part is not None:
            return self.part.line
        if self._places is not None:
            return self._places.line_of(self._path)
        if self._cursor is not None:
            # Computed from how far the block has been read: counting every line would cost as much as reading it.
            return self._line + len(self._block) - length_hint(self._cursor)
        return self._line

    @line.setter
    def line(self, line: int) -> None:
        self._line, self._cursor = line, None

    @property
    def file(self) -> str:
        """The name of the file being read: the source itself, or one of its shards."""
        return self.name if self.part is None else self.part.name

    @property
    def shard(self) -> str:
        """The name of the shard being read; empty where the source is not a folder of shards."""
        return "" if self.part is None else self.part.name

    def parts(self, paths: Iterable[Path]) -> Iterator[Source]:
        """These files as parts of this source, one after another: what is wrong in them is its problems."""
        for path in paths:
            self.part = part = Source(path)
            part.problems, part.warnings, part._id_types = self.problems, self.warnings, self._id_types
            try:
                yield part
            finally:
                self.unlisted += part.unlisted
                self.part = None

    @property
    def current(self) -> bytes:
        """The last line that `lines` gave out."""
        return self._block[self.line - self._line - 1]

    def enter(self, path: str) -> None:
        """Say which part of a JSON document is being read, so that `line` gives its line."""
        self._path = path

    def report(
        self, path: str, message: str, *, code: str, choices: Sequence[str] = (), line: int | None = None
    ) -> None:
        """Note a problem; reading goes on. With `choices`, the message is the wrong value and the choices are added."""
        if len(self.problems) >= MAX_PROBLEMS:
            self.unlisted += 1
            return
        if choices:
            message = f"{message} is not one of {', '.join(choices)}"
        self.problems.append(self._problem(path, message, code, line))

    def warn(self, path: str, message: str, *, code: str, line: int | None = None) -> None:
        """Note something that lint should show although it does not stop reading."""
        if len(self.warnings) < MAX_PROBLEMS:
            self.warnings.append(self._problem(path, message, code, line))

    def _problem(self, path: str, message: str, code: str, line: int | None) -> Problem:
        if line is None:
            line = self._places.line_of(path) if self._places is not None else self.line
        return Problem(
            file=self.file, line=line, path=path, code=code, message=message, query_id=self.query_id, sheet=self.sheet
        )

    def forget(self) -> None:
        """Forget all problems and warnings, to read the source again."""
        self.problems.clear()
        self.warnings[:] = self.beside
        self.sheet = ""
        self.unlisted = 0
        self._id_types.clear()

    def fail(self, message: str, *, code: str, line: int | None = None) -> NoReturn:
        """Stop reading the file with an InputError."""
        self.report("", message, code=code, line=line)
        raise InputError(self.problems, unlisted=self.unlisted)

    def note_id(self, field: str, value: object, depth: int = 0) -> None:
        """Remember whether the ids in this field are strings or numbers; a mix of both is a lint finding."""
        kinds = self._id_types[field, depth]
        kind = "string" if isinstance(value, str) else "number"
        if kind not in kinds:
            kinds[kind] = self.line
            if len(kinds) == 2:
                self.warn(
                    field,
                    f"some ids in this field are strings and some are numbers ({kind} here)",
                    code="mixed-id-types",
                )

    # -- bytes ----------------------------------------------------------------------------------

    def open(self) -> IO[bytes]:
        """The bytes from the beginning, decompressed; may be called more than once."""
        try:
            return self._bytes.open()
        except OSError as error:
            raise UnfitInput(f"{self.name}: {error.strerror or error}") from None

    def lines(self) -> Iterator[bytes]:
        """Lines without their ends (LF or CRLF) and without a byte-order mark; `line` follows along."""
        for block in self.blocks():
            yield from block

    def blocks(self) -> Iterator[Iterator[bytes]]:
        """The same lines in blocks, for fast readers; each block must be used before the next is taken."""
        self._places = None
        self.line = 0
        for block in self.raw_blocks():
            yield self.lines_of(block, self._line)
            self.line = self._line + len(self._block)

    def lines_of(self, block: bytes, before: int) -> Iterator[bytes]:
        """The lines of a block that `raw_blocks` gave out, after so many others; `line` follows along."""
        self._places = None
        self.line = before
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        self._block = [line.removesuffix(b"\r") for line in lines] if b"\r" in block else lines
        return self.restart()

    def restart(self) -> Iterator[bytes]:
        """The lines of the current block from its beginning."""
        self._cursor = iter(self._block)
        return self._cursor

    def raw_blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The bytes in pieces of about this size, each ending with a line; without a byte-order mark."""
        rest: list[bytes] = []
        length = given = 0
        try:
            with self.open() as file:
                pieces = pieces_of(file, size)
                block = next(pieces, b"")
                if block[:2] in _OTHER_BOMS:
                    self.fail(f"is {_OTHER_BOMS[block[:2]]} text; save it as UTF-8", code="encoding", line=1)
                block = block.removeprefix(_UTF8_BOM)
                while block:
                    end = block.rfind(b"\n") + 1
                    if end:
                        whole = b"".join((*rest, block[:end]))
                        yield whole
                        given += len(whole)
                        rest, length = [block[end:]], len(block) - end
                    else:
                        rest.append(block)
                        length += len(block)
                        if length > MAX_LINE:
                            self.fail(
                                f"the line is longer than {MAX_LINE >> 20} MiB",
                                code="too-long",
                                line=self._lines_in(given) + 1,
                            )
                    block = next(pieces, b"")
        except (OSError, EOFError, zlib.error) as error:
            self.fail(f"cannot be read: {error}", code="unreadable", line=self._lines_in(given) + 1)
        if length:
            yield b"".join(rest)

    def _lines_in(self, size: int) -> int:
        """How many lines the first bytes have: counted only where something is wrong after them."""
        lines = 0
        with suppress(OSError, EOFError, zlib.error), self.open() as file:
            # A byte-order mark is not among them, but it is no line either: pieces end with lines.
            while size > 0 and (block := file.read(min(size, BLOCK))):
                lines += block.count(b"\n")
                size -= len(block)
        return lines

    def text_lines(self) -> Iterator[str]:
        """Lines as text; one that is not UTF-8 is reported and left out."""
        for line in self.lines():
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                self.report(
                    "", f"byte {error.start + 1} of the line is not UTF-8; save the file as UTF-8", code="encoding"
                )

    def read_bytes(self) -> bytes:
        """The whole file, decompressed, without a byte-order mark."""
        try:
            with self.open() as file:
                data = file.read(MAX_DOCUMENT + 1)
        except (OSError, EOFError, zlib.error) as error:
            self.fail(f"cannot be read: {error}", code="unreadable", line=1)
        if len(data) > MAX_DOCUMENT:
            self.fail(
                f"the document is larger than {MAX_DOCUMENT >> 20} MiB; split it, or use one record per line",
                code="too-long",
                line=1,
            )
        if data[:2] in _OTHER_BOMS:
            self.fail(f"is {_OTHER_BOMS[data[:2]]} text; save it as UTF-8", code="encoding", line=1)
        return data.removeprefix(_UTF8_BOM)

    def read_text(self) -> str:
        """The whole file as text."""
        data = self.read_bytes()
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self.fail(
                f"byte {error.start + 1} of the file is not UTF-8; save the file as UTF-8", code="encoding", line=line
            )

    # -- JSON -----------------------------------------------------------------------------------

    def document(self) -> Any:
        """The whole file as one JSON value."""
        text = self.read_text()
        self._places = None
        value = self._decode(text.encode("utf-8"), whole=True)
        self._places = JsonPlaces(text)
        return value

    def json_lines(self) -> Iterator[Any]:
        """The JSON value of each line; blank lines are skipped, broken ones reported."""
        for line in self.lines():
            if line and not line.isspace():
                self.query_id = None
                try:
                    yield self._decode(line)
                except BadUnit:
                    continue

    def _decode(self, data: bytes, *, whole: bool = False) -> Any:
        try:
            check_size(data)
            value, repeated = decode_reported(data)
            if repeated is not None:
                self.report(
                    "", f"the key {repeated!r} appears twice in one object; keep one of them", code="repeated-key"
                )
            return value
        except TooManyValues as error:
            what, line = str(error), 1
        except RecursionError:
            what, line = "is nested too deeply", 1
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            what = "is not JSON: " + str(error).removeprefix("JSON is malformed: ")
            line = _error_line(data, str(error))
        if whole:
            self.fail(what, code="bad-json", line=line)
        self.report("", what, code="bad-json")
        raise BadUnit


def _error_line(data: bytes, message: str) -> int:
    """The line of the byte N that a decoder's message names: `... (byte N)`."""
    _, mark, tail = message.rpartition("(byte ")
    return data.count(b"\n", 0, int(tail[:-1])) + 1 if mark and tail[:-1].isdigit() else 1
