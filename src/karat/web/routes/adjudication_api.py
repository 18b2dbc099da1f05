"""The API of the adjudication page."""

from __future__ import annotations

from typing import Any

from litestar import get, post

from karat.campaign.adjudication import decisions
from karat.campaign.adjudication import differences as compared
from karat.campaign.store.database import Database
from karat.web.routes.work_api import QueryNumber
from karat.web.security import ADJUDICATORS, OVERSEERS, Visit


@get("/api/queries/{query:int}/differences", roles=OVERSEERS, sync_to_thread=True)
def show_differences(request: Visit, query: QueryNumber, database: Database) -> Any:
    """Where assessors agree and where they differ."""
    with database.read() as connection:
        return compared.differences(connection, query)


@post("/api/queries/{query:int}/adjudication", roles=ADJUDICATORS, sync_to_thread=True, status_code=200)
def start_adjudication(request: Visit, query: QueryNumber, database: Database) -> Any:
    """Take over what all assessors agree on."""
    with database.write() as connection:
        return decisions.start(connection, request.user, query)


HANDLERS = [show_differences, start_adjudication]
