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

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from karat.evaluate.score.judge_draws import LEVELS, DrawnCounts, drawn_counts, is_decision, is_linear, is_uncertain
from karat.evaluate.score.lasting_error import common_factors, means_of_known, slopes_of, slopes_of_cells
from karat.evaluate.tables.score_table import ScoreTable
from karat.judges.calibration.priors import RUN_SIGMA
from karat.judges.errors.draws import draw_calibration, draw_common, draw_response, draw_run_effect
from karat.measures.base import Array
from karat.measures.cases.case import Case
from karat.measures.cases.cases import ALL_QUERIES, Cases, Cell
from karat.measures.cases.saved_fields import CommonErrors, Sigmas, error_shares, saved_sigmas
from karat.model import Score
from karat.stats.intervals.bootstrap import Interval
from karat.stats.significance.added_variance import SharedErrors
from karat.stats.significance.anova import MOST_PAIRED_RUNS

__all__ = [
    "JudgeError",
    "KeptCounts",
    "RunError",
    "combined",
    "is_uncertain",
    "judge_error",
    "quantile_interval",
    "with_judge_error",
]

DRAWS = 2000
FEWER_DRAWS = 200
"""Of measures whose draws are counted one by one: those that are not sums over nugs, or of AND/OR nugs."""
DEFAULT_SIGMA = 1.3
"""How strongly errors within one response are correlated (on the log-odds scale), where it was not learned."""
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
        draws = max(map(len, totals), default=1)
        return np.stack([row if len(row) == draws else np.broadcast_to(row[:1], draws) for row in totals])

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
    """Draw the uncertain judgements anew, and score each time; run by run, so that memory does not grow with runs.

    sigma, run_sigma, common: see Judging; where they are not given, those that the judgements were saved with. sigmas:
    other sizes for single responses. kept: what was drawn before is taken from there, and the rest is put there. Who
    changes a judgement removes what belongs to its run and query; seed and sigmas must stay the same. twins: a run, and
    an earlier one with the same answers (`same_answers`): the judge errs on both in the same way.
    """
    saved = saved_sigmas(cases.with_extra())
    saved = saved or Sigmas(DEFAULT_SIGMA, RUN_SIGMA)
    sizes = Sigmas(
        saved.sigma if sigma is None else sigma,
        saved.run_sigma if run_sigma is None else run_sigma,
        saved.common if common is None else common,
    )
    draw_cell = _CellDraws(sizes, sigmas or {}, draws, seed)
    by_run: list[list[RunError]] = []
    for row, run_id in enumerate(cases.run_ids):
        if twins and run_id in twins:
            by_run.append(by_run[cases.run_ids.index(twins[run_id])])
            continue
        unsure = {
            column: case
            for column, query_id in enumerate(cases.query_ids)
            if (case := cases.case(run_id, query_id)) is not None and any(map(is_uncertain, case.judgements))
        }
        of_tables = [_RunDraws(table, row, unsure.values(), draws) for table in tables]
        effect = draw_run_effect(draws, seed=(seed, 0, name_code(run_id)))
        for column, case in unsure.items():
            if kept is not None and all(drawn.repeat(column, case, kept) for drawn in of_tables):
                continue
            degrees = draw_cell(case, effect)
            for drawn in of_tables:
                drawn.draw(column, case, degrees, kept)
        effects = np.column_stack([effect, draw_cell.calibration(sizes.common.freedom)])
        by_run.append([drawn.error(slices or {ALL_QUERIES: None}, effects) for drawn in of_tables])
    by_table = tuple(tuple(errors[at] for errors in by_run) for at in range(len(tables)))
    expected = [
        replace(table, values=np.stack([error.values for error in errors]))
        if table.average != "pool" and errors
        else table
        for table, errors in zip(tables, by_table, strict=True)
    ]
    return JudgeError(tuple(expected), by_table)


