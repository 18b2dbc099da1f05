"""An assessor learns nothing of runs, of other assessors' work, or of queries of others: by no route and no number."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from builders.permitted import ALLOWED
from builders.workbench import RUNS, Browser, Workbench

STEPS = ("relevance", "nuggets", "nugs", "citations", "votes", "judging")
SECRET = "zqBENSECRETqz"


def save(browser: Browser, query: int, kind: str, key: str, record: dict[str, object], version: int = 0) -> None:
    body = {
        "request": f"r-{kind}-{key}-{version}",
        "changes": [{"kind": kind, "key": key, "version": version, "record": record}],
    }
    response = browser.post(f"/api/queries/{query}/changes", body)
    assert response.status_code == 200, response.text


def bodies(workbench: Workbench, browser: Browser) -> dict[str, str]:
    """Everything that GET answers, with every number that there is in the store."""
    numbers = {
        "queries": workbench.numbers("query"),
        "documents": workbench.numbers("document"),
        "people": list(workbench.accounts.values()),
    }
    found = {}
    for method, path in ALLOWED:
        if method != "GET" or path.startswith("/static"):
            continue
        for number in numbers[path.split("/{number:int}")[0].rsplit("/", 1)[-1]] if "{number:int}" in path else [0]:
            for step in STEPS if "{step:str}" in path else [""]:
                for owner in ["", *map(str, [0, *workbench.accounts.values()])] if "queries/{" in path else [""]:
                    for run in (*RUNS, "x") if "{run:str}" in path else [""]:
                        where = path.replace("{number:int}", str(number)).replace("{step:str}", step)
                        where = where.replace("{run:str}", f"{run}.csv").replace("{name:str}", "karat")
                        where = where.replace("{token:str}", "x").replace("{path:str}", "x")
                        where += f"?owner={owner}" if owner else ""
                        response = browser.get(where)
                        assert response.status_code < 500, where
                        found[where] = f"{response.headers} {response.text}"
    return found


@pytest.fixture
def worked(workbench: Workbench, browser: Callable[..., Browser]) -> Workbench:
    """ben has annotated both queries, with notes that cannot be overlooked."""
    ben = browser("ben")
    for query_id in ("q1", "q2"):
        query = workbench.queries[query_id]
        for text, passage in workbench.passages(query_id).items():
            record = {"passage": passage, "label": "relevant", "note": SECRET}
            save(ben, query, "relevance", str(passage), record)
            nugget = {"passage": passage, "spans": [[0, len(text)]], "note": SECRET}
            save(ben, query, "nugget", f"n-{SECRET}{passage}", nugget)
    return workbench


def test_an_assessor_sees_no_run_and_no_work_of_others(worked: Workbench, browser: Callable[..., Browser]) -> None:
    seen = bodies(worked, browser("ann"))
    assert len(seen) > 100
    query = worked.queries["q1"]
    assert "The storm hit Lisbon" in seen[f"/api/queries/{query}/work/nuggets"]
    for where, body in seen.items():
        assert not [run for run in RUNS if run.lower() in body.lower()], where
        assert SECRET not in body, where


def test_an_assessor_sees_only_queries_that_are_assigned(worked: Workbench, browser: Callable[..., Browser]) -> None:
    ann = browser("ann")
    other = worked.queries["q2"]
    for where, body in bodies(worked, ann).items():
        assert "Silva" not in body, where
        assert "election" not in body, where
    absent = ann.get("/api/queries/12345/work/nuggets")
    refused = ann.get(f"/api/queries/{other}/work/nuggets")
    assert (absent.status_code, absent.text) == (refused.status_code, refused.text) == (404, absent.text)
    documents = [ann.get(f"/api/documents/{number}").status_code for number in worked.numbers("document")]
    assert sorted(documents) == [200, 404]


def test_the_owner_sees_what_was_saved_and_adjudicators_see_all(
    worked: Workbench, browser: Callable[..., Browser]
) -> None:
    where = f"/api/queries/{worked.queries['q1']}/work/nuggets"
    assert SECRET in browser("ben").get(where).text
    assert SECRET in browser("eva").get(f"{where}?owner={worked.accounts['ben']}").text
    assert SECRET in browser("eva").get(f"/queries/{worked.queries['q1']}/history").text


@pytest.mark.parametrize("owner", ["ben", "adjudicated", "olga"])
def test_an_assessor_writes_only_the_own_layer(worked: Workbench, browser: Callable[..., Browser], owner: str) -> None:
    ann = browser("ann")
    number = worked.accounts.get(owner, 0)
    query = worked.queries["q1"]
    passage = worked.passages("q1")["The storm hit Lisbon."]
    record = {"passage": passage, "label": "irrelevant"}
    change = {"kind": "relevance", "key": str(passage), "version": 1, "record": record}
    posts = {
        "changes": {"request": "r1", "owner": number, "changes": [change]},
        "undo": {"request": "r2", "owner": number},
        "steps/relevance": {"done": True, "owner": number},
        "time": {"step": "relevance", "seconds": 3, "owner": number},
    }
    before = browser("eva").get(f"/api/queries/{query}/work/relevance?owner={worked.accounts['ben']}").text
    for path, body in posts.items():
        assert ann.post(f"/api/queries/{query}/{path}", body).status_code == 404, path
    assert browser("eva").get(f"/api/queries/{query}/work/relevance?owner={worked.accounts['ben']}").text == before


def test_an_assessor_without_the_query_writes_nothing(workbench: Workbench, browser: Callable[..., Browser]) -> None:
    passage = workbench.passages("q1")["The storm hit Lisbon."]
    change = {
        "kind": "relevance",
        "key": str(passage),
        "version": 0,
        "record": {"passage": passage, "label": "relevant"},
    }
    body = {"request": "r", "changes": [change]}
    assert browser("cleo").post(f"/api/queries/{workbench.queries['q1']}/changes", body).status_code == 404


def test_an_organiser_annotates_nothing_but_may_open_a_step(worked: Workbench, browser: Callable[..., Browser]) -> None:
    olga, ben = browser("olga"), browser("ben")
    query, owner = worked.queries["q1"], worked.accounts["ben"]
    assert ben.post(f"/api/queries/{query}/steps/relevance", {"done": True}).status_code == 200
    passage = worked.passages("q1")["The storm hit Lisbon."]
    change = {"kind": "relevance", "key": str(passage), "version": 1, "record": None}
    refused = ben.post(f"/api/queries/{query}/changes", {"request": "late", "changes": [change]})
    assert refused.status_code == 422
    assert refused.json()["problems"]
    reopened = olga.form(f"/queries/{query}/reopen", {"owner": str(owner), "step": "relevance"})
    assert reopened.status_code == 303
    saved = ben.post(f"/api/queries/{query}/changes", {"request": "again", "changes": [change]})
    assert saved.status_code == 200, saved.text
