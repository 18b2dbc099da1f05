"""What a validation leaves out, in words, and the scores it compares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.validate.draws import ErrorSizes, counted
from karat.evaluate.validate.figures import Told, enough_queries, tau_of_queries
from karat.judges.pairs import Floats, Ints, Pairs, runs_of
from karat.measures.base import ratio
from karat.model.wording import number_of

SHOWN = 3
"""How many runs or queries are named."""


def cell_scores(pairs: Pairs, values: Floats, use: NDArray[np.bool_]) -> Floats:
    """From values of pairs the mean of those in `use`, by run and query; NaN: nobody judged any."""
    names = runs_of(pairs)
    runs = {run_id: at for at, run_id in enumerate(dict.fromkeys(names))}
    row = [runs[run_id] for run_id in names]
    column = [at for at, query in enumerate(pairs.queries) for _ in query.task.responses]
    result = np.full((len(runs), len(pairs.queries)), np.nan)
    total = np.bincount(pairs.cell[use], weights=values[use], minlength=len(names))
    result[row, column] = ratio(total, np.bincount(pairs.cell[use], minlength=len(names)))
    return result


def validation_notes(pairs: Pairs, told: Told, groups: Ints, sizes: ErrorSizes, *, part: str) -> list[str]:
    """What took no part in which figures, and why; part: what is left out at a time."""
    known = ~np.isnan(pairs.degrees)
    notes = []
    if unjudged := int((~known).sum()):
        notes.append(f"{number_of(unjudged, 'pair')} that people did not judge left out, {known.sum():,} compared")
    runs = list(dict.fromkeys(runs_of(pairs)))
    short = [run_id for run_id, enough in zip(runs, enough_queries(told), strict=True) if not enough]
    if short:
        notes.append(
            f"{number_of(len(short), 'run')} judged on fewer than all queries but one left out of figures of runs "
            f"({len(runs) - len(short)} remain): {_some(short)}"
        )
    undecided = np.isnan(told.decisions)
    if undecided.any():
        without = len(np.unique(groups[known][undecided]))
        notes.append(
            f"no threshold for {number_of(without, part)}, where people say the same of all others: "
            f"{number_of(int(undecided.sum()), 'pair')} left out of precision, recall, F1 and kappa"
        )
    flat = [pairs.queries[at].task.query_id for at in np.flatnonzero(np.isnan(tau_of_queries(told)))]
    if flat:
        notes.append(f"no tau within {number_of(len(flat), 'query')}, where all runs are level: {_some(flat)}")
    bare = [
        query.task.query_id
        for at, query in enumerate(pairs.queries)
        if known[pairs.question == at].any() and not (known & counted(pairs))[pairs.question == at].any()
    ]
    if bare:
        notes.append(f"{number_of(len(bare), 'query')} without a vital nug left out of scores: {_some(bare)}")
    if not sizes.learned:
        notes.append("fewer than three groups: how far errors hang together is taken from other collections")
    return notes


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
