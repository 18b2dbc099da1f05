"""The nug matrix: every nug of the key, what each run has of it, and what the nug tells about the runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import sqrt
from typing import Literal

import msgspec
import numpy as np
from scipy.special import stdtrit

from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.evaluate.tables.score_table import ScoreTable
from karat.measures.base import Array
from karat.measures.cases.cases import Cases

NugKind = Literal["too easy", "too hard", "telling", "contrary", ""]
"""What a nug says about the runs: nearly all contain it, nearly none, mostly the better ones, mostly the worse ones."""
EASY, HARD = 0.95, 0.05
FEWEST_RUNS = 4
LEVEL = 0.05
"""A nug is telling where runs that have nothing to do with it would show such a correlation in one of twenty nugs."""


class NugCell(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has of a nug."""

    degree: float | None
    """Where a program judged, the expected degree; None: not judged, or the judge failed."""
    unsure: bool = False
    """Whether a program judged, so that the degree is its expectation."""
    failed: bool = False


class NugLine(msgspec.Struct, frozen=True, kw_only=True):
    """A nug, and what each run has of it."""

    query_id: str
    nug_id: str
    description: str
    importance: str | None
    cells: dict[str, NugCell]
    kind: NugKind
    mean: float | None
    discrimination: float | None
    """The correlation, over runs, of what they have of the nug with their score; None where one of them is constant."""


def nug_lines(cases: Cases, table: ScoreTable) -> Iterator[NugLine]:
    """Every nug in the order of the key, query by query."""
    totals = dict(zip(table.run_ids, table.totals().tolist(), strict=True))
    sign = -1 if table.less_is_better else 1
    for query_id in cases.query_ids:
        of_runs = {run_id: case for run_id in cases.run_ids if (case := cases.case(run_id, query_id)) is not None}
        unsure = {
            run_id: {judgement.nug_id for judgement in case.judgements if is_uncertain(judgement)}
            for run_id, case in of_runs.items()
        }
        credits = {run_id: case.lenient for run_id, case in of_runs.items()}
        pool = cases.pools[query_id]
        for nug in pool.whole_nugs:
            cells = {
                run_id: NugCell(
                    degree=of_nugs.credits.get(nug.nug_id),
                    unsure=nug.nug_id in unsure[run_id],
                    failed=nug.nug_id not in of_nugs.credits,
                )
                for run_id, of_nugs in credits.items()
            }
            known = [
                (cell.degree, totals.get(run_id, np.nan)) for run_id, cell in cells.items() if cell.degree is not None
            ]
            degrees = np.array([degree for degree, _ in known], float)
            mean = float(degrees.mean()) if known else None
            correlation = _correlation(degrees, sign * np.array([total for _, total in known], float))
            yield NugLine(
                query_id=query_id,
                nug_id=nug.nug_id,
                description=" ".join(" / ".join(nug.descriptions).split()),
                importance=pool.importance[nug.nug_id],
                cells=cells,
                kind=_kind(mean, correlation, len(known)),
                mean=mean,
                discrimination=correlation,
            )


def _correlation(degrees: Array, totals: Array) -> float | None:
    defined = ~np.isnan(totals)
    degrees, totals = degrees[defined], totals[defined]
    if len(degrees) < FEWEST_RUNS or np.ptp(degrees) < 1e-9 or np.ptp(totals) < 1e-9:
        return None
    return float(np.corrcoef(degrees, totals)[0, 1])


def _kind(mean: float | None, correlation: float | None, runs: int) -> NugKind:
    if mean is None:
        return ""
    if mean >= EASY:
        return "too easy"
    if mean <= HARD:
        return "too hard"
    if correlation is not None and abs(correlation) >= least_correlation(runs):
        return "telling" if correlation > 0 else "contrary"
    return ""


@cache
def least_correlation(runs: int) -> float:
    """The correlation over so many runs that chance exceeds in one of twenty nugs (one-sided t test).

    >>> round(least_correlation(5), 2), round(least_correlation(20), 2)
    (0.81, 0.38)
    """
    t = float(stdtrit(runs - 2, 1 - LEVEL))
    return t / sqrt(runs - 2 + t * t)
