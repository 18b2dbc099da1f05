"""A whole campaign in the browser: two assessors, an adjudicator, and an export on which Karat's commands agree with us."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.live import ARABIC, HOSTILE, SCHOOLS, STORM, WEATHER
from builders.visitors import Visitor

ARABIC_WORDS = "ضربت العاصفة لشبونة"


def karat(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "karat", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def finish(visitor: Visitor) -> None:
    visitor.settled()
    visitor.press("Control+Enter")
    visitor.page.get_by_text("This step is finished.").wait_for()


def relevance(visitor: Visitor, weather: str) -> None:
    visitor.open("relevance")
    for text, key in ((STORM, "1"), (SCHOOLS, "1"), (ARABIC, "1"), (WEATHER, weather), (HOSTILE, "2")):
        visitor.activate(text)
        visitor.press(key)
    finish(visitor)


def nuggets(visitor: Visitor, *, correct: bool) -> None:
    """The discontiguous nugget over the emoji, the Arabic one, the schools; the suggestion is corrected or rejected."""
    visitor.open("nuggets")
    visitor.activate(STORM)
    visitor.press("]")
    if correct:
        visitor.select(STORM, "hit Lisbon")
        visitor.press("Space")
    else:
        visitor.press("r")
    visitor.press("Escape")
    visitor.select(STORM, "The storm 🌪️")
    visitor.press("Enter")
    for words in ("closed", "the port"):
        visitor.select(STORM, words)
        visitor.press("Space")
    visitor.press("1")
    visitor.select(ARABIC, ARABIC_WORDS)
    visitor.press("Enter", "1")
    visitor.select(SCHOOLS, SCHOOLS.rstrip("."))
    visitor.press("Enter", "1")
    visitor.page.keyboard.press("Escape")
    if not correct:
        # ben found the weather relevant, and looked for nuggets in it.
        visitor.activate(WEATHER)
        visitor.press("0")
    finish(visitor)


def pick(visitor: Visitor, words: str) -> None:
    visitor.page.locator(".pool-list .nugget-button", has_text=words).click()


def nugs(visitor: Visitor, *, corrected: bool) -> None:
    """One nug of the port, one of the schools, one that the corrected nugget and the Arabic one share."""
    page = visitor.open("nugs")
    pick(visitor, "the port")
    visitor.press("n")
    pick(visitor, "Schools")
    visitor.press("n")
    pick(visitor, ARABIC_WORDS)
    visitor.press("n")
    if corrected:
        page.get_by_text("1 nugget is in no nug").wait_for()
        pick(visitor, "hit Lisbon")
        page.get_by_role("button", name=f"Choose the nug {ARABIC_WORDS}").click()
        visitor.press("a")
        degree = page.get_by_label(f"Degree of: {ARABIC_WORDS}")
        degree.fill("0.5")
        degree.press("Tab")
    visitor.settled()
    finish(visitor)


def citations(visitor: Visitor) -> None:
    """The nugget of the schools is supported half by each of two sources: it is split here."""
    page = visitor.open("citations")
    page.locator(".item-list button", has_text="Schools").click()
    page.keyboard.press("Escape")
    visitor.press("x")
    page.locator(".item-list button", has_text="some 30 km").wait_for()
    for _ in range(20):
        if page.locator(".item-list .tag", has_text="open").count() == 0:
            break
        visitor.press("1")
    finish(visitor)


def votes(visitor: Visitor) -> int:
    """One key per nug."""
    page = visitor.open("votes")
    rows = page.locator(".vote").count()
    before = visitor.keys
    visitor.press(*["v"] * rows)
    pressed = visitor.keys - before
    assert pressed == rows
    finish(visitor)
    return rows


def adjudicate(visitor: Visitor) -> None:
    """ann is right everywhere; the first decision gives the reason."""
    page = visitor.open("adjudication")
    page.locator("#reason").fill("The suggestion says it best")
    page.locator("#reason").press("Enter")
    for _ in range(30):
        left = page.locator(".item-list .tag", has_text="open").count()
        if left == 0:
            break
        visitor.press("1")
        page.locator(".item-list .tag", has_text="open").nth(left - 1).wait_for(state="detached")
    finish(visitor)


@pytest.fixture
def walked(visit: Callable[..., Visitor]) -> Visitor:
    ann, ben = visit("ann"), visit("ben")
    for visitor, correct, weather in ((ann, True, "2"), (ben, False, "1")):
        relevance(visitor, weather)
        nuggets(visitor, correct=correct)
        nugs(visitor, corrected=correct)
        citations(visitor)
        assert votes(visitor) == 3
        judging = visitor.page.request.post(
            f"/api/queries/{visitor.live.query}/steps/judging",
            data={"done": True},
            headers={"x-csrftoken": visitor.page.locator("meta[name=csrf-token]").get_attribute("content") or ""},
        )
        assert judging.ok
    adjudicate(visit("eva"))
    return ann


def test_export_scores_and_agreement_are_those_computed_by_hand(walked: Visitor, tmp_path: Path) -> None:
    place = tmp_path / "campaign"
    karat("campaign", "export", place, "-o", tmp_path / "all.jsonl")
    print(karat("score", tmp_path / "all.jsonl", "--format", "jsonl"))
    print(karat("agree", tmp_path / "all.jsonl"))
    (tmp_path / "all.jsonl").rename("/tmp/shots/all.jsonl") if False else __import__("shutil").copy(
        tmp_path / "all.jsonl", "/tmp/shots/all.jsonl"
    )
    rows: list[dict[str, Any]] = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert rows
