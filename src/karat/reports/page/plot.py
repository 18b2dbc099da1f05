"""karat.plot: one chart of the report by itself, for a paper or a slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Unpack, get_args

from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.formats.io.sink import open_sink
from karat.judges.judge import judge_first
from karat.judges.overlap.idf_file import idf_of
from karat.measures.cases.rules import Rules
from karat.model import UsageError
from karat.reports.page.charts.drawing import altair, as_json, png, svg
from karat.reports.page.contents.gather import Contents, gather
from karat.reports.page.contents.provenance import provenance_of
from karat.reports.page.sections import citations, differences, distillation, judging, leaderboard, trust
from karat.reports.page.sections.parts import Chart, Section
from karat.text.idf import IdfTable

PlotFormat = Literal["svg", "png", "json"]
Kind = tuple[Callable[[Contents], Section | None], str]
_RUNS = "it needs two runs or more, with a score per query"
_PEOPLE = (
    "it needs a program that judges (--judge) and labels by people on two queries or more, so that both can be compared"
)
KINDS: dict[str, Kind] = {
    "leaderboard": (leaderboard.section, "no run has a defined score"),
    "differences": (differences.section, _RUNS),
    "stability": (trust.section, _RUNS),
    "calibration": (judging.section, _PEOPLE),
    "judge-and-people": (judging.section, _PEOPLE),
    "bland-altman": (judging.section, _PEOPLE),
    "contingency": (distillation.contingency_section, "it needs nuggets"),
    "citations": (citations.section, "it needs citations that people or `karat cite` checked"),
    "pyramid": (distillation.pyramid_section, "it needs a key and the votes of two assessors or more"),
}
"""The charts, the section of the report that each is in, and what the data lack where there is none."""


@dataclass(frozen=True)
class Plot:
    """A chart. `spec` is Vega-Lite: `altair.Chart.from_dict(plot.spec)` goes on from there; a notebook shows it."""

    kind: str
    spec: dict[str, Any] = field(repr=False)
    label: str
    """What it shows, in words."""
    data: str = field(repr=False)
    """Its data as CSV."""

    def save(self, path: str | Path, *, format: PlotFormat | None = None) -> None:
        """Write it as SVG, PNG or JSON (by the ending of the name, unless `format` says so), whole or not at all."""
        chosen = format or format_of(str(path))
        with open_sink(str(path)) as sink:
            if chosen == "png":
                sink.write_bytes(png(self.spec))
            else:
                sink.write(svg(self.spec) + "\n" if chosen == "svg" else as_json(self.spec))

    def _repr_svg_(self) -> str:
        return svg(self.spec)


def plot(
    kind: str,
    *inputs: Input,
    output: str | Path | None = None,
    baseline: str | None = None,
    measures: str | Sequence[str] | None = None,
    labels: str | None = None,
    labelled_at_random: bool = False,
    idf: str | Path | IdfTable | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Plot:
    """One chart of the report. kind: one of KINDS. output: a file whose name ends in .svg, .png or .json.

    The others are as in `report`.

    >>> import karat
    >>> karat.plot("leaderboard", *karat.demo_files(), on_error="skip").kind
    'leaderboard'
    """
    check_kind(kind)
    if output is not None:
        format_of(str(output))
    altair()
    collection = load(*inputs, on_error=on_error)
    table = idf_of(collection, idf)
    judged = judge_first(collection, judge=rules.get("judge"), labels=labels, idf=table)
    contents = gather(
        judged, title="", provenance=provenance_of("", [], time=""), labels=labels, idf=table, baseline=baseline,
        labelled_at_random=labelled_at_random, measures=measures, seed=seed, judge=rules.pop("judge", None),
        rules=rules,
    )  # fmt: skip
    drawn = plot_of(contents, kind)
    if output is not None:
        drawn.save(output)
    return drawn


def plot_of(contents: Contents, kind: str) -> Plot:
    """The chart of this kind; a UsageError says what the data lack where there is none."""
    check_kind(kind)
    section_of, lacking = KINDS[kind]
    section = section_of(contents)
    for part in () if section is None else section.parts:
        if isinstance(part, Chart) and part.name == kind:
            return Plot(kind=kind, spec=part.spec, label=part.label, data=part.data)
    why = "; ".join((lacking, *contents.left_out))
    raise UsageError(f"there is no chart {kind} of these data: {why}")


def check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise UsageError(f"there is no chart {kind!r}; choose from {', '.join(KINDS)}")


def format_of(path: str) -> PlotFormat:
    """The format that the ending of a file's name means."""
    for known in get_args(PlotFormat):
        if path.lower().endswith(f".{known}"):
            found: PlotFormat = known
            return found
    raise UsageError(f"{path}: its name must end in .svg, .png or .json, or name the format with --format")
