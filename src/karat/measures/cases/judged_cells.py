"""The judgements of each run and query, made from columns when they are asked for.

A collection that was read from files holds its judgements as columns (`JudgementColumns`). Here they are put in order
by response, without making a record of each: what scores need of plain judgements are degrees, which come as an array
of responses and nugs (`DegreeGrid`); all else gets the records of one response, and they are forgotten again.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from karat.formats.karat.judgement_columns import JudgementColumns
from karat.measures.cases.rules import Ruled, first_of_repeated
from karat.measures.cases.saved_fields import FOLDED, nug_places, unfolded
from karat.model import Judgement, Nug

Cell = tuple[str, str]
Positions = NDArray[np.int64]
MOST_KEPT = 200_000
"""So many records are kept for the next question; then all of them are made anew."""


@dataclass(frozen=True)
class DegreeGrid:
    """The degrees of one query's nugs in the responses whose judgements are plain; NaN: not judged."""

    run_ids: list[str]
    degrees: NDArray[np.float64]
    """Responses (in the order of `run_ids`) by nugs (in the order of the key)."""


class JudgedCells(MutableMapping[Cell, list[Judgement]]):
    """From a query and run to its judgements: repeated ones left out, folded ones unfolded."""

    def __init__(self, columns: JudgementColumns, rules: Ruled, nugs: Sequence[Nug]) -> None:
        self.columns = columns
        self._majority = rules.assessors == "majority"
        self._nugs = nugs
        self._changed: dict[Cell, list[Judgement]] = {}
        self._kept: dict[Cell, list[Judgement]] = {}
        self._records = 0
        self.repeats = self.contradictions = 0
        self._group()
        for at in np.flatnonzero(self._odd).tolist():
            _, repeats, contradictions = self._made(at)
            self.repeats += repeats
            self.contradictions += contradictions

    @classmethod
    def of(cls, columns: JudgementColumns, rules: Ruled, nugs: Sequence[Nug]) -> JudgedCells | None:
        """None where records must be seen together: adjudicated ones, or those of one assessor."""
        judge = rules.judge_among(sorted(columns.judges))
        profiles = list(columns.profiles)
        if rules.assessor is not None or any(profile[3] for profile in profiles):
            return None
        if judge is not None:
            wanted = np.array([profile[0] == judge for profile in profiles] or [False])
            rows = np.flatnonzero(wanted[columns.kinds])
            columns = columns if len(rows) == len(columns) else columns.of_rows(rows)
        return cls(columns, rules, nugs)

    def _group(self) -> None:
        """Which rows belong to each response, in the order in which responses come."""
        columns = self.columns
        runs = max(1, len(columns.codes.runs))
        keys = columns.queries.astype(np.int64) * runs + columns.runs
        self._order: Positions | None = None
        starts = _starts(keys)
        if len(np.unique(keys[starts])) < len(starts):
            # Responses whose judgements do not stand together.
            self._order = np.argsort(keys, kind="stable")
            keys = keys[self._order]
            starts = _starts(keys)
            ends = np.append(starts[1:], len(keys))
            by_place = np.argsort(self._order[starts], kind="stable")
            self._starts, self._ends = starts[by_place], ends[by_place]
        else:
            self._starts, self._ends = starts, np.append(starts[1:], len(keys)).astype(np.int64)
        of_cells = keys[self._starts]
        del keys
        self._query_codes, self._run_codes = of_cells // runs, of_cells % runs
        queries, names = columns.codes.queries.names, columns.codes.runs.names
        pairs = zip(self._query_codes.tolist(), self._run_codes.tolist(), strict=True)
        self._index = {(queries[query], names[run]): at for at, (query, run) in enumerate(pairs)}
        self._odd = self._repeated() | self._with_folded()

    def _in_order(self, column: NDArray[np.int32]) -> NDArray[np.int32]:
        return column if self._order is None else column[self._order]

    def _repeated(self) -> NDArray[np.bool_]:
        """The responses in which a nug was judged more than once."""
        odd = np.zeros(len(self._starts), bool)
        if not len(odd):
            return odd
        nugs = self._in_order(self.columns.nugs)
        # Nugs nearly always come in the order of the key, and then none can be there twice.
        rising = np.empty(len(nugs), bool)
        rising[0], rising[1:] = True, nugs[1:] > nugs[:-1]
        rising[self._starts] = True
        falls = np.flatnonzero(~rising)
        if len(falls):
            in_file = np.argsort(self._starts, kind="stable")
            for at in in_file[np.unique(np.searchsorted(self._starts[in_file], falls, side="right") - 1)].tolist():
                of_cell = nugs[self._starts[at] : self._ends[at]]
                odd[at] = len(np.unique(of_cell)) < len(of_cell)
        return odd

    def _with_folded(self) -> NDArray[np.bool_]:
        """The responses with judgements that were folded below a floor."""
        odd = np.zeros(len(self._starts), bool)
        for row, other in self.columns.others.items():
            if FOLDED.encode() in other if isinstance(other, bytes) else FOLDED in other.extra:
                odd[self._cell_of(row)] = True
        return odd

    def _cell_of(self, row: int) -> int:
        queries, runs = self.columns.codes.queries.names, self.columns.codes.runs.names
        return self._index[queries[self.columns.queries[row]], runs[self.columns.runs[row]]]

    # -- a mapping ------------------------------------------------------------------------------

    def __getitem__(self, cell: Cell) -> list[Judgement]:
        if cell in self._changed:
            return self._changed[cell]
        if cell not in self._kept:
            made, _, _ = self._made(self._index[cell])
            if self._records > MOST_KEPT:
                self._kept.clear()
                self._records = 0
            self._kept[cell] = made
            self._records += len(made)
        return self._kept[cell]

    def __setitem__(self, cell: Cell, judgements: list[Judgement]) -> None:
        self._changed[cell] = judgements

    def __delitem__(self, cell: Cell) -> None:
        raise NotImplementedError("the judgements of a response are replaced, not removed")

    def __iter__(self) -> Iterator[Cell]:
        yield from self._index
        yield from (cell for cell in self._changed if cell not in self._index)

    def __len__(self) -> int:
        return len(self._index) + sum(cell not in self._index for cell in self._changed)

    def __contains__(self, cell: object) -> bool:
        return cell in self._index or cell in self._changed

    def _made(self, at: int) -> tuple[list[Judgement], int, int]:
        """The judgements of a response, how many were left out as repeated, and how many contradict the first."""
        judged = self.columns.records(self._rows(np.array([at])))
        if not self._odd[at]:
            return judged, 0, 0
        return first_of_repeated(unfolded(judged, place=self._place), majority_counts=self._majority)

    @cached_property
    def _place(self) -> dict[tuple[str, str], int]:
        return nug_places(self._nugs)

    def _rows(self, cells: Positions) -> Positions:
        """The rows of these responses, one after another."""
        starts, lengths = self._starts[cells], self._ends[cells] - self._starts[cells]
        before = np.cumsum(lengths) - lengths
        rows: Positions = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
        return rows if self._order is None else self._order[rows]

    # -- what scores need to know ---------------------------------------------------------------

    @cached_property
    def judges(self) -> list[str]:
        """The judges, by name."""
        return sorted(self.columns.judges)

    def whole_runs(self) -> set[str]:
        """The runs with a judgement of a whole response, not only of a snippet."""
        columns = self.columns
        runs = columns.runs if columns.places is None else columns.runs[columns.places < 0]
        folded = self._run_codes[self._odd & self._with_folded()]
        return {
            columns.codes.runs.names[code] for code in {*np.flatnonzero(np.bincount(runs)).tolist(), *folded.tolist()}
        }

    def with_extra(self) -> Iterator[Judgement]:
        """The judgements that count and have unknown fields."""
        odd: dict[int, None] = {}
        for row in self.columns.others:
            at = self._cell_of(row)
            if self._odd[at]:
                odd[at] = None
            elif (record := self.columns.record(row)).extra:
                yield record
        for at in odd:
            yield from (judgement for judgement in self._made(at)[0] if judgement.extra)

    def with_shares(self) -> Iterator[Judgement]:
        """Those with unknown fields or probabilities."""
        yield from self.with_extra()
        # What was folded below a floor has probabilities, too.
        given = any(profile[4] for profile in self.columns.profiles)
        for at in range(len(self._starts)) if given else np.flatnonzero(self._odd).tolist():
            made = self._made(at)[0]
            yield from (judgement for judgement in made if judgement.probabilities and not judgement.extra)

    def grid(self, query_id: str, nugs: Sequence[Nug]) -> DegreeGrid | None:
        """The plain responses of a query; None where there are none."""
        cells = self._plain_of_query.get(query_id)
        if cells is None:
            return None
        codes = self.columns.codes
        place = self._nug_place
        known = [code for nug in nugs if (code := codes.nugs.get(nug.nug_id)) is not None]
        place[known] = [at for at, nug in enumerate(nugs) if nug.nug_id in codes.nugs]
        rows = self._rows(cells)
        columns = place[self.columns.nugs[rows]]
        place[known] = -1
        responses = np.repeat(np.arange(len(cells)), self._ends[cells] - self._starts[cells])
        inside = columns >= 0
        degrees = np.full((len(cells), len(nugs)), np.nan)
        degrees[responses[inside], columns[inside]] = self.columns.degrees[rows][inside]
        names = codes.runs.names
        return DegreeGrid([names[code] for code in self._run_codes[cells].tolist()], degrees)

    @cached_property
    def _nug_place(self) -> NDArray[np.int64]:
        return np.full(max(1, len(self.columns.codes.nugs)), -1)

    @cached_property
    def _plain_of_query(self) -> dict[str, Positions]:
        """The plain responses of each query: one assessor, whole responses, degrees, no nug twice."""
        columns = self.columns
        usual = np.array(
            [status == "ok" and degree and not levels for _, _, status, _, levels, degree in columns.profiles]
            or [False]
        )
        kinds = self._in_order(columns.kinds)
        by_place = np.argsort(self._starts, kind="stable")
        if not len(by_place):
            return {}
        starts = self._starts[by_place]
        plain = np.zeros(len(starts), bool)
        plain[by_place] = np.minimum.reduceat(kinds, starts) == np.maximum.reduceat(kinds, starts)
        plain &= usual[kinds[self._starts]] & ~self._odd
        if columns.places is not None:
            whole = np.zeros(len(starts), bool)
            whole[by_place] = np.maximum.reduceat(self._in_order(columns.places), starts) < 0
            plain &= whole
        for cell in self._changed:
            if cell in self._index:
                plain[self._index[cell]] = False
        chosen = np.flatnonzero(plain)
        in_order = chosen[np.argsort(self._query_codes[chosen], kind="stable")]
        first = _starts(self._query_codes[in_order])
        names = columns.codes.queries.names
        return {names[self._query_codes[part[0]]]: part for part in np.split(in_order, first[1:]) if len(part)}


def _starts(keys: NDArray[np.int64]) -> Positions:
    """Where a new value begins."""
    if not len(keys):
        return np.empty(0, np.int64)
    return np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1])
