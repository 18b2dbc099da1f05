"""How results that are records (msgspec structs, dataclasses, lists of them) are kept in a job."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Any, Generic, TypeVar

import msgspec

from karat.engines.cache.names import name_of
from karat.model.codec import decode_span_set

C = TypeVar("C")
R = TypeVar("R")


class KeepRecords(Generic[C, R]):
    """Keeps results of one type. maker: everything that they depend on besides the chunk: settings, models, code.

    content: what a result depends on in its chunk.
    """

    def __init__(self, kind: Any, *, maker: Callable[[], bytes], content: Callable[[C], Sequence[str | bytes]]) -> None:
        self._decoder = msgspec.msgpack.Decoder(kind, dec_hook=decode_span_set)
        self._maker, self._content = maker, content
        self._made: bytes | None = None

    def name(self, chunk: C) -> bytes:
        if self._made is None:
            # Not before it is needed: models may have to be loaded for it.
            self._made = self._maker()
        return name_of(self._made, *self._content(chunk))

    def pack(self, result: R) -> bytes | None:
        try:
            return msgspec.msgpack.encode(result)
        except UnicodeEncodeError:
            # Half of a letter, which is no text anywhere else; such a chunk is made again.
            return None

    def unpack(self, packed: bytes, chunk: C) -> R | None:
        try:
            result: R = self._decoder.decode(packed)
        except (msgspec.DecodeError, ValueError):
            return None
        if isinstance(result, Sized) and isinstance(chunk, Sized) and len(result) != len(chunk):
            # A list has one result for each item of the chunk.
            return None
        return result
