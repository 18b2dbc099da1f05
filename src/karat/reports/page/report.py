"""karat.report: the report of some runs, as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Unpack

from karat.formats import open_inputs
from karat.formats.inputs.reading import Input, OnError
from karat.formats.io.sink import open_sink
from karat.judges.judge import judge_first
from karat.judges.overlap.idf_file import idf_of
from karat.measures.cases.rules import Rules
from karat.model import Collection
from karat.reports.page.contents.gather import Contents, gather
from karat.reports.page.contents.provenance import provenance_of
from karat.reports.page.page import load_libraries, report_page
from karat.text.idf import IdfTable

TITLE = "How much of what matters is in the answers"


@dataclass(frozen=True)
class Report:
    """A report that is ready to be saved; in a notebook, say where it was saved."""

    html: str = field(repr=False)
    contents: Contents = field(repr=False)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all."""
        with open_sink(str(path)) as sink:
            sink.write(self.html)


def report(
    *inputs: Input,
    output: str | Path | None = None,
    title: str = TITLE,
    baseline: str | None = None,
    measures: str | Sequence[str] | None = None,
    labels: str | None = None,
    labelled_at_random: bool = False,
    idf: str | Path | IdfTable | None = None,
    made: str | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Report:
    """Make one HTML file that shows scores, differences, nugs and answers. It needs no network.

    inputs, judge, labels, labelled_at_random, idf, measures: as in `score`. baseline: the run that others are compared
    with; else all pairs are compared. output: the file to write. made: what the page says about when it was made; now
    where it is None, nothing where it is empty. The same inputs, seed and `made` give the same bytes.

    >>> import karat
    >>> key, judgements, runs = karat.demo_files()
    >>> report = karat.report(key, judgements, runs, on_error="skip")
    >>> report.html[:15]
    '<!doctype html>'
    """
    load_libraries()
    reading = open_inputs(*inputs, on_error=on_error)
    collection = Collection(reading)
    table = idf_of(collection, idf)
    judged = judge_first(collection, judge=rules.get("judge"), labels=labels, idf=table)
    named = [str(given) for given in inputs if isinstance(given, str | Path)]
    contents = gather(
        judged, title=title, provenance=provenance_of("karat.report(...)", named, time=when(made)), labels=labels,
        labelled_at_random=labelled_at_random, idf=table, baseline=baseline, measures=measures, seed=seed,
        judge=rules.pop("judge", None), rules=rules, problems=reading.problems,
    )  # fmt: skip
    made_report = Report(report_page(contents), contents)
    if output is not None:
        made_report.save(output)
    return made_report


def when(made: str | None) -> str:
    """What the page says about its time: what was given, else the minute, in universal time."""
    return datetime.now(UTC).strftime("on %Y-%m-%d at %H:%M UTC") if made is None else made
