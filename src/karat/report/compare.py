"""A comparison of runs -> tables, or rows for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isinf, isnan

import numpy as np

from karat.evaluate.compare.comparison import Comparison, MeasureComparison, PairDifference
from karat.evaluate.compare.correlate import CorrelatedScores
from karat.evaluate.compare.nug_changes import NugChange
from karat.model import Score
from karat.report.tables import print_table
from karat.stats.correlation.record import Correlation
from karat.stats.significance.tie_letters import letter_groups

_UNITS = {"run": "runs", "query": "cells", "within-query": "queries"}


def print_correlations(found: CorrelatedScores) -> Iterator[str]:
    """Print the tables; yields what is to be said beside them."""
    rows = [
        [one.name, level.level, _value(one), f"{one.n} {_UNITS[level.level]}"]
        for level in found.levels
        for one in level.correlations
    ]
    print_table(["coefficient", "by", f"{found.measures[0]} with {found.measures[1]}", "over"], rows)
    if found.swaps is not None:
        bins = [one for one in found.swaps.bins if one.pairs]
    if found.swaps is not None and bins:
        print_table(
            [f"{found.measures[0]} differs by", "pairs", "swapped", "rate"],
            [[f"{one.low:g} to {one.high:g}", str(one.pairs), str(one.swapped), _share(one.rate)] for one in bins],
            right=["pairs", "swapped", "rate"],
        )
    if found.separated is not None:
        beside = found.separated
        yield (
            f"Tukey's HSD separates {beside.separated_a:,} of {beside.pairs:,} pairs of runs by {found.measures[0]} "
            f"and {beside.separated_b:,} by {found.measures[1]} ({beside.both:,} by both, "
            f"{beside.contradictions:,} the other way round)"
        )


def correlation_scores(found: CorrelatedScores) -> list[Score]:
    """The coefficients as score records: the run is "all", the query "all", the level stands in the measure."""
    return [
        Score(
            run_id="all", query_id="all", measure=f"{one.name}({level.level})", value=one.value, low=one.low,
            high=_finite(one.high), n=one.n, undefined=int(one.value is None), signature=found.signature,
            extra={"a": found.measures[0], "b": found.measures[1]},
        )
        for level in found.levels
        for one in level.correlations
    ]  # fmt: skip


def _finite(end: float | None) -> float | None:
    """A one-sided interval of an error has no upper end; a record has no infinity."""
    return None if end is None or isinf(end) else end


def _value(one: Correlation) -> str:
    if one.value is None:
        return f"undefined: {one.undefined_reason}"
    interval = "" if one.low is None or one.high is None else f" [{one.low:.3f}, {one.high:.3f}]"
    return f"{one.value:.3f}{interval}"


def _share(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.1%}"


FEW_RUNS = 6
NAME_WIDTH = 30
MOST_PAIRS = 100
"""More rows than this nobody reads in a terminal."""


def print_comparison(comparison: Comparison, *, nugs: int, tukey: bool) -> Iterator[str]:
    """Print the tables; yields what is to be said beside them."""
    for one in comparison.measures:
        shown: Sequence[PairDifference] = one.differences
        if len(shown) > MOST_PAIRS:
            significant = sum(difference.significant for difference in shown)
            yield (
                f"{one.table.name}: {significant:,} of {len(shown):,} pairs differ significantly; "
                f"shown is the best run against the others, all pairs are in --format tsv"
            )
            shown = [difference for difference in shown if difference.run_id == shown[0].run_id]
        _print_differences(one, shown, comparison.baseline)
        if one.anova is None:
            yield f"{one.table.name}: no analysis of variance: {one.obstacle}"
        else:
            _print_anova(one)
            if tukey:
                _print_tukey(one)
    if comparison.side_by_side is not None:
        beside, (first, second) = comparison.side_by_side, comparison.measures
        yield (
            f"Tukey's HSD separates {beside.separated_a} of {beside.pairs:,} pairs by {first.table.name} and "
            f"{beside.separated_b} by {second.table.name}: {beside.both} by both, {beside.only_a} by the first alone, "
            f"{beside.only_b} by the second alone; {beside.contradictions} the other way round"
        )
    # Without a baseline, the nugs of very many runs are a book, not an answer.
    if nugs and comparison.changes and (comparison.baseline or len(comparison.measures[0].table.run_ids) <= FEW_RUNS):
        yield from _print_changes(comparison, nugs)


def _print_differences(one: MeasureComparison, shown: Sequence[PairDifference], baseline: str | None) -> None:
    """Against a baseline its name stands in the head, so that rows stay short."""
    p = "p" if one.alternative == "two-sided" else "p (worse)"
    head = [f"{one.table.name}, run"] + ([] if baseline else ["against"])
    columns = [*head, f"minus {_short(baseline)}" if baseline else "difference", p, "Holm", "n", "verdict"]
    rows = [
        [_short(difference.run_id), *([] if baseline else [_short(difference.versus)]), *_cells(difference)]
        for difference in shown
    ]
    print_table(columns, rows, right=columns[len(head) : -1])


def _short(name: str | None) -> str:
    """A long name by its two ends."""
    name = name or ""
    return name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH // 2 - 1]}..{name[-NAME_WIDTH // 2 + 1 :]}"


def comparison_scores(comparison: Comparison) -> list[Score]:
    """The differences as score records: `measure` is NAME-RUN, the p-values are further fields."""
    return [
        Score(
            run_id=one.run_id, query_id="all", measure=f"{one.measure}-{one.versus}", value=one.value, low=one.low,
            high=one.high, n=one.n, signature=compared.signature,
            extra={"versus": one.versus, "p": one.p, "p_holm": one.p_holm, "p_t": one.p_t,
                   "significant": one.significant, "detectable": one.detectable},
        )
        for compared in comparison.measures
        for one in compared.differences
    ]  # fmt: skip


def comparison_tsv(comparison: Comparison) -> str:
    """A row a pair, with a header."""
    names = ("measure", "run_id", "versus", "value", "low", "high", "p", "p_holm", "p_t", "n", "detectable")
    lines = ["\t".join(names)]
    for compared in comparison.measures:
        for one in compared.differences:
            cells = (getattr(one, name) for name in names)
            lines.append("\t".join("" if cell is None else str(cell) for cell in cells))
    return "\n".join(lines) + "\n"


def _cells(one: PairDifference) -> list[str]:
    if one.value is None:
        return ["undefined", "", "", str(one.n), ""]
    interval = "" if one.low is None or one.high is None else f" [{_signed(one.low)}, {_signed(one.high)}]"
    verdict = "" if not one.significant else "worse" if one.worse else "better"
    return [f"{_signed(one.value)}{interval}", _p(one.p), _p(one.p_holm), str(one.n), verdict]


def _signed(value: float) -> str:
    """With its sign, but for what rounds to nothing."""
    text = f"{value:+.3f}"
    return "0.000" if text in ("+0.000", "-0.000") else text


def _number(value: float) -> str:
    return "undefined" if isnan(value) else f"{value:.3f}"


def _p(value: float | None) -> str:
    if value is None or isnan(value):
        return ""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _print_anova(one: MeasureComparison) -> None:
    assert one.anova is not None
    rows = []
    for source in (one.anova.run, one.anova.query, one.anova.residual):
        test = ["", ""] if source is one.anova.residual else [_number(source.f), _p(source.p)]
        rows.append([source.name, f"{source.sum_of_squares:.4f}", str(source.df), f"{source.mean_square:.5f}", *test])
    columns = [f"{one.table.name} by", "sum of squares", "df", "mean square", "F", "p"]
    print_table(columns, rows, right=columns[1:])


def _print_tukey(one: MeasureComparison) -> None:
    assert one.tukey is not None
    order = np.argsort(one.tukey.means * (1 if one.table.less_is_better else -1), kind="stable").tolist()
    # A run without any value differs from none: letters of its own would join runs that differ.
    scored = [at for at in order if not isnan(one.tukey.means[at])]
    found = letter_groups(one.tukey.different[np.ix_(scored, scored)], range(len(scored)))
    letters = dict(zip(scored, found, strict=True))
    rows = [[one.table.run_ids[at], _number(one.tukey.means[at]), letters.get(at, "")] for at in order]
    print_table([f"{one.table.name}, Tukey's HSD", "mean", "group"], rows, right=["mean"])


def _print_changes(comparison: Comparison, nugs: int) -> Iterator[str]:
    for run_id in dict.fromkeys(change.run_id for change in comparison.changes):
        changes = [change for change in comparison.changes if change.run_id == run_id]
        gained = [change for change in changes if change.gained]
        lost = [change for change in changes if not change.gained]
        yield (
            f"{run_id} gained {len(gained)} and lost {len(lost)} nugs against {comparison.versus} "
            f"({_vital(gained)} and {_vital(lost)} of them vital)"
        )
        shown = [*lost[:nugs], *gained[:nugs]]
        columns = [f"{_short(run_id)}, query", "change", "degree", "nug"]
        print_table(columns, [_change_row(change) for change in shown])


def _vital(changes: Sequence[NugChange]) -> int:
    return sum(change.importance == "vital" for change in changes)


def _change_row(change: NugChange) -> list[str]:
    kind = f"{'gained' if change.gained else 'lost'}{f' {change.importance}' if change.importance else ''}"
    text = " ".join(change.description.split()) or change.nug_id
    description = text if len(text) <= 80 else f"{text[:77]}..."
    return [change.query_id, kind, f"{change.before:g} -> {change.after:g}", description]
