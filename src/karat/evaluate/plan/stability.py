"""How far rankings can be trusted: with other queries, fewer assessors, or a key that a run did not help build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import msgspec
import numpy as np

from karat import __version__
from karat.engines import map_chunks
from karat.evaluate.plan.assessor_panels import VotedScores
from karat.evaluate.plan.pool_bias import PoolBias, Track, pool_bias
from karat.evaluate.tables.query_tables import components_of, origin_of, tabulated_queries
from karat.evaluate.tables.score_table import Average, ScoreTable
from karat.formats.inputs.reading import Input, OnError, load_light
from karat.judges.judge import judge_first
from karat.measures.base import Array
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import Rules
from karat.measures.cases.saved_fields import NOT_SCORED
from karat.measures.pyramid_weights import ballots
from karat.model import Collection, Signature, UnfitInput, UsageError
from karat.model.result import Result
from karat.model.wording import number_of
from karat.stats.reliability.assessor_stability import AssessorStability, by_assessors
from karat.stats.reliability.discriminative_power import DiscriminativePower, check_draws, discriminative_power
from karat.stats.reliability.rank_stability import SwapRate, swap_rates
from karat.stats.reliability.variance import VarianceComponents, generalizability, variance_components

TRIALS = 100
VOTED = "pyramid_F3, pyramid_recall or macro_F3"
"""Measures that depend on the votes of assessors."""


class QueryNumber(msgspec.Struct, frozen=True, kw_only=True):
    """How far a ranking by so many queries can be trusted."""

    size: int
    swaps: SwapRate | None
    """Against as many other queries; None for more than half of the queries at hand."""
    power: DiscriminativePower
    reliability: float | None
    """E rho^2 of the differences between runs; None where there are no variance components."""


class MeasureStability(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one measure."""

    measure: str
    runs: int
    queries: int
    by_queries: tuple[QueryNumber, ...]
    components: VarianceComponents | None
    assessors: int | None
    """How many assessors voted; None where the measure does not depend on votes, or on those of only one."""
    by_assessors: tuple[AssessorStability, ...]
    assessor_components: VarianceComponents | None
    """Of the score by each assessor's own votes; for macro-averaged scores."""
    pool_bias: PoolBias | None
    """None where there are no judgements."""
    signature: str


class Stability(Result, msgspec.Struct, frozen=True, kw_only=True):
    """How far rankings can be trusted, by measure, and notes about what could not be computed."""

    measures: tuple[MeasureStability, ...]
    notes: tuple[str, ...]


