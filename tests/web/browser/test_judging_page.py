"""Judging: the least certain pair first, and what the program thinks only after one's own answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builders.live import Live, serve
from builders.visitors import Visitor
from karat.model import Judgement, Nug, Query, Record, Response, Run, Snippet


def judged_material() -> list[Record]:
    """The program is sure of the port, and unsure and wrong about the schools."""
    texts = (
        Snippet(snippet_id="1", text="The storm closed the port."),
        Snippet(snippet_id="2", text="Schools opened."),
    )
    probable = {"port": 0.98, "schools": 0.6}
    return [
        Query(query_id="q1", text="What did the storm do?"),
        *(Nug(query_id="q1", nug_id=each, descriptions=(f"It closed the {each}",)) for each in probable),
        Run(run_id="alpha"),
        Response(query_id="q1", run_id="alpha", snippets=texts),
        *(
            Judgement(
                query_id="q1", run_id="alpha", nug_id=nug_id, degree=1.0, judge="lexical",
                probabilities={"1": value, "0": round(1 - value, 2)},
            )
            for nug_id, value in probable.items()
        ),
    ]  # fmt: skip


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with serve(tmp_path, judged_material()) as running:
        yield running


def test_the_suggestion_is_shown_after_the_own_answer(visit: Callable[..., Visitor]) -> None:
    ann = visit("ann")
    page = ann.open("judging")
    assert page.locator(".nug-asked").inner_text() == "It closed the schools"
    assert page.locator("#suggestion").count() == 0
    assert page.request.get(f"/api/queries/{ann.live.query}/work/judging").json()["suggestions"] == []
    ann.press("n")
    page.locator("#suggestion").wait_for()
    assert "You: no. The program: yes." in page.locator("#suggestion").inner_text()
    ann.press("Enter")
    page.locator(".nug-asked", has_text="It closed the port").wait_for()
    page.locator("karat-passage").first.evaluate("passage => { passage.focus(); passage.select([10, 25]); }")
    ann.press("Space")
    ann.settled()
    page.get_by_text("Evidence is marked.").wait_for()
    ann.press("y")
    page.get_by_text("2 of 2 pairs answered").wait_for()
    ann.settled()
    saved = {each["record"]["nug"]: each["record"] for each in ann.saved("judgement", "judging")}
    assert sorted(record["degree"] for record in saved.values()) == [0, 1]
    assert [record["evidence"] for record in saved.values() if record["degree"] == 1] == [[[10, 25]]]


def test_judgements_are_adjudicated_beside_the_answer(visit: Callable[..., Visitor]) -> None:
    warned, port, done = "The program: yes. Answer again", "It closed the port", "2 of 2 pairs answered"
    for name, keys in (("ann", {"n": warned, "Enter": port, "y": done}.items()), ("ben", [("y", port), ("y", done)])):
        person = visit(name)
        page = person.open("judging")
        for key, brings in keys:
            person.press(key)
            page.get_by_text(brings).wait_for()
        person.settled()
        person.finish_steps("relevance", "nuggets", "nugs", "citations", "votes", "judging")
    eva = visit("eva")
    page = eva.open("adjudication")
    assert page.locator("article .nug-asked").inner_text() == "It closed the schools"
    assert "Schools opened." in page.locator("article.passage").inner_text()
    eva.press("1")
    page.locator(".item-list .tag", has_text="taken").wait_for()
    eva.settled()
    degrees = [each["record"]["degree"] for each in eva.saved("judgement", "judging")]
    assert sorted(degrees) == [0, 1]
