"""Which report shows which result, by the name of its class: a result is shown without loading what the others need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from karat.model import Record, UsageError, record_to_dict
from karat.reports.results.data import DataTable
from karat.reports.results.shown import Dicts, ShownResult
from karat.reports.results.tables import TextTable

if TYPE_CHECKING:
    from karat.evaluate.lint import Findings
    from karat.evaluate.nuggets.draft_key import DraftKey
    from karat.evaluate.nuggets.nuggetize import Nuggetizing
    from karat.judges.judge import Judging

WIDTH = 80
"""How many characters of a text are shown in a cell."""
MAKERS = {
    "Agreement": "agree.agreement_result",
    "Comparison": "compare.comparison_result",
    "CorrelatedScores": "compare.correlation_result",
    "DraftKey": "results.by_class.draft_key_result",
    "Explaining": "review.explanation_result",
    "Findings": "results.by_class.findings_result",
    "Judging": "results.by_class.judging_result",
    "KeyDiff": "keys.diff.diff_result",
    "Ledger": "cite.ledger_result",
    "NuggetComparisons": "nuggets.nugget_comparison_result",
    "Nuggetizing": "results.by_class.nuggetizing_result",
    "Planning": "plan.planning_result",
    "Pyramid": "keys.pyramid.pyramid_result",
    "QuestionPlanning": "plan.question_result",
    "Scoring": "score.scores_result",
    "Stability": "plan.stability_result",
    "Validation": "validate.validation_result",
}
"""The function of this room that makes the ShownResult of a class."""


def show(result: object, **options: Any) -> ShownResult:
    """How a result is shown; options: what its report can be told, such as `by` and `layout` of scores."""
    if isinstance(result, ShownResult):
        return result
    for kind in type(result).__mro__:
        if kind.__name__ in MAKERS:
            module, _, name = MAKERS[kind.__name__].rpartition(".")
            make: Callable[..., ShownResult] = getattr(import_module(f"karat.reports.{module}"), name)
            return make(result, **options)
    raise UsageError(f"there is no table for {type(result).__name__}")


def _records(records: Iterable[Record]) -> Dicts:
    return [record_to_dict(record) for record in records]


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def judging_result(judging: Judging) -> ShownResult:
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
    data = [
        {"run_id": run_id, "judgements": count, "contained": full[run_id], "in_part": partly[run_id],
         "share": full[run_id] / count}
        for run_id, count in runs.items()
    ]  # fmt: skip
    return ShownResult(
        parts=lambda width: [TextTable(columns, rows, right=columns[1:])],
        tables=lambda: [DataTable.of("runs", data)],
        lines=lambda: _records(to_save(judging).judgements),
        notes=judging.notes,
        signatures=[judging.signature],
    )


def findings_result(findings: Findings) -> ShownResult:
    """What `karat lint` found, in the order of the files."""
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
    data = [msgspec.json.decode(msgspec.json.encode(finding)) for finding in findings]
    names = ["file", "line", "query_id", "code", "message", "severity"]
    return ShownResult(
        parts=lambda width: [table] if rows else ["Nothing found."],
        tables=lambda: [DataTable.of("findings", data, names)],
        lines=lambda: data,
    )


def nuggetizing_result(nuggetizing: Nuggetizing) -> ShownResult:
    """One row per nugget; JSONL has one row per snippet."""
    from karat.reports.nuggets import row_of

    found = [
        {
            "query_id": snippet.input.query_id, "run_id": snippet.input.run_id, "snippet_id": snippet.input.snippet_id,
            "type": nugget.type, "text": nugget.text, "paraphrase": nugget.paraphrase,
        }
        for snippet in nuggetizing.snippets
        for nugget in snippet.result.nuggets
    ]  # fmt: skip
    names = ("query_id", "run_id", "snippet_id", "type")
    rows = [[*(str(row[name]) for name in names), _cut(str(row["text"]))] for row in found]
    return ShownResult(
        parts=lambda width: [TextTable(["query", "run", "snippet", "type", "nugget"], rows)],
        tables=lambda: [DataTable.of("nuggets", found)],
        lines=lambda: [
            row_of(snippet, plain=True, explain=bool(snippet.result.changes)) for snippet in nuggetizing.snippets
        ],
        notes=nuggetizing.notes,
    )


def draft_key_result(draft: DraftKey) -> ShownResult:
    """One row per nug of the draft; JSONL has the records."""
    found = [
        {"query_id": nug.query_id, "nug_id": nug.nug_id, "importance": nug.importance, "runs": nug.extra.get("runs"),
         "description": next(iter(nug.descriptions), "")}
        for nug in draft.nugs
    ]  # fmt: skip
    rows = [
        [str(row["query_id"]), str(row["nug_id"]), str(row["runs"] or ""), _cut(str(row["description"]))]
        for row in found
    ]
    return ShownResult(
        parts=lambda width: [TextTable(["query", "nug", "runs", "description"], rows, right=["runs"])],
        tables=lambda: [DataTable.of("nugs", found)],
        lines=lambda: _records(draft.records()),
        notes=draft.notes,
        signatures=[draft.signature],
    )
