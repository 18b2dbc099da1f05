"""A comparison of runs -> tables for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

import numpy as np

from karat.evaluate.compare.comparison import NO_TUKEY, Comparison, MeasureComparison, PairDifference
from karat.evaluate.compare.nug_changes import NugChange
from karat.model import Score, record_to_dict
from karat.reports.compare.correlations import side_by_side
from karat.reports.results.data import DataTable
from karat.reports.results.digits import decimals
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable
from karat.stats.significance.tie_letters import letter_groups

FEW_RUNS = 6
NAME_WIDTH = 30
MOST_PAIRS = 100
"""Nobody reads more rows than this in a terminal."""


def comparison_tables(comparison: Comparison, *, nugs: int = 5, tukey: bool = False) -> Iterator[TextTable | str]:
    """For each measure the differences and the analysis of variance, then the nugs gained and lost; remarks are text.

    nugs: how many nugs gained, and how many lost, to show for each run.
    """
    for compared in comparison.measures:
        shown: Sequence[PairDifference] = compared.differences
        if len(shown) > MOST_PAIRS:
            significant = sum(difference.significant for difference in shown)
            yield (
                f"{compared.table.name}: {significant:,} of {len(shown):,} pairs differ significantly; "
                f"the table shows the best run against the others, --format tsv has all pairs"
            )
            shown = [difference for difference in shown if difference.run_id == shown[0].run_id]
        yield _differences_table(compared, shown, comparison.baseline)
        if compared.anova is None:
            yield f"{compared.table.name}: no analysis of variance: {compared.obstacle}"
        else:
            yield _anova_table(compared)
            if tukey:
                yield f"{compared.table.name}: {NO_TUKEY}" if compared.tukey is None else _tukey_table(compared)
    if comparison.side_by_side is not None:
        first, second = comparison.measures
        yield side_by_side(comparison.side_by_side, first.table.name, second.table.name)
    # Without a baseline, the nugs of very many runs are too much to read.
    if nugs and comparison.changes and (comparison.baseline or len(comparison.measures[0].table.run_ids) <= FEW_RUNS):
        yield from _change_tables(comparison, nugs)


def _differences_table(compared: MeasureComparison, shown: Sequence[PairDifference], baseline: str | None) -> TextTable:
    """One row per pair; a baseline is named in the head, so that rows stay short."""
    several = len(compared.differences) > 1
    p = "p (all pairs)" if several else "p" if compared.alternative == "two-sided" else "p (worse)"
    head = [f"{compared.table.name}, run"] + ([] if baseline else ["against"])
    value = f"minus {_short(baseline)}" if baseline else "difference"
    limits = ["all pairs"] if compared.has_limits else []
    verdicts = [_verdict(difference, one_sided=compared.alternative != "two-sided") for difference in shown]
    last = ["verdict"] if any(verdicts) else []
    columns = [*head, value, *limits, "effect", p, "n", *last]
    digits = decimals((pair.low, pair.high) for pair in shown)
    rows = [
        [
            _short(pair.run_id),
            *([] if baseline else [_short(pair.versus)]),
            _difference(pair, digits),
            *([_all_pairs(pair, digits)] if limits else []),
            "" if pair.effect is None else _signed(pair.effect, 2),
            _p(pair.p_adjusted if several else pair.p),
            str(pair.n),
            *([verdict] if last else []),
        ]
        for pair, verdict in zip(shown, verdicts, strict=True)
    ]
    return TextTable(columns, rows, right=columns[len(head) : len(columns) - len(last)])


def _short(name: str | None) -> str:
    """A long name, shortened in the middle."""
    name = name or ""
    return name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH // 2 - 1]}..{name[-NAME_WIDTH // 2 + 1 :]}"


def comparison_scores(comparison: Comparison) -> list[Score]:
    """The differences as score records: `measure` is NAME-RUN, the p-values are further fields."""
    return [
        Score(
            run_id=difference.run_id, query_id="all", measure=f"{difference.measure}-{difference.versus}",
            value=difference.value, low=difference.low, high=difference.high, judge_low=difference.judge_low,
            judge_high=difference.judge_high, n=difference.n, signature=compared.signature,
            extra={"versus": difference.versus, "p": difference.p, "p_adjusted": difference.p_adjusted,
                   "p_t": difference.p_t, "significant": difference.significant, "detectable": difference.detectable,
                   **{name: getattr(difference, name) for name in (*FURTHER, *_margin_names(comparison))}},
        )
        for compared in comparison.measures
        for difference in compared.differences
    ]  # fmt: skip


FURTHER = ("all_low", "all_high", "effect", "effect_low", "effect_high")


def _margin_names(comparison: Comparison) -> tuple[str, ...]:
    given = comparison.max_loss is not None or comparison.equivalent is not None
    return ("margin_verdict", "margin_low", "margin_high") if given else ()


def comparison_data(comparison: Comparison) -> list[DataTable]:
    """Every difference, the analyses of variance, the groups of Tukey's HSD, and all nugs gained and lost."""
    names = (
        "measure", "run_id", "versus", "value", "low", "high", "p", "p_adjusted", "p_t", "n", "detectable",
        *FURTHER, *_margin_names(comparison),
        *(("judge_low", "judge_high") if _has_judge(comparison) else ()), "significant",
    )  # fmt: skip
    differences = [
        {name: getattr(difference, name) for name in names}
        | {"verdict": _verdict(difference, one_sided=compared.alternative != "two-sided") or None}
        for compared in comparison.measures
        for difference in compared.differences
    ]
    sources = [
        {
            "measure": compared.table.name, "source": source.name, "sum_of_squares": source.sum_of_squares,
            "df": source.df, "mean_square": source.mean_square, "f": source.f, "p": source.p,
        }
        for compared in comparison.measures
        if compared.anova is not None
        for source in (compared.anova.run, compared.anova.query, compared.anova.residual)
    ]  # fmt: skip
    groups = [
        {"measure": compared.table.name, "run_id": run_id, "mean": mean, "group": letters}
        for compared in comparison.measures
        if compared.tukey is not None
        for run_id, mean, letters in _tukey_groups(compared)
    ]
    changes = [
        {
            "run_id": change.run_id, "versus": change.versus, "query_id": change.query_id, "nug_id": change.nug_id,
            "change": "gained" if change.gained else "lost", "importance": change.importance, "before": change.before,
            "after": change.after, "description": change.description,
        }
        for change in comparison.changes
    ]  # fmt: skip
    further: dict[str, list[dict[str, Any]]] = {"anova": sources, "tukey": groups, "nugs": changes}
    tables = [DataTable.of(name, rows) for name, rows in further.items() if rows]
    return [DataTable.of("differences", differences, names), *tables]


