"""Every route says who may use it, and refuses everybody else."""

from __future__ import annotations

import pytest
from litestar.routes import HTTPRoute

from builders.permitted import ALLOWED, ANYONE
from builders.workbench import PEOPLE, Browser, Workbench


def routes(workbench: Workbench) -> set[tuple[str, str]]:
    """Every method and path of the application, without the OPTIONS that the framework adds."""
    found = set()
    for route in workbench.app.routes:
        assert isinstance(route, HTTPRoute), route.path
        found |= {(method, route.path) for method in route.methods}
    return {(method, path) for method, path in found if method != "OPTIONS"}


def address(workbench: Workbench, path: str) -> str:
    """A path with numbers that exist."""
    number = workbench.accounts["ben"] if path.startswith("/people") else workbench.queries["q1"]
    if path.startswith("/api/documents"):
        number = workbench.numbers("document")[0]
    values = {
        "{number:int}": str(number), "{step:str}": "nuggets", "{token:str}": "x", "{path:str}": "x",
        "{name:str}": "karat", "{file_path:path}": "css/base.css",
    }  # fmt: skip
    for name, value in values.items():
        path = path.replace(name, value)
    return path


@pytest.fixture(scope="module")
def browsers(shared: Workbench) -> dict[str, Browser]:
    made = {"nobody": Browser(shared.app)}
    made["nobody"].get("/login")
    for name in PEOPLE:
        made[name] = Browser(shared.app).login(name)
    return made


def test_the_table_names_every_route(shared: Workbench) -> None:
    assert routes(shared) == set(ALLOWED)


@pytest.mark.parametrize(("method", "path"), sorted(ALLOWED))
def test_a_route_refuses_the_wrong_roles_and_the_anonymous(
    shared: Workbench, browsers: dict[str, Browser], method: str, path: str
) -> None:
    allowed = ALLOWED[method, path]
    where = address(shared, path)
    for name, browser in browsers.items():
        role = PEOPLE.get(name, "anyone")
        if allowed == ANYONE or role in allowed:
            continue
        before = browser.token
        if method == "GET":
            response = browser.get(where)
        elif where.startswith("/api/"):
            response = browser.post(where, {})
        else:
            response = browser.form(where)
        browser.token = before
        if role == "anyone" and not where.startswith("/api/"):
            assert response.status_code == 303, (name, where)
            assert response.headers["location"].startswith("/login"), (name, where)
        else:
            assert response.status_code == (401 if role == "anyone" else 403), (name, where)


def test_a_route_that_says_nothing_is_refused(shared: Workbench, browsers: dict[str, Browser]) -> None:
    from litestar import Litestar, get

    from karat.web.security import WebSettings, admit

    @get("/forgotten", sync_to_thread=False)
    def forgotten() -> str:
        return "secret"

    from litestar.datastructures import State

    state = State({"database": shared.campaign.database, "settings": WebSettings(hosts=("testserver.local",))})
    app = Litestar([forgotten], guards=[admit], state=state, openapi_config=None, logging_config=None)
    browser = Browser(app)
    assert browser.get("/forgotten").status_code == 401
    browser.client.cookies = browsers["olga"].client.cookies
    assert browser.get("/forgotten").status_code == 403


@pytest.mark.parametrize("path", sorted({path for _, path in ALLOWED}))
def test_options_tell_nothing(shared: Workbench, browsers: dict[str, Browser], path: str) -> None:
    response = browsers["nobody"].client.options(address(shared, path), follow_redirects=False)
    assert response.status_code in (303, 401, 204)
    assert response.status_code != 204 or ALLOWED.get(("GET", path), ALLOWED.get(("POST", path))) == ANYONE
