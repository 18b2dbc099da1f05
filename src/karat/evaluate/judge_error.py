"""What a judge's errors do to a score: the same queries, judged again and again as the judge might have judged.

Every uncertain judgement is drawn from its probabilities, with an effect that all nugs of one response share, because
a judge's errors there are not independent; the score is taken each time. The value is the expected one: the mean of the
draws, plus what the score of the expected credits exceeds that of the credits' mean over the draws by. Where the score
is linear in the credits that is exact, whatever was drawn; elsewhere it takes most of the chance out of the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from karat.evaluate.cases import Cases
from karat.evaluate.table import ScoreTable
from karat.judge.priors import RUN_SIGMA
from karat.judge.run_error import draw_with_runs
from karat.measure.base import Array
from karat.measure.case import Case
from karat.measure.credits import NugCredits
from karat.model import Judgement, Score
from karat.stats.bootstrap import Interval

DRAWS = 200
DEFAULT_SIGMA = 1.3
"""How far errors of one response hang together (on the log-odds scale), where it was not learned."""
LEVELS = ("0", "0.5", "1")


@dataclass(frozen=True)
class JudgeError:
    """The tables with values over the draws, and an interval of each run's score by the judge's error alone."""

    tables: tuple[ScoreTable, ...]
    intervals: tuple[tuple[Interval | None, ...], ...]
    """By table and run."""


def is_uncertain(judgement: Judgement) -> bool:
    return judgement.status == "ok" and any(judgement.probabilities.values())


def judge_error(
    cases: Cases,
    tables: tuple[ScoreTable, ...],
    *,
    sigma: float,
    seed: int,
    run_sigma: float = RUN_SIGMA,
    draws: int = DRAWS,
) -> JudgeError:
    """Draw the uncertain judgements anew, and score each time."""
    cells = [
        (row, column, case)
        for row, run_id in enumerate(cases.run_ids)
        for column, query_id in enumerate(cases.query_ids)
        if (case := cases.case(run_id, query_id)) is not None
    ]
    uncertain = [(at, one) for at, (_, _, case) in enumerate(cells) for one in case.judgements if is_uncertain(one)]
    probabilities = np.array([[one.probabilities.get(level, 0.0) for level in LEVELS] for _, one in uncertain])  # type: ignore[call-overload]
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    cell = [at for at, _ in uncertain]
    run = [cells[at][0] for at in cell]
    drawn = draw_with_runs(
        probabilities, cell, run, runs=len(cases.run_ids), sigma=sigma, run_sigma=run_sigma, draws=draws, seed=seed
    )
    places: dict[int, list[int]] = {}
    for number, (at, _) in enumerate(uncertain):
        places.setdefault(at, []).append(number)
    counts = [np.stack([table.counts] * draws) for table in tables if table.counts is not None]
    mean_counts = [table.counts.copy() for table in tables if table.counts is not None]
    for at, own in places.items():
        row, column, case = cells[at]
        plain = _is_plain(case)
        for draw in range(draws):
            degrees: list[float] = drawn[draw, own].tolist()
            guess = _as_drawn(case, degrees) if plain else _as_if_sure(case, degrees)
            for table, found in zip(tables, counts, strict=True):
                assert table.measure is not None
                found[draw, row, column] = table.measure.counts(guess)
        often = _as_often(case, drawn[:, own])
        for table, found in zip(tables, mean_counts, strict=True):
            assert table.measure is not None
            found[row, column] = table.measure.counts(often)
    new, intervals = [], []
    for table, found, mean in zip(tables, counts, mean_counts, strict=True):
        totals, values = _totals(table, found, mean)
        new.append(replace(table, values=values) if table.average != "pool" else table)
        intervals.append(tuple(_interval(totals[:, row]) for row in range(len(table.run_ids))))
    return JudgeError(tuple(new), tuple(intervals))


def _is_plain(case: Case) -> bool:
    """Whether the degree of a judgement is the credit of its nug: no parts, and no nug judged twice."""
    return all(nug.parent is None for nug in case.pool.nugs) and len({one.nug_id for one in case.judgements}) == len(
        case.judgements
    )


def _as_drawn(case: Case, degrees: Sequence[float]) -> Case:
    """The plain case as if the judge had been sure of these degrees, one an uncertain judgement."""
    guess = replace(case)
    drawn = dict(zip((one.nug_id for one in case.judgements if is_uncertain(one)), degrees, strict=True))
    for name, certain in (("strict", case.strict), ("lenient", case.lenient)):
        credits = dict(certain.credits)
        for nug_id, degree in drawn.items():
            if nug_id in credits:
                credits[nug_id] = degree if name == "lenient" else float(degree >= 1.0)
        guess.__dict__[name] = NugCredits(credits, certain.failed, certain.unjudged)
    return guess


def _as_if_sure(case: Case, degrees: Sequence[float]) -> Case:
    """The same for any case."""
    said = iter(degrees)
    judgements = [
        msgspec.structs.replace(one, degree=next(said), probabilities={}) if is_uncertain(one) else one
        for one in case.judgements
    ]
    return replace(case, judgements=judgements)


def _as_often(case: Case, drawn: Array) -> Case:
    """The case with the share of the draws (draws x uncertain judgements) that each degree has as its probability."""
    shares = iter(np.stack([(drawn == float(level)).mean(axis=0) for level in LEVELS], axis=1).tolist())
    judgements = [
        msgspec.structs.replace(one, probabilities=dict(zip(LEVELS, next(shares), strict=True)))
        if is_uncertain(one)
        else one
        for one in case.judgements
    ]
    return replace(case, judgements=judgements)


def _totals(table: ScoreTable, counts: Array, mean_counts: Array) -> tuple[Array, Array]:
    """Each run's score in every draw, and the expected value of each cell."""
    assert table.measure is not None
    known = np.where(table.skipped[..., None], 0.0, counts)
    values = np.where(table.skipped, np.nan, table.measure.values(known))
    defined = ~np.isnan(values)
    of_mean = table.measure.values(np.where(table.skipped[..., None], 0.0, mean_counts))
    mean = np.where(defined, values, 0.0).mean(axis=0) + (table.values - of_mean)
    mean = np.where(defined.all(axis=0) & ~np.isnan(mean), mean, table.values)
    totals = np.stack(
        [replace(table, values=values[draw], counts=counts[draw]).totals() for draw in range(len(counts))]
    )
    return totals, mean


def _interval(totals: Array) -> Interval | None:
    known = totals[~np.isnan(totals)]
    if not len(known):
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    return Interval(float(low), float(high))


def combined(sampling: Interval | None, judge: Interval | None, value: float) -> Interval | None:
    """Other queries and the judge's error together: independent, so that their half widths add up in squares."""
    if sampling is None or judge is None:
        return sampling
    low = value - float(np.hypot(value - sampling.low, max(value - judge.low, 0.0)))
    high = value + float(np.hypot(sampling.high - value, max(judge.high - value, 0.0)))
    # Scores lie between 0 and 1, or where the queries alone have taken them.
    return Interval(max(low, min(0.0, sampling.low)), min(high, max(1.0, sampling.high)))


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
