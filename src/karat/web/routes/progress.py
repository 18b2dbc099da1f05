"""Progress, agreement and participants' sheets, for organisers and adjudicators."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from litestar import Response, get
from litestar.params import QueryParameter

from karat.campaign.results import sheets
from karat.campaign.results.agreement import CampaignAgreement, agreement
from karat.campaign.results.agreement_words import by_work
from karat.campaign.results.progress import ProgressPage, progress
from karat.campaign.store.database import Database
from karat.model import UsageError
from karat.web.pages import render_page
from karat.web.remembered import Kept
from karat.web.routes.work_api import PageNumber
from karat.web.security import OVERSEERS, Store, Visit
from karat.web.separate import compute_apart

Parts = Annotated[Literal["", "language", "medium", "structure"], QueryParameter()]
PATIENCE_SECONDS = 10.0
"""How long a visitor waits for figures that nobody has asked for before; then the page says that they are coming."""
RunName = Annotated[str, QueryParameter(max_length=1000)]


@get("/progress", roles=OVERSEERS, sync_to_thread=True, include_in_schema=False)
def progress_page(request: Visit, page: PageNumber = 1) -> Response[str]:
    def compute(database: Database) -> ProgressPage:
        with database.read() as connection:
            return progress(connection, page)

    kept = request.app.state.remembered.get(f"progress {page}", compute)
    return render_page(request, "organiser/progress.html", tab="progress", shown=kept.value, kept=kept)


@get("/api/progress", roles=OVERSEERS, sync_to_thread=True)
def show_progress(request: Visit, database: Store, page: PageNumber = 1) -> ProgressPage:
    """Per query and person which steps are done, and the time they took."""
    with database.read() as connection:
        return progress(connection, page)


@get("/agreement", roles=OVERSEERS, sync_to_thread=True, include_in_schema=False)
def agreement_page(request: Visit, by: Parts = "") -> Response[str]:
    kept = _agreement(request, by, wait=PATIENCE_SECONDS)
    works = [] if kept.value is None else by_work(kept.value)
    return render_page(request, "organiser/agreement.html", tab="agreement", kept=kept, works=works, by=by)


@get("/api/agreement", roles=OVERSEERS, sync_to_thread=True)
def show_agreement(request: Visit, by: Parts = "") -> CampaignAgreement:
    """How much the assessors agree, and the items with the least agreement."""
    found = _agreement(request, by).value
    assert found is not None
    return found


@get("/sheets", roles=OVERSEERS, sync_to_thread=True, include_in_schema=False)
def sheets_page(request: Visit, database: Store) -> Response[str]:
    with database.read() as connection:
        known = sheets.runs(connection)
    return render_page(request, "organiser/sheets.html", tab="sheets", runs=known)


@get("/sheets/csv", roles=OVERSEERS, sync_to_thread=True, include_in_schema=False)
def sheet_file(request: Visit, database: Store, run: RunName) -> Response[str]:
    """The sheet of one run, to send to the people who made it."""
    with database.read() as connection:
        known = sheets.runs(connection)
    if run not in known:
        raise UsageError("There is no run of this name.")
    rows = request.app.state.remembered.get("sheets", _all_sheets).value.of(run)
    name = f"sheet-{known.index(run) + 1}.csv"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(sheets.to_csv(rows), media_type="text/csv; charset=utf-8", headers=headers)


def _all_sheets(database: Database) -> sheets.Sheets:
    return compute_apart(database, sheets.all_sheets)


def _agreement(request: Visit, by: str, *, wait: float | None = None) -> Kept[CampaignAgreement]:
    def compute(database: Database) -> CampaignAgreement:
        return compute_apart(database, agreement, by=by or None)

    kept: Kept[CampaignAgreement] = request.app.state.remembered.get(f"agreement {by}", compute, wait=wait)
    return kept


HANDLERS: list[Any] = [progress_page, show_progress, agreement_page, show_agreement, sheets_page, sheet_file]
