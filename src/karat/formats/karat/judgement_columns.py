"""Judgements held as columns: a list of records that takes 30 to 60 bytes per judgement instead of about 500.

Queries, runs, nugs and snippets are codes; judge, assessor, status, adjudicated and the levels of the probabilities
together are one code, because few combinations occur; degrees and probabilities are numbers. Evidence and unknown
fields are kept beside the columns. Records are made again when somebody asks for them, equal to those that were added.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from math import nan
from typing import Any, Literal, overload

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from karat.formats.karat.plain import Codes, Numbers, PlainBatch, TextCodes
from karat.model import Judgement, decode_record
from karat.model.codec import encode_record

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Profile = tuple[str, str | None, str, bool | None, tuple[str, ...], bool]
"""Judge, assessor, status, adjudicated, the levels that have probabilities, and whether there is a degree."""
LEVELS: tuple[Literal["0", "0.5", "1"], ...] = ("0", "0.5", "1")
NOWHERE = -1
"""The code of the snippet where a judgement is about the whole response."""
_CHUNK = 8_192


class _Growing:
    """A column that is added to; its memory grows in place, so that nothing is there twice."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._data: NDArray[Any] = np.empty(_CHUNK, kind)
        self._used = 0

    def add(self, values: NDArray[Any]) -> None:
        end = self._used + len(values)
        if end > len(self._data):
            self._data.resize(max(end, len(self._data) * 5 // 4), refcheck=False)
        self._data[self._used : end] = values
        self._used = end

    @property
    def values(self) -> NDArray[Any]:
        return self._data[: self._used]


class JudgementColumns(Sequence[Judgement]):
    """Judgements in order. Add them with `add` and `add_plain`; after the first look at them no more can be added."""

    def __init__(self, codes: Codes | None = None) -> None:
        self.codes = Codes() if codes is None else codes
        self.snippets = TextCodes()
        self.profiles: dict[Profile, int] = {}
        self.others: dict[int, bytes | Judgement] = {}
        """The judgements that have more than the columns hold, by their row: records, or their JSON."""
        self._count = 0
        self._parts = [*(_Growing(np.int32) for _ in range(4)), _Growing(np.float64)]
        self._snippets: list[tuple[int, Numbers]] = []
        self._shares: list[tuple[int, Floats]] = []
        self._judge_profiles: dict[int, int] = {}

    # -- adding ---------------------------------------------------------------------------------

    def add_plain(self, batch: PlainBatch) -> None:
        """Add plain judgements that share the codes."""
        assert batch.codes is self.codes
        self._append(batch.queries, batch.runs, batch.nugs, self._plain_profiles(batch.judges), batch.degrees)
        self._count += len(batch.degrees)

    def _append(self, *columns: NDArray[Any]) -> None:
        if "_columns" in self.__dict__:
            # Growing would take the memory away from the columns that somebody has.
            raise RuntimeError("judgements are added before they are looked at")
        for part, values in zip(self._parts, columns, strict=True):
            part.add(values)

    def _plain_profiles(self, judges: Numbers) -> Numbers:
        distinct = np.unique(judges).tolist()
        for judge in distinct:
            if judge not in self._judge_profiles:
                self._judge_profiles[judge] = self._profile(
                    (self.codes.judges.names[judge], None, "ok", None, (), True)
                )
        if len(distinct) == 1:
            return np.full(len(judges), self._judge_profiles[distinct[0]], np.int32)
        return np.array([self._judge_profiles[judge] for judge in judges.tolist()], np.int32)

    def _profile(self, profile: Profile) -> int:
        return self.profiles.setdefault(profile, len(self.profiles))

    def add(self, records: Sequence[Judgement], *, packed: bool = False, unread: frozenset[str] = frozenset()) -> None:
        """Add judgements. packed: they come from Karat's JSON, so that they can be kept as JSON.

        unread: unknown fields that nobody will read; where there are any, evidence without spans is left out, too.
        """
        if not records:
            return
        if unread:
            records = [_lighter(record, unread) for record in records]
        count, codes, first = len(records), self.codes, self._count
        profiles = [
            self._profile(
                (
                    record.judge, record.assessor, record.status, record.adjudicated, tuple(record.probabilities),
                    record.degree is not None,
                )
            )
            for record in records
        ]  # fmt: skip
        for at, record in enumerate(records):
            if record.evidence is not None or record.extra or not _is_exact(record):
                self.others[first + at] = encode_record(record) if packed else record
        if any(record.snippet_id is not None for record in records):
            places = (NOWHERE if record.snippet_id is None else self.snippets[record.snippet_id] for record in records)
            self._snippets.append((first, np.fromiter(places, np.int32, count)))
        if any(record.probabilities for record in records):
            given = ([record.probabilities.get(level, nan) for level in LEVELS] for record in records)
            self._shares.append((first, np.array(list(given), float)))
        degrees = (nan if record.degree is None else record.degree for record in records)
        self._append(
            codes.queries.of((record.query_id for record in records), count),
            codes.runs.of((record.run_id for record in records), count),
            codes.nugs.of((record.nug_id for record in records), count),
            np.array(profiles, np.int32),
            np.fromiter(degrees, np.float64, count),
        )
        self._count += count

    # -- columns --------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> tuple[Numbers, Numbers, Numbers, Numbers, Floats]:
        return tuple(part.values for part in self._parts)  # type: ignore[return-value]

    @property
    def queries(self) -> Numbers:
        return self._columns[0]

    @property
    def runs(self) -> Numbers:
        return self._columns[1]

    @property
    def nugs(self) -> Numbers:
        return self._columns[2]

    @property
    def kinds(self) -> Numbers:
        """The code of each judgement's profile."""
        return self._columns[3]

    @property
    def degrees(self) -> Floats:
        """NaN where there is none."""
        return self._columns[4]

    @cached_property
    def places(self) -> Numbers | None:
        """The code of each judgement's snippet; None where none names one."""
        if not self._snippets:
            return None
        places = np.full(self._count, NOWHERE, np.int32)
        for first, part in self._snippets:
            places[first : first + len(part)] = part
        self._snippets = []
        return places

    @cached_property
    def shares(self) -> Floats | None:
        """The probabilities of none, partial and full; NaN where they are not given, None where none is."""
        if not self._shares:
            return None
        shares = np.full((self._count, len(LEVELS)), np.nan)
        for first, part in self._shares:
            shares[first : first + len(part)] = part
        self._shares = []
        return shares

    @cached_property
    def judges(self) -> list[str]:
        """The judges, in the order of the profiles."""
        return list(dict.fromkeys(profile[0] for profile in self.profiles))

    def of_rows(self, rows: Rows) -> JudgementColumns:
        """Only these judgements, with the same codes."""
        part = JudgementColumns(self.codes)
        part.snippets, part._count = self.snippets, len(rows)
        kinds = self.kinds[rows]
        used = np.unique(kinds).tolist()
        by_code = list(self.profiles)
        part.profiles = {by_code[code]: new for new, code in enumerate(used)}
        again = np.zeros(len(by_code) or 1, np.int32)
        again[used] = np.arange(len(used))
        part._append(self.queries[rows], self.runs[rows], self.nugs[rows], again[kinds], self.degrees[rows])
        if self.places is not None:
            part._snippets = [(0, self.places[rows])]
        if self.shares is not None:
            part._shares = [(0, self.shares[rows])]
        if self.others:
            part.others = {new: self.others[row] for new, row in enumerate(rows.tolist()) if row in self.others}
        return part

    # -- records --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Judgement]:
        for first in range(0, self._count, _CHUNK):
            yield from self.records(np.arange(first, min(first + _CHUNK, self._count)))

    @overload
    def __getitem__(self, at: int) -> Judgement: ...
    @overload
    def __getitem__(self, at: slice) -> list[Judgement]: ...
    def __getitem__(self, at: int | slice) -> Judgement | list[Judgement]:
        if isinstance(at, slice):
            return self.records(np.arange(self._count)[at])
        if not -self._count <= at < self._count:
            raise IndexError(f"there are {self._count:,} judgements")
        return self.records(np.array([at % self._count]))[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self)) if self._count <= 10 else f"<{self._count:,} judgements>"

    def records(self, rows: Rows) -> list[Judgement]:
        """The judgements of these rows."""
        queries, runs, nugs = self.codes.queries.names, self.codes.runs.names, self.codes.nugs.names
        profiles = list(self.profiles)
        places = None if self.places is None else self.places[rows].tolist()
        shares = None if self.shares is None else self.shares[rows].tolist()
        made = []
        for at, (query, run, nug, kind, degree) in enumerate(
            zip(*(column[rows].tolist() for column in self._columns), strict=True)
        ):
            judge, assessor, status, adjudicated, levels, has_degree = profiles[kind]
            made.append(
                Judgement(
                    query_id=queries[query], run_id=runs[run], nug_id=nugs[nug], degree=degree if has_degree else None,
                    judge=judge, assessor=assessor, status=status, adjudicated=adjudicated,
                    snippet_id=None if places is None or places[at] < 0 else self.snippets.names[places[at]],
                    probabilities={} if not levels or shares is None
                    else {level: shares[at][LEVELS.index(level)] for level in levels},
                )
            )  # fmt: skip
        if self.others:
            for at, row in enumerate(rows.tolist()):
                if row in self.others:
                    made[at] = self.record(row)
        return made

    def record(self, row: int) -> Judgement:
        """The judgement of one row of `others`."""
        other = self.others[row]
        record = other if isinstance(other, Judgement) else decode_record(other)
        assert isinstance(record, Judgement)
        return record

    def rows_with(self, field: str, names: Container[str | None]) -> Rows:
        """The rows whose query_id or run_id is one of these."""
        table, column = self._named(field)
        wanted = np.array([name in names for name in table.names] or [False])
        return np.flatnonzero(wanted[column])

    def names_of(self, field: str) -> list[str]:
        """The queries (query_id) or runs (run_id), in the order in which they come."""
        table, column = self._named(field)
        codes, first = np.unique(column, return_index=True)
        return [table.names[code] for code in codes[np.argsort(first)].tolist()]

    def _named(self, field: str) -> tuple[TextCodes, Numbers]:
        return {"query_id": (self.codes.queries, self.queries), "run_id": (self.codes.runs, self.runs)}[field]

    def run_ids(self) -> set[str]:
        """The runs that were judged."""
        return {self.codes.runs.names[code] for code in np.flatnonzero(np.bincount(self.runs)).tolist()}


def _lighter(record: Judgement, unread: frozenset[str]) -> Judgement:
    evidence = record.evidence if record.evidence is not None and record.evidence.spans is not None else None
    if evidence is record.evidence and unread.isdisjoint(record.extra):
        return record
    extra = {name: value for name, value in record.extra.items() if name not in unread}
    return replace(record, evidence=evidence, extra=extra)


def judge_names(judgements: Sequence[Judgement]) -> set[str]:
    """The judges of these judgements."""
    if isinstance(judgements, JudgementColumns):
        return set(judgements.judges)
    return {judgement.judge for judgement in judgements}


def _is_exact(record: Judgement) -> bool:
    """Whether columns of numbers give back the very values: not where a degree is a whole number by type."""
    return (
        record.v == 1
        and (record.degree is None or type(record.degree) is float)
        and all(type(share) is float for share in record.probabilities.values())
    )