def stability(
    *inputs: Input,
    sizes: Sequence[int] | None = None,
    panels: Sequence[int] | None = None,
    trials: int = TRIALS,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    on_error: OnError = "stop",
    runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None,
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Stability:
    """How far the ranking of runs would change with other queries, fewer assessors, or a key one did not help build.

    sizes: numbers of queries; quarters of those at hand where none are given. panels: numbers of assessors. trials:
    how often queries, and assessors, are drawn. runs, queries: only these, as if the inputs held no others; patterns
    work.

    >>> import karat
    >>> key, judgements, _ = karat.demo_files()
    >>> stability = karat.stability(key, judgements, measures="strict_vital", trials=10, on_error="skip")
    >>> [number.size for number in stability.measures[0].by_queries]
    [3, 6, 9, 12]
    """
    judged = judge_first(
        load_light(*inputs, on_error=on_error, runs=runs, queries=queries, unread=NOT_SCORED), judge=rules.get("judge")
    )
    stability = stability_collection(
        judged.collection, sizes=sizes, panels=panels, trials=trials, measures=measures, beta=beta, average=average,
        seed=seed, **{**rules, "judge": judged.judge},  # type: ignore[arg-type]
    )  # fmt: skip
    return msgspec.structs.replace(stability, notes=(*judged.notes, *stability.notes))


def stability_collection(
    collection: Collection,
    *,
    sizes: Sequence[int] | None = None,
    panels: Sequence[int] | None = None,
    trials: int = TRIALS,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    seed: int = 0,
    track: Track = lambda items, _what: items,
    **rules: Unpack[Rules],
) -> Stability:
    """The same for a collection. `track` goes through what takes time, and may show the progress."""
    scored = tabulated_queries(collection, measures=measures, beta=beta, average=average, **rules)
    notes = list(scored.notes)
    groups = {run.run_id: run.group for run in collection.runs}
    drawing = _Drawing(sizes, panels, trials, seed, track, origin_of(scored))
    for table in scored.tables:
        _check_common(table)
    stabilities = tuple(_measure_stability(table, scored.cases, groups, drawing, notes) for table in scored.tables)
    notes += dict.fromkeys(note for measure in stabilities for note in _drawn_notes(measure))
    return Stability(measures=stabilities, notes=tuple(dict.fromkeys(notes)))


def _drawn_notes(stability: MeasureStability) -> list[str]:
    """That not all pairs were tested."""
    for power in (number.power for number in stability.by_queries):
        if power.drawn is not None:
            return [
                f"the share of pairs that differ is that of {power.drawn:,} pairs drawn at random, because testing all "
                f"{power.pairs:,} pairs in every trial would take too long; --runs chooses fewer runs"
            ]
    return []


def _check_common(table: ScoreTable) -> None:
    """Rankings by the same queries need queries that two runs have in common."""
    known = (~np.isnan(table.values)).astype(float)
    # Two runs have two queries in common exactly where two queries have two runs in common: the fewer are counted.
    common = known @ known.T if len(known) <= known.shape[1] else known.T @ known
    np.fill_diagonal(common, 0)
    if common.max(initial=0) < 2:
        raise UnfitInput(
            f"{table.name}: no two of the {len(table.run_ids)} runs have two queries in common, so that their ranking "
            "cannot be studied; give runs that answer the same queries (or count missing responses: --missing zero)"
        )


@dataclass(frozen=True, slots=True)
class _Drawing:
    sizes: Sequence[int] | None
    panels: Sequence[int] | None
    trials: int
    seed: int
    track: Track
    origin: dict[str, str]


def _measure_stability(
    table: ScoreTable, cases: Cases | None, groups: Mapping[str, str | None], drawing: _Drawing, notes: list[str]
) -> MeasureStability:
    queries = len(table.query_ids)
    sizes = quarters(queries) if drawing.sizes is None else sorted(set(drawing.sizes))
    check_draws(sizes, largest=queries, trials=drawing.trials, what="queries")
    voted = _voted(table, cases, drawing, notes)
    drawn = [] if voted is None else drawing.panels or quarters(len(voted.raters))
    if voted is not None:
        check_draws(drawn, largest=len(voted.raters), trials=drawing.trials, what="assessors")
    components = components_of(table, notes)
    bias = None
    if cases is not None and table.measure is not None and "judgements" in table.measure.needs():
        bias = pool_bias(cases, table.measure, groups=groups, track=drawing.track)
    else:
        notes.append(f"{table.name}: no pool bias, which needs a key and judgements")
    settings = drawing.origin | {
        "sizes": ",".join(map(str, sizes)), "trials": str(drawing.trials), "test": "paired-t-holm",
        "seed": str(drawing.seed), "v": __version__,
    }  # fmt: skip
    return MeasureStability(
        measure=table.name,
        runs=int((~np.isnan(table.values)).any(axis=1).sum()),
        queries=queries,
        by_queries=tuple(
            number
            for number, _ in zip(
                map_chunks(_ByQueries(table.values, components, drawing.trials, drawing.seed), sizes),
                drawing.track(sizes, "queries"),
                strict=True,
            )
        ),
        components=components,
        assessors=None if voted is None else len(voted.raters),
        by_assessors=() if voted is None else _by_assessors(voted, drawn, drawing),
        assessor_components=None if voted is None else _assessor_components(voted, notes),
        pool_bias=bias,
        signature=str(Signature(table.name, settings)),
    )


def quarters(number: int) -> list[int]:
    """A quarter, a half, three quarters and all; each number once."""
    return sorted({size for quarter in range(1, 5) if (size := number * quarter // 4)})


@dataclass(frozen=True)
class _ByQueries:
    """How stable a ranking by so many queries is; the engine may spread the numbers."""

    values: Array
    components: VarianceComponents | None
    trials: int
    seed: int

    def __call__(self, size: int) -> QueryNumber:
        values, components = self.values, self.components
        options: dict[str, Any] = {"sizes": (size,), "trials": self.trials, "seed": self.seed}
        reliability = generalizability(components, queries=size).relative if components is not None else np.nan
        return QueryNumber(
            size=size,
            swaps=swap_rates(values, **options)[0] if 2 * size <= values.shape[1] else None,
            power=discriminative_power(values, **options)[0],
            reliability=None if np.isnan(reliability) else reliability,
        )


def _voted(table: ScoreTable, cases: Cases | None, drawing: _Drawing, notes: list[str]) -> VotedScores | None:
    """None where there is nothing to draw; an error where somebody asked for it."""
    asked = drawing.panels is not None
    if cases is None or table.measure is None or not table.measure.depends_on_votes():
        if asked and cases is None:
            raise UnfitInput("scores say nothing about assessors: give the key with its votes, and judgements")
        if asked:
            raise UsageError(f"{table.name} does not depend on the votes of assessors; choose from {VOTED}")
        return None
    voted = VotedScores.of(cases, table.measure)
    if len(voted.raters) < 2:
        if asked:
            raise UnfitInput(
                f"the key has the votes of {number_of(len(voted.raters), 'assessor')}: too few to draw from"
            )
        return None
    if any(0 < len(ballots(pool.whole_nugs, pool.votes)) < len(voted.raters) for pool in voted.pools):
        notes.append(f"{table.name}: not every assessor voted on every query; a panel of which nobody voted on a query "
                     "is scored without it")  # fmt: skip
    return voted


def _by_assessors(voted: VotedScores, sizes: Sequence[int], drawing: _Drawing) -> tuple[AssessorStability, ...]:
    return tuple(
        by_assessors(voted.by_panel, len(voted.raters), sizes=(size,), trials=drawing.trials, seed=drawing.seed)[0]
        for size in drawing.track(sorted(set(sizes)), "assessors")
    )


def _assessor_components(voted: VotedScores, notes: list[str]) -> VarianceComponents | None:
    if not voted.measure.averages_assessors():
        return None
    components = variance_components(voted.by_rater)
    if components is None:
        notes.append(f"{voted.measure}: no variance components with assessors: too few queries have scores by the "
                     "same assessors")  # fmt: skip
    elif components.method != "mean squares":
        notes.append(f"{voted.measure}: variance components with assessors by {components.method} from "
                     f"{components.cells} values; not every assessor called some nug vital in every query")  # fmt: skip
    return components
