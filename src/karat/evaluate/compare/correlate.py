"""How far two scorings agree: another judge, another measure, another set of assessors, another tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, Unpack, get_args

import msgspec
import numpy as np

from karat import __version__
from karat.evaluate.compare.comparison import NO_TUKEY
from karat.evaluate.tables.query_tables import origin_of
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import Tabulated, has_scores_alone, tabulated
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError, listed
from karat.measures.cases.cases import ALL_QUERIES
from karat.measures.cases.rules import Ruled, Rules
from karat.measures.registry import split_names
from karat.model import Collection, Signature, UnfitInput, UsageError
from karat.model.identity import KEY_SETTING
from karat.model.result import Result
from karat.model.wording import number_of
from karat.stats.correlation.population import population_correlations
from karat.stats.correlation.record import Correlation
from karat.stats.correlation.score_matrices import correlate_scores
from karat.stats.reliability.rank_stability import SwapsByDifference, swaps_by_difference
from karat.stats.significance.anova import MOST_PAIRED_RUNS
from karat.stats.significance.tukey import SideBySide, separated_side_by_side

Level = Literal["run", "query", "within-query"]
Target = Literal["queries", "population"]
FEW_QUERIES = 10
"""With fewer, a note says how far intervals can be trusted."""
BINS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 1.0)
"""Sizes of the official difference between two runs."""

ALIASES = {
    "strict_vital_score": "strict_vital", "vital_score": "lenient_vital", "strict_all_score": "strict_all",
    "all_score": "lenient_all", "strict_weighted_score": "strict_weighted", "weighted_score": "lenient_weighted",
}  # fmt: skip
"""The names that the nuggetizer's metrics files have for measures of the same definition."""


class LevelCorrelation(msgspec.Struct, frozen=True, kw_only=True):
    """All coefficients at one level."""

    level: Level
    correlations: tuple[Correlation, ...]
    observed: tuple[float | None, ...] = ()
    """With target="population": each coefficient with these queries, whose noise is still in it."""


class CorrelatedScores(Result, msgspec.Struct, frozen=True, kw_only=True):
    """Two scorings of the same runs and queries, side by side."""

    measures: tuple[str, str]
    runs: int
    queries: int
    levels: tuple[LevelCorrelation, ...]
    sides: tuple[str, str] = ("A", "B")
    """What the two scorings are called: their files, on the command line."""
    about: str
    """What the intervals are about: as many other queries, other runs, or infinitely many queries."""
    swaps: SwapsByDifference | None
    """Pairs of runs that change places, by how far the first scoring holds them apart."""
    separated: SideBySide | None
    """How many pairs of runs each scoring separates by Tukey's HSD."""
    notes: tuple[str, ...]
    interval_notes: tuple[str, ...]
    """Where intervals held less often in simulations than they say."""
    signature: str


def correlate(
    a: Input | Sequence[Input],
    b: Input | Sequence[Input],
    *,
    shared: Sequence[Input] = (),
    measures: str | Sequence[str] | None = None,
    levels: Sequence[Level] = get_args(Level),
    resample: Literal["queries", "runs"] = "queries",
    side: Literal["both", "low"] = "both",
    interval: Literal["bootstrap", "fisher"] = "bootstrap",
    target: Target = "queries",
    on_error: OnError = "stop",
    seed: int = 0,
    **rules: Unpack[Rules],
) -> CorrelatedScores:
    """Correlate two scorings, the first of which is the reference; each is judgements or a table of scores.

    measures: one name for both, or two, the first for `a` and the second for `b`; where none is named, the first
    measure that both have. shared: files both sides need, such as the key. side="low" gives one-sided intervals.
    interval="fisher" gives Pearson's r by run Fisher's interval, as Dang & Lin (2007) print it; all others come from
    the bootstrap. target: what is estimated, and what intervals cover: the value that as many other queries would give
    ("queries"; the chance of few queries lowers it), or that of infinitely many queries ("population": by run only, see
    `population_correlations`).

    >>> import karat
    >>> key, judgements, runs = karat.demo_files()
    >>> people = karat.score(key, judgements, measures="strict_vital", on_error="skip")
    >>> program = karat.score(key, runs, judge="lexical", measures="strict_vital")
    >>> correlated = karat.correlate(people, program, measures="strict_vital")
    >>> [correlation.name for correlation in correlated.levels[0].correlations]
    ['pearson', 'spearman', 'kendall_tau_b', 'tau_ap', 'weighted_tau', 'rmse']
    """
    collections = [load(*listed(inputs), *shared, on_error=on_error) for inputs in (a, b)]
    sides = (str(a), str(b)) if isinstance(a, str | Path) and isinstance(b, str | Path) else ("A", "B")
    return correlate_collections(
        *collections, measures=measures, levels=levels, resample=resample, side=side, interval=interval, target=target,
        sides=sides, seed=seed, **rules,
    )  # fmt: skip


