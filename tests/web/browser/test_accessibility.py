"""axe finds no serious problem on any page, in the light and in the dark; narrow windows; the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

from builders.live import STORM
from builders.visitors import Visitor

STEPS = ("relevance", "nuggets", "nugs", "citations", "votes", "judging")
ORGANISER = ("/", "/progress", "/agreement?by=language", "/people", "/settings", "/material", "/sheets", "/password")


def problems_in_both_themes(visitor: Visitor) -> list[tuple[str, str, list[str]]]:
    return [problem for theme in ("light", "dark") for problem in visitor.serious_problems(theme)]


def begin(visitor: Visitor) -> None:
    """One nugget in one nug, and something redundant: so that every page has something to show."""
    visitor.change(visitor.mark(f"n-{visitor.name}", STORM, "closed the port"))
    members = [{"nugget": f"n-{visitor.name}"}]
    visitor.change((f"g-{visitor.name}", {"kind": "nug", "description": "The port was closed", "members": members}))


def test_task_pages(visit: Callable[..., Visitor]) -> None:
    ann, problems = visit("ann"), []
    begin(ann)
    for step in STEPS:
        ann.open(step)
        if step == "nuggets":
            ann.press("]")
        problems += problems_in_both_themes(ann)
    ann.press("?")
    problems += problems_in_both_themes(ann)
    ann.page.keyboard.press("Escape")
    ann.open("relevance")
    ann.activate(STORM)
    ann.press("3")
    problems += problems_in_both_themes(ann)
    assert problems == []


def test_other_pages(visit: Callable[..., Visitor]) -> None:
    """Of organisers and of people who are not logged in; the adjudication page, too."""
    for name in ("ann", "ben"):
        begin(visit(name))
    olga, problems = visit("olga"), []
    for address in (*ORGANISER, f"/queries/{olga.live.query}/history", f"/queries/{olga.live.query}/adjudication"):
        olga.page.goto(address)
        olga.page.locator("karat-task:not([data-ready])").wait_for(state="detached")
        olga.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        problems += problems_in_both_themes(olga)
    olga.page.goto("/people")
    olga.page.fill("#name", "dora")
    olga.page.get_by_role("button", name="Make a link").click()
    # The click opens a new page and does not wait for it; the page is read once its link is there.
    link = olga.page.locator(".success code").inner_text()
    problems += problems_in_both_themes(olga)
    eva = visit("eva")
    for address in ("/", f"/queries/{eva.live.query}/adjudication"):
        eva.page.goto(address)
        eva.page.locator("karat-task:not([data-ready])").wait_for(state="detached")
        problems += problems_in_both_themes(eva)
    olga.context.clear_cookies()
    for address in (link, "/login", "/nothing-here", "/invitation/not-a-link"):
        olga.page.goto(address)
        problems += problems_in_both_themes(olga)
    assert problems == []


def test_a_narrow_window_needs_no_sideways_scrolling(visit: Callable[..., Visitor]) -> None:
    """1280 pixels at 200 % are 640."""
    ann, olga = visit("ann"), visit("olga")
    begin(ann)
    for visitor in (ann, olga):
        visitor.page.set_viewport_size({"width": 640, "height": 400})
    history = f"/queries/{ann.live.query}/history"
    pages = [(ann, f"/queries/{ann.live.query}/{step}") for step in STEPS] + [(ann, "/"), (ann, history)]
    pages += [(olga, address) for address in (*ORGANISER, history, f"/queries/{ann.live.query}/adjudication")]
    problems = []
    for visitor, address in pages:
        visitor.page.goto(address)
        visitor.page.locator("karat-task:not([data-ready])").wait_for(state="detached")
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        problems += visitor.serious_problems("light")
    assert problems == []


def test_every_task_can_be_done_with_the_keyboard_alone(visit: Callable[..., Visitor]) -> None:
    """From the list of queries through all steps; each step hands over to the next."""
    ann = visit("ann")
    page, keyboard = ann.page, ann.page.keyboard

    def ready(step: str) -> None:
        page.wait_for_url(f"**/{step}")
        page.wait_for_selector("karat-task[data-ready]")

    def finish(*more: str) -> None:
        ann.settled()
        for key in ("Control+Enter", *more):
            keyboard.press(key)
        page.locator("#next-step:focus").wait_for()
        keyboard.press("Enter")

    for _ in range(30):
        keyboard.press("Tab")
        if page.evaluate("document.activeElement?.textContent.startsWith('Relevance')"):
            break
    keyboard.press("Enter")
    ready("relevance")
    for _ in range(5):
        ann.press("1", "Enter")
    finish()
    ready("nuggets")
    for _ in range(5):
        keyboard.press("Home")
        keyboard.press("Shift+ArrowRight")
        keyboard.press("Enter")
        keyboard.press("1")
        keyboard.press("PageDown")
    finish("1")
    ready("nugs")
    for key in ("Space", "ArrowDown", "Space", "n"):
        keyboard.press(key)
    page.locator(".nug").wait_for()
    finish("1")
    ready("citations")
    for _ in range(12):
        keyboard.press("1")
    finish()
    ready("judging")
    for _ in range(2):
        keyboard.press("y")
    page.get_by_text("2 of 2 pairs answered").wait_for()
    keyboard.press("Control+Enter")
    page.get_by_text("This step is finished.").wait_for()
    assert "When the query is adjudicated" in page.locator("#waiting").inner_text()
    assert len(ann.saved("relevance", "relevance")) == 5
    assert len(ann.saved("nugget")) == 5
    assert [len(each["record"]["members"]) for each in ann.saved("nug")] == [2]
    assert len(ann.saved("judgement", "judging")) == 2
