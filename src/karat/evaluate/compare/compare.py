"""Which differences between runs are real."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import msgspec
import numpy as np

from karat.engines import map_chunks
from karat.evaluate.compare.comparison import NO_TUKEY, Comparison, MeasureComparison
from karat.evaluate.compare.judge_differences import JudgeDifferences, same_answers, twin_notes
from karat.evaluate.compare.margins import Margin
from karat.evaluate.compare.nug_changes import MARGIN, nug_changes
from karat.evaluate.compare.pair_tests import compare_pairs
from karat.evaluate.compare.several_measures import corrected_over_measures, measures_note
from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.evaluate.score.errors.judge_error import judge_error
from karat.evaluate.tables.corrected_tests import MOST_RUNS
from karat.evaluate.tables.query_tables import origin_of
from karat.evaluate.tables.score_table import Average, ScoreTable
from karat.evaluate.tables.tabulating import tabulated
from karat.formats.inputs.reading import Input, OnError, load_light
from karat.judges.human.labels import KNOWN
from karat.judges.judge import judge_first
from karat.judges.overlap.idf_file import idf_of
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import Rules
from karat.measures.cases.saved_fields import NOT_SCORED, CommonErrors
from karat.model import Collection, UnfitInput, UsageError
from karat.stats.significance.anova import MOST_PAIRED_RUNS
from karat.stats.significance.t_test import Alternative
from karat.stats.significance.tukey import separated_side_by_side
from karat.text.idf import IdfTable


def compare(
    *inputs: Input,
    baseline: str | None = None,
    runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    alternative: Alternative = "two-sided",
    max_loss: float | None = None,
    equivalent: float | None = None,
    less_is_better: str | Sequence[str] | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
    labels: str | None = None,
    labelled_at_random: bool = False,
    idf: str | Path | IdfTable | None = None,
    **rules: Unpack[Rules],
) -> Comparison:
    """Compare the runs of the inputs: keys with judgements, or tables of scores by query.

    baseline: compare every run only with this one (fewer tests, more power). runs: only these (and the baseline).
    queries: only these, as if the inputs held no others; patterns work.
    alternative="less" asks only whether runs are worse, by all measures together. max_loss: whether every run is shown
    to be not worse than the baseline by as much as this. equivalent: whether the runs of each pair are shown to differ
    by less than this (`margin_verdict` of each difference). judge, labels, labelled_at_random, idf, less_is_better: as
    in `score`.

    >>> import karat
    >>> key, judgements, _ = karat.demo_files()
    >>> comparison = karat.compare(key, judgements, baseline="atlas", measures="strict_vital", on_error="skip")
    >>> [(difference.run_id, difference.significant) for difference in comparison.measures[0].differences]
    [('birch', False), ('cedar', True), ('delta', True), ('librarian', True)]
    """
    collection = load_light(*inputs, on_error=on_error, queries=queries, unread=NOT_SCORED)
    table = idf_of(collection, idf)
    judged = judge_first(collection, judge=rules.get("judge"), labels=labels, idf=table)
    from karat.evaluate.compare.powered import compare_judged

    comparison = compare_judged(
        judged, labels=labels, labelled_at_random=labelled_at_random, idf=table, baseline=baseline, runs=runs,
        measures=measures, beta=beta, average=average, alternative=alternative, max_loss=max_loss,
        equivalent=equivalent, less_is_better=less_is_better, seed=seed, **{"judge": None, **rules},  # type: ignore[arg-type]
    )  # fmt: skip
    return msgspec.structs.replace(comparison, notes=(*judged.notes, *comparison.notes))


class _Compared(msgspec.Struct, frozen=True):
    """All pairs of a table, by the engine."""

    chosen: dict[str, Any]

    def __call__(self, chunk: tuple[ScoreTable, JudgeDifferences | None]) -> MeasureComparison:
        return compare_pairs(chunk[0], judge=chunk[1], **self.chosen)


def compare_collection(
    collection: Collection,
    *,
    baseline: str | None = None,
    runs: Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    alternative: Alternative = "two-sided",
    max_loss: float | None = None,
    equivalent: float | None = None,
    less_is_better: str | Sequence[str] | None = None,
    sigma: float | None = None,
    run_sigma: float | None = None,
    common: CommonErrors | None = None,
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Comparison:
    """Compare the runs of a collection. sigma, run_sigma, common: see `judge_error`."""
    if average == "median":
        raise UsageError("there are tests for mean and pooled scores only; choose --average query or pool")
    margin = margin_of(max_loss, equivalent, baseline)
    scored = tabulated(
        collection, measures=measures, beta=beta, average=average, most=1, less_is_better=less_is_better, **rules
    )
    cases = scored.cases
    for table in scored.tables:
        for run_id in (*(runs or ()), *([] if baseline is None else [baseline])):
            if run_id not in table.run_ids:
                raise UsageError(f"there is no run {run_id!r}; choose from {', '.join(table.run_ids)}")
    error, twins = None, dict[str, str]()
    scored_tables: tuple[ScoreTable, ...] = scored.tables
    if cases is not None and any(map(is_uncertain, cases.with_shares())):
        twins = same_answers(cases)
        error = judge_error(
            cases, scored.tables, sigma=sigma, run_sigma=run_sigma, common=common, seed=seed, twins=twins
        )
        scored_tables = error.tables
    wanted = None if runs is None else {*runs, *([] if baseline is None else [baseline])}
    tables = [table if wanted is None else table.of_runs(wanted) for table in scored_tables]
    judge = [
        None
        if error is None
        else JudgeDifferences.of(error, at, [table.run_ids.index(run_id) for run_id in compared.run_ids])
        for at, (table, compared) in enumerate(zip(scored_tables, tables, strict=True))
    ]
    for table in tables:
        if len(table.run_ids) < 2:
            by = f" by {table.name}" if len(tables) > 1 else ""
            raise UnfitInput(f"there is only one run, {table.run_ids[0]}: nothing to compare it with{by}")
    origin = origin_of(scored)
    chosen = {"baseline": baseline, "alternative": alternative, "origin": origin, "seed": seed, "margin": margin}
    compared = tuple(map_chunks(_Compared(chosen), zip(tables, judge, strict=True)))
    together = alternative != "two-sided" and len(compared) > 1
    if together:
        compared = corrected_over_measures(compared)
    first = tables[0]
    totals = first.totals()
    versus = baseline or (None if np.isnan(totals).all() else first.run_ids[first.best_first()[0]])
    changes = nug_changes(cases, first.run_ids, versus) if cases is not None and cases.judgements and versus else []
    beside = None
    same = len(tables) == 2 and (tables[0].run_ids, tables[0].query_ids) == (tables[1].run_ids, tables[1].query_ids)
    if same and average == "query":
        beside = separated_side_by_side(tables[0].values, tables[1].values)
    blind = dict.fromkeys(measure.powerless for measure in compared if measure.powerless)
    return Comparison(
        measures=compared, baseline=baseline, changes=tuple(changes), versus=versus, side_by_side=beside,
        notes=(*scored.notes, *([measures_note(compared)] if together else []), *_too_many(tables, baseline), *blind,
               *_program_notes(error is not None), *twin_notes(twins, first.run_ids),
               *_label_notes(cases, first.run_ids), *scored.direction_notes),
        max_loss=max_loss, equivalent=equivalent,
    )  # fmt: skip


def margin_of(max_loss: float | None, equivalent: float | None, baseline: str | None) -> Margin | None:
    """What is to be shown of the pairs; None: nothing was asked."""
    if max_loss is not None and equivalent is not None:
        raise UsageError("--max-loss and --equivalent ask different questions; choose one")
    if max_loss is not None:
        if baseline is None:
            raise UsageError("--max-loss needs a baseline: the run that others may not be worse than")
        return Margin("not worse", max_loss)
    return None if equivalent is None else Margin("equivalent", equivalent)


def _too_many(tables: Sequence[ScoreTable], baseline: str | None) -> list[str]:
    runs = max(len(table.run_ids) for table in tables)
    notes = []
    if baseline is None and runs > MOST_RUNS:
        notes.append(f"{runs:,} runs: only the best is compared with the others; name another run with --baseline")
    if len(tables) == 2 and runs > MOST_PAIRED_RUNS:
        notes.append(NO_TUKEY)
    return notes


def _label_notes(cases: Cases | None, run_ids: Sequence[str]) -> list[str]:
    """Where people judged some of the runs and a program all the rest, the program's bias looks like a difference."""
    labelled = dict.fromkeys(run_ids, 0)
    for judgement in () if cases is None else cases.with_extra():
        if judgement.run_id in labelled:
            labelled[judgement.run_id] += KNOWN in judgement.extra
    without = [run_id for run_id, count in labelled.items() if not count]
    if not without or len(without) == len(labelled):
        return []
    runs = [f"{count:,} of run {run_id}" for run_id, count in labelled.items() if count]
    return [
        f"people's judgements count ({', '.join(runs[:3])}{', ...' if len(runs) > 3 else ''}), but there are none of "
        f"{', '.join(without[:3])}{', ...' if len(without) > 3 else ''}: where the program is stricter or milder than "
        "people, that looks like a difference; label all runs, or compare without the labels"
    ]


def _program_notes(judged: bool) -> list[str]:
    if not judged:
        return []
    return [
        "in braces: the 95 % interval of the judge's error, for these queries; intervals in brackets and tests contain "
        "this error, the analysis of variance and Tukey's groups do not",
        f"a nug that a program judged counts as gained or lost where its expected degree goes from {0.5 - MARGIN:g} or "
        f"less to {0.5 + MARGIN:g} or more, or the other way",
    ]
