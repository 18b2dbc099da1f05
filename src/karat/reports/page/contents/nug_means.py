"""What runs have of some of the nugs, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from karat.evaluate.tables.score_table import intervals_by_bounds
from karat.reports.page.contents.nug_lines import NugLine
from karat.stats.intervals.bounded import UNIT


class MeanDegree(msgspec.Struct, frozen=True, kw_only=True):
    """The mean degree of some nugs in a run: of each query's nugs first, then of the queries. None: undefined."""

    value: float | None
    low: float | None
    high: float | None
    queries: int


def mean_degrees(lines: Sequence[NugLine], run_ids: Sequence[str], *, seed: int) -> dict[str, MeanDegree]:
    """Of each run; the interval is that of a score, for other queries (`score_intervals`)."""
    by_query: dict[str, list[NugLine]] = {}
    for line in lines:
        by_query.setdefault(line.query_id, []).append(line)
    values = np.full((len(run_ids), len(by_query)), np.nan)
    for row, run_id in enumerate(run_ids):
        for column, of_query in enumerate(by_query.values()):
            cells = (line.cells.get(run_id) for line in of_query)
            known = [cell.degree for cell in cells if cell is not None and cell.degree is not None]
            if known:
                values[row, column] = sum(known) / len(known)
    intervals = intervals_by_bounds(values, [UNIT] * len(run_ids), seed=seed)
    found = {}
    for row, (run_id, interval) in enumerate(zip(run_ids, intervals, strict=True)):
        defined = values[row][~np.isnan(values[row])]
        found[run_id] = MeanDegree(
            value=float(defined.mean()) if len(defined) else None, low=None if interval is None else interval.low,
            high=None if interval is None else interval.high, queries=len(defined),
        )  # fmt: skip
    return found
