"""Nothing is lost: dropped connections, two tabs, versions that meet, undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builders.live import SCHOOLS, STORM, WEATHER
from builders.visitors import Visitor


def test_changes_wait_for_the_connection_and_survive_a_reload(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    api = "**/api/queries/*/changes"
    page.route(api, lambda route: route.abort())
    for text, key in ((STORM, "1"), (SCHOOLS, "2"), (WEATHER, "2")):
        ann.activate(text)
        ann.press(key)
    page.get_by_text("3 changes wait for the connection").wait_for()
    assert ann.saved("relevance", "relevance") == []
    ann.open("relevance")
    page.get_by_text("3 changes wait for the connection").wait_for()
    page.unroute(api)
    ann.settled()
    labels = {each["key"]: each["record"]["label"] for each in ann.saved("relevance", "relevance")}
    assert labels == {
        str(ann.live.passage(STORM)): "relevant",
        str(ann.live.passage(SCHOOLS)): "irrelevant",
        str(ann.live.passage(WEATHER)): "irrelevant",
    }


def test_a_click_counts_although_an_answer_comes_in_its_middle(visit: Callable[..., Visitor]) -> None:
    """The page is drawn again after an answer; the button that is pressed stays until it is released."""
    ann = visit("ann")
    ann.change(ann.mark("n-port", STORM, "closed the port"), ann.mark("n-schools", SCHOOLS, "Schools stayed closed"))
    page = ann.open("nugs")
    api = "**/api/queries/*/changes"
    held: list[Any] = []
    page.route(api, lambda route: held.append(route))
    page.locator(".pool-list .nugget-button", has_text="the port").click()
    with page.expect_request(api):
        ann.press("n")
    schools = page.locator(".pool-list .nugget-button", has_text="Schools")
    schools.hover()
    page.mouse.down()
    held.pop().continue_()
    page.unroute(api)
    ann.settled()
    page.mouse.up()
    assert schools.get_attribute("aria-pressed") == "true"
    ann.press("n")
    page.locator(".nug").nth(1).wait_for()
    ann.settled()
    assert sorted(each["record"]["members"][0]["nugget"] for each in ann.saved("nug")) == ["n-port", "n-schools"]


def test_two_tabs_see_each_other(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    first, second = ann.open("relevance"), ann.open("relevance", ann.tab())
    ann.activate(STORM, first)
    ann.press("1", page=first)
    second.locator(f'[data-passage="{ann.live.passage(STORM)}"] .tag', has_text="relevant").wait_for()
    ann.activate(STORM, second)
    ann.press("2", page=second)
    first.locator(f'[data-passage="{ann.live.passage(STORM)}"] .tag', has_text="irrelevant").wait_for()
    ann.settled(second)
    (saved,) = ann.saved("relevance", "relevance")
    assert saved["version"] == 2


def test_versions_that_meet_are_shown_side_by_side(visit: Callable[..., Visitor]) -> None:
    """Two browsers of one person: no tab tells the other, the server does."""
    ann, elsewhere = visit("ann"), visit("ann")
    ann.open("relevance")
    elsewhere.open("relevance")
    elsewhere.activate(STORM)
    elsewhere.press("2")
    elsewhere.settled()
    ann.activate(STORM)
    ann.press("1")
    dialog = ann.page.get_by_role("dialog")
    dialog.wait_for()
    shown = dialog.inner_text()
    assert "Mine, made here" in shown
    assert "irrelevant" in shown
    ann.press("1")
    ann.settled()
    (saved,) = ann.saved("relevance", "relevance")
    assert saved["record"]["label"] == "relevant"
    assert saved["version"] == 2


def test_undo_and_redo(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    ann.activate(STORM)
    ann.press("1")
    ann.settled()
    tag = page.locator(f'[data-passage="{ann.live.passage(STORM)}"] .tag', has_text="relevant")
    tag.wait_for()
    ann.press("Control+z")
    tag.wait_for(state="detached")
    ann.press("Control+Shift+z")
    tag.wait_for()


def test_both_versions_of_a_nugget_are_kept(visit: Callable[..., Visitor]) -> None:
    ann, elsewhere = visit("ann"), visit("ann")
    ann.change(ann.mark("n-port", STORM, "the port"))
    for browser in (ann, elsewhere):
        browser.open("nuggets")
        browser.page.locator("#nothing, .nugget-list").first.wait_for()
    elsewhere.activate(STORM)
    elsewhere.page.locator("#item-n-port").click()
    elsewhere.press("1")
    elsewhere.settled()
    ann.activate(STORM)
    ann.page.locator("#item-n-port").click()
    ann.select(STORM, "closed")
    ann.press("Space")
    ann.page.get_by_role("dialog").get_by_role("button", name="Keep both").click()
    ann.settled()
    saved = [each["record"] for each in ann.saved("nugget")]
    assert sorted((len(each["spans"]), each.get("type")) for each in saved) == [(1, "event"), (2, None)]


def test_what_the_server_refuses_is_shown_until_it_is_answered(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    api = "**/api/queries/*/changes"
    problem = {"problems": [{"where": "relevance", "what": "the step is closed"}], "message": "Not possible"}
    page.route(api, lambda route: route.fulfill(status=422, json=problem))
    for text in (STORM, WEATHER):
        ann.activate(text)
        ann.press("2")
    panel = page.locator("#refused")
    panel.get_by_role("heading", name="2 changes were not saved").wait_for()
    assert "relevance: the step is closed" in panel.inner_text()
    assert ann.serious_problems("light") + ann.serious_problems("dark") == []
    page.goto("/")
    assert "2 refused by the server" in page.locator("#kept-here").inner_text()
    page.unroute(api)
    ann.open("relevance")
    assert ann.saved("relevance", "relevance") == []
    panel.get_by_role("button", name="Try again").first.click()
    panel.get_by_role("heading", name="1 change was not saved").wait_for()
    ann.settled()
    assert [each["key"] for each in ann.saved("relevance", "relevance")] == [str(ann.live.passage(STORM))]
    panel.get_by_role("button", name="Discard").click()
    panel.wait_for(state="hidden")
    ann.open("relevance")
    assert panel.is_hidden()
    assert len(ann.saved("relevance", "relevance")) == 1
