"""Responses on the disk, put in order by query, however they come; and what all of them say about rare words.

The queries of the key are divided into ranges, in their natural order, one file per range. So the responses of a range
can be read together, range after range, and nothing else has to be held.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.model import Response, Unfinished, UnfitInput
from karat.model.codec import decode_record, encode_record
from karat.model.wording import natural
from karat.text.idf import text_digest

FILES = 64
"""How many ranges there are at most: one is held at a time, and all files are open at once."""
_SIZE = struct.Struct("<I")
_DIGEST, _SHORT = 32, 16
"""Bytes of the digest of a text, and of the part of it that is held to find equal texts."""
_Row = tuple[bytes, str, str, bytes]
"""The digest of the text (empty where an earlier response has the same text), query, run, and the response as JSON."""


class Spool:
    """Responses in files of a folder that the caller removes: `add` all of them, then `arrange` them by query."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.query_ids: list[str] = []
        self._file_of: dict[str, int] = {}
        self._files: list[BinaryIO] = []
        self._stack = ExitStack()
        self._digests = bytearray()
        self._counts: dict[str, int] = {}
        """How many responses each query has."""
        self.digest = 0
        """The sum of the digests of all texts (`text_digest`)."""
        self.texts = 0
        """How many texts there are, each counted once."""
        self.responses = 0
        """How many responses are to queries of the key; the others count only for the rarity of words."""
        self.unkeyed: list[str] = []
        """Queries that are not in the key."""

    def __enter__(self) -> Spool:
        self._files = [self._opened("incoming")]
        return self

    def _opened(self, name: str) -> BinaryIO:
        return self._stack.enter_context((self._folder / name).open("w+b"))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A file that could not be written says so once more when it is closed.
        with suppress(OSError) if kind is not None else self._on_disk():
            self._stack.close()

    @contextmanager
    def _on_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Unfinished(
                f"{self._folder.parent}: {error.strerror or error}: this is the folder for temporary files, which "
                "needs room for twice the responses; make room, or name another one with the variable TMPDIR"
            ) from None

    def add(self, response: Response, text: str) -> None:
        """Take a response with its whole text."""
        digest = text_digest(text).to_bytes(_DIGEST, "big")
        self._digests += digest[:_SHORT]
        with self._on_disk():
            self._write(0, (digest, response.query_id, response.run_id, encode_record(response)))

    def arrange(self, query_ids: Iterable[str]) -> None:
        """Put the responses in order by the queries of a key, which may have come after them."""
        with self._on_disk():
            self._arrange(query_ids)

    def _arrange(self, query_ids: Iterable[str]) -> None:
        is_new = self._is_new()
        self.query_ids = sorted(query_ids, key=natural)
        files = max(1, min(FILES, len(self.query_ids)))
        self._file_of = {query_id: at * files // len(self.query_ids) for at, query_id in enumerate(self.query_ids)}
        incoming = self._files[0]
        self._files = [self._opened(f"range-{number}") for number in range(files)]
        unkeyed: dict[str, None] = {}
        for first, (digest, query_id, run_id, line) in zip(is_new, _rows(incoming), strict=True):
            if first:
                self.digest += int.from_bytes(digest, "big")
                self.texts += 1
            self._write(self._file_of.get(query_id, 0), (digest if first else b"", query_id, run_id, line))
            if query_id in self._file_of:
                self._counts[query_id] = self._counts.get(query_id, 0) + 1
            else:
                unkeyed[query_id] = None
        self.responses, self.unkeyed = sum(self._counts.values()), list(unkeyed)
        incoming.truncate(0)
        for file in self._files:
            # Now, and not when somebody reads it.
            file.flush()

    def _is_new(self) -> NDArray[np.bool_]:
        """Of each response, whether none before it had the same text."""
        digests = np.frombuffer(self._digests, f"S{_SHORT}")
        self._digests = bytearray()
        is_new = np.zeros(len(digests), bool)
        is_new[np.unique(digests, return_index=True)[1]] = True
        return is_new

    def _write(self, at: int, row: _Row) -> None:
        packed = msgspec.msgpack.encode(row)
        self._files[at].write(_SIZE.pack(len(packed)) + packed)

    def new_texts(self, most: int) -> Iterator[list[Response]]:
        """Responses with a text that none before had, in lists of at most so many."""
        found: list[Response] = []
        for at in range(len(self._files)):
            for digest, _, _, line in _rows(self._files[at]):
                if digest:
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
            for _, query_id, run_id, line in _rows(self._files[at]):
                if query_id in self._file_of:
                    by_query.setdefault(query_id, []).append((run_id, line))
            for query_id in sorted(by_query, key=natural):
                rows = sorted(by_query.pop(query_id), key=lambda row: natural(row[0]))
                _check_runs(query_id, [run_id for run_id, _ in rows])
                for begin in range(0, len(rows), most):
                    yield query_id, [line for _, line in rows[begin : begin + most]]

    def names(self, most: int) -> list[str]:
        """The query of each of the `blocks`, for those who count them."""
        return [query_id for query_id in self.query_ids for _ in range(-(-self._counts.get(query_id, 0) // most))]


def _rows(file: BinaryIO) -> Iterator[_Row]:
    file.seek(0)
    while head := file.read(_SIZE.size):
        yield msgspec.msgpack.decode(file.read(_SIZE.unpack(head)[0]), type=_Row)


def _check_runs(query_id: str, run_ids: Sequence[str]) -> None:
    """Raise where a run has two responses to a query; they are beside each other, because they are in order."""
    for run_id, other in pairwise(run_ids):
        if run_id == other:
            raise UnfitInput(
                f"run {run_id} has two responses to query {query_id}; `karat lint` says where they are. Two versions "
                "of a run need two names: old=FILE new=FILE"
            )


def _response(line: bytes) -> Response:
    record = decode_record(line)
    assert isinstance(record, Response)
    return record


def responses_of(lines: Sequence[bytes]) -> list[Response]:
    """The responses of a block."""
    return [_response(line) for line in lines]