@dataclass(frozen=True)
class _CellDraws:
    """Draws the degrees of the uncertain judgements of one response (draws x judgements)."""

    sizes: Sigmas
    others: Mapping[Cell, Sigmas]
    draws: int
    seed: int
    calibrations: dict[float, Array] = field(default_factory=dict)
    """By degrees of freedom."""

    def __call__(self, case: Case, effect: Array) -> Array:
        sizes = self.others.get((case.query_id, case.run_id)) or self.sizes
        place = {nug.nug_id: at for at, nug in enumerate(case.pool.nugs)}
        importance = {nug.nug_id: nug.importance or "" for nug in case.pool.nugs}
        unsure = [judgement.nug_id for judgement in case.judgements if is_uncertain(judgement)]
        vital = [IMPORTANCE.get(importance.get(nug_id, ""), 0.5) for nug_id in unsure]
        # A judgement may be about a nug that is not in the key.
        nugs = [place.setdefault(nug_id, len(place)) for nug_id in unsure]
        common = draw_common(
            self.draws, nugs, of_query=len(place), calibration=self.calibration(sizes.common.freedom),
            seed=(self.seed, 2, name_code(case.query_id)),
        )  # fmt: skip
        return draw_response(
            _shares(case), effect, sizes=sizes, common=common, vital=vital,
            seed=(self.seed, 1, name_code(case.run_id), name_code(case.query_id)),
        )  # fmt: skip

    def calibration(self, freedom: float) -> Array:
        if freedom not in self.calibrations:
            self.calibrations[freedom] = draw_calibration(self.draws, freedom=freedom, seed=(self.seed, 3))
        return self.calibrations[freedom]


def _shares(case: Case) -> Array:
    """P(none), P(partial), P(full) of the uncertain judgements."""
    said = [error_shares(judgement) for judgement in case.judgements if is_uncertain(judgement)]
    weights = np.array([[shares.get(level, 0.0) for level in LEVELS] for shares in said])  # type: ignore[call-overload]
    shares: Array = weights / weights.sum(axis=1, keepdims=True)
    return shares


class _RunDraws:
    """The counts of one run by one measure in all draws (draws x queries x counts)."""

    def __init__(self, table: ScoreTable, row: int, unsure: Iterable[Case], draws: int) -> None:
        assert table.measure is not None
        assert table.counts is not None
        self.table, self.row, self.measure = table, row, table.measure
        unsure = list(unsure)
        if not unsure:
            draws = 1
        elif not all(is_linear(self.measure, case) for case in unsure):
            draws = min(draws, FEWER_DRAWS)
        self.counts = np.repeat(table.counts[row][None], draws, axis=0)
        self.of_mean = table.counts[row].copy()
        self.decided = all(is_decision(each) for case in unsure for each in case.judgements if is_uncertain(each))
        """Whether every uncertain judgement is a hard decision: then the score is that of the decisions."""

    def draw(self, column: int, case: Case, degrees: Array, kept: KeptCounts | None = None) -> None:
        drawn = drawn_counts(self.measure, case, degrees[: len(self.counts)])
        self.counts[:, column], self.of_mean[column] = drawn.counts, drawn.of_mean
        if kept is not None:
            kept[self.table.name, case.run_id, case.query_id] = drawn

    def repeat(self, column: int, case: Case, kept: KeptCounts) -> bool:
        """Take what was drawn before; False where there is nothing, or another number of draws."""
        drawn = kept.get((self.table.name, case.run_id, case.query_id))
        if drawn is None or len(drawn.counts) != len(self.counts):
            return False
        self.counts[:, column], self.of_mean[column] = drawn.counts, drawn.of_mean
        return True

    def error(self, slices: Slices, effects: Array) -> RunError:
        skipped = self.table.skipped[self.row]
        values = np.where(skipped, np.nan, self.measure.values(np.where(skipped[:, None], 0.0, self.counts)))
        # Every draw is scored as if it were a run of its own.
        as_runs = replace(
            self.table, run_ids=(self.table.run_ids[self.row],) * len(values), values=values, counts=self.counts,
            skipped=np.broadcast_to(skipped, values.shape),
        )  # fmt: skip
        totals = {name: as_runs.of_queries(columns).totals() for name, columns in slices.items()}
        return RunError(
            {name: quantile_interval(drawn) for name, drawn in totals.items()},
            tuple(quantile_interval(values[:, column]) for column in range(values.shape[1])),
            self._expected(values),
            totals,
            {name: slopes_of(drawn, effects[: len(drawn)]) for name, drawn in totals.items()},
            slopes_of_cells(values, effects[: len(values)]),
        )

    def _expected(self, drawn: Array) -> Array:
        """The expected score of each query; the score of the decisions where all are hard."""
        if self.decided:
            decided: Array = self.table.values[self.row].copy()
            return decided
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
