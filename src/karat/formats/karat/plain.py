"""Plain judgements as columns: a judge, a degree and the status ok, of a whole response, and nothing else.

Millions of them are read in a fraction of the time and memory of records. `Codes` numbers the texts (ids and names)
that the columns share; `PlainBatch` is a `Batch` that makes its records only where somebody wants them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.formats.io.rows import Batch
from karat.formats.karat.laid_out import laid_out
from karat.model import AnyRecord, Judgement
from karat.model.records import RunId, UnitInterval

Numbers = NDArray[np.int32]
KEYS = 8
"""The keys of a plain judgement in a line: kind, v, query_id, run_id, nug_id, degree, judge, status."""
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1
_MOST_PAIRS = 1 << 26
_COLON = ord(":")
_BLANK = re.compile(rb'"\s+:')


class TextCodes(dict[str, int]):
    """Texts and their numbers, in the order in which they came: a new text gets the next number."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __missing__(self, text: str) -> int:
        code = self[text] = len(self)
        self.names.append(text)
        return code

    def of(self, texts: Iterable[str], count: int) -> Numbers:
        """The numbers of so many texts."""
        return np.fromiter(map(self.__getitem__, texts), np.int32, count)


class Codes:
    """The numbers of queries, runs, nugs and judges."""

    def __init__(self) -> None:
        self.queries, self.runs, self.nugs, self.judges = TextCodes(), TextCodes(), TextCodes(), TextCodes()
        self._sound = np.zeros((0, 0), bool)

    def sound(self) -> NDArray[np.bool_] | None:
        """Which queries and nugs are known to belong together (queries, nugs); None where there are too many pairs."""
        queries, nugs = len(self.queries), len(self.nugs)
        if queries > self._sound.shape[0] or nugs > self._sound.shape[1]:
            if 4 * queries * nugs > _MOST_PAIRS:
                return None
            larger = np.zeros((2 * queries, 2 * nugs), bool)
            larger[: self._sound.shape[0], : self._sound.shape[1]] = self._sound
            self._sound = larger
        return self._sound


class PlainBatch(Batch):
    """Plain judgements of one file, in order, as columns of codes and degrees."""

    is_plain = True
    __slots__ = ("__dict__", "_new", "codes", "degrees", "judges", "nugs", "queries", "runs")

    def __init__(
        self, codes: Codes, queries: Numbers, runs: Numbers, nugs: Numbers, judges: Numbers,
        degrees: NDArray[np.float64], first: int,
    ) -> None:  # fmt: skip
        self.codes, self.queries, self.runs, self.nugs, self.judges = codes, queries, runs, nugs, judges
        self.degrees = degrees
        self.lines = range(first, first + len(degrees))
        self.repaired = frozenset()
        self.file, self.files, self.before = "", (), 0
        self._columns = {}

    @cached_property
    def records(self) -> list[AnyRecord]:  # type: ignore[override]
        queries, runs, nugs, judges = self._names()
        return [
            Judgement(query_id=query_id, run_id=run_id, nug_id=nug_id, degree=degree, judge=judge)
            for query_id, run_id, nug_id, degree, judge in zip(
                queries, runs, nugs, self.degrees.tolist(), judges, strict=True
            )
        ]

    def _names(self) -> list[list[str]]:
        codes = self.codes
        columns = (
            (codes.queries, self.queries),
            (codes.runs, self.runs),
            (codes.nugs, self.nugs),
            (codes.judges, self.judges),
        )
        return [[table.names[code] for code in numbers.tolist()] for table, numbers in columns]

    def holds_only(self, kind: type[AnyRecord]) -> bool:
        return kind is Judgement

    def column(self, field: str) -> list[Any]:
        plain = {"snippet_id": None, "status": "ok", "assessor": None, "adjudicated": None, "evidence": None}
        if field in plain:
            return [plain[field]] * len(self.degrees)
        return super().column(field)

    def distinct(self, field: str) -> set[str]:
        table, numbers = {
            "query_id": (self.codes.queries, self.queries), "run_id": (self.codes.runs, self.runs),
        }[field]  # fmt: skip
        return {table.names[code] for code in np.unique(numbers).tolist()}

    def pairs(self, sound: set[int]) -> set[tuple[str, str]]:
        self._new = set()
        table = self.codes.sound()
        if table is not None and table[self.queries, self.nugs].all():
            return set()
        found = set(np.unique(self.queries.astype(np.int64) << _SHIFT | self.nugs).tolist()) - sound
        self._new = found
        queries, nugs = self.codes.queries.names, self.codes.nugs.names
        return {(queries[pair >> _SHIFT], nugs[pair & _MASK]) for pair in found}

    def are_sound(self, sound: set[int]) -> None:
        sound |= self._new
        if self._new and (table := self.codes.sound()) is not None:
            table[self.queries, self.nugs] = True


