"""The application: routes, guard, headers and errors put together around a campaign's database."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.static_files import create_static_files_router

from karat import __version__
from karat.campaign.material.settings import read_settings
from karat.campaign.store.database import Database
from karat.web.description import describe_records
from karat.web.errors import EXCEPTION_HANDLERS
from karat.web.pages import FOLDER
from karat.web.remembered import Remembered
from karat.web.routes import HANDLERS
from karat.web.security import ANYONE, EVERYBODY, MAX_JSON, WebSettings, add_headers, admit

MAX_FORM_PARTS = 120
TITLE_SECONDS = 5.0
"""How long the campaign's title is remembered: every page shows it."""


def create_app(database: Database, *, settings: WebSettings | None = None) -> Litestar:
    """The workbench of one campaign."""
    static = create_static_files_router(
        path="/static", directories=[FOLDER / "static"], opt={"roles": ANYONE}, include_in_schema=False
    )
    app = Litestar(
        # In one router: the framework would wrap a handler once more for every other method of the same path.
        route_handlers=[Router("/", route_handlers=HANDLERS), static],
        guards=[admit],
        before_send=[add_headers],
        exception_handlers=EXCEPTION_HANDLERS,
        dependencies={"database": Provide(give_database, sync_to_thread=False)},
        state=State(
            {
                "database": database,
                "settings": settings or WebSettings(),
                "title": remembered_title(database),
                "remembered": Remembered(database),
            }
        ),
        request_max_body_size=MAX_JSON,
        multipart_form_part_limit=MAX_FORM_PARTS,
        openapi_config=OpenAPIConfig(
            title="Karat workbench",
            version=__version__,
            openapi_router=Router("/api/schema", route_handlers=[], opt={"roles": EVERYBODY}),
            render_plugins=[JsonRenderPlugin()],
        ),
        logging_config=None,
        debug=False,
    )
    describe_records(app)
    return app


def give_database(state: State) -> Database:
    database: Database = state.database
    return database


def remembered_title(database: Database) -> Callable[[], str]:
    """The campaign's title, read anew every few seconds."""
    kept: dict[str, Any] = {"until": 0.0, "title": ""}

    def title() -> str:
        if time.monotonic() > kept["until"]:
            with database.read() as connection:
                kept["title"] = read_settings(connection).title
            kept["until"] = time.monotonic() + TITLE_SECONDS
        return str(kept["title"])

    return title
