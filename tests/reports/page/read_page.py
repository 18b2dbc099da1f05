"""A report as a reader finds it: the tables of its sections with their visible cells and their data as CSV."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

CSV = "data:text/csv;charset=utf-8;base64,"


@dataclass
class PageTable:
    """A table; `csv` has the rows behind "data as CSV" below it."""

    section: str
    caption: str = ""
    rows: list[list[str]] = field(default_factory=list)
    csv: list[dict[str, str]] = field(default_factory=list)

    @property
    def head(self) -> list[str]:
        return self.rows[0]

    @property
    def body(self) -> list[list[str]]:
        return self.rows[1:]


@dataclass
class Page:
    tables: list[PageTable]
    charts: dict[tuple[str, str], list[dict[str, str]]]
    """By the section and the name of the file that its data have."""
    packs: dict[str, Any]

    def table(self, section: str, caption: str = "") -> PageTable:
        (found,) = [table for table in self.tables if (table.section, table.caption) == (section, caption)]
        return found


def read_page(html: str) -> Page:
    """Every table, chart and pack of a page."""
    reader = _Reader()
    reader.feed(html)
    packs = {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in reader.packs.items()}
    return Page(reader.tables, reader.charts, packs)


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[PageTable] = []
        self.charts: dict[tuple[str, str], list[dict[str, str]]] = {}
        self.packs: dict[str, str] = {}
        self._section = ""
        self._in_table = self._in_figure = False
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "section":
            self._section = given["id"]
        elif tag == "table":
            self.tables.append(PageTable(self._section))
            self._in_table = True
        elif tag == "figure":
            self._in_figure = True
        elif tag == "tr" and self._in_table:
            self.tables[-1].rows.append([])
        elif (tag in ("td", "th", "caption") and self._in_table) or given.get("id", "").startswith("pack-"):
            self._text = []
            if tag == "script":
                self._pack = given["id"].removeprefix("pack-")
        elif tag == "a" and given.get("class") == "csv":
            rows = csv_rows(base64.b64decode(given["href"].removeprefix(CSV)).decode())
            if self._in_figure:
                self.charts[self._section, given["download"].removesuffix(".csv")] = rows
            else:
                self.tables[-1].csv = rows

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._in_table = False
        elif tag == "figure":
            self._in_figure = False
        elif self._text is not None and tag in ("td", "th", "caption", "script"):
            text = "".join(self._text).strip()
            if tag == "caption":
                self.tables[-1].caption = text
            elif tag == "script":
                self.packs[self._pack] = text
            else:
                self.tables[-1].rows[-1].append(text)
            self._text = None