def correlate_collections(
    a: Collection,
    b: Collection,
    *,
    measures: str | Sequence[str] | None = None,
    levels: Sequence[Level] = get_args(Level),
    resample: Literal["queries", "runs"] = "queries",
    side: Literal["both", "low"] = "both",
    interval: Literal["bootstrap", "fisher"] = "bootstrap",
    target: Target = "queries",
    sides: tuple[str, str] = ("A", "B"),
    seed: int = 0,
    **rules: Unpack[Rules],
) -> CorrelatedScores:
    """Correlate the scores of two collections. sides: what they are called."""
    _check_options(levels=levels, resample=resample, interval=interval, target=target)
    names = [] if measures is None else split_names(measures)
    if measures is not None and not names:
        raise UsageError("no measure is named; name one measure, or one per side")
    if len(names) > 2:
        raise UsageError(f"name one measure, or one per side, not {len(names)}")
    notes: list[str] = []
    scored_a = _scored(a, names[:1], rules, notes)
    scored_b = _scored(b, names[-1:], rules, notes)
    first, second = _pair(scored_a.tables, scored_b.tables, names, sides)
    keys = [origin_of(scored).get(KEY_SETTING) for scored in (scored_a, scored_b)]
    if None not in keys and keys[0] != keys[1]:
        notes.append(
            f"the two sides were scored with different keys (key:{keys[0]} and key:{keys[1]}): part of what they "
            "differ in comes from the keys; `karat key diff OLD NEW` names the changes"
        )
    left, right = _on_what_both_have(*_joined(first, second, notes), notes)
    run_only = left.query_ids == (ALL_QUERIES,)
    if run_only and target == "population":
        raise UsageError("--target population needs the scores of single queries; here are scores over all queries")
    if run_only:
        notes.append("the scores are over all queries: compared only by run")
        resample = "runs"
    if target == "population":
        correlated: tuple[LevelCorrelation, ...] = (_of_population(left, right, side=side, seed=seed),)
        if set(levels) != {"run"}:
            notes.append("infinitely many queries: only the totals of runs have a value there, so only level run")
    else:
        correlated = tuple(
            LevelCorrelation(
                level=level,
                correlations=correlate_scores(
                    left.values,
                    right.values,
                    level=level,
                    resample=resample,
                    side=side,
                    pearson=interval if level == "run" else "bootstrap",
                    seed=seed,
                ),
            )
            for level in (("run",) if run_only else levels)
        )
    many = len(left.run_ids) > 1
    method = "posterior" if target == "population" else f"bootstrap-{resample}"
    of_keys = "/".join(dict.fromkeys(key for key in keys if key is not None))
    settings = Ruled.of(rules).settings() | ({KEY_SETTING: of_keys} if of_keys else {}) | {
        "with": second.name, "target": "runs" if resample == "runs" else target, "ci": method, "side": side,
        "seed": str(seed), "v": __version__,
    }  # fmt: skip
    if len(left.run_ids) > MOST_PAIRED_RUNS and not run_only:
        notes.append(NO_TUKEY)
    if interval == "fisher":
        settings = {"pearson_ci": "fisher", **settings}
        notes.append(
            "Pearson's r by run has Fisher's interval (other runs, taken as independent); the others are bootstrapped"
        )
    return CorrelatedScores(
        measures=(first.name, second.name),
        runs=len(left.run_ids),
        queries=len(left.query_ids),
        levels=correlated,
        about=_about(left, resample=resample, target=target),
        swaps=swaps_by_difference(left.values, right.values, bins=BINS) if many else None,
        sides=sides,
        separated=None if run_only else separated_side_by_side(left.values, right.values),
        notes=tuple(dict.fromkeys(notes)),
        interval_notes=_interval_notes(len(left.query_ids), resample=resample, target=target),
        signature=str(Signature(first.name, settings)),
    )


def _check_options(*, levels: Sequence[Level], resample: str, interval: str, target: str) -> None:
    if interval not in ("bootstrap", "fisher"):
        raise UsageError(f"interval={interval!r} is not one of bootstrap, fisher")
    if interval == "fisher" and "run" not in levels:
        raise UsageError("Fisher's interval is for Pearson's r by run: runs are independent points; add --level run")
    if target not in get_args(Target):
        raise UsageError(f"target={target!r} is not one of {', '.join(get_args(Target))}")
    if target == "queries":
        return
    if "run" not in levels:
        raise UsageError("--target population is about the totals of runs: add --level run")
    if resample == "runs":
        raise UsageError("--target population is about these runs with more queries: leave out --resample runs")
    if interval == "fisher":
        raise UsageError("--target population has intervals of its own: leave out --interval fisher")


def _of_population(left: ScoreTable, right: ScoreTable, *, side: Literal["both", "low"], seed: int) -> LevelCorrelation:
    """The coefficients of the runs' true means, and those of the means over these queries beside them."""
    plain = correlate_scores(left.values, right.values, level="run", resamples=1, seed=seed)
    return LevelCorrelation(
        level="run",
        correlations=population_correlations(left.values, right.values, side=side, seed=seed),
        observed=tuple(correlation.value for correlation in plain),
    )


