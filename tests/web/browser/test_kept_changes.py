"""Changes that the server does not take: another person's session, a closed step, a failing server, a lost answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from builders.live import SCHOOLS, STORM, WEATHER
from builders.visitors import Visitor
from builders.workbench import PASSWORD

CHANGES = "**/api/queries/*/changes"


def log_in_as(page: Any, name: str) -> None:
    page.goto("/")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login*")
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", PASSWORD)
    page.click("main form button")
    page.get_by_role("link", name=name, exact=True).wait_for()


def state(page: Any) -> str:
    return str(page.locator(".saved").inner_text())


def labelled(visitor: Visitor) -> list[str]:
    return sorted(each["key"] for each in visitor.saved("relevance", "relevance") if each["record"])


def test_a_tab_of_one_person_never_saves_as_another(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    mine = ann.open("relevance")
    other = ann.tab()
    log_in_as(other, "ben")
    ann.activate(STORM, mine)
    ann.press("1", page=mine)
    mine.get_by_text("Another person is logged in: log in as yourself").wait_for()
    assert labelled(ann) == []  # asked for with ben's session
    ann.open("relevance", other)
    assert state(other) == "Saved"
    assert other.locator(".passage .tag", has_text="relevant").count() == 0
    other.goto("/")
    assert other.locator("#kept-here").is_hidden()
    log_in_as(other, "ann")
    mine.bring_to_front()
    mine.evaluate("window.dispatchEvent(new Event('focus'))")
    mine.get_by_text("Saved", exact=True).wait_for()
    assert labelled(ann) == [str(ann.live.passage(STORM))]


def test_work_for_a_step_that_was_finished_elsewhere_waits_until_it_is_open(
    visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    ann.context.set_offline(True)
    for text, key in ((STORM, "1"), (SCHOOLS, "2"), (STORM, "2")):
        ann.activate(text)
        ann.press(key)
    page.get_by_text("3 changes wait for the connection").wait_for()
    elsewhere = visit("ann")
    elsewhere.finish_steps("relevance")
    ann.context.set_offline(False)
    page.locator(".saved", has_text="3 changes were not saved").wait_for()
    assert "the step relevance is done" in page.locator("#refused").inner_text()
    ann.open("relevance")
    assert state(page) == "3 changes were not saved"
    with page.expect_download() as download:
        page.locator("#download-refused").click()
    download.value.save_as(tmp_path / "kept.json")
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert [each["changes"][0]["record"]["label"] for each in kept] == ["relevant", "irrelevant", "irrelevant"]
    page.get_by_role("button", name="Reopen it").click()
    page.get_by_role("button", name="Finish this step").wait_for()
    page.locator("#again-all").click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert page.locator("#refused").is_hidden()
    labels = {each["key"]: each["record"]["label"] for each in ann.saved("relevance", "relevance")}
    assert labels == {str(ann.live.passage(STORM)): "irrelevant", str(ann.live.passage(SCHOOLS)): "irrelevant"}


def test_refused_work_is_kept_where_the_browser_has_no_room(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    page.route(CHANGES, lambda route: route.fulfill(status=413, json={"message": "too large"}))
    ann.activate(STORM)
    ann.press("1")
    page.locator(".saved", has_text="1 change was not saved").wait_for()
    page.unroute(CHANGES)
    page.locator("#refused").get_by_role("button", name="Try again").click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert labelled(ann) == [str(ann.live.passage(STORM))]


def test_a_server_that_keeps_failing_is_named_and_the_others_go_on(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    storm = str(ann.live.passage(STORM))

    def fail_for_the_storm(route: Any) -> None:
        if route.request.post_data_json["changes"][0]["key"] == storm:
            route.fulfill(status=500, json={"message": "The server made a mistake."})
        else:
            route.continue_()

    page.route(CHANGES, fail_for_the_storm)
    for text in (STORM, SCHOOLS, WEATHER):
        ann.activate(text)
        ann.press("2")
    stuck = page.locator("#stuck")
    stuck.wait_for()
    assert "The server made a mistake." in stuck.inner_text()
    assert stuck.locator("li").count() == 3
    assert state(page) == "The server fails: 3 changes wait"
    assert labelled(ann) == []
    page.locator("#put-aside").click()
    page.locator(".saved", has_text="1 change was not saved").wait_for()
    assert stuck.is_hidden()
    assert labelled(ann) == sorted(str(ann.live.passage(text)) for text in (SCHOOLS, WEATHER))
    page.unroute(CHANGES)
    page.locator("#refused").get_by_role("button", name="Try again").click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert len(labelled(ann)) == 3


def test_a_change_is_put_aside_also_while_it_is_tried_again(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    tries: list[Any] = []

    def fail(route: Any) -> None:
        """Three times; the next answer comes when it is asked for."""
        tries.append(route)
        if len(tries) <= 3:
            route.fulfill(status=500, json={"message": "The server made a mistake."})

    page.route(CHANGES, fail)
    ann.activate(STORM)
    ann.press("2")
    page.locator("#try-now").click()
    while len(tries) <= 3:
        page.wait_for_timeout(20)
    page.locator("#put-aside").click()
    assert state(page) == "The server fails: 1 change waits"
    tries.pop().fulfill(status=500, json={"message": "The server made a mistake."})
    page.locator(".saved", has_text="1 change was not saved").wait_for()
    assert page.locator("#stuck").is_hidden()


def test_an_undo_whose_answer_was_lost_is_done_once(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    for text in (STORM, SCHOOLS, WEATHER):
        ann.activate(text)
        ann.press("2")
        page.get_by_text("Saved", exact=True).wait_for()

    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    undo = "**/api/queries/*/undo"
    for key, left in (("Control+z", 2), ("Control+Shift+z", 3)):
        page.route(undo, lose)
        with page.expect_event("requestfailed"):
            ann.press(key)
        page.get_by_text("Press it again: it is done once.").first.wait_for()
        assert len(labelled(ann)) == left
        page.unroute(undo)
        with page.expect_response(undo):
            ann.press(key)
        # What is redone is what the page knows to be undone: it must have read the answer.
        labels = page.locator(".passage .tag", has_text="irrelevant")
        labels.nth(left).wait_for(state="detached")
        labels.nth(left - 1).wait_for()
        assert len(labelled(ann)) == left
