"""Results as Python shows them: the table that the command prints, the same in HTML, and the rows of `--format jsonl`.

`SHOWERS` has a function for each class of results, by its name: a result is shown without loading what the others need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from karat.model import Record, UsageError, record_to_dict
from karat.model.wording import folded
from karat.report.tables import TextTable, escape_html, printable

if TYPE_CHECKING:
    from karat.evaluate.agree.agree import Agreement
    from karat.evaluate.cite.ledger import Ledger
    from karat.evaluate.compare.comparison import Comparison
    from karat.evaluate.compare.correlate import CorrelatedScores
    from karat.evaluate.keys.diff import KeyDiff
    from karat.evaluate.keys.pyramid import Pyramid
    from karat.evaluate.lint import Findings
    from karat.evaluate.nuggets.compare import NuggetComparisons
    from karat.evaluate.nuggets.draft_key import DraftKey
    from karat.evaluate.nuggets.nuggetize import Nuggetizing
    from karat.evaluate.plan.best_questions import QuestionPlanning
    from karat.evaluate.plan.plan import Planning
    from karat.evaluate.plan.stability import Stability
    from karat.evaluate.review.explain import Explaining
    from karat.evaluate.score.score import Scoring
    from karat.evaluate.validate.validate import Validation
    from karat.judges.judge import Judging

MOST_ROWS = 60
"""How many rows of a table are shown; `to_dicts` and `to_frame` give all."""
WIDTH = 80
"""How many characters of a text are shown in a cell."""
WIDE = 10_000
"""Room for all columns side by side: a notebook scrolls."""

Dicts = list[dict[str, Any]]


class ShownResult:
    """The parts of a result: tables and the remarks between them, notes, and the rows for programs.

    parts: makes them for a given width; None is the width of the terminal.
    """

    def __init__(
        self,
        parts: Callable[[int | None], Iterable[TextTable | str]],
        notes: Sequence[str],
        dicts: Callable[[], Dicts],
    ) -> None:
        self._parts, self._notes, self._dicts = parts, notes, dicts

    def dicts(self) -> Dicts:
        return self._dicts()

    def text(self) -> str:
        """The tables, then the notes, one per line."""
        shown = [_text(part) for part in self._parts(None)]
        notes = "".join(f"{printable(note)}\n" for note in folded(self._notes))
        return "\n".join([*shown, *([notes] if notes else [])]).rstrip("\n")

    def html(self) -> str:
        """The same for a notebook; everything that comes from a file is escaped."""
        shown = [_html(part) for part in self._parts(WIDE)]
        shown += [f"<p><small>{escape_html(note)}</small></p>" for note in folded(self._notes)]
        return "\n".join(['<div class="karat">', *shown, "</div>"])


def show(result: object) -> ShownResult:
    """How a result is shown."""
    for kind in type(result).__mro__:
        if kind.__name__ in SHOWERS:
            return SHOWERS[kind.__name__](result)
    raise UsageError(f"there is no table for {type(result).__name__}")


def _text(part: TextTable | str) -> str:
    if isinstance(part, str):
        return f"{printable(part)}\n"
    more = len(part.rows) - MOST_ROWS
    short = msgspec.structs.replace(part, rows=part.rows[:MOST_ROWS])
    return f"{short}... and {more:,} more rows; to_dicts() and to_frame() have all\n" if more > 0 else str(short)


def _html(part: TextTable | str) -> str:
    if isinstance(part, str):
        return f"<p>{escape_html(part)}</p>"
    table = msgspec.structs.replace(part, rows=part.rows[:MOST_ROWS]).html()
    more = len(part.rows) - MOST_ROWS
    return f"{table}\n<p><small>... and {more:,} more rows; to_frame() has all</small></p>" if more > 0 else table


def _records(records: Iterable[Record]) -> Dicts:
    return [record_to_dict(record) for record in records]


def _json(structs: Iterable[msgspec.Struct]) -> Dicts:
    return [msgspec.json.decode(msgspec.json.encode(struct)) for struct in structs]


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def _scoring(scoring: Scoring) -> ShownResult:
    from karat.report.score import IN_BRACES, score_tables

    scores = scoring.of_all()
    notes = [*scoring.notes, *scoring.interval_notes]
    if any(score.judge_low is not None for score in scores):
        notes.append(IN_BRACES)
    return ShownResult(
        lambda width: score_tables(scores, by=scoring.by or "run", width=width),
        notes,
        lambda: _records([*scores, *scoring.by_query()]),
    )


def _comparison(comparison: Comparison) -> ShownResult:
    from karat.report.compare import comparison_scores, comparison_tables

    return ShownResult(
        lambda width: comparison_tables(comparison),
        (*comparison.notes, *comparison.interval_notes),
        lambda: _records(comparison_scores(comparison)),
    )


def _correlated(correlated: CorrelatedScores) -> ShownResult:
    from karat.report.compare import correlation_scores, correlation_tables

    return ShownResult(
        lambda width: correlation_tables(correlated),
        (*correlated.notes, *correlated.interval_notes),
        lambda: _records(correlation_scores(correlated)),
    )


def _agreement(agreement: Agreement) -> ShownResult:
    from karat.report.agree import agreement_table

    return ShownResult(
        lambda width: [agreement_table(agreement)], agreement.notes, lambda: _records(agreement.scores())
    )


def _planning(planning: Planning) -> ShownResult:
    from karat.report.plan import planning_jsonl, planning_tables

    return ShownResult(
        lambda width: planning_tables(planning),
        planning.notes,
        lambda: [msgspec.json.decode(line) for line in planning_jsonl(planning)],
    )


def _question_planning(planning: QuestionPlanning) -> ShownResult:
    from karat.report.plan import question_table

    return ShownResult(
        lambda width: [question_table(planning)],
        (f"{planning.questions:,} questions are planned: karat.review(..., plan=planning.plan)", *planning.notes),
        lambda: [msgspec.to_builtins(step) for step in planning.steps],
    )


def _stability(stability: Stability) -> ShownResult:
    from karat.report.plan import stability_scores, stability_tables

    return ShownResult(
        lambda width: stability_tables(stability), stability.notes, lambda: _records(stability_scores(stability))
    )


def _pyramid(pyramid: Pyramid) -> ShownResult:
    from karat.report.keys.pyramid import pyramid_table

    return ShownResult(
        lambda width: [pyramid_table(pyramid)],
        pyramid.notes,
        lambda: _records(pyramid.records()),
    )


def _key_diff(diff: KeyDiff) -> ShownResult:
    from karat.report.keys.diff import diff_dicts, diff_tables

    return ShownResult(lambda width: diff_tables(diff), diff.notes, lambda: diff_dicts(diff))


def _judging(judging: Judging) -> ShownResult:
    """One row per run. The rows for programs are what `karat judge` writes, with what a score needs to know."""
    from karat.judges.judgements.saved import to_save

    runs = Counter(judgement.run_id for judgement in judging.judgements)
    full = Counter(judgement.run_id for judgement in judging.judgements if judgement.degree == 1)
    partly = Counter(judgement.run_id for judgement in judging.judgements if judgement.degree not in (None, 0, 1))
    columns = ["run", "judgements", "contained", "in part", "share contained"]
    rows = [
        [run_id, f"{count:,}", f"{full[run_id]:,}", f"{partly[run_id]:,}", f"{full[run_id] / count:.1%}"]
        for run_id, count in runs.items()
    ]
    return ShownResult(
        lambda width: [TextTable(columns, rows, right=columns[1:])],
        judging.notes,
        lambda: _records(to_save(judging).judgements),
    )


def _explaining(explaining: Explaining) -> ShownResult:
    from karat.report.review import explanation_tables

    return ShownResult(
        lambda width: explanation_tables(explaining.explanations),
        explaining.notes,
        lambda: _json(explaining.explanations),
    )


def _validation(validation: Validation) -> ShownResult:
    from karat.report.validate import LEGEND, validation_rows, validation_table

    return ShownResult(
        lambda width: [validation_table([validation]), LEGEND],
        validation.notes,
        lambda: validation_rows([validation]),
    )


def _findings(findings: Findings) -> ShownResult:
    rows = [
        [
            finding.file if finding.line is None else f"{finding.file}:{finding.line}",
            finding.query_id or "",
            finding.code,
            finding.message,
        ]
        for finding in findings
    ]
    table = TextTable(["where", "query", "code", "message"], rows)
    return ShownResult(
        lambda width: [table] if rows else ["Nothing found."],
        (),
        lambda: _json(findings),
    )


def _nuggetizing(nuggetizing: Nuggetizing) -> ShownResult:
    from karat.report.nuggets import row_of

    rows = [
        [snippet.input.query_id, snippet.input.run_id, snippet.input.snippet_id, nugget.type, _cut(nugget.text)]
        for snippet in nuggetizing.snippets
        for nugget in snippet.result.nuggets
    ]
    return ShownResult(
        lambda width: [TextTable(["query", "run", "snippet", "type", "nugget"], rows)],
        nuggetizing.notes,
        lambda: [row_of(snippet, plain=True, explain=bool(snippet.result.changes)) for snippet in nuggetizing.snippets],
    )


def _draft_key(draft: DraftKey) -> ShownResult:
    rows = [
        [nug.query_id, nug.nug_id, str(nug.extra.get("runs", "")), _cut(next(iter(nug.descriptions), ""))]
        for nug in draft.nugs
    ]
    return ShownResult(
        lambda width: [TextTable(["query", "nug", "runs", "description"], rows, right=["runs"])],
        draft.notes,
        lambda: _records(draft.records()),
    )


def _nugget_comparisons(comparisons: NuggetComparisons) -> ShownResult:
    from karat.report.nuggets import nugget_comparison_rows, nugget_comparison_tables

    return ShownResult(
        lambda width: nugget_comparison_tables(comparisons),
        comparisons.notes,
        lambda: nugget_comparison_rows(comparisons),
    )


def _ledger(ledger: Ledger) -> ShownResult:
    from karat.report.cite import LEGEND, ledger_table

    return ShownResult(lambda width: [ledger_table(ledger), LEGEND], ledger.notes, lambda: _records(ledger.records()))


SHOWERS: dict[str, Callable[[Any], ShownResult]] = {
    "Agreement": _agreement,
    "Comparison": _comparison,
    "CorrelatedScores": _correlated,
    "DraftKey": _draft_key,
    "Explaining": _explaining,
    "Findings": _findings,
    "Judging": _judging,
    "KeyDiff": _key_diff,
    "Ledger": _ledger,
    "NuggetComparisons": _nugget_comparisons,
    "Nuggetizing": _nuggetizing,
    "Planning": _planning,
    "Pyramid": _pyramid,
    "QuestionPlanning": _question_planning,
    "Scoring": _scoring,
    "Stability": _stability,
    "Validation": _validation,
}