def comparison_result(comparison: Comparison, *, nugs: int = 5, tukey: bool = False) -> ShownResult:
    """What `karat compare` prints."""
    return ShownResult(
        parts=lambda width: comparison_tables(comparison, nugs=nugs, tukey=tukey),
        tables=lambda: comparison_data(comparison),
        lines=lambda: [record_to_dict(score) for score in comparison_scores(comparison)],
        notes=(*comparison.notes, *comparison.interval_notes),
        signatures=[compared.signature for compared in comparison.measures],
    )


def _has_judge(comparison: Comparison) -> bool:
    return any(pair.judge_low is not None for compared in comparison.measures for pair in compared.differences)


def _difference(difference: PairDifference, digits: int) -> str:
    if difference.value is None:
        return "undefined"
    low, high = difference.low, difference.high
    interval = "" if low is None or high is None else f" [{_signed(low, digits)}, {_signed(high, digits)}]"
    if difference.judge_low is not None and difference.judge_high is not None:
        interval += f" {{{_signed(difference.judge_low, digits)}, {_signed(difference.judge_high, digits)}}}"
    return f"{_signed(difference.value, digits)}{interval}"


def _all_pairs(difference: PairDifference, digits: int) -> str:
    """The interval for all pairs together; of one side where the tests are one-sided."""
    low, high = difference.all_low, difference.all_high
    if low is None:
        return "" if high is None else f"below {_signed(high, digits)}"
    return f"above {_signed(low, digits)}" if high is None else f"[{_signed(low, digits)}, {_signed(high, digits)}]"


