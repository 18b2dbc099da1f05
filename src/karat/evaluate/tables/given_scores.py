"""Tables of scores that somebody else computed, or that Karat wrote before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from karat.evaluate.tables.score_table import Average, ScoreTable
from karat.evaluate.tables.slices import SLICE
from karat.measures.cases.cases import ALL_QUERIES
from karat.measures.cases.rules import Missing
from karat.model import Score, Signature, UnfitInput
from karat.model.identity import KEY_SETTING
from karat.model.wording import natural, number_of
from karat.stats.arrays import LARGEST

LESS_IS_BETTER = "less_is_better"
"""The field of a score where less is better and the name of the measure does not say so."""
MOST_NAMES = 5
"""How many runs a note names."""


def tables_of_scores(
    scores: Sequence[Score], *, average: Average = "query", missing: Missing = "skip", notes: list[str] | None = None
) -> list[ScoreTable]:
    """One table per measure, from scores by query; where a measure has none, from its scores over all queries.

    A query that a run has no score for is missing: an error, zero, or skipped. Of two scores of one run and query the
    first counts. Scores of slices (`language=en`, as `--by` writes them) are not of single queries and are left out.
    `notes` says what was left out.
    """
    notes = [] if notes is None else notes
    by_measure: dict[str, list[Score]] = {}
    for score in scores:
        if SLICE not in score.extra:
            by_measure.setdefault(score.measure, []).append(score)
    if not by_measure:
        raise UnfitInput("all scores are means over several queries each; give scores by query, or over all queries")
    return [_table(measure, rows, average, missing, notes) for measure, rows in by_measure.items()]


def runs_by_key(scores: Iterable[Score], measures: Collection[str]) -> dict[str, list[str]]:
    """The runs that were scored with each key, by its hash, where the scores of these measures are signed."""
    runs: dict[str, dict[str, None]] = {}
    signed = {score.signature: None for score in scores if score.signature and score.measure in measures}
    keys = {signature: _key_of(signature) for signature in signed}
    for score in scores:
        if score.measure in measures and (key := keys.get(score.signature or "")):
            runs.setdefault(key, {})[score.run_id] = None
    return {key: list(runs[key]) for key in sorted(runs)}


def different_key_notes(runs: Mapping[str, Sequence[str]]) -> list[str]:
    """Says so where scores were made with different keys."""
    if len(runs) < 2:
        return []
    shown = "; ".join(f"key:{key} for {_listed(names)}" for key, names in runs.items())
    return [
        f"the scores were made with {len(runs)} different keys, so that runs may differ in what was asked of them, not "
        f"in what they say ({shown}); score all with one key, or see what changed with `karat key diff`"
    ]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _key_of(signature: str) -> str | None:
    """The hash in a signature; None where another tool wrote something else there."""
    try:
        return Signature.parse(signature).settings.get(KEY_SETTING)
    except ValueError:
        return None


def _table(measure: str, rows: Sequence[Score], average: Average, missing: Missing, notes: list[str]) -> ScoreTable:
    detailed = [row for row in rows if row.query_id != ALL_QUERIES] or rows
    runs = list(dict.fromkeys(row.run_id for row in detailed))
    queries = sorted({row.query_id for row in detailed}, key=natural)
    known = set(runs)
    whole = dict.fromkeys(row.run_id for row in rows if row.run_id not in known)
    if whole:
        notes.append(f"{measure}: {', '.join(whole)} left out: with a score over all queries, but none by query")
    values = np.full((len(runs), len(queries)), np.nan)
    skipped = np.ones((len(runs), len(queries)), bool)
    run_at = {run_id: at for at, run_id in enumerate(runs)}
    query_at = {query_id: at for at, query_id in enumerate(queries)}
    repeats = contradictions = 0
    for row in detailed:
        cell = run_at[row.run_id], query_at[row.query_id]
        if skipped[cell]:
            skipped[cell] = False
            values[cell] = _value(row)
        else:
            repeats += 1
            first = values[cell]
            contradictions += int(row.value != (None if np.isnan(first) else float(first)))
    if repeats:
        against = f", {contradictions:,} that contradict{'s' * (contradictions == 1)} it" if contradictions else ""
        notes.append(f"{measure}: {number_of(repeats, 'repeated score')} left out{against}: the first counts")
    if skipped.any() and missing == "error":
        at = np.argwhere(skipped)[0]
        raise UnfitInput(
            f"run {runs[at[0]]} has no score of {measure} for query {queries[at[1]]} "
            f"({number_of(int(skipped.sum()), 'score')} missing); "
            "count missing ones as zero or leave them out with --missing zero|skip"
        )
    if skipped.any():
        done = "counted as zero" if missing == "zero" else "left out"
        notes.append(f"{measure}: {number_of(int(skipped.sum()), 'missing score')}, {done}")
    if missing == "zero":
        values[skipped], skipped[:] = 0.0, False
    less = True if any(row.extra.get(LESS_IS_BETTER) is True for row in detailed) else None
    return ScoreTable(measure, tuple(runs), tuple(queries), values, skipped, average=average, less=less)


def _value(score: Score) -> float:
    """The value, NaN where it is undefined; what cannot be squared is an error that names its place."""
    if score.value is None:
        return np.nan
    if not abs(score.value) <= LARGEST:
        raise UnfitInput(
            f"run {score.run_id}, query {score.query_id}: {score.measure} is {score.value:g}, and scores beyond "
            f"{LARGEST:g} cannot be averaged or compared"
        )
    return score.value
