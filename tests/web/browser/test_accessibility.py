"""axe finds no serious problem on any page, in the light and in the dark."""

from __future__ import annotations

from collections.abc import Callable

from builders.live import STORM
from builders.visitors import Visitor

STEPS = ("relevance", "nuggets", "nugs", "citations", "votes", "judging")
ORGANISER = ("/", "/progress", "/agreement", "/people", "/settings", "/material", "/sheets", "/password")


def test_task_pages(visit: Callable[..., Visitor]) -> None:
    ann, problems = visit("ann"), []
    ann.open("nuggets")
    ann.activate(STORM)
    ann.press("]", "y")
    ann.settled()
    ann.open("nugs")
    ann.page.locator(".pool-list .nugget-button").first.click()
    ann.press("n")
    ann.settled()
    for step in STEPS:
        ann.open(step)
        if step == "nuggets":
            ann.press("]")
        for theme in ("light", "dark"):
            problems += ann.serious_problems(theme)
    ann.press("?")
    problems += ann.serious_problems("light")
    assert problems == []


def test_other_pages(visit: Callable[..., Visitor]) -> None:
    """The adjudication page is looked at in test_campaign_walk.py, where there is something to adjudicate."""
    olga, problems = visit("olga"), []
    for address in ORGANISER:
        olga.page.goto(address)
        for theme in ("light", "dark"):
            problems += olga.serious_problems(theme)
    olga.context.clear_cookies()
    olga.page.goto("/login")
    problems += olga.serious_problems("light")
    assert problems == []


def test_a_narrow_window_needs_no_sideways_scrolling(visit: Callable[..., Visitor]) -> None:
    """1280 pixels at 200 % are 640."""
    ann = visit("ann")
    ann.page.set_viewport_size({"width": 640, "height": 400})
    for step in STEPS:
        page = ann.open(step)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), step
