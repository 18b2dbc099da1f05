"""Draw the uncertain judgements of some runs and queries, and score each draw: a chunk of work for any engine.

All draws of a large collection would not fit into memory (queries x draws x counts of every run). Of a block only what
adds up over queries is kept for each draw, and per query its interval, its expected score and how it moves with the
errors that other queries would have as well.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from karat.evaluate.score.errors.judge_draws import (
    LEVELS,
    DrawnCounts,
    DrawnDegrees,
    UnsureCase,
    drawn_counts,
    is_decision,
)
from karat.evaluate.score.errors.lasting_error import slopes_of_cells
from karat.evaluate.tables.score_table import ScoreTable
from karat.judges.errors.draws import CommonDraws, draw_calibration, draw_common, draw_response, draw_run_effect
from karat.measures.base import Array
from karat.measures.cases.case import Case, Pool
from karat.measures.cases.cases import Cases, Cell
from karat.measures.cases.saved_fields import Sigmas, error_shares
from karat.stats.intervals.bootstrap import Interval

FEWER_DRAWS = 200
"""Of measures whose draws are counted one by one: those that are not sums over nugs, or of AND/OR nugs."""
RUNS, QUERIES = 32, 16
"""The size of a block: what all runs of a query share is drawn once per block, and its draws take some megabytes.
Medians do not add up over queries: the draws of a run are held until it is done, so their blocks have one run."""
KeptCounts = dict[tuple[str, str, str], DrawnCounts]
"""What was drawn of a measure, run and query."""
IMPORTANCE = {"vital": 1.0, "okay": 0.0}
"""As a calibration sees it; 0.5 where it is unknown."""
Slices = Mapping[str, Sequence[int] | None]
"""The columns of each slice of the queries; None: all."""


def name_code(name: str) -> int:
    """A number for a run or query, by which its draws are seeded: whatever stands beside it, they are the same."""
    return zlib.crc32(name.encode(errors="surrogatepass"))


@dataclass(frozen=True)
class Block:
    """Some runs and queries of all tables, and the cases among them that are uncertain."""

    rows: Sequence[int]
    columns: Sequence[int]
    tables: tuple[ScoreTable, ...]
    """Only these runs and queries."""
    cells: Mapping[tuple[int, int], UnsureCase]
    """By the row and column within the block."""


def blocks_of(cases: Cases, tables: Sequence[ScoreTable], rows: Sequence[int]) -> Iterator[Block]:
    """The blocks of these runs: all blocks of some runs, before those of others."""
    runs = 1 if any(table.average == "median" for table in tables) else RUNS
    for first_row in range(0, len(rows), runs):
        some_rows = rows[first_row : first_row + runs]
        for first in range(0, len(cases.query_ids), QUERIES):
            columns = range(first, min(first + QUERIES, len(cases.query_ids)))
            light: dict[str, Pool] = {}
            cells = {
                (at_row, at_column): unsure
                for at_row, row in enumerate(some_rows)
                for at_column, column in enumerate(columns)
                if (case := cases.case(cases.run_ids[row], cases.query_ids[column])) is not None
                and (unsure := UnsureCase.of(_to_send(case, light))) is not None
            }
            parts = tuple(_part_of(table, some_rows, columns) for table in tables)
            yield Block(some_rows, columns, parts, cells)


def _to_send(case: Case, light: dict[str, Pool]) -> Case:
    """The case without the texts of other runs, which no measure reads where nobody marked nuggets."""
    if case.views or case.pool.nuggets or not case.pool.responses:
        return case
    return replace(case, pool=light.setdefault(case.query_id, replace(case.pool, responses=())))


def _part_of(table: ScoreTable, rows: Sequence[int], columns: Sequence[int]) -> ScoreTable:
    cells = np.ix_(rows, columns)
    return replace(
        table, run_ids=tuple(table.run_ids[row] for row in rows),
        query_ids=tuple(table.query_ids[column] for column in columns), values=table.values[cells],
        skipped=table.skipped[cells], counts=None if table.counts is None else table.counts[cells],
    )  # fmt: skip


@dataclass(frozen=True)
class DrawnPart:
    """What was drawn of one run by one measure, of the queries of one block."""

    of_queries: tuple[Interval | None, ...]
    values: Array
    """The expected score of each query."""
    of_cells: Array
    """How far the score of each query moves with one standard deviation of each lasting error (queries x effects)."""
    adding: Mapping[str, Array]
    """Of each slice in every draw (draws x k) what adds up over queries; of medians the scores (draws x queries). A
    single draw where nothing is uncertain."""
    adds_up: bool
    is_decided: bool
    """Whether every uncertain judgement is a hard decision."""


@dataclass(frozen=True)
class DrawnBlock:
    """What was drawn of a block."""

    rows: Sequence[int]
    runs: list[list[DrawnPart]]
    """Of each row, the part of each table."""


@dataclass(frozen=True)
class BlockDraws:
    """Draws a block."""

    sizes: Sigmas
    others: Mapping[Cell, Sigmas]
    """Other sizes for single responses."""
    draws: int
    seed: int
    slices_of: Sequence[Sequence[str]]
    """The slices that each query belongs to."""
    kept: KeptCounts | None = None
    _calibrations: dict[float, Array] = field(default_factory=dict)
    """By degrees of freedom."""

    def __call__(self, block: Block) -> DrawnBlock:
        common: dict[tuple[int, float], CommonDraws] = {}
        slices: dict[str, list[int]] = {}
        for at, column in enumerate(block.columns):
            for name in self.slices_of[column]:
                slices.setdefault(name, []).append(at)
        runs = [self._of_run(block, row, slices, common) for row in range(len(block.rows))]
        return DrawnBlock(block.rows, runs)

    def _of_run(
        self, block: Block, row: int, slices: Mapping[str, list[int]], common: dict[tuple[int, float], CommonDraws]
    ) -> list[DrawnPart]:
        unsure = {
            column: cell for column in range(len(block.columns)) if (cell := block.cells.get((row, column))) is not None
        }
        of_tables = [_RunDraws(table, row, list(unsure.values()), self.draws) for table in block.tables]
        effects = self.effects(block.tables[0].run_ids[row]) if unsure else np.zeros((1, 4))
        for column, cell in unsure.items():
            if self.kept is not None and all(drawn.repeat(column, cell, self.kept) for drawn in of_tables):
                continue
            degrees = DrawnDegrees(self._degrees(cell, effects[:, 0], column, common))
            for drawn in of_tables:
                drawn.draw(column, cell, degrees, self.kept)
        return [drawn.part(slices, effects) for drawn in of_tables]

    def effects(self, run_id: str) -> Array:
        """The lasting errors in every draw (draws x 4): of the run, and three of the calibration."""
        effect = draw_run_effect(self.draws, seed=(self.seed, 0, name_code(run_id)))
        return np.column_stack([effect, self._calibration(self.sizes.common.freedom)])

    def _degrees(
        self, unsure: UnsureCase, effect: Array, column: int, common: dict[tuple[int, float], CommonDraws]
    ) -> Array:
        case = unsure.case
        sizes = self.others.get((case.query_id, case.run_id)) or self.sizes
        place = {nug.nug_id: at for at, nug in enumerate(case.pool.nugs)}
        importance = {nug.nug_id: nug.importance or "" for nug in case.pool.nugs}
        vital = [IMPORTANCE.get(importance.get(nug_id, ""), 0.5) for nug_id in unsure.nug_ids]
        # A judgement may be about a nug that is not in the key.
        nugs = [place.setdefault(nug_id, len(place)) for nug_id in unsure.nug_ids]
        freedom = sizes.common.freedom
        of_query = common.get((column, freedom)) if nugs == list(range(len(place))) else None
        if of_query is None or of_query.nugs.shape[1] != len(place):
            of_query = draw_common(
                self.draws, nugs, of_query=len(place), calibration=self._calibration(freedom),
                seed=(self.seed, 2, name_code(case.query_id)),
            )  # fmt: skip
            if nugs == list(range(len(place))):
                common[column, freedom] = of_query
        return draw_response(
            _shares(unsure), effect, sizes=sizes, common=of_query, vital=vital,
            seed=(self.seed, 1, name_code(case.run_id), name_code(case.query_id)),
        )  # fmt: skip

    def _calibration(self, freedom: float) -> Array:
        if freedom not in self._calibrations:
            self._calibrations[freedom] = draw_calibration(self.draws, freedom=freedom, seed=(self.seed, 3))
        return self._calibrations[freedom]


def _shares(unsure: UnsureCase) -> Array:
    """P(none), P(partial), P(full) of the uncertain judgements."""
    said = [error_shares(judgement) for judgement in unsure.judgements]
    weights = np.array([[shares.get(level, 0.0) for level in LEVELS] for shares in said])  # type: ignore[call-overload]
    shares: Array = weights / weights.sum(axis=1, keepdims=True)
    return shares


class _RunDraws:
    """The counts of one run by one measure in all draws (draws x queries x counts)."""

    def __init__(self, table: ScoreTable, row: int, unsure: Sequence[UnsureCase], draws: int) -> None:
        assert table.measure is not None
        assert table.counts is not None
        self.table, self.row, self.measure = table, row, table.measure
        if not unsure:
            draws = 1
        elif not all(cell.is_linear(self.measure) for cell in unsure):
            draws = min(draws, FEWER_DRAWS)
        self.counts = np.repeat(table.counts[row][None], draws, axis=0)
        self.of_mean = table.counts[row].copy()
        self.is_decided = all(is_decision(judgement) for cell in unsure for judgement in cell.judgements)

    def draw(self, column: int, unsure: UnsureCase, degrees: DrawnDegrees, kept: KeptCounts | None) -> None:
        drawn = drawn_counts(self.measure, unsure, degrees.first(len(self.counts)))
        self.counts[:, column], self.of_mean[column] = drawn.counts, drawn.of_mean
        if kept is not None:
            kept[self.table.name, unsure.case.run_id, unsure.case.query_id] = drawn

    def repeat(self, column: int, unsure: UnsureCase, kept: KeptCounts) -> bool:
        """Take what was drawn before; False where there is nothing, or another number of draws."""
        drawn = kept.get((self.table.name, unsure.case.run_id, unsure.case.query_id))
        if drawn is None or len(drawn.counts) != len(self.counts):
            return False
        self.counts[:, column], self.of_mean[column] = drawn.counts, drawn.of_mean
        return True

    def part(self, slices: Mapping[str, list[int]], effects: Array) -> DrawnPart:
        skipped = self.table.skipped[self.row]
        values = np.where(skipped, np.nan, self.measure.values(np.where(skipped[:, None], 0.0, self.counts)))
        # Every draw is scored as if it were a run of its own.
        as_runs = replace(
            self.table, run_ids=(self.table.run_ids[self.row],) * len(values), values=values, counts=self.counts,
            skipped=np.broadcast_to(skipped, values.shape),
        )  # fmt: skip
        adds_up = self.table.average != "median"
        return DrawnPart(
            quantile_intervals(values),
            self._expected(values),
            slopes_of_cells(values, effects[: len(values)]),
            {
                name: as_runs.of_queries(columns).cube().sum(axis=1) if adds_up else values[:, columns]
                for name, columns in slices.items()
            },
            adds_up,
            self.is_decided,
        )

    def _expected(self, drawn: Array) -> Array:
        """The expected score of each query."""
        defined = ~np.isnan(drawn)
        skipped, plain = self.table.skipped[self.row], self.table.values[self.row]
        of_mean = self.measure.values(np.where(skipped[:, None], 0.0, self.of_mean))
        mean = np.where(defined, drawn, 0.0).mean(axis=0) + (plain - of_mean)
        expected: Array = np.where(defined.all(axis=0) & ~np.isnan(mean), mean, plain)
        return expected


def quantile_interval(totals: Array) -> Interval | None:
    """The 2.5 and 97.5 % quantiles of draws; None where none is defined."""
    known = totals[~np.isnan(totals)]
    if not len(known):
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    return Interval(float(low), float(high))


def quantile_intervals(values: Array) -> tuple[Interval | None, ...]:
    """The same of every column."""
    if np.isnan(values).any():
        return tuple(quantile_interval(values[:, column]) for column in range(values.shape[1]))
    low, high = np.quantile(values, [0.025, 0.975], axis=0)
    return tuple(Interval(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True))
