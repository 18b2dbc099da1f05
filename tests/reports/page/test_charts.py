"""Charts are specs in JSON: their values are those of the results, and their texts are only texts."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from builders.reported import collection
from karat.reports.page.charts.bars import stacked_chart
from karat.reports.page.charts.curves import calibration_chart
from karat.reports.page.charts.drawing import as_json, png, svg, svg_for_page
from karat.reports.page.charts.intervals import interval_chart
from karat.reports.page.page import sections_of
from karat.reports.page.report import report
from karat.reports.page.sections.parts import Chart

pytest.importorskip("altair")

HOSTILE = (
    "<script>alert(1)</script>", "]]><x>&amp;", '"onload="alert(1)', "</svg><img src=x onerror=alert(1)>",
    'fill="#1d5f8b"', "\x1b[2J\u202eabc", "javascript:alert(1)",
)  # fmt: skip


def charts(**options: Any) -> dict[str, Chart]:
    contents = report(collection(), made="", **options).contents
    return {part.name: part for section in sections_of(contents) for part in section.parts if isinstance(part, Chart)}


def test_the_chart_of_scores_has_the_scores() -> None:
    contents = report(collection(), made="").contents
    chart = next(part for section in sections_of(contents) for part in section.parts if isinstance(part, Chart))
    rows = {row["name"]: row for row in chart.spec["data"]["values"]}  # type: ignore[index]
    assert list(rows) == ["best", "good", "fair", "poor"]
    for score in contents.totals:
        row = rows[score.run_id]
        assert (row["value"], row["low"], row["high"]) == (score.value, score.low, score.high)


def test_there_is_a_chart_per_view() -> None:
    assert list(charts()) == ["leaderboard", "differences", "stability"]
    assert list(charts(judge="lexical"))[3:] == ["calibration", "judge-and-people", "bland-altman"]


def test_every_chart_has_its_data_and_a_label_in_words() -> None:
    for chart in charts().values():
        assert chart.data.count("\n") >= 2
        assert len(chart.label.split()) > 5


@pytest.mark.parametrize("name", HOSTILE)
def test_names_in_charts_are_text(name: str) -> None:
    row = {"name": name, "value": 0.5, "low": 0.1, "high": 0.9, "group": name}
    drawn = svg_for_page(interval_chart([row], axis=name), name)
    root = ElementTree.fromstring(drawn)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        "svg", "g", "path", "text", "rect", "line", "defs", "clipPath",
    }  # fmt: skip
    shown = name.replace("\x1b", "\\u001b").replace("\u202e", "\\u202e")
    assert shown in [element.text for element in root.iter() if element.tag.endswith("text")]
    assert root.attrib["aria-label"] == shown


def test_charts_follow_the_theme_of_the_page() -> None:
    rows = [{"probability": 0.5, "share": 0.4, "low": 0.3, "high": 0.5}]
    drawn = svg_for_page(calibration_chart(rows), "a label")
    assert "var(--accent)" in drawn
    assert not re.search(r"#[0-9a-f]{6}", drawn)


def test_a_chart_is_also_a_picture_and_a_spec() -> None:
    spec = stacked_chart([{"name": "a", "kind": "right", "value": 2}], axis="nuggets", colours={"right": "good"})
    assert png(spec)[:8] == b"\x89PNG\r\n\x1a\n"
    assert svg(spec).startswith("<svg")
    assert json.loads(as_json(spec))["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
