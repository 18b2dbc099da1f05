"""The board on which people put nuggets together, and the way back to the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builders.live import SCHOOLS, STORM
from builders.visitors import Visitor


def with_nuggets(visitor: Visitor) -> Any:
    visitor.change(
        visitor.mark("n-monday", STORM, "on Monday"),
        visitor.mark("n-port", STORM, "closed the port"),
        visitor.mark("n-schools", SCHOOLS, "Schools stayed closed in Lisbon"),
    )
    return visitor.open("nugs")


def pick(visitor: Visitor, words: str) -> None:
    visitor.page.locator(".pool-list .nugget-button", has_text=words).click()


def nugs(visitor: Visitor) -> list[list[tuple[str, float]]]:
    """The members of each nug with their degrees."""
    visitor.settled()
    members = [[(one["nugget"], one["degree"]) for one in each["record"]["members"]] for each in visitor.saved("nug")]
    return sorted(sorted(each) for each in members)


def test_nugs_are_merged_and_split_by_keys(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = with_nuggets(ann)
    for words in ("the port", "Schools"):
        pick(ann, words)
        ann.press("n")
    assert nugs(ann) == [[("n-port", 1)], [("n-schools", 1)]]
    for card in page.locator(".nug").all():
        card.get_by_role("button", name="Choose the nug").click()
    ann.press("m")
    page.locator(".nug").nth(1).wait_for(state="detached")
    assert nugs(ann) == [[("n-port", 1), ("n-schools", 1)]]
    page.locator(".nug .members .nugget-button", has_text="Schools").click()
    ann.press("x")
    page.locator(".nug").nth(1).wait_for()
    assert nugs(ann) == [[("n-port", 1)], [("n-schools", 1)]]
    ann.press("Control+z")
    page.locator(".nug").nth(1).wait_for(state="detached")
    assert nugs(ann) == [[("n-port", 1), ("n-schools", 1)]]


def test_a_nugget_is_made_anew_from_the_board_and_its_memberships_follow(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = with_nuggets(ann)
    ann.finish_steps("relevance", "nuggets")
    page = ann.open("nugs")
    pick(ann, "the port")
    pick(ann, "Schools")
    ann.press("n")
    ann.settled()
    page.locator(".nug .members li", has_text="Schools").get_by_role("button", name="Show in its text").click()
    page.wait_for_url("**/nuggets**")
    page.wait_for_selector("karat-task[data-ready]")
    assert page.locator(".nugget-now").inner_text() == "Schools stayed closed in Lisbon"
    ann.select(SCHOOLS, "Schools stayed closed")
    ann.press("x", "1")
    ann.settled()
    halves = {each["key"]: each["record"] for each in ann.saved("nugget") if each["record"].get("revises")}
    assert [record["revises"] for record in halves.values()] == [["n-schools"], ["n-schools"]]
    assert nugs(ann) == [sorted([("n-port", 1), *((key, 1) for key in halves)])]
    assert "n-schools" not in {each["key"] for each in ann.saved("nugget") if each["record"]}


def test_a_finished_step_is_read_only_until_it_is_reopened(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = with_nuggets(ann)
    ann.finish_steps("nugs")
    page = ann.open("nugs")
    pick(ann, "the port")
    ann.press("n")
    page.get_by_text("This step is finished. Reopen it").first.wait_for()
    page.get_by_role("button", name="Reopen it").click()
    page.get_by_role("button", name="Finish this step").wait_for()
    ann.press("n")
    page.locator(".nug").first.wait_for()
    assert nugs(ann) == [[("n-port", 1)]]
    ann.press("Control+Enter", "1")
    # The message of before begins with the same words.
    page.locator(".finish .success", has_text="This step is finished.").wait_for()


def test_a_nug_of_each_that_is_left_and_one_undo_takes_all_back(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = with_nuggets(ann)
    pick(ann, "the port")
    ann.press("n", "r")
    page.locator(".nug").nth(2).wait_for()
    assert nugs(ann) == [[("n-monday", 1)], [("n-port", 1)], [("n-schools", 1)]]
    ann.press("Control+z")
    page.locator(".nug").nth(1).wait_for(state="detached")
    assert nugs(ann) == [[("n-port", 1)]]


def test_nugs_with_the_same_text_are_pointed_at(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = with_nuggets(ann)
    ann.press("r")
    page.locator(".nug").nth(2).wait_for()
    # What is typed while the page is drawn again after saving would be lost.
    ann.settled()
    assert page.locator(".same-text").count() == 0
    first = page.locator(".nug textarea").first.input_value()
    page.locator(".nug textarea").nth(2).fill(f"{first}.")
    page.locator(".nug textarea").nth(2).blur()
    page.locator(".nug").nth(0).get_by_text("Same text as nug 3").wait_for()
    page.locator(".nug").nth(2).get_by_text("Same text as nug 1").wait_for()
