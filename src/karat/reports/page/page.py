"""The page: sections in order, charts drawn, texts packed, one file that needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from karat.model import MissingExtra
from karat.model.wording import number_of, safe
from karat.reports.page.charts.drawing import altair, svg_for_page
from karat.reports.page.contents.gather import Contents
from karat.reports.page.packing import data_link, packed
from karat.reports.page.sections import (
    caveats,
    citations,
    differences,
    distillation,
    failures,
    judging,
    leaderboard,
    matrix,
    queries,
    repeat,
    trust,
)
from karat.reports.page.sections.differences import ChangesData
from karat.reports.page.sections.matrix import SHOWN, Matrix
from karat.reports.page.sections.parts import Chart, Section
from karat.reports.page.sections.queries import QueryPage, QueryPages

STATIC = 600_000
"""Up to so many characters of answers are in the page as they are, to be read without its script; more are packed."""
PACK = 400_000
"""About so many characters are packed together."""
MOST = 24_000_000
"""Answers beyond so many characters are left out, and a notice says so: the page would be too large to open."""


def sections_of(contents: Contents) -> list[Section]:
    """The sections that these contents have, from top to bottom."""
    found: Iterable[Section | None] = (
        caveats.section(contents),
        leaderboard.section(contents),
        differences.section(contents),
        matrix.section(contents),
        queries.section(contents),
        citations.section(contents),
        failures.section(contents),
        trust.section(contents),
        judging.section(contents),
        distillation.contingency_section(contents),
        distillation.pyramid_section(contents),
        repeat.section(contents),
    )
    return [section for section in found if section is not None]


def report_page(contents: Contents) -> str:
    """The whole report as HTML."""
    return rendered(contents.title, sections_of(contents), contents)


def rendered(title: str, sections: Sequence[Section], contents: Contents) -> str:
    """A page with these sections."""
    page: str = _template().render(
        title=title,
        sections=sections,
        kind_of=lambda part: type(part).__name__,
        draw=_drawn,
        anchor=_anchor,
        link=data_link,
        packs=_packs(sections),
        pages_of=_pages,
        shown=SHOWN,
        style=_static("report.css"),
        script=_static("report.js"),
        script_hash=b64encode(sha256(_static("report.js").encode()).digest()).decode(),
        made=contents.provenance.time,
    )
    return page


def _anchor(query_id: str) -> str:
    """The name of a query's place in the page: ids may hold anything, a name in a link may not."""
    return f"query-{sha256(query_id.encode()).hexdigest()[:12]}"


def _drawn(chart: Chart) -> Any:
    from markupsafe import Markup

    return Markup(svg_for_page(chart.spec, chart.label))  # noqa: S704 - drawn by vl-convert, which escapes texts


def _pages(pages: QueryPages) -> dict[str, Any]:
    """How the pages of the queries are put into the file: as they are, packed, or only the first of them."""
    size = 0
    kept = []
    for page in pages.pages:
        size += len(page.html)
        if size > MOST:
            break
        kept.append(page)
    left = len(pages.pages) - len(kept)
    notice = (
        f"The answers to the last {number_of(left, 'query')} are left out, because the page would be too large to "
        "open. Their scores and nugs are in the page. To read the answers, report fewer runs or fewer queries."
        if left
        else ""
    )
    static = size <= STATIC
    packs = [] if static else list(_grouped(kept))
    # Where the script finds the answers to a query: in which pack, and at which place of it.
    places = [(f"answers-{number}", at) for number, pack in enumerate(packs) for at in range(len(pack))]
    return {"pages": kept, "static": static, "notice": notice, "packs": packs, "places": places}


def _grouped(pages: Sequence[QueryPage]) -> Iterator[list[str]]:
    """The answers to several queries in one pack: they compress better together, and one is unpacked fast enough."""
    pack: list[str] = []
    size = 0
    for page in pages:
        if pack and size + len(page.html) > PACK:
            yield pack
            pack, size = [], 0
        pack.append(page.html)
        size += len(page.html)
    if pack:
        yield pack


def _packs(sections: Iterable[Section]) -> dict[str, str]:
    """What the script unpacks when it is needed: the rows of the matrix, and long answers."""
    packs = {}
    for part in (part for section in sections for part in section.parts):
        if isinstance(part, ChangesData):
            packs["changes"] = packed(part.data)
        elif isinstance(part, Matrix):
            packs["matrix"] = packed(
                {
                    "runs": part.runs, "rows": part.rows, "queries": part.queries, "importances": part.importances,
                    "kinds": part.kinds, "means": part.means, "spreads": part.spreads, "degrees": part.degrees,
                    "csv": part.data,
                }
            )  # fmt: skip
        elif isinstance(part, QueryPages) and not (shown := _pages(part))["static"]:
            for number, pack in enumerate(shown["packs"]):
                packs[f"answers-{number}"] = packed(pack)
    return packs


@cache
def _static(name: str) -> str:
    return files("karat.reports.page").joinpath("static", name).read_text(encoding="utf-8")


def load_libraries() -> None:
    """Say so before any work if the libraries of the report are not installed."""
    altair()
    _template()


@cache
def _template() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtra("the report", "report") from error
    environment = Environment(
        loader=PackageLoader("karat.reports.page"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    # Control characters in names and texts are made visible, whatever a template prints.
    environment.finalize = lambda value: safe(value) if type(value) is str else value
    return environment.get_template("page.html")
