"""The page on which people mark nuggets: pieces, keys, suggestions, and what no nugget covers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builders.live import ARABIC, SCHOOLS, STORM
from builders.visitors import Visitor

MOST_KEYS = 8


def nuggets(visitor: Visitor) -> list[dict[str, Any]]:
    return [each["record"] for each in visitor.saved("nugget")]


def test_a_nugget_of_three_pieces_over_an_emoji_takes_few_keys(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    ann.open("nuggets")
    ann.select(STORM, "The storm 🌪️")
    ann.press("Enter")
    ann.select(STORM, "closed")
    ann.press("Space")
    ann.select(STORM, "the port")
    ann.press("Space")
    ann.press("1")
    ann.settled()
    closed, port = STORM.index("closed"), STORM.index("the port")
    (saved,) = nuggets(ann)
    assert saved["spans"] == [[0, 12], [closed, closed + 6], [port, port + 8]]
    assert saved["type"] == "event"
    assert ann.keys <= MOST_KEYS
    assert ann.keys == 4


def test_the_same_with_the_keyboard_alone(visit: Callable[..., Visitor]) -> None:
    """Arrows move by word, Shift extends, Ctrl moves by character; a grapheme is never torn."""
    ann = visit("ann")
    page = ann.open("nuggets")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    for _ in range(5):
        page.keyboard.press("PageDown")
        if page.evaluate("document.activeElement.textContent") == STORM:
            break
    else:
        ann.activate(STORM)
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    ann.settled()
    (saved,) = nuggets(ann)
    lisbon = STORM.index("Lisbon")
    assert saved["spans"] == [[0, 12], [lisbon, lisbon + 6]]
    page.keyboard.press("Control+ArrowRight")
    page.keyboard.press("Shift+End")
    page.keyboard.press("Enter")
    ann.settled()
    assert len(nuggets(ann)) == 2


def test_arabic_is_selected_from_right_to_left(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("nuggets")
    ann.activate(ARABIC)
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Enter")
    ann.settled()
    (saved,) = nuggets(ann)
    assert [ARABIC[start:end] for start, end in saved["spans"]] == ["ضربت العاصفة"]


def test_split_and_join_with_a_reason(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    ann.open("nuggets")
    ann.select(SCHOOLS, SCHOOLS)
    ann.press("Enter")
    ann.select(SCHOOLS, "Schools stayed closed in Lisbon")
    ann.press("x", "4")
    ann.settled()
    split = nuggets(ann)
    assert {each["revision"] for each in split} == {"split"}
    assert {each["reason"] for each in split} == {"partly_supported"}
    ann.press("j", "1")
    ann.settled()
    (joined,) = nuggets(ann)
    assert joined["revision"] == "joined"
    assert joined["reason"] == "too_fine"
    assert len(joined["revises"]) == 2
    ann.press("Control+z")
    ann.page.get_by_text("3 of").first.wait_for(state="hidden")
    ann.settled()
    ann.page.locator(".nugget-list li").nth(1).wait_for()
    assert len(nuggets(ann)) == 2


def test_a_corrected_suggestion_keeps_both_versions(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    ann.open("nuggets")
    ann.activate(STORM)
    ann.press("]")
    ann.select(STORM, "hit Lisbon")
    ann.press("Space")
    ann.settled()
    (saved,) = nuggets(ann)
    assert saved["source"] == "corrected"
    assert saved["revision"] == "extended"
    assert saved["revises"][0].startswith("suggestion:")


def test_uncovered_characters_and_nothing_here(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("nuggets")
    card = page.locator(f'[data-passage="{ann.live.passage(SCHOOLS)}"]')
    ann.activate(SCHOOLS)
    assert "47 of 47 letters and digits are in no nugget (dotted)" in card.inner_text()
    ann.press("0")
    ann.settled()
    assert ann.saved("reviewed")[0]["record"]["passage"] == ann.live.passage(SCHOOLS)
    ann.select(SCHOOLS, "Schools stayed closed in Lisbon,")
    ann.press("Enter")
    assert "20 of 47 letters and digits are in no nugget" in card.inner_text()
    ann.select(SCHOOLS, "some 30 km from the coast")
    ann.press("Enter")
    assert card.locator(".passage-foot").inner_text() == "0 of 47 letters and digits are in no nugget"


def test_an_answer_to_a_suggestion_is_explained_and_asked_for_where_the_passage_is_irrelevant(
    visit: Callable[..., Visitor],
) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    ann.activate(STORM)
    ann.press("2")
    ann.settled()
    page = ann.open("nuggets")
    ann.activate(STORM)
    hint = page.locator("#suggestion-keys")
    assert (
        " ".join(hint.inner_text().split())
        == "1 suggestion: ] goes to it, then y accepts, r rejects; change it to correct it."
    )
    ann.press("]", "y")
    page.get_by_text("This passage is marked irrelevant").wait_for()
    ann.press("Escape")
    assert nuggets(ann) == []
    ann.press("y", "1")
    page.locator("#suggestion-keys").wait_for(state="detached")
    ann.settled()
    (saved,) = nuggets(ann)
    assert saved["source"] == "auto"


def test_types_say_what_they_mean(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("nuggets")
    ann.select(STORM, "Monday")
    ann.press("Enter")
    meant = page.get_by_role("button", name="PER", exact=False).first.get_attribute("title")
    assert meant == "PER: a person who takes part"
    assert "not in the text" in page.locator("#world").get_attribute("title")
