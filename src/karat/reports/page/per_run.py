"""A page per participant: their own results, beside the best, median and worst of all runs per query."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

from karat.formats.io.sink import open_sink
from karat.model.wording import number_of
from karat.reports.page.contents.gather import Contents
from karat.reports.page.page import rendered
from karat.reports.page.sections import caveats, queries, repeat
from karat.reports.page.sections.parts import Section, Table, csv_text, interval, number

ODD = re.compile(r"[^\w.-]+")


def write_run_pages(contents: Contents, folder: Path, *, report: Path | None = None) -> int:
    """Write one page per run; names of other runs are in none of them. Returns how many there are.

    report: the report of all runs, which no page replaces if it is in the same folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    beside = report is not None and report.resolve().parent == folder.resolve()
    used: set[str] = {report.stem.lower()} if report is not None and beside else set()
    for run_id in contents.run_ids:
        name = ODD.sub("_", run_id).strip("._")[:80] or "run"
        while name.lower() in used:
            name += "_"
        used.add(name.lower())
        with open_sink(str(folder / f"{name}.html")) as sink:
            sink.write(run_page(contents, run_id))
    return len(contents.run_ids)


def run_page(contents: Contents, run_id: str) -> str:
    """The page of one run, to be sent to its people: no other run's name, no command, no names of files."""
    sections = [
        caveats.section(contents, only=run_id),
        _scores(contents, run_id),
        _by_query(contents, run_id),
        queries.section(contents, only=run_id),
        repeat.section(contents, private=True),
    ]
    return rendered(f"{contents.title}: {run_id}", [section for section in sections if section is not None], contents)


def _scores(contents: Contents, run_id: str) -> Section:
    """The run's scores over all queries, and where it is among all runs."""
    rows, data = [], []
    for table in contents.scoring.tables:
        own = next((s for s in contents.scoring.of_all() if s.run_id == run_id and s.measure == table.name), None)
        values = [value for value in table.totals().tolist() if value == value]
        if own is None or own.value is None or not values:
            continue
        ends = (min(values), max(values)) if table.less_is_better else (max(values), min(values))
        rows.append(
            [
                table.name,
                number(own.value),
                interval(own.low, own.high),
                number(ends[0]),
                number(median(values)),
                number(ends[1]),
            ]
        )
        data.append((table.name, own.value, own.low, own.high, ends[0], median(values), ends[1]))
    columns = ("measure", "score", "95 % interval", "best", "median", "worst")
    table_part = Table(
        columns,
        rows,
        csv_text(("measure", "score", "low", "high", "best", "median", "worst"), data),
        "scores",
        right=columns[1:],
    )
    totals = {score.run_id: score.value for score in contents.totals}
    equal = sum(value == totals.get(run_id) for value in totals.values()) - 1
    place = next(at for at, other in enumerate(contents.run_ids, 1) if totals.get(other) == totals.get(run_id))
    lead = f"{run_id} is number {place} of {len(contents.run_ids)} runs by {contents.table.name}"
    lead += f", with the same score as {number_of(equal, 'other run')}." if equal else "."
    return Section("scores", "Scores", lead, [table_part], ["Best, median and worst are of all runs."])


def _by_query(contents: Contents, run_id: str) -> Section | None:
    """The run's score of each query beside the best, median and worst of all runs, as TREC gives to participants."""
    table = contents.table
    if table.query_ids == ("all",):
        return None
    row = table.run_ids.index(run_id)
    rows, data, above = [], [], 0
    for column, query_id in enumerate(table.query_ids):
        values = [value for value in table.values[:, column].tolist() if value == value]
        own = float(table.values[row, column])
        if not values:
            continue
        ends = (min(values), max(values)) if table.less_is_better else (max(values), min(values))
        middle = median(values)
        above += own == own and (own <= middle if table.less_is_better else own >= middle)
        rows.append(
            [
                contents.name_of(query_id),
                number(None if own != own else own),
                number(ends[0]),
                number(middle),
                number(ends[1]),
            ]
        )
        data.append((query_id, None if own != own else own, ends[0], middle, ends[1]))
    columns = ("query", table.name, "best", "median", "worst")
    lead = f"In {above} of {len(rows)} queries it is at least as good as the median run."
    return Section(
        "by-query", "By query", lead, [Table(columns, rows, csv_text(columns, data), "by-query", right=columns[1:])]
    )