def _interval_notes(queries: int, *, resample: str, target: str) -> tuple[str, ...]:
    """Where intervals held less often in simulations than they say (benchmarks/honesty)."""
    if target == "population":
        return (
            "intervals for infinitely many queries take the runs' true means as normally distributed; where runs fall "
            "into two clusters, 95 % intervals held the value in as few as 80 % of simulations",
        )
    if resample == "queries" and queries < FEW_QUERIES:
        return (
            f"only {number_of(queries, 'query')}: below {FEW_QUERIES}, 95 % intervals are too narrow; with 5 they held "
            "the value in 81 % of simulations for r, and in about 90 % for the other coefficients",
        )
    return ()


def _about(table: ScoreTable, *, resample: str, target: str) -> str:
    runs = number_of(len(table.run_ids), "run")
    if resample == "runs":
        return f"another {runs}"
    if target == "population":
        return f"the same {runs} with infinitely many queries"
    return f"the same {runs} with another {number_of(len(table.query_ids), 'query')}"


def _scored(collection: Collection, names: Sequence[str], rules: Rules, notes: list[str]) -> Tabulated:
    given = has_scores_alone(collection)
    if given:  # a judge is chosen among the judgements of the other side
        rules = {**rules, "judge": None}
    scored = tabulated(collection, measures=None if given else names or None, **rules)
    notes += scored.notes
    return scored


def _pair(
    tables_a: Sequence[ScoreTable], tables_b: Sequence[ScoreTable], names: Sequence[str], called: tuple[str, str]
) -> tuple[ScoreTable, ScoreTable]:
    by_name = [{table.name: table for table in tables} for tables in (tables_a, tables_b)]
    by_name = [
        {name if name in names else _own_name(name, side): table for name, table in side.items()} for side in by_name
    ]
    if names:
        wanted = [names[0], names[-1]]
    else:
        shared = [name for name in by_name[0] if name in by_name[1]]
        if not shared:
            kinds = " and ".join(", ".join(side) for side in by_name)
            raise UnfitInput(
                f"the two sides have no measure in common ({kinds}); name one per side with --measures A,B"
            )
        wanted = [shared[0], shared[0]]
    pair: list[ScoreTable] = []
    for name, side, tables in zip(wanted, called, by_name, strict=True):
        # `F` and `F3` are the same measure: what was scored here goes by the printed name.
        if name not in tables and len(tables) == 1 and next(iter(tables.values())).measure is not None:
            name = next(iter(tables))
        if name not in tables:
            raise UsageError(f"{side} has no scores of {name!r}; it has {', '.join(tables)}")
        pair.append(tables[name])
    return pair[0], pair[1]


def _own_name(name: str, side: Mapping[str, ScoreTable]) -> str:
    """Karat's name of a measure, unless the side already has a measure of that name."""
    known = ALIASES.get(name, name)
    return name if known in side else known


def _joined(left: ScoreTable, right: ScoreTable, notes: list[str]) -> tuple[ScoreTable, ScoreTable]:
    """The runs and queries that both have, in the same order."""
    if (left.query_ids == (ALL_QUERIES,)) != (right.query_ids == (ALL_QUERIES,)):
        left, right = (table if table.query_ids == (ALL_QUERIES,) else _over_all(table) for table in (left, right))
    shared = []
    for noun, ids_left, ids_right in (("run", left.run_ids, right.run_ids), ("query", left.query_ids, right.query_ids)):
        on_the_right = set(ids_right)
        both = [name for name in ids_left if name in on_the_right]
        if not both:
            raise UnfitInput(
                f"the two sides have no {noun} in common: {', '.join(ids_left[:3])}, ... "
                f"and {', '.join(ids_right[:3])}, ..."
            )
        if single := len(ids_left) + len(ids_right) - 2 * len(both):
            notes.append(f"{number_of(single, noun)} on only one side, left out")
        shared.append(both)
    runs, queries = shared
    return _ordered(left, runs, queries), _ordered(right, runs, queries)


def _on_what_both_have(left: ScoreTable, right: ScoreTable, notes: list[str]) -> tuple[ScoreTable, ScoreTable]:
    """A cell that has no value on one side is taken out of both."""
    unknown = np.isnan(left.values) | np.isnan(right.values)
    if unknown.any():
        notes.append(f"{int(unknown.sum()):,} of {unknown.size:,} cells have no value on one side, left out of both")
    first, second = (
        replace(table, values=np.where(unknown, np.nan, table.values), skipped=unknown) for table in (left, right)
    )
    return first, second


def _ordered(table: ScoreTable, runs: Sequence[str], queries: Sequence[str]) -> ScoreTable:
    row_of = {run_id: row for row, run_id in enumerate(table.run_ids)}
    column_of = {query_id: column for column, query_id in enumerate(table.query_ids)}
    rows, columns = [row_of[run_id] for run_id in runs], [column_of[query_id] for query_id in queries]
    return ScoreTable(
        table.name, tuple(runs), tuple(queries), table.values[np.ix_(rows, columns)],
        table.skipped[np.ix_(rows, columns)],
    )  # fmt: skip


def _over_all(table: ScoreTable) -> ScoreTable:
    totals = table.totals()[:, None]
    return ScoreTable(table.name, table.run_ids, (ALL_QUERIES,), totals, np.isnan(totals))