def _verdict(difference: PairDifference, *, one_sided: bool) -> str:
    if difference.value is None or (difference.p_adjusted is None and difference.margin_verdict is None):
        return "not tested"
    if difference.margin_verdict == "not worse" and difference.worse and one_sided:
        return "worse, by less than the margin"
    if difference.margin_verdict is not None:
        return difference.margin_verdict
    return "" if not difference.significant else "worse" if difference.worse else "better"


def _signed(value: float, digits: int = 3) -> str:
    """With its sign, except where it rounds to zero."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def _number(value: float) -> str:
    return "undefined" if isnan(value) else f"{value:.3f}"


def _p(value: float | None) -> str:
    if value is None or isnan(value):
        return ""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _anova_table(compared: MeasureComparison) -> TextTable:
    anova = compared.anova
    assert anova is not None
    rows = []
    for source in (anova.run, anova.query, anova.residual):
        test = ["", ""] if source is anova.residual else [_number(source.f), _p(source.p)]
        rows.append([source.name, f"{source.sum_of_squares:.4f}", str(source.df), f"{source.mean_square:.5f}", *test])
    columns = [f"{compared.table.name} by", "sum of squares", "df", "mean square", "F", "p"]
    return TextTable(columns, rows, right=columns[1:])


def _tukey_groups(compared: MeasureComparison) -> list[tuple[str, float, str]]:
    """Run, adjusted mean and letters, the best run first."""
    tukey = compared.tukey
    assert tukey is not None
    order = np.argsort(tukey.means * (1 if compared.table.less_is_better else -1), kind="stable").tolist()
    # A run without any value differs from no other run: with letters it would join runs that differ.
    scored = [at for at in order if not isnan(tukey.means[at])]
    groups = letter_groups(tukey.different[np.ix_(scored, scored)], range(len(scored)))
    letters = dict(zip(scored, groups, strict=True))
    return [(compared.table.run_ids[at], float(tukey.means[at]), letters.get(at, "")) for at in order]


def _tukey_table(compared: MeasureComparison) -> TextTable:
    rows = [[run_id, _number(mean), letters] for run_id, mean, letters in _tukey_groups(compared)]
    return TextTable([f"{compared.table.name}, Tukey's HSD", "mean", "group"], rows, right=["mean"])


def _change_tables(comparison: Comparison, nugs: int) -> Iterator[TextTable | str]:
    by_run: dict[str, list[NugChange]] = {}
    for change in comparison.changes:
        by_run.setdefault(change.run_id, []).append(change)
    for run_id, changes in by_run.items():
        gained = [change for change in changes if change.gained]
        lost = [change for change in changes if not change.gained]
        yield (
            f"{run_id} gained {len(gained)} and lost {len(lost)} nugs against {comparison.versus} "
            f"({_vital(gained)} and {_vital(lost)} of them vital)"
        )
        shown = [*lost[:nugs], *gained[:nugs]]
        columns = [f"{_short(run_id)}, query", "change", "degree", "nug"]
        yield TextTable(columns, [_change_row(change) for change in shown])


def _vital(changes: Sequence[NugChange]) -> int:
    return sum(change.importance == "vital" for change in changes)


def _change_row(change: NugChange) -> list[str]:
    kind = f"{'gained' if change.gained else 'lost'}{f' {change.importance}' if change.importance else ''}"
    text = " ".join(change.description.split()) or change.nug_id
    description = text if len(text) <= 80 else f"{text[:77]}..."
    return [change.query_id, kind, f"{change.before:g} -> {change.after:g}", description]
