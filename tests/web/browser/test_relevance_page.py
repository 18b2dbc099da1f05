"""The page on which people say what is relevant."""

from __future__ import annotations

from collections.abc import Callable

from builders.live import ARABIC, HOSTILE, STORM, WEATHER
from builders.visitors import Visitor


def test_one_key_labels_a_passage_and_it_is_saved(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    ann.open("relevance")
    ann.activate(WEATHER)
    ann.press("2", "o")
    ann.activate(STORM)
    ann.press("1")
    ann.settled()
    saved = {each["key"]: each["record"] for each in ann.saved("relevance", "relevance")}
    assert saved[str(ann.live.passage(WEATHER))] == {
        "kind": "relevance", "passage": ann.live.passage(WEATHER), "label": "irrelevant", "reason": "off_question"
    }  # fmt: skip
    assert saved[str(ann.live.passage(STORM))]["label"] == "relevant"


def test_relevant_text_in_several_pieces(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    ann.open("relevance")
    ann.select(STORM, "The storm 🌪️")
    ann.press("Space")
    ann.select(STORM, "hurt")
    ann.press("Space", "g")
    ann.settled()
    (saved,) = ann.saved("relevance", "relevance")
    hurt = STORM.index("hurt")
    assert saved["record"]["text_spans"] == [[0, 12], [hurt, hurt + 4]]


def test_redundant_points_at_what_it_repeats(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    ann.open("relevance")
    ann.activate(ARABIC)
    ann.press("3")
    ann.page.get_by_role("button", name=STORM[:20]).first.click()
    ann.settled()
    (saved,) = ann.saved("relevance", "relevance")
    assert saved["record"]["redundant_with"] == f"passage:{ann.live.passage(STORM)}"


def test_identical_passages_are_judged_once(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    assert page.locator(f'[data-passage="{ann.live.passage(STORM)}"]').count() == 1
    assert page.get_by_text("judged once").count() >= 1


def test_hostile_text_is_shown_as_text(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    ann.activate(HOSTILE)
    ann.press("2", "n")
    page.keyboard.type('"><svg onload=alert(3)>')
    ann.press("Enter")
    ann.settled()
    assert page.locator(f'[data-passage="{ann.live.passage(HOSTILE)}"] .passage-text').text_content() == HOSTILE
    assert page.locator("main img, main script, main svg").count() == 0
    assert page.get_by_text('Note: "><svg onload=alert(3)>').count() == 1
