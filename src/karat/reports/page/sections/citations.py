"""Whether the cited documents say it, where people or `karat cite` checked citations."""

from __future__ import annotations

from collections import Counter

from karat.model import KaratError, Score
from karat.reports.page.charts.bars import stacked_chart
from karat.reports.page.contents.gather import Contents
from karat.reports.page.sections.parts import Chart, Section, Table, csv_text, listed, value_text

SUPPORT = {"full": "good", "partial": "warn", "none": "bad", "missing": "pale"}
"""The verdicts, and the colours they are drawn in."""
WORDS = {
    "full": "full support", "partial": "support in part", "none": "none", "missing": "no document at hand or cited",
}  # fmt: skip
MEASURES = "support_precision,support_recall"
BELOW = (
    "Full: the document says all of it; partial: a part; none: it does not say it; missing: a document should be cited "
    "and is not, or is not at hand.",
    "Each checked pair of text and document counts once per assessor. The answers above name the verdict behind each "
    "citation.",
)


def section(contents: Contents) -> Section | None:
    cases = contents.cases
    judgements = [each for of_cell in cases.citations.values() for each in of_cell] if cases is not None else []
    counts: Counter[tuple[str, str]] = Counter((judgement.run_id, judgement.support) for judgement in judgements)
    runs = [run_id for run_id in contents.run_ids if any(counts[run_id, support] for support in SUPPORT)]
    if not runs:
        return None
    cells = [{"name": run_id, "kind": kind, "value": counts[run_id, kind]} for run_id in runs for kind in SUPPORT]
    scores, why = _scores(contents)
    measures = list(dict.fromkeys(score.measure for score in scores))
    by_run = {(score.run_id, score.measure): score for score in scores}
    rows = [
        [
            run_id,
            *(str(counts[run_id, kind]) for kind in SUPPORT),
            *(value_text(by_run.get((run_id, measure))) for measure in measures),
        ]
        for run_id in runs
    ]
    columns = [*SUPPORT, *measures]
    data = csv_text(
        ("run", *SUPPORT, *(f"{m}{end}" for m in measures for end in ("", "_low", "_high"))),
        (
            (run_id, *(counts[run_id, kind] for kind in SUPPORT), *_ends(by_run, run_id, measures)) for run_id in runs
        ),
    )  # fmt: skip
    chart = Chart(
        stacked_chart(cells, axis="checked citations", colours=SUPPORT), "checked citations per run, by their support",
        data, "citations",
    )  # fmt: skip
    table = Table(["run", *columns], rows, data, "citations", right=columns)
    who = sorted({judgement.assessor for judgement in judgements})
    unsupported = {run_id: counts[run_id, "none"] / sum(counts[run_id, kind] for kind in SUPPORT) for run_id in runs}
    worst = max(runs, key=lambda run_id: unsupported[run_id])
    of_worst = sum(counts[worst, kind] for kind in SUPPORT)
    lead = f"{len(judgements):,} citations were checked by {listed(who)}. "
    of_all = {kind: sum(counts[run_id, kind] for run_id in runs) for kind in SUPPORT}
    lead += ", ".join(f"{of_all[kind]:,} have {word}" for kind, word in WORDS.items()) + "."
    alone = sum(unsupported[run_id] == unsupported[worst] for run_id in runs) == 1
    if counts[worst, "none"] and alone and len(runs) > 1:
        lead += f" The share without support is largest in {worst}: {counts[worst, 'none']} of {of_worst}."
    return Section("citations", "Citations", lead, [chart, table], (*BELOW, *([why] if why else [])))


def _scores(contents: Contents) -> tuple[list[Score], str]:
    """Precision and recall of support with their intervals, or why there are none."""
    try:
        return contents.scored(MEASURES), ""
    except KaratError as error:
        return [], f"There is no precision and recall of support: {error}"


def _ends(by_run: dict[tuple[str, str], Score], run_id: str, measures: list[str]) -> list[float | None]:
    scores = [by_run.get((run_id, measure)) for measure in measures]
    return [
        end for score in scores for end in ((None,) * 3 if score is None else (score.value, score.low, score.high))
    ]  # fmt: skip
