"""Adjudication: who is not done, rewriting, and the organiser who looks on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builders.live import SCHOOLS, STORM
from builders.visitors import Visitor

STEPS = ("relevance", "nuggets", "nugs", "citations", "judging")
"""Votes wait for the adjudication."""


def label(visitor: Visitor, text: str, value: str) -> tuple[str, dict[str, Any]]:
    number = visitor.live.passage(text)
    return str(number), {"kind": "relevance", "passage": number, "label": value}


def annotate(visit: Callable[..., Visitor]) -> tuple[Visitor, Visitor]:
    """ann and ben agree on the storm; they differ on the schools, and on the extent of a nugget."""
    ann, ben = visit("ann"), visit("ben")
    ann.change(label(ann, STORM, "relevant"), label(ann, SCHOOLS, "relevant"), ann.mark("n-a", STORM, "hit Lisbon"))
    ben.change(
        label(ben, STORM, "relevant"), label(ben, SCHOOLS, "irrelevant"), ben.mark("n-b", STORM, "hit Lisbon on Monday")
    )
    return ann, ben


def layer(visitor: Visitor, kind: str) -> list[dict[str, Any]]:
    visitor.settled()
    return [each["record"] for each in visitor.saved(kind) if each["record"]]


def test_before_they_are_done_it_says_who_is_behind_and_waits(visit: Callable[..., Visitor]) -> None:
    ann, _ben = annotate(visit)
    ann.finish_steps(*STEPS)
    eva = visit("eva")
    page = eva.open("adjudication")
    said = page.locator("#behind").inner_text()
    assert "ben has not finished relevance, nuggets, nugs, citations and judging." in said
    assert "ann has" not in said
    assert layer(eva, "relevance") == []
    page.get_by_role("button", name="Start adjudication").click()
    page.get_by_text("1 agreement, taken over").wait_for()
    assert [each["label"] for each in layer(eva, "relevance")] == ["relevant"]
    assert "new agreement or difference" in page.locator("#behind").inner_text()


def test_an_agreement_that_is_not_true_any_more_is_open(visit: Callable[..., Visitor]) -> None:
    ann, ben = annotate(visit)
    eva = visit("eva")
    page = eva.open("adjudication")
    page.get_by_role("button", name="Start adjudication").click()
    page.get_by_text("1 agreement, taken over").wait_for()
    key, record = label(ann, STORM, "irrelevant")
    body = {"request": "later", "changes": [{"kind": "relevance", "key": key, "version": 1, "record": record}]}
    ann.send(f"/api/queries/{ann.live.query}/changes", body)
    page = eva.open("adjudication")
    assert page.locator(".item-list .tag", has_text="open").count() == 3
    ben.send(f"/api/queries/{ben.live.query}/changes", body)
    page = eva.open("adjudication")
    assert page.locator(".item-list .tag", has_text="open").count() == 3
    assert page.locator("#outdated").count() == 1
    assert [each["label"] for each in layer(eva, "relevance")] == ["relevant"]
    page.get_by_role("button", name="Take over new agreements").click()
    page.locator("#outdated").wait_for(state="detached")
    page.get_by_text("1 agreement, taken over").wait_for()
    assert [each["label"] for each in layer(eva, "relevance")] == ["irrelevant"]


def test_undoing_the_start_loses_no_agreement(visit: Callable[..., Visitor]) -> None:
    for person in annotate(visit):
        person.finish_steps(*STEPS)
    eva = visit("eva")
    page = eva.open("adjudication")
    for _ in range(2):
        page.get_by_text("1 agreement, taken over").wait_for()
        assert [each["label"] for each in layer(eva, "relevance")] == ["relevant"]
        with page.expect_response("**/undo"):
            page.get_by_role("button", name="Undo").click()
        assert layer(eva, "relevance") == []
        eva.open("adjudication")
    assert [each["label"] for each in layer(eva, "relevance")] == ["relevant"]


def test_nothing_to_compare_is_said(visit: Callable[..., Visitor]) -> None:
    page = visit("eva").open("adjudication")
    assert "before two people have worked on it" in page.locator("#behind").inner_text()
    assert page.get_by_role("button", name="Start adjudication").count() == 0


def test_a_difference_is_rewritten_with_a_reason(visit: Callable[..., Visitor]) -> None:
    for person in annotate(visit):
        person.finish_steps(*STEPS)
    eva = visit("eva")
    page = eva.open("adjudication")
    page.locator(".item-list button", has_text="Nugget").click()
    page.locator("#reason").fill("the day is a nugget of its own")
    page.locator("#reason").press("Enter")
    eva.press("w")
    page.locator("#rewrite-type").wait_for()
    eva.select(STORM, "The storm")
    eva.press("Space")
    page.locator("#rewrite-type").fill("event")
    page.locator("#save-rewritten").click()
    page.locator(".item-list .tag", has_text="rewritten").wait_for()
    (nugget,) = layer(eva, "nugget")
    hit = STORM.index("hit Lisbon")
    assert nugget["spans"] == [[0, 9], [hit, hit + len("hit Lisbon")]]
    assert nugget["type"] == "event"
    (decision,) = [each for each in layer(eva, "decision") if each["choice"] == "rewritten"]
    assert decision["reason"] == "the day is a nugget of its own"


def test_an_organiser_reads_and_changes_nothing(visit: Callable[..., Visitor]) -> None:
    for person in annotate(visit):
        person.finish_steps(*STEPS)
    olga = visit("olga")
    page = olga.open("adjudication")
    assert "You can read this, not change it: an adjudicator decides" in page.locator("#read-only").inner_text()
    assert page.get_by_role("button", name="Take this").count() == 0
    assert page.locator("#finish").count() == 0
    olga.press("1", "w", "l")
    assert page.locator(".item-list .tag", has_text="open").count() == 2
    page.goto("/agreement")
    page.get_by_role("link", name=SCHOOLS).first.click()
    page.wait_for_selector("karat-task[data-ready]")
    assert page.locator("h2.answer-head").inner_text().startswith("Relevance: ann: relevant; ben: irrelevant")
    page.goto("/progress")
    page.get_by_role("link", name="nuggets of ann, q1: done, 1 item").click()
    page.wait_for_selector("karat-task[data-ready]")
    assert "it is the work of somebody else" in page.locator("#read-only").inner_text()
    assert page.locator(".passage .tag", has_text="1 nugget").count() == 1
