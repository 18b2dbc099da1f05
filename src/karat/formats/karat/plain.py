"""Plain judgements as columns: a judge, a degree and the status ok, of a whole response, and nothing else.

Millions of them are read in a fraction of the time and memory of records. `Codes` numbers the texts (ids and names)
that the columns share; `PlainBatch` is a `Batch` that makes its records only where somebody wants them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.formats.io.rows import Batch
from karat.model import AnyRecord, Judgement
from karat.model.records import RunId, UnitInterval

Numbers = NDArray[np.int32]
KEYS = 8
"""The keys of a plain judgement in a line: kind, v, query_id, run_id, nug_id, degree, judge, status."""
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1
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
        found = set(np.unique(self.queries.astype(np.int64) << _SHIFT | self.nugs).tolist()) - sound
        self._new = found
        queries, nugs = self.codes.queries.names, self.codes.nugs.names
        return {(queries[pair >> _SHIFT], nugs[pair & _MASK]) for pair in found}

    def are_sound(self, sound: set[int]) -> None:
        sound |= self._new


class _Plain(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="kind", tag="judgement"):
    """What a line must hold to be a plain judgement: exactly this."""

    query_id: str
    run_id: RunId
    nug_id: str
    degree: UnitInterval
    judge: str
    status: Literal["ok"]
    v: Literal[1]


_decode_lines = msgspec.json.Decoder(_Plain).decode_lines
# One field after another: a tuple for each row takes four times as long.
_query, _run, _nug, _judge = map(attrgetter, ("query_id", "run_id", "nug_id", "judge"))
_degree = attrgetter("degree")


def plain_block(block: bytes, lines: int, first: int, codes: Codes) -> PlainBatch | None:
    """The judgements of a block of JSONL; None where they are not all plain, or may repeat a key (`repeated_keys`)."""
    # A comparison of all bytes is faster than searching for each colon.
    colons = int(np.count_nonzero(np.frombuffer(block, np.uint8) == _COLON))
    if colons != KEYS * lines and (block.count(b'":') != KEYS * lines or _BLANK.search(block) is not None):
        return None
    try:
        rows: Any = _decode_lines(block)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if len(rows) != lines:
        # There are blank lines.
        return None
    return PlainBatch(
        codes,
        codes.queries.of(map(_query, rows), lines),
        codes.runs.of(map(_run, rows), lines),
        codes.nugs.of(map(_nug, rows), lines),
        codes.judges.of(map(_judge, rows), lines),
        np.fromiter(map(_degree, rows), np.float64, lines),
        first,
    )
