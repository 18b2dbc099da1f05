"""A database that cannot be written to, threads of readers and writers, failed results, accounts that are closed."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable

import pytest

from builders.workbench import Browser, Workbench
from karat.campaign.people.accounts import set_active
from karat.campaign.store import database as store
from karat.campaign.store.database import DATABASE_FILE
from karat.web.lanes import Lanes, writes
from karat.web.remembered import Remembered

Opener = Callable[..., Browser]


def test_who_reads_goes_on_while_another_program_locks_the_database(
    workbench: Workbench, browser: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = browser("ann")
    monkeypatch.setattr(store, "WAIT_SECONDS", 0.05)
    workbench.campaign.database.engine.dispose()
    other = sqlite3.connect(f"{workbench.campaign.place}/{DATABASE_FILE}", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    path, body = f"/api/queries/{workbench.queries['q1']}/time", {"step": "relevance", "seconds": 1}
    try:
        refused = ann.post(path, body)
        assert ann.get("/api/queries").status_code == 200
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) > 0
    assert "try again" in refused.json()["message"]
    assert ann.post(path, body).status_code == 200


def test_writers_who_wait_leave_threads_to_readers() -> None:
    go_on = threading.Event()
    with Lanes(readers=1, writers=1) as lanes:
        token = writes.set(True)
        stuck = [lanes.submit(go_on.wait, 60) for _ in range(3)]
        writes.reset(token)
        try:
            assert lanes.submit(lambda: "read").result(60) == "read"
        finally:
            go_on.set()
        assert all(each.result(60) for each in stuck)


def test_a_result_that_failed_is_computed_again(workbench: Workbench) -> None:
    kept = Remembered(workbench.campaign.database)

    def broken(_: object) -> str:
        raise ValueError("once")

    with pytest.raises(ValueError, match="once"):
        kept.get("x", broken)
    assert kept.get("x", lambda _: "fine").value == "fine"


def test_an_account_that_is_closed_while_a_request_waits_writes_nothing(
    workbench: Workbench, browser: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard has let the request in; then the organiser closes the account."""
    from karat.web.routes import work_api

    ann, number = browser("ann"), workbench.accounts["ann"]
    checked = work_api._checked

    def close_first(sent: object) -> object:
        with workbench.campaign.database.write() as connection:
            set_active(connection, number, False)
        return checked(sent)  # type: ignore[arg-type]

    monkeypatch.setattr(work_api, "_checked", close_first)
    passage = next(iter(workbench.passages("q1").values()))
    record = {"passage": passage, "label": "relevant"}
    changes = [{"kind": "relevance", "key": str(passage), "version": 0, "record": record}]
    answer = ann.post(f"/api/queries/{workbench.queries['q1']}/changes", {"request": "r", "changes": changes})
    assert answer.status_code == 401
    assert workbench.numbers("annotation") == []


def test_an_invitation_opens_a_session_whatever_failed_before(workbench: Workbench, browser: Opener) -> None:
    from karat.campaign.people.invitations import invite
    from karat.campaign.people.sessions import MOST_PER_NAME

    guest = browser()
    guest.get("/login")
    for _ in range(MOST_PER_NAME):
        guest.form("/login", {"name": "ann", "password": "guess"})
    with workbench.campaign.database.write() as connection:
        token = invite(connection, workbench.accounts["ann"])
    guest.get(f"/invitation/{token}")
    chosen = {"password": "four words of ann", "again": "four words of ann"}
    assert guest.form(f"/invitation/{token}", chosen).status_code == 303
    assert guest.get("/api/queries").status_code == 200
    browser().login("ann", "four words of ann")


@pytest.mark.parametrize("number", [-1, 2**53, 2**63, 10**30])
def test_a_number_that_no_database_holds_is_refused(workbench: Workbench, browser: Opener, number: int) -> None:
    ann = browser("ann")
    spans = {"kind": "nugget", "key": "n-1", "version": 0, "record": {"passage": 1, "spans": [[0, max(1, number)]]}}
    label = {"kind": "relevance", "key": "1", "version": 0, "record": {"passage": number, "label": "relevant"}}
    vote = {"kind": "nug", "key": "g-1\n", "version": 0, "record": {"description": "x"}}
    for sent in (spans, label):
        body = {"request": "r", "changes": [sent]}
        answer = ann.post(f"/api/queries/{workbench.queries['q1']}/changes", body)
        assert answer.status_code == 422, answer.text
    body = {"request": "r", "changes": [vote]}
    assert ann.post(f"/api/queries/{workbench.queries['q1']}/changes", body).status_code == 400
