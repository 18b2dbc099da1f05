"""Responses on the disk, put in order by query, however they come; and what all of them say about rare words.

The queries of the key are divided into ranges, in their natural order, one file per range. So the responses of a range
can be read together, range after range, and nothing else has to be held.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from karat.model import Response
from karat.model.codec import decode_record, encode_record
from karat.model.wording import natural
from karat.text.idf import text_digest

FILES = 64
"""How many ranges there are at most: one is held at a time, and all files are open at once."""
_SIZE = struct.Struct("<I")
_Row = tuple[bool, str, str, bytes]


class Spool:
    """The responses to the queries of a key; `with Spool(...)` opens its files in a folder that the caller removes."""

    def __init__(self, folder: Path, query_ids: Iterable[str]) -> None:
        self.query_ids = sorted(query_ids, key=natural)
        files = max(1, min(FILES, len(self.query_ids)))
        self._file_of = {query_id: at * files // len(self.query_ids) for at, query_id in enumerate(self.query_ids)}
        self._paths = [folder / f"responses-{number}" for number in range(files)]
        self._files: list[BinaryIO] = []
        self._stack = ExitStack()
        self._seen: set[bytes] = set()
        self.digest = 0
        """The sum of the digests of all texts (`text_digest`)."""
        self.texts = 0
        """How many texts there are, each counted once."""
        self.responses = 0

    def __enter__(self) -> Spool:
        self._files = [self._stack.enter_context(path.open("w+b")) for path in self._paths]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def add(self, response: Response, text: str) -> bool:
        """Take a response with its whole text; False where the key does not have its query.

        A text counts for the rarity of words in any case, as it does where everything is held.
        """
        digest = text_digest(text)
        short = digest.to_bytes(32, "big")[:16]
        is_new = short not in self._seen
        if is_new:
            self._seen.add(short)
            self.digest += digest
            self.texts += 1
        at = self._file_of.get(response.query_id)
        self._write(0 if at is None else at, (is_new, response.query_id, response.run_id, encode_record(response)))
        self.responses += at is not None
        return at is not None

    def _write(self, at: int, row: _Row) -> None:
        packed = msgspec.msgpack.encode(row)
        self._files[at].write(_SIZE.pack(len(packed)) + packed)

    def new_texts(self, most: int) -> Iterator[list[Response]]:
        """Responses with a text that none before had, in lists of at most so many."""
        found: list[Response] = []
        for at in range(len(self._files)):
            for is_new, _, _, line in self._rows(at):
                if is_new:
                    found.append(_response(line))
                    if len(found) == most:
                        yield found
                        found = []
        if found:
            yield found

    def blocks(self, most: int) -> Iterator[tuple[str, list[bytes]]]:
        """Query after query: its responses as lines of JSON, in the natural order of runs, at most so many together."""
        for at in range(len(self._files)):
            by_query: dict[str, list[tuple[str, bytes]]] = {}
            for _, query_id, run_id, line in self._rows(at):
                if query_id in self._file_of:
                    by_query.setdefault(query_id, []).append((run_id, line))
            for query_id in sorted(by_query, key=natural):
                rows = sorted(by_query.pop(query_id), key=lambda row: natural(row[0]))
                for begin in range(0, len(rows), most):
                    yield query_id, [line for _, line in rows[begin : begin + most]]

    def names(self, most: int) -> list[str]:
        """The query of each of the `blocks`, for those who count them."""
        counts: dict[str, int] = {}
        for at in range(len(self._files)):
            for _, query_id, _, _ in self._rows(at):
                if query_id in self._file_of:
                    counts[query_id] = counts.get(query_id, 0) + 1
        return [
            query_id for query_id in self.query_ids if query_id in counts for _ in range(-(-counts[query_id] // most))
        ]

    def _rows(self, at: int) -> Iterator[_Row]:
        file = self._files[at]
        file.seek(0)
        while head := file.read(_SIZE.size):
            yield msgspec.msgpack.decode(file.read(_SIZE.unpack(head)[0]), type=_Row)


def _response(line: bytes) -> Response:
    record = decode_record(line)
    assert isinstance(record, Response)
    return record


def responses_of(lines: Sequence[bytes]) -> list[Response]:
    """The responses of a block."""
    return [_response(line) for line in lines]
