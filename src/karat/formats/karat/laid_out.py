"""Plain judgements in lines exactly as Karat writes them: their values are found by where the quotes are.

All lines of such a block are the same but for four values, so that nothing need be decoded line by line:

    {"kind":"judgement","v":1,"query_id":"q1","run_id":"r1","nug_id":"n1","degree":1.0,"judge":"person","status":"ok"}

Every byte is checked: the fixed text is compared in each line, and each different value is decoded once. A block of any
other form (other spaces or order of keys, escapes, control characters) gives None, and is decoded as JSON.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.model import Judgement
from karat.model.codec import encode_record
from karat.model.records import UnitInterval

Places = NDArray[np.int64]
_QUOTE, _BLANK = ord('"'), ord(" ")
_MOST = 64
"""The longest value in bytes; blocks with longer ones are decoded."""
_HOLES = (b"<query>", b"<run>", b"<nug>", b"0.625")
_BYTES_KEPT = np.array([(1 << 8 * kept) - 1 for kept in range(9)], np.uint64)
"""By a number of bytes: what to keep of a word of eight bytes, the first byte being its lowest."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_decode_degree = msgspec.json.Decoder(UnitInterval).decode


class Values(NamedTuple):
    """The different values of a column, in the order in which they come, and which of them each line has."""

    different: list[bytes]
    which: Places


class LaidOut(NamedTuple):
    """The values of a block."""

    queries: Values
    runs: Values
    nugs: Values
    degrees: NDArray[np.float64]


@lru_cache(maxsize=64)
def _layout(judge: str) -> tuple[bytes, ...]:
    """The fixed text before each of the four values, and after the last."""
    rest = encode_record(Judgement(query_id="<query>", run_id="<run>", nug_id="<nug>", degree=0.625, judge=judge))
    parts = []
    for hole in _HOLES:
        part, _, rest = rest.partition(hole)
        parts.append(part)
    return (*parts, rest + b"\n")


def laid_out(block: bytes, lines: int, judge: str) -> LaidOut | None:
    """The values of a block of lines; None where a line is not as Karat writes a plain judgement of this judge."""
    if b"\\" in block or not block.endswith(b"\n"):
        return None
    parts = _layout(judge)
    data = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(data == _QUOTE)
    per_line = sum(part.count(b'"') for part in parts)
    # The only control characters are the ends of the lines.
    if len(quotes) != lines * per_line or np.count_nonzero(data < _BLANK) != lines:
        return None
    spans = _value_spans(block, quotes.reshape(lines, per_line), parts)
    if spans is None:
        return None
    padded = block + bytes(_MOST)
    columns = [_values(padded, starts, ends) for starts, ends in spans]
    queries, runs, nugs, degrees = columns
    if queries is None or runs is None or nugs is None or degrees is None or b"" in runs.different:
        return None
    try:
        numbers = np.array([_decode_degree(text) for text in degrees.different])
    except msgspec.DecodeError:
        return None
    return LaidOut(queries, runs, nugs, numbers[degrees.which])


def _value_spans(block: bytes, quotes: Places, parts: tuple[bytes, ...]) -> list[tuple[Places, Places]] | None:
    """Where each value starts and ends in each line; None where the text between them is another."""
    spans = []
    begin, quote = quotes[:, 0] - 1, 0
    for part, following in pairwise(parts):
        if not _is_everywhere(block, begin, part):
            return None
        starts, quote = begin + len(part), quote + part.count(b'"')
        # The value ends where the following text begins, which is known by its first quote.
        begin = quotes[:, quote] - following.index(b'"')
        spans.append((starts, begin))
    if not _is_everywhere(block, begin, parts[-1]):
        return None
    ends = begin + len(parts[-1])
    follow_each_other = np.array_equal(quotes[1:, 0] - 1, ends[:-1]) and quotes[0, 0] == 1 and ends[-1] == len(block)
    return spans if follow_each_other and all((ends >= starts).all() for starts, ends in spans) else None


def _is_everywhere(block: bytes, starts: Places, text: bytes) -> bool:
    """Whether the text is at all these places."""
    if int(starts.min()) < 0 or int(starts.max()) + len(text) > len(block):
        return False
    return bool(_pieces(block, len(text))[starts].tobytes() == text * len(starts))


def _pieces(block: bytes, size: int) -> NDArray[np.void]:
    """The piece of this size that begins at each byte; nothing is copied."""
    return np.ndarray((len(block) - size + 1,), np.dtype((np.void, size)), buffer=block, strides=(1,))


def _values(padded: bytes, starts: Places, ends: Places) -> Values | None:
    """The values between these places; None where one is too long or is not UTF-8."""
    lengths = ends - starts
    count = max(1, -(-int(lengths.max()) // 8))
    if 8 * count > _MOST:
        return None
    words = np.frombuffer(_pieces(padded, 8 * count)[starts].tobytes(), "<u8").reshape(len(starts), count).copy()
    for at in range(count):
        words[:, at] &= _BYTES_KEPT[np.clip(lengths - 8 * at, 0, 8)]
    keys = words[:, 0]
    for at in range(1, count):
        keys = keys * _SPREAD ^ words[:, at]
    # Neighbours are often the same, and only what changes need be sorted.
    heads = np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1])
    _, first, which = np.unique(keys[heads], return_index=True, return_inverse=True)
    in_order = np.argsort(first)
    rank = np.empty(len(first), np.int64)
    rank[in_order] = np.arange(len(first))
    which = np.repeat(rank[which], np.diff(np.append(heads, len(keys))))
    sample = heads[first[in_order]]
    if count > 1 and not np.array_equal(words[sample][which], words):
        # Two values have the same key.
        return None
    return Values([padded[starts[at] : ends[at]] for at in sample.tolist()], which)
