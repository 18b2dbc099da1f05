"""After a step: the next step, the next query, or the list; and messages that do not pile up."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import select

from builders.live import ARABIC, HOSTILE, SCHOOLS, STORM, WEATHER
from builders.visitors import Visitor
from karat.campaign.material.importing import import_records
from karat.campaign.store import tables
from karat.campaign.work.assignments import assign_query
from karat.model import Query

ALL_BUT_JUDGING = ("relevance", "nuggets", "nugs", "citations")
"""Votes wait for the adjudication."""


def give_another_query(visitor: Visitor) -> int:
    """A second query for the person; its number."""
    bench = visitor.live.workbench
    with bench.campaign.database.write() as connection:
        import_records(connection, [Query(query_id="q9", text="Where was the storm?")])
        columns = tables.query.c
        number = connection.execute(select(columns.number).where(columns.query_id == "q9")).scalar_one()
        assign_query(connection, number, bench.accounts[visitor.name])
    return int(number)


def test_the_last_step_leads_to_the_next_query_with_something_open(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    other = give_another_query(ann)
    ann.finish_steps(*ALL_BUT_JUDGING)
    page = ann.open("judging")
    ann.press("Control+Enter")
    page.locator("#next-query").wait_for()
    assert page.locator("#all-queries").get_attribute("href") == "/"
    reopen, way = page.get_by_role("button", name="Reopen it").bounding_box(), page.locator(".onward").bounding_box()
    assert reopen["y"] >= way["y"] + way["height"]
    page.locator("#next-query:focus").wait_for()
    ann.press("Enter")
    page.wait_for_url(f"**/queries/{other}/relevance")
    page.get_by_role("link", name="Queries", exact=True).click()
    page.wait_for_url(ann.live.address + "/")
    page.get_by_role("link", name="Where was the storm?", exact=True).click()
    page.wait_for_url(f"**/queries/{other}/relevance")


def test_without_another_open_query_the_list_is_offered(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    ann.finish_steps(*ALL_BUT_JUDGING, "judging")
    page = ann.open("judging")
    page.get_by_text("No other query has an open step.").wait_for()
    assert page.locator("#next-query").count() == 0
    page.locator("#all-queries").click()
    page.wait_for_url(ann.live.address + "/")


def test_redundant_offers_what_was_said_before_and_digits_choose_what_is_seen(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    ann.activate(WEATHER)
    ann.press("3")
    offered = page.locator("dialog .answers").inner_text()
    before, _, elsewhere = offered.partition("In another answer")
    assert STORM in before
    assert ARABIC in before
    assert SCHOOLS in elsewhere
    assert HOSTILE in elsewhere
    assert WEATHER not in offered
    third = page.locator("dialog .answer", has=page.locator("kbd", has_text="3")).locator("span").first.inner_text()
    ann.press("3")
    ann.settled()
    (saved,) = ann.saved("relevance", "relevance")
    number = int(saved["record"]["redundant_with"].removeprefix("passage:"))
    assert third.startswith(next(text for text in (SCHOOLS, HOSTILE) if ann.live.passage(text) == number))
    ann.activate(STORM)
    ann.press("3")
    page.get_by_text("No other passage comes before this one").wait_for()  # both answers begin with it
    assert page.locator("dialog").count() == 0


def test_equal_messages_are_one_with_a_count(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("nuggets")
    ann.activate(SCHOOLS)
    ann.press("y", "y", "y")
    page.locator(".announcement", has_text="(3 times)").wait_for()
    assert page.locator(".announcement").count() == 1


def test_the_title_is_not_under_the_bar_after_going_down_and_up(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("relevance")
    page.set_viewport_size({"width": 1280, "height": 520})
    for _ in range(5):
        ann.press("PageDown")
    assert page.evaluate("window.scrollY") > 0
    for _ in range(5):
        ann.press("PageUp")
    bar, title = page.locator(".bar").bounding_box(), page.locator("h1").bounding_box()
    assert title["y"] >= bar["y"] + bar["height"]
