"""Differences of runs where a program judged all responses and people a random part: people's differences.

Prediction-powered inference (`ppi_difference`), as in `karat score`: the program's difference is corrected by how it
differs from people's where both judged, so that the interval and the test hold however the program favours a run. Tests
of several pairs have Bonferroni's correction, the same that the letters of `karat score` have there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import msgspec
import numpy as np

from karat import __version__
from karat.evaluate.compare.compare import compare_collection, margin_of
from karat.evaluate.compare.comparison import Comparison, MeasureComparison, PairDifference
from karat.evaluate.compare.judge_differences import same_answers, twin_notes
from karat.evaluate.compare.margins import Margin, with_margin
from karat.evaluate.compare.nug_changes import nug_changes
from karat.evaluate.compare.several_measures import corrected_over_measures, measures_note
from karat.evaluate.score.labelled_part import NOT_USED, PoweredTable, PoweredTables
from karat.evaluate.score.sampled_answers import corrected_tables, has_drawn_labels
from karat.evaluate.tables.corrected_tests import ALPHA, MOST_RUNS
from karat.evaluate.tables.query_tables import origin_of
from karat.judges.judge import Judged
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import Rules
from karat.model import Signature, UnfitInput, UsageError
from karat.stats.intervals.powered_parts import EqualLabels
from karat.stats.intervals.prediction_powered import PoweredMean
from karat.stats.significance.t_test import Alternative
from karat.text.idf import IdfTable

NO_ANOVA = "it knows nothing of labels on a random part"
POWER = 0.8


def compare_judged(
    judged: Judged, *, judge: str | None, labels: str | None = None, labelled_at_random: bool = False,
    idf: IdfTable | None = None, **options: Any,
) -> Comparison:  # fmt: skip
    """`compare_collection` (options: as there), or prediction-powered where people labelled a random part."""

    def usual() -> Comparison:
        return compare_collection(
            judged.collection, sigma=judged.sigma, run_sigma=judged.run_sigma, common=judged.common,
            **options | {"judge": judged.judge},
        )  # fmt: skip

    if not has_drawn_labels(judged, labelled_at_random=labelled_at_random):
        return usual()
    powered: PoweredTables | str = f"not with average={options.get('average')}"
    if options.get("average", "query") == "query":
        assert judge is not None
        powered = corrected_tables(
            judged, judge=judge, labels=labels, labelled_at_random=labelled_at_random, idf=idf, most=1, **options
        )
    if isinstance(powered, PoweredTables):
        return _comparison(powered, judged, options)
    if labelled_at_random:
        raise UnfitInput(f"--labelled-at-random: {powered}")
    comparison = usual()
    return msgspec.structs.replace(comparison, notes=(f"{NOT_USED}: {powered}", *comparison.notes))


def _comparison(powered: PoweredTables, judged: Judged, options: dict[str, Any]) -> Comparison:
    baseline, runs = options.get("baseline"), options.get("runs")
    max_loss, equivalent = options.get("max_loss"), options.get("equivalent")
    margin = margin_of(max_loss, equivalent, baseline)
    run_ids = powered.tables[0].table.run_ids
    for run_id in (*(runs or ()), *([] if baseline is None else [baseline])):
        if run_id not in run_ids:
            raise UsageError(f"there is no run {run_id!r}; choose from {', '.join(run_ids)}")
    chosen = [run_id for run_id in run_ids if runs is None or run_id in (*runs, baseline)]
    if len(chosen) < 2:
        raise UnfitInput(f"there is only one run, {chosen[0]}: nothing to compare it with")
    rules = {name: value for name, value in options.items() if name in Rules.__annotations__}
    cases = Cases(judged.collection, **{**rules, "judge": judged.judge})
    twins = same_answers(cases)
    measures = tuple(
        _with_twins(_measure(each, powered, chosen, baseline, options.get("alternative", "two-sided"), margin), twins)
        for each in powered.tables
    )
    together = options.get("alternative", "two-sided") != "two-sided" and len(measures) > 1
    if together:
        measures = corrected_over_measures(measures)
    rows = [run_ids.index(run_id) for run_id in chosen]
    versus = baseline or run_ids[_best_first(powered.tables[0], rows)[0]]
    return Comparison(
        measures=measures, baseline=baseline, changes=tuple(nug_changes(cases, chosen, versus)), versus=versus,
        side_by_side=None, max_loss=max_loss, equivalent=equivalent,
        notes=(
            *powered.notes("differences"),
            "in brackets: for other queries; in braces: for these queries, had people labelled all of them",
            *([measures_note(measures)] if together else []),
            *twin_notes(twins, chosen),
            *powered.of_program.notes,
        ),
    )  # fmt: skip


def _with_twins(compared: MeasureComparison, twins: Mapping[str, str]) -> MeasureComparison:
    """People would label the same answer alike: on these queries two runs with the same answers differ by 0."""
    differences = [
        msgspec.structs.replace(pair, judge_low=pair.value, judge_high=pair.value)
        if twins.get(pair.run_id, pair.run_id) == twins.get(pair.versus, pair.versus)
        else pair
        for pair in compared.differences
    ]
    return msgspec.structs.replace(compared, differences=tuple(differences))


def _measure(
    powered: PoweredTable, of_all: PoweredTables, runs: Sequence[str], baseline: str | None,
    alternative: Alternative, margin: Margin | None,
) -> MeasureComparison:  # fmt: skip
    table = powered.table
    if table.less_is_better and alternative != "two-sided":
        alternative = "greater" if alternative == "less" else "less"
    if margin is not None:
        margin.check(table.name, table.bounds)
    pairs = _pairs(powered, [table.run_ids.index(run_id) for run_id in runs], baseline)
    differences = []
    for first, second in pairs:
        found = powered.difference(first, second)
        names = table.run_ids[first], table.run_ids[second]
        pair = _difference(table.name, names, found, len(pairs), alternative, less_is_better=table.less_is_better)
        if margin is not None:
            # On each side at .025 / pairs: a lone pair has 97.5 % as in `margin_limits`.
            ends = None if found is None else found.interval(1 - ALPHA / len(pairs))
            different = found is not None and found.p("two-sided") * len(pairs) <= ALPHA
            pair = with_margin(pair, ends.low if ends else nan, ends.high if ends else nan, margin, different=different)
        differences.append(pair)
    test = "ppi-bonferroni" if len(pairs) > 1 else "ppi"
    settings = origin_of(of_all.of_program) | {
        "test": test, "pairs": str(len(pairs)), "alternative": alternative, "average": "query",
        "ci": "ppi" if of_all.design == "queries" else "ppi-pairs",
        "labelled": str(of_all.labelled),
    }  # fmt: skip
    if margin is not None:
        settings |= {margin.question.replace(" ", "-"): f"{margin.size:g}", "limits": "ppi-bonferroni"}
    return MeasureComparison(
        table=powered.mixed, differences=tuple(differences), tukey=None, anova=None, obstacle=NO_ANOVA, powerless=None,
        alternative=alternative, test=test, interval_notes=(),
        signature=str(Signature(table.name, settings | {"v": __version__})),
    )  # fmt: skip


def _best_first(powered: PoweredTable, rows: Sequence[int]) -> list[int]:
    sign = 1 if powered.table.less_is_better else -1
    return sorted(rows, key=lambda row: sign * powered.means[row].estimate)


def _pairs(powered: PoweredTable, rows: Sequence[int], baseline: str | None) -> list[tuple[int, int]]:
    if baseline is not None:
        base = powered.table.run_ids.index(baseline)
        return [(row, base) for row in rows if row != base]
    order = _best_first(powered, rows)
    firsts = order if len(order) <= MOST_RUNS else order[:1]
    return [(first, second) for at, first in enumerate(firsts) for second in order[at + 1 :]]


def _difference(
    measure: str, names: tuple[str, str], found: PoweredMean | None, pairs: int, alternative: Alternative, *,
    less_is_better: bool,
) -> PairDifference:  # fmt: skip
    """One pair; untested where too few queries are labelled for both runs."""
    if found is None:
        return PairDifference(
            measure=measure, run_id=names[0], versus=names[1], value=None, low=None, high=None, n=0, p=None,
            p_adjusted=None, p_t=None, less_is_better=less_is_better,
        )  # fmt: skip
    p = found.p(alternative)
    sides = 2 if alternative == "two-sided" else 1
    of_all = found.interval(1 - ALPHA / pairs * 2 / sides) if pairs > 1 else None
    return PairDifference(
        measure=measure,
        run_id=names[0],
        versus=names[1],
        value=found.estimate,
        low=found.low,
        high=found.high,
        n=found.queries,
        p=p,
        p_adjusted=min(1.0, p * pairs),
        p_t=None,
        less_is_better=less_is_better,
        judge_low=found.same_low,
        judge_high=found.same_high,
        # Equal labels show no spread to plan with.
        detectable=None if isinstance(found, EqualLabels) else _detectable(found, ALPHA / pairs / sides),
        all_low=of_all.low if of_all and alternative != "less" else None,
        all_high=of_all.high if of_all and alternative != "greater" else None,
    )


def _detectable(found: PoweredMean, level: float) -> float:
    """The smallest true difference that is found four times in five."""
    from scipy.special import stdtrit

    reach = float(stdtrit(found.freedom, 1 - level)) + float(stdtrit(found.freedom, POWER))
    return float(np.abs(reach * found.error))
