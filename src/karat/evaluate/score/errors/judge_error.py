"""What a judge's errors do to a score: the same queries, judged again and again as the judge might have judged.

Every uncertain judgement is drawn from its probabilities, with effects that it shares with other judgements of the
same response, run, nug and query, because a judge's errors are not independent (`draw_response`), and with another
calibration in each draw; the score is taken each time. What all runs share is drawn once for all of them, so that it
cancels in a difference of two runs: `JudgeError.draws` are to be subtracted.

The value is the expected one: the mean of the draws, plus what the score of the expected credits exceeds that of the
credits' mean over the draws by. Where the score is linear in the credits that is exact, whatever was drawn; elsewhere
it takes most of the chance out of the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from karat.engines import map_chunks
from karat.evaluate.score.errors.drawn_blocks import (
    BlockDraws,
    DrawnPart,
    KeptCounts,
    Slices,
    blocks_of,
    quantile_interval,
)
from karat.evaluate.score.errors.lasting_error import common_factors, means_of_known, slopes_of
from karat.evaluate.tables.score_table import ScoreTable, medians
from karat.judges.calibration.priors import RUN_SIGMA
from karat.measures.base import Array
from karat.measures.cases.cases import ALL_QUERIES, Cases, Cell
from karat.measures.cases.saved_fields import CommonErrors, Sigmas, saved_sigmas
from karat.model import Score
from karat.stats.intervals.bootstrap import Interval
from karat.stats.significance.added_variance import SharedErrors
from karat.stats.significance.anova import MOST_PAIRED_RUNS

DRAWS = 2000
DEFAULT_SIGMA = 1.3
"""How strongly errors within one response are correlated (on the log-odds scale), where it was not learned."""


@dataclass(frozen=True)
class RunError:
    """What the judge's error does to one run's scores by one measure."""

    of_slices: Mapping[str, Interval | None]
    of_queries: tuple[Interval | None, ...]
    values: Array
    """The expected score of each query."""
    totals: Mapping[str, Array]
    """The run's score over each slice in every draw; a single number where the judge is certain of everything."""
    lasting: Mapping[str, Array]
    """How far the score over each slice moves with one standard deviation of the run's effect, and of the three of the
    calibration: errors that other queries would have as well, while those of nugs and responses average out."""
    of_cells: Array
    """The same of the score of each query (queries x effects)."""


@dataclass(frozen=True)
class JudgeError:
    """The tables with expected values, and the intervals of each run's scores by the judge's error only."""

    tables: tuple[ScoreTable, ...]
    runs: tuple[tuple[RunError, ...], ...]
    """By table and run."""

    def draws(self, table: int, part: str = ALL_QUERIES) -> Array:
        """Every run's score over a slice (runs x draws); row by row the same draws of what runs share."""
        totals = [error.totals[part] for error in self.runs[table]]
        # A single draw is the same in all draws; of runs with fewer draws than others, they are the first ones.
        draws = min((len(row) for row in totals if len(row) > 1), default=1)
        return np.stack([np.broadcast_to(row, draws) if len(row) == 1 else row[:draws] for row in totals])

    def lasting(self, table: int, part: str = ALL_QUERIES, *, equal_runs: bool = False) -> Array | SharedErrors:
        """The covariance of the runs' scores (runs x runs) by errors that other queries would have as well.

        Tests about other queries add this to the variance over queries, and not the whole error: what single
        judgements have is in the values of the queries, and averages out with them.

        equal_runs: what is left of it where the runs do not differ, for tests of that. A calibration that is too steep
        makes every difference larger by the same factor, and none of nothing: how the scores of single responses move
        with an error of the calibration is regressed on these scores, and what follows is taken out.

        Of more than MOST_PAIRED_RUNS runs, what the covariance is made of, which does not grow with their square.
        """
        errors = self.runs[table]
        slopes = np.stack([error.lasting[part] for error in errors])
        if equal_runs:
            factors = common_factors(
                np.concatenate([error.values for error in errors]), np.concatenate([error.of_cells for error in errors])
            )
            slopes = slopes - np.outer(means_of_known([error.totals[part] for error in errors]), factors)
        if len(slopes) > MOST_PAIRED_RUNS:
            return SharedErrors(slopes[:, 1:], slopes[:, 0])
        # Each run has an effect of its own; runs with the same answers have the same one.
        codes = np.unique([id(error) for error in errors], return_inverse=True)[1]
        own = np.where(codes[:, None] == codes, np.outer(slopes[:, 0], slopes[:, 0]), 0.0)
        covariance: Array = slopes[:, 1:] @ slopes[:, 1:].T + own
        return covariance


