"""Positions, sets of spans, and memberships, tried in the browser against Python."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builders.live import material, serve
from builders.visitors import Visitor

TEXTS = ["plain", "a🌪️b", "👩‍👩‍👧 family", "𝒳𝒴", "ضربت العاصفة", "风暴袭击了里斯本。", "", "🌪"]


@pytest.fixture(scope="module")
def page(chromium: Any, filled_live: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One page for all: modules are imported into it, and nothing is saved."""
    folder = tmp_path_factory.mktemp("modules")
    shutil.copytree(filled_live, folder / "campaign")
    with serve(folder, material()) as live:
        ann = Visitor(chromium, live, "ann")
        yield ann.page
        ann.context.close()
        assert ann.foreign == []
        assert ann.errors == []


def test_code_points_and_units(page: Any) -> None:
    for text in TEXTS:
        there, back = page.evaluate(
            """async (text) => {
                const { Offsets } = await import("/static/text/offsets.js");
                const offsets = new Offsets(text);
                const units = Array.from({ length: offsets.points + 1 }, (_, point) => offsets.toUnit(point));
                return [units, units.map((unit) => offsets.toPoint(unit))];
            }""",
            text,
        )
        assert there == [len(text[:point].encode("utf-16-le")) // 2 for point in range(len(text) + 1)]
        assert back == list(range(len(text) + 1))


def test_words_of_languages(page: Any) -> None:
    words = page.evaluate(
        """async (texts) => {
            const { words } = await import("/static/text/segments.js");
            return texts.map((text) => words(text).map(({ start, end }) => text.slice(start, end)));
        }""",
        ["The storm 🌪️ hit.", "ضربت العاصفة", "风暴袭击了里斯本"],
    )
    assert words[0] == ["The", "storm", "🌪️", "hit", "."]
    assert words[1] == ["ضربت", "العاصفة"]
    assert len(words[2]) > 1


def test_memberships_follow_and_the_rules_hold(page: Any) -> None:
    """n1 and n2 are joined: both nugs had them; the lone membership wins, because a lone member has degree 1."""
    result = page.evaluate(
        """async () => {
            const { copyOf, replaceNuggets } = await import("/static/tasks/nugs/membership.js");
            const nugs = copyOf([
                { key: "g1", record: { description: "A", best: "n1", members: [{ nugget: "n1" }] } },
                { key: "g2", record: { description: "B", members: [{ nugget: "n2", degree: 0.5 }, { nugget: "n3" }] } },
            ]);
            const notes = replaceNuggets(nugs, ["n1", "n2"], ["n9"]);
            return [Object.fromEntries(nugs), notes.length];
        }"""
    )
    assert result[0]["g1"]["members"] == [{"nugget": "n9", "degree": 1}]
    assert result[0]["g1"]["best"] == "n9"
    assert result[0]["g2"]["members"] == [{"nugget": "n3"}]
    assert result[1] == 1


def test_a_chosen_number_stays_chosen_when_the_page_is_drawn_again(page: Any) -> None:
    """Who has come to a number and then writes replaces it, even if something was saved in between."""
    page.evaluate(
        """async () => {
            const { fill, h } = await import("/static/ui/dom.js");
            const place = document.body.appendChild(h("div"));
            window.redraw = () => fill(place, h("input", { type: "number", id: "a-number", step: 0.05, value: 1 }));
            window.redraw();
            document.getElementById("a-number").select();
            window.redraw();
        }"""
    )
    page.keyboard.insert_text("0.5")
    page.evaluate("window.redraw()")
    assert page.locator("#a-number").input_value() == "0.5"
