"""A comparison of runs -> tables, or rows for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

import numpy as np

from karat.evaluate.comparison import Comparison, MeasureComparison, PairDifference
from karat.evaluate.nug_changes import NugChange
from karat.model import Score
from karat.report.scores import UNDEFINED
from karat.report.tables import print_table
from karat.stats.letters import letter_groups

MOST_PAIRS = 100
"""More rows than this nobody reads in a terminal."""


def print_comparison(comparison: Comparison, *, nugs: int, tukey: bool) -> Iterator[str]:
    """Print the tables; yields what is to be said beside them."""
    for one in comparison.measures:
        shown: Sequence[PairDifference] = one.differences
        if len(shown) > MOST_PAIRS:
            significant = [difference for difference in shown if difference.significant]
            yield (
                f"{one.table.name}: {len(significant):,} of {len(shown):,} pairs differ significantly; "
                f"the first {min(len(significant), MOST_PAIRS)} are shown, all with --format tsv"
            )
            shown = significant[:MOST_PAIRS]
        columns = ["measure", "run", "versus", "difference", "p", "p (Holm)", "p (t)", "n", "verdict"]
        print_table(columns, [_row(difference) for difference in shown], right=columns[3:8])
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
    if nugs and comparison.changes:
        yield from _print_changes(comparison, nugs)


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


def _row(one: PairDifference) -> list[str]:
    if one.value is None:
        return [one.measure, one.run_id, one.versus, UNDEFINED, "", "", "", str(one.n), ""]
    interval = "" if one.low is None or one.high is None else f" [{one.low:+.3f}, {one.high:+.3f}]"
    verdict = "" if not one.significant else "worse" if one.worse else "better"
    values = [f"{one.value:+.3f}{interval}", _p(one.p), _p(one.p_holm), _p(one.p_t)]
    return [one.measure, one.run_id, one.versus, *values, str(one.n), verdict]


def _number(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{value:.3f}"


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
        yield f"{run_id} gained {len(gained)} and lost {len(lost)} nugs against {comparison.versus}"
        shown = [*lost[:nugs], *gained[:nugs]]
        columns = ["run", "query", "", "nug", "degree", "description"]
        print_table(columns, [_change_row(change) for change in shown])


def _change_row(change: NugChange) -> list[str]:
    kind = f"{'gained' if change.gained else 'lost'}{f' {change.importance}' if change.importance else ''}"
    text = " ".join(change.description.split())
    description = text if len(text) <= 80 else f"{text[:77]}..."
    return [change.run_id, change.query_id, kind, change.nug_id, f"{change.before:g} -> {change.after:g}", description]