@lru_cache(maxsize=64)
def _decoder(judge: str) -> Callable[[bytes], list[Any]]:
    """A decoder of lines that hold exactly a plain judgement of this judge.

    One judge has made nearly all judgements of a file: where the type says who, no name need be looked at again.
    The kind is a field like the others, because a line may lack a tag; so every line has all the keys.
    """
    fields = [
        ("kind", Literal["judgement"]),
        ("query_id", str), ("run_id", RunId), ("nug_id", str), ("degree", UnitInterval), ("judge", Literal[judge]),
        ("status", Literal["ok"]), ("v", Literal[1]),
    ]  # fmt: skip
    plain = msgspec.defstruct("Plain", fields, frozen=True, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(plain).decode_lines


_first_judge = re.compile(rb'"judge":"([^"\\]+)"')
# One field after another: a tuple for each row takes four times as long.
_query, _run, _nug, _degree = map(attrgetter, ("query_id", "run_id", "nug_id", "degree"))


def byte_count(block: bytes, byte: int) -> int:
    """How often a byte occurs: comparing all bytes is faster than searching for each."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == byte))


def plain_block(block: bytes, lines: int, first: int, codes: Codes) -> PlainBatch | None:
    """The judgements of a block of JSONL; None where they are not all plain and by one judge, or may repeat a key.

    A line has a colon for each of its keys, so that none is there twice where there are no more (`repeated_keys`).
    """
    found = _first_judge.search(block)
    if found is None:
        return None
    batch = _laid_out_block(block, lines, first, codes, found[1])
    return _decoded_block(block, lines, first, codes, found[1]) if batch is None else batch


def _laid_out_block(block: bytes, lines: int, first: int, codes: Codes, judge: bytes) -> PlainBatch | None:
    """Where the lines are as Karat writes them."""
    try:
        name = judge.decode()
        values = laid_out(block, lines, name)
        if values is None:
            return None
        # All texts are decoded before any gets a number.
        texts = [[text.decode() for text in column.different] for column in values[:3]]
    except UnicodeDecodeError:
        return None
    tables = (codes.queries, codes.runs, codes.nugs)
    queries, runs, nugs = (
        table.of(different, len(different))[column.which]
        for table, different, column in zip(tables, texts, values[:3], strict=True)
    )
    judges = np.full(lines, codes.judges[name], np.int32)
    return PlainBatch(codes, queries, runs, nugs, judges, values.degrees, first)


def _decoded_block(block: bytes, lines: int, first: int, codes: Codes, judge_name: bytes) -> PlainBatch | None:
    """Where they have the same keys in another form."""
    if byte_count(block, _COLON) != KEYS * lines and (
        block.count(b'":') != KEYS * lines or _BLANK.search(block) is not None
    ):
        return None
    if block.startswith(b"{") + block.count(b"\n{") != lines:
        # A judgement that begins within a line, or blanks: the decoder does not keep to lines.
        return None
    try:
        judge = judge_name.decode()
        rows = _decoder(judge)(block)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if len(rows) != lines:
        return None
    return PlainBatch(
        codes,
        codes.queries.of(map(_query, rows), lines),
        codes.runs.of(map(_run, rows), lines),
        codes.nugs.of(map(_nug, rows), lines),
        np.full(lines, codes.judges[judge], np.int32),
        np.fromiter(map(_degree, rows), np.float64, lines),
        first,
    )
