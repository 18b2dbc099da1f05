"""Sessions, forged requests, host names, headers, logins that are tried too often."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from sqlalchemy import update

from builders.workbench import HOST, PASSWORD, Browser, Workbench
from karat.campaign.people.sessions import MOST_PER_NAME
from karat.campaign.store import tables
from karat.web.app import create_app
from karat.web.security import HEADERS, MAX_JSON, MAX_JSON_DEPTH, WebSettings, json_depth

Opener = Callable[..., Browser]


def cookie_of(browser: Browser) -> str:
    return browser.client.cookies["karat-session"]


def test_a_login_makes_a_new_session_and_ignores_one_that_was_planted(workbench: Workbench, browser: Opener) -> None:
    visitor = browser()
    visitor.client.cookies.set("karat-session", "planted", domain=HOST)
    visitor.login("ann")
    first = cookie_of(visitor)
    assert first != "planted"
    visitor.get("/password")
    assert visitor.form("/login", {"name": "ann", "password": PASSWORD}).status_code == 303
    old = browser()
    old.client.cookies.set("karat-session", first, domain=HOST)
    assert old.get("/api/queries").status_code == 401


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(workbench: Workbench) -> None:
    app = create_app(workbench.campaign.database, settings=WebSettings(hosts=(HOST,), https=True))
    plain, safe = Browser(workbench.app), Browser(app)
    for browser in (plain, safe):
        browser.get("/login")
    cookie = plain.form("/login", {"name": "ann", "password": PASSWORD}).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    visit = safe.client.get("/login").headers.get("set-cookie", "") or safe.get("/login").headers["set-cookie"]
    assert "Secure" in visit


def test_logging_out_ends_the_session_on_the_server(browser: Opener) -> None:
    ann = browser("ann")
    token = cookie_of(ann)
    assert ann.form("/logout").status_code == 303
    stolen = browser()
    stolen.client.cookies.set("karat-session", token, domain=HOST)
    assert stolen.get("/api/queries").status_code == 401


def test_a_session_ends_with_time_and_with_the_account(workbench: Workbench, browser: Opener) -> None:
    ann, ben, olga = browser("ann"), browser("ben"), browser("olga")
    with workbench.campaign.database.write() as connection:
        mine = tables.session.c.account == workbench.accounts["ann"]
        connection.execute(update(tables.session).where(mine).values(expires=time.time() - 1))
    assert ann.get("/api/queries").status_code == 401
    assert olga.form(f"/people/{workbench.accounts['ben']}/active", {"active": "no"}).status_code == 303
    assert ben.get("/api/queries").status_code == 401


def test_a_new_password_ends_all_other_sessions(browser: Opener) -> None:
    here, elsewhere = browser("ann"), browser("ann")
    wrong = {"old_password": "wrong wrong wrong", "password": "other words now", "again": "other words now"}
    assert here.form("/password", wrong).status_code == 422
    differ = {"old_password": PASSWORD, "password": "other words now", "again": "other words then"}
    assert here.form("/password", differ).status_code == 422
    assert elsewhere.get("/api/queries").status_code == 200
    assert here.form("/password", {**wrong, "old_password": PASSWORD}).status_code == 303
    assert here.get("/api/queries").status_code == 200
    assert elsewhere.get("/api/queries").status_code == 401
    browser().login("ann", "other words now")


def test_guessing_passwords_is_stopped(browser: Opener) -> None:
    visitor = browser()
    visitor.get("/login")
    for _ in range(MOST_PER_NAME):
        assert visitor.form("/login", {"name": "ann", "password": "guess"}).status_code == 401
    refused = visitor.form("/login", {"name": "ann", "password": PASSWORD})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert browser("ben").get("/api/queries").status_code == 200


def test_a_wrong_name_and_a_wrong_password_look_the_same(browser: Opener) -> None:
    visitor = browser()
    visitor.get("/login")
    texts = {
        re.sub(r'value="[^"]*"', "", visitor.form("/login", {"name": name, "password": "guess"}).text)
        for name in ("ann", "nobody of that name")
    }
    assert len(texts) == 1


def test_an_invitation_works_once(browser: Opener) -> None:
    olga, guest, late = browser("olga"), browser(), browser()
    page = olga.form("/people", {"name": "dora", "role": "assessor", "languages": "ar zh"}).text
    path = re.search(r"http://testserver\.local(/invitation/[\w\-]+)", page)
    assert path is not None
    assert "dora" in guest.get(path[1]).text
    late.get(path[1])
    short = {"password": "short", "again": "short"}
    assert guest.form(path[1], short).status_code == 422
    chosen = {"password": "four words of dora", "again": "four words of dora"}
    assert guest.form(path[1], chosen).status_code == 303
    assert guest.get("/api/queries").json()["queries"] == []
    assert late.form(path[1], chosen).status_code == 422
    assert late.get(path[1]).status_code == 404
    assert path[1] not in olga.get("/people").text


@pytest.mark.parametrize("token", ["", "0" * 64, "wrong"])
def test_a_forged_request_is_refused(workbench: Workbench, browser: Opener, token: str) -> None:
    ann = browser("ann")
    path = f"/api/queries/{workbench.queries['q1']}/time"
    body = {"step": "relevance", "seconds": 1}
    assert ann.post(path, body, token=token).status_code == 403
    assert ann.client.post(path, json=body).status_code == 403
    assert ann.form("/logout", token=token).status_code == 403
    assert ann.post(path, body).status_code == 200


def test_the_token_of_another_session_is_refused(workbench: Workbench, browser: Opener) -> None:
    ann, ben = browser("ann"), browser("ben")
    path = f"/api/queries/{workbench.queries['q1']}/time"
    assert ann.post(path, {"step": "relevance", "seconds": 1}, token=ben.token).status_code == 403


def test_a_page_of_another_person_is_refused(workbench: Workbench, browser: Opener) -> None:
    ann, numbers = browser("ann"), workbench.accounts
    path, body = f"/api/queries/{workbench.queries['q1']}/time", {"step": "relevance", "seconds": 1}
    for page_of, status in ((numbers["ben"], 401), ("", 401), (numbers["ann"], 200)):
        answer = ann.post(path, body, headers={"x-karat-account": str(page_of)})
        assert answer.status_code == status
        assert (answer.json().get("message") == "Another person is logged in.") == (status == 401)


def test_a_request_of_another_site_is_refused(workbench: Workbench, browser: Opener) -> None:
    ann = browser("ann")
    path, body = f"/api/queries/{workbench.queries['q1']}/time", {"step": "relevance", "seconds": 1}
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200)):
        assert ann.post(path, body, headers={"sec-fetch-site": site}).status_code == status


def test_a_login_needs_the_token_of_its_page(browser: Opener) -> None:
    visitor = browser()
    assert visitor.form("/login", {"name": "ann", "password": PASSWORD}, token="x").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "testserver.local.evil.example", ""])
def test_another_host_name_is_refused(browser: Opener, host: str) -> None:
    assert browser().get("/login", headers={"host": host}).status_code == 400


def test_every_answer_has_the_headers(workbench: Workbench, browser: Opener) -> None:
    olga = browser("olga")
    paths = ["/", "/login", "/people", "/nothing", "/api/queries", "/api/nothing", "/static/css/base.css", "/static/no"]
    for path in paths:
        response = olga.get(path)
        for name, value in HEADERS.items():
            assert response.headers[name] == value, (path, name)
        kept = "no-cache" if path == "/static/css/base.css" else "no-store"
        assert response.headers["cache-control"] == kept, path
    assert "unsafe" not in HEADERS["content-security-policy"]


@pytest.mark.parametrize(
    "next_page", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_a_login_leads_to_no_other_site(browser: Opener, next_page: str) -> None:
    visitor = browser()
    visitor.get("/login")
    response = visitor.form("/login", {"name": "ann", "password": PASSWORD, "next": next_page})
    assert response.headers["location"] == "/"


def test_json_is_bounded_in_size_and_depth(workbench: Workbench, browser: Opener) -> None:
    ann = browser("ann")
    path = f"/api/queries/{workbench.queries['q1']}/changes"
    headers = {"content-type": "application/json", "x-csrftoken": ann.token}
    large = b'{"request": "' + b"x" * MAX_JSON + b'"}'
    assert ann.client.post(path, content=large, headers=headers).status_code == 413
    deep = b'{"request":"r","changes":' + b"[" * (MAX_JSON_DEPTH + 1) + b"]" * (MAX_JSON_DEPTH + 1) + b"}"
    assert ann.client.post(path, content=deep, headers=headers).status_code == 400
    very_deep = b"[" * 900_000
    assert ann.client.post(path, content=very_deep, headers=headers).status_code == 400
    assert ann.client.post(path, content=b"{", headers=headers).status_code == 400


@pytest.mark.parametrize("part", [b'"', b'\\"', b'"\\', b'"a\\"', b"[", b"\\"])
@pytest.mark.parametrize("end", [b"", b"\\", b'"'])
def test_the_depth_of_json_is_measured_in_one_pass(part: bytes, end: bytes) -> None:
    """Eight times the bytes take about eight times as long; trying every quote anew takes 64 times as long."""

    def cost(times: int) -> float:
        body = b'"' + part * times + end
        rounds = []
        for _ in range(3):
            start = time.process_time()
            json_depth(body)
            rounds.append(time.process_time() - start)
        return min(rounds)

    assert cost(16_000) < 32 * (cost(2_000) + 1e-4)


def test_the_token_is_asked_for_before_the_body_is_read(
    workbench: Workbench, browser: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    from karat.web import security

    looked: list[bytes] = []
    monkeypatch.setattr(security, "json_depth", lambda body: looked.append(body) or 0)
    headers = {"content-type": "application/json"}
    assert browser().client.post("/login", content=b'"' * 30_000, headers=headers).status_code == 403
    path = f"/api/queries/{workbench.queries['q1']}/time"
    assert browser("ann").client.post(path, content=b'"' * 30_000, headers=headers).status_code == 403
    assert looked == []


def test_an_error_shows_no_traceback(workbench: Workbench, browser: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.web.routes import queries

    ann = browser("ann")

    def broken(*_: object) -> None:
        raise RuntimeError("zqSECRETqz")

    monkeypatch.setattr(queries.assignments, "assigned", broken)
    for path in ("/", "/api/queries"):
        response = ann.get(path)
        assert response.status_code == 500
        assert "zqSECRETqz" not in response.text
        assert "Traceback" not in response.text
        assert "Nothing that was saved is lost" in response.text