def judge_error(
    cases: Cases,
    tables: tuple[ScoreTable, ...],
    *,
    seed: int,
    sigma: float | None = None,
    run_sigma: float | None = None,
    common: CommonErrors | None = None,
    sigmas: Mapping[Cell, Sigmas] | None = None,
    draws: int = DRAWS,
    slices: Slices | None = None,
    kept: KeptCounts | None = None,
    twins: Mapping[str, str] | None = None,
) -> JudgeError:
    """Draw the uncertain judgements anew, and score each time; block by block, so that memory does not grow with draws.

    sigma, run_sigma, common: see Judging; where they are not given, those that the judgements were saved with. sigmas:
    other sizes for single responses. kept: what was drawn before is taken from there, and the rest is put there. Who
    changes a judgement removes what belongs to its run and query; seed and sigmas must stay the same. twins: a run, and
    an earlier one with the same answers (`same_answers`): the judge errs on both in the same way.
    """
    twins = twins or {}
    saved = saved_sigmas(cases.with_extra())
    saved = saved or Sigmas(DEFAULT_SIGMA, RUN_SIGMA)
    sizes = Sigmas(
        saved.sigma if sigma is None else sigma,
        saved.run_sigma if run_sigma is None else run_sigma,
        saved.common if common is None else common,
    )
    rows = [row for row, run_id in enumerate(cases.run_ids) if run_id not in twins]
    slices = slices or {ALL_QUERIES: None}
    work = BlockDraws(sizes, sigmas or {}, draws, seed, _slices_of(slices, len(cases.query_ids)), kept)
    blocks = blocks_of(cases, tables, rows)
    # The engine may spread it; what is kept of earlier draws is in this process.
    results = map(work, blocks) if kept is not None else map_chunks(work, blocks)
    by_row: dict[int, list[RunError]] = {}
    gathered: dict[int, list[_Gathered]] = {}
    for drawn in results:
        for row, parts in zip(drawn.rows, drawn.runs, strict=True):
            of_tables = gathered.setdefault(row, [_Gathered() for _ in tables])
            for of_table, part in zip(of_tables, parts, strict=True):
                of_table.add(part)
            if of_tables[0].queries == len(cases.query_ids):
                effects = work.effects(cases.run_ids[row])
                by_row[row] = [
                    of_table.error(table, row, slices, effects)
                    for of_table, table in zip(gathered.pop(row), tables, strict=True)
                ]
    first = {run_id: row for row, run_id in enumerate(cases.run_ids)}
    by_run = [by_row[first[twins.get(run_id, run_id)]] for run_id in first]
    by_table = tuple(tuple(errors[at] for errors in by_run) for at in range(len(tables)))
    expected = [
        replace(table, values=np.stack([error.values for error in errors]))
        if table.average != "pool" and errors
        else table
        for table, errors in zip(tables, by_table, strict=True)
    ]
    return JudgeError(tuple(expected), by_table)


def _slices_of(slices: Slices, queries: int) -> list[list[str]]:
    """The slices of each query."""
    found: list[list[str]] = [[] for _ in range(queries)]
    for name, columns in slices.items():
        for column in range(queries) if columns is None else columns:
            found[column].append(name)
    return found


class _Gathered:
    """The parts of one run by one measure, from block to block."""

    def __init__(self) -> None:
        self.queries = 0
        self._parts: list[DrawnPart] = []
        self._adding: dict[str, list[Array]] = {}

    def add(self, part: DrawnPart) -> None:
        self.queries += len(part.of_queries)
        for name, adding in part.adding.items():
            before = self._adding.setdefault(name, [])
            if part.adds_up and before:
                before[0] = np.add(*_same_draws([before[0], adding]))
            else:
                before.append(adding)
        # What adds up is not needed any more.
        self._parts.append(replace(part, adding={}))

    def error(self, table: ScoreTable, row: int, slices: Slices, effects: Array) -> RunError:
        totals = {
            name: medians(np.concatenate(_same_draws(self._adding[name]), axis=1))
            if table.average == "median"
            else table.of_sums(self._adding[name][0])
            for name in slices
        }
        # Where every uncertain judgement is a hard decision, the score is that of the decisions.
        is_decided = all(part.is_decided for part in self._parts)
        return RunError(
            {name: quantile_interval(drawn) for name, drawn in totals.items()},
            tuple(interval for part in self._parts for interval in part.of_queries),
            table.values[row].copy() if is_decided else np.concatenate([part.values for part in self._parts]),
            totals,
            {name: slopes_of(drawn, effects[: len(drawn)]) for name, drawn in totals.items()},
            np.concatenate([part.of_cells for part in self._parts]),
        )


def _same_draws(parts: Sequence[Array]) -> list[Array]:
    """Blocks of one run with the same number of draws.

    A single draw is the same in all draws. Where one block has fewer draws than another, its draws are the first ones.
    """
    draws = min((len(part) for part in parts if len(part) > 1), default=1)
    return [np.broadcast_to(part, (draws, *part.shape[1:])) if len(part) == 1 else part[:draws] for part in parts]


def combined(
    sampling: Interval | None, judge: Interval | None, value: float, *, least: float = 0.0, most: float = 1.0
) -> Interval | None:
    """Other queries and the judge's error together: independent, so that their half widths add up in squares.

    least, most: of the score; -1 and 1 of a difference, 0 and infinity of a ratio.
    """
    if sampling is None or judge is None:
        return sampling
    low = value - float(np.hypot(value - sampling.low, max(value - judge.low, 0.0)))
    high = value + float(np.hypot(sampling.high - value, max(judge.high - value, 0.0)))
    # Scores lie between these ends, or where the queries only have taken them.
    return Interval(max(low, min(least, sampling.low)), min(high, max(most, sampling.high)))


def with_judge_error(score: Score, sampling: Interval | None, judge: Interval | None) -> Score:
    """A score with the judge's interval, which also widens that over queries."""
    if judge is None or score.value is None:
        return score
    both = combined(sampling, judge, score.value)
    return msgspec.structs.replace(
        score,
        low=both.low if both else None,
        high=both.high if both else None,
        # What is expected may lie outside where nearly all draws say the same.
        judge_low=min(judge.low, score.value),
        judge_high=max(judge.high, score.value),
    )
