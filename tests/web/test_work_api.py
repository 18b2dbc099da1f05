"""Saving, versions, repeated requests, undo, steps, time and documents, as pages use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from builders.workbench import Browser, Workbench

Opener = Callable[..., Browser]
TEXT = "The storm hit Lisbon."


@pytest.fixture
def path(workbench: Workbench) -> str:
    return f"/api/queries/{workbench.queries['q1']}"


@pytest.fixture
def passage(workbench: Workbench) -> int:
    return workbench.passages("q1")[TEXT]


def change(passage: int, label: str | None, version: int = 0) -> dict[str, Any]:
    record = None if label is None else {"kind": "relevance", "passage": passage, "label": label}
    return {"kind": "relevance", "key": str(passage), "version": version, "record": record}


def test_two_tabs_never_overwrite_each_other(browser: Opener, path: str, passage: int) -> None:
    one, two = browser("ann"), browser("ann")
    first = one.post(f"{path}/changes", {"request": "a", "changes": [change(passage, "relevant")]})
    assert first.status_code == 200
    assert [(row["kind"], row["key"], row["version"]) for row in first.json()["annotations"]] == [
        ("relevance", str(passage), 1)
    ]
    refused = two.post(f"{path}/changes", {"request": "b", "changes": [change(passage, "irrelevant")]})
    assert refused.status_code == 409
    (standing,) = refused.json()["conflict"]
    assert (standing["version"], standing["record"]["label"]) == (1, "relevant")
    assert "kept in the history" in refused.json()["message"]
    batches = one.get(f"{path}/history").json()["batches"]
    assert [batch["refused"] for batch in batches] == [True, False]
    assert batches[0]["changes"][0]["after"]["label"] == "irrelevant"
    again = two.post(f"{path}/changes", {"request": "c", "changes": [change(passage, "irrelevant", 1)]})
    assert again.status_code == 200


def test_a_request_that_arrives_twice_is_done_once(browser: Opener, path: str, passage: int) -> None:
    ann = browser("ann")
    body = {"request": "same", "changes": [change(passage, "relevant")]}
    first, second = ann.post(f"{path}/changes", body), ann.post(f"{path}/changes", body)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert len(ann.get(f"{path}/history").json()["batches"]) == 1


def test_undo_and_redo(browser: Opener, path: str, passage: int) -> None:
    ann = browser("ann")
    assert ann.post(f"{path}/undo", {"request": "nothing"}).status_code == 404
    ann.post(f"{path}/changes", {"request": "a", "changes": [change(passage, "relevant")]})
    undone = ann.post(f"{path}/undo", {"request": "u"})
    assert undone.status_code == 200
    assert undone.json()["annotations"][0].get("record") is None
    redone = ann.post(f"{path}/undo", {"request": "r", "batch": undone.json()["batch"]})
    assert redone.json()["annotations"][0]["record"]["label"] == "relevant"


def test_broken_rules_are_all_said_and_nothing_is_saved(browser: Opener, path: str, passage: int) -> None:
    ann = browser("ann")
    outside = {"kind": "nugget", "key": "n-1", "version": 0, "record": {"passage": passage, "spans": [[0, 999]]}}
    unknown = {"kind": "relevance", "key": "1", "version": 0, "record": {"passage": 1, "label": "great"}}
    response = ann.post(f"{path}/changes", {"request": "a", "changes": [change(passage, "relevant"), outside, unknown]})
    assert response.status_code == 422
    assert all(problem["where"] and problem["what"] for problem in response.json()["problems"])
    assert ann.get(f"{path}/history").json()["batches"] == []


@pytest.mark.parametrize(
    "body",
    [{}, {"request": "a"}, {"request": "a", "changes": []}, {"request": "", "changes": [{}]}, [], "x", None,
     {"request": "a", "changes": [{"kind": "x", "key": "k", "version": 0}]},
     {"request": "a", "changes": [{"kind": "vote", "key": "k", "version": -1}]},
     {"request": "a", "changes": [{"kind": "vote", "key": "k", "version": 10**30}]}],
)  # fmt: skip
def test_a_body_that_is_none_is_refused_in_words(browser: Opener, path: str, body: object) -> None:
    response = browser("ann").post(f"{path}/changes", body)
    assert response.status_code in (400, 422)
    assert response.json()["message"]


def test_task_data_has_what_pages_need(browser: Opener, path: str, passage: int) -> None:
    ann = browser("ann")
    ann.post(f"{path}/changes", {"request": "a", "changes": [change(passage, "relevant")]})
    shown = ann.get(f"{path}/work/relevance").json()
    assert shown["query"]["text"] == "What did the storm do?"
    assert [answer["label"] for answer in shown["answers"]] == ["Answer 1", "Answer 2"]
    assert TEXT in {each["text"] for each in shown["passages"]}
    assert [row["record"]["label"] for row in shown["annotations"] if row["kind"] == "relevance"] == ["relevant"]
    assert ann.get(f"{path}/work/cooking").status_code in (400, 404)
    cited = next(each for each in shown["passages"] if each["text"] == TEXT)["citations"][0]
    document = ann.get(f"/api/documents/{cited['document']}").json()
    assert document["text"] == "The storm reached Lisbon on Monday."


def test_steps_and_time(browser: Opener, path: str) -> None:
    ann, olga = browser("ann"), browser("olga")
    assert ann.post(f"{path}/steps/relevance", {"done": True}).json() == {"done": True}
    assert ann.post(f"{path}/time", {"step": "relevance", "seconds": 12.5}).status_code == 200
    for seconds in (-1, 99999, "x", None):
        assert ann.post(f"{path}/time", {"step": "relevance", "seconds": seconds}).status_code in (400, 422)
    assert ann.get("/api/queries").json()["queries"][0]["steps"][0] == {
        "step": "relevance",
        "done": True,
        "waits": False,
    }
    (query, *_) = olga.get("/api/progress").json()["queries"]
    (state, *_) = next(person for person in query["people"] if person["name"] == "ann")["steps"]
    assert state["seconds"] == 12.5
    assert state["done"]


def test_adjudication_takes_agreements_over(browser: Opener, path: str, passage: int) -> None:
    for name in ("ann", "ben"):
        browser(name).post(f"{path}/changes", {"request": f"{name}1", "changes": [change(passage, "relevant")]})
        browser(name).post(f"{path}/steps/relevance", {"done": True})
    eva = browser("eva")
    assert eva.post(f"{path}/adjudication", {}).status_code == 200
    taken = eva.get(f"{path}/work/relevance?owner=0").json()["annotations"]
    assert [row["record"]["label"] for row in taken if row["kind"] == "relevance"] == ["relevant"]
    assert {each["name"] for each in eva.get(f"{path}/differences").json()["assessors"]} == {"ann", "ben"}
