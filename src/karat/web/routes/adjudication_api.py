"""The API of the adjudication page."""

from __future__ import annotations

from typing import Any

from litestar import get, post

from karat.campaign.adjudication import decisions
from karat.campaign.adjudication import differences as compared
from karat.web.routes.work_api import Number
from karat.web.security import ADJUDICATORS, OVERSEERS, Store, Visit, writing


@get("/api/queries/{number:int}/differences", roles=OVERSEERS, sync_to_thread=True)
def show_differences(request: Visit, number: Number, database: Store) -> Any:
    """Where assessors agree and where they differ."""
    with database.read() as connection:
        return compared.differences(connection, request.user, number)


@post("/api/queries/{number:int}/adjudication", roles=ADJUDICATORS, sync_to_thread=True, status_code=200)
def start_adjudication(request: Visit, number: Number, database: Store) -> Any:
    """Take over what all assessors agree on."""
    with writing(request, database) as connection:
        return decisions.start(connection, request.user, number)


HANDLERS = [show_differences, start_adjudication]
