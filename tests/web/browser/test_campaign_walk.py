"""A whole campaign in the browser, and an export on which Karat's commands give the numbers computed by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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
        visitor.settled()
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
    assert [problem for theme in ("dark", "light") for problem in visitor.serious_problems(theme)] == []
    page.locator("#reason").fill("The suggestion says it best")
    page.locator("#reason").press("Enter")
    for _ in range(30):
        left = page.locator(".item-list .tag", has_text="open").count()
        if left == 0:
            break
        visitor.press("1")
        page.locator(".item-list .tag", has_text="open").nth(left - 1).wait_for(state="detached")
    finish(visitor)


def bring_document(visitor: Visitor, folder: Path) -> None:
    """The organiser imports what the Arabic snippet cites."""
    file = folder / "doc3.jsonl"
    file.write_text(json.dumps({"kind": "document", "v": 1, "doc_id": "doc3", "text": ARABIC, "language": "ar"}))
    visitor.page.goto("/material")
    visitor.page.set_input_files("input[type=file]", file)
    visitor.page.get_by_role("button", name="Import").click()
    visitor.page.get_by_text("added: 1 document").wait_for()


@pytest.fixture
def walked(visit: Callable[..., Visitor], tmp_path: Path) -> Visitor:
    bring_document(visit("olga"), tmp_path)
    ann, ben = visit("ann"), visit("ben")
    for visitor, correct, weather in ((ann, True, "2"), (ben, False, "1")):
        relevance(visitor, weather)
        nuggets(visitor, correct=correct)
        nugs(visitor, corrected=correct)
        citations(visitor)
        judging = visitor.page.request.post(
            f"/api/queries/{visitor.live.query}/steps/judging",
            data={"done": True},
            headers={"x-csrftoken": visitor.page.locator("meta[name=csrf-token]").get_attribute("content") or ""},
        )
        assert judging.ok
    page = ann.open("votes")
    assert "Votes open when eva has adjudicated this query." in page.locator("#read-only").inner_text()
    adjudicate(visit("eva"))
    for visitor in (ann, ben):
        visitor.page.goto("/")
        visitor.page.get_by_text("adjudicated since: votes to do").wait_for()
        assert votes(visitor) == 3
    return ann


def scores(text: str) -> dict[tuple[str, str], float]:
    rows = [json.loads(line) for line in text.splitlines()]
    return {(row["run_id"], row["measure"]): row.get("value") for row in rows if row["query_id"] == "all"}


def test_export_scores_and_agreement_are_those_computed_by_hand(walked: Visitor, tmp_path: Path) -> None:
    """The adjudicated layer is ann's: nugs of the port (P), the schools (S), and the storm in Lisbon (L).

    alpha says P, L and both halves of S: right 3, missing 0, one half redundant; the hostile passage is irrelevant, 58
    characters without white space, of which 40 make a wrong nug. beta says P and L, and L again in Arabic with degree
    0.5; the weather is irrelevant, 28 characters; S is missing.
    """
    file = tmp_path / "all.jsonl"
    karat("campaign", "export", tmp_path / "campaign", "-o", file)
    by_hand = {
        ("alpha", "recall"): 3 / 3,
        ("alpha", "precision"): 3 / (3 + 1 + 58 / 40),
        ("beta", "recall"): 2 / 3,
        ("beta", "precision"): 2 / (2 + 0.5 + 28 / 40),
    }
    for given in (file, adjudicated(tmp_path)):
        found = scores(karat("score", given, "--format", "jsonl"))
        assert {key: found[key] for key in by_hand} == pytest.approx(by_hand)
    agreement(file)


def adjudicated(folder: Path) -> Path:
    karat("campaign", "export", folder / "campaign", "--adjudicated-only", "-o", folder / "adjudicated.jsonl")
    return folder / "adjudicated.jsonl"


def agreement(file: Path) -> None:
    """ann and ben differ on one of six snippets (the weather), and on the nine letters of "hit Lisbon", twice.

    Kappa: observed 5/6; ann calls 4 and ben 5 of 6 relevant, so by chance (4 * 5 + 2 * 1) / 36. Letters and digits that
    both marked: 21 in the storm, which stands in both runs, 47 of the schools, 17 in Arabic.
    """
    found = scores(karat("agree", file, "--pairs", "--format", "jsonl"))
    by_chance = 22 / 36
    both = 21 + 21 + 47 + 17
    assert found["ann ~ ben", "relevance.relevance_agreement"] == pytest.approx(5 / 6)
    assert found["ann ~ ben", "relevance.cohen_kappa"] == pytest.approx((5 / 6 - by_chance) / (1 - by_chance))
    assert found["ann ~ ben", "nuggets.nugget_overlap"] == pytest.approx(both / (both + 0.5 * 18))
