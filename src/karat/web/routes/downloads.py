"""Files to take away: exports of the annotations, and participants' sheets."""

from __future__ import annotations

import datetime
import tempfile
from collections import Counter
from pathlib import Path
from typing import Literal

from litestar import get
from litestar.background_tasks import BackgroundTask
from litestar.params import FromPath, FromQuery
from litestar.response import File
from sqlalchemy import Connection

from karat.campaign.results.export import export_records
from karat.campaign.results.export_files import EXPORTS as KINDS
from karat.campaign.results.export_files import write_export
from karat.web.security import ORGANISERS, Store, Visit
from karat.web.separate import compute_apart

ExportName = Literal["karat", "nuggetizer", "brat", "trec"]
EXPORTS = [(name, kind.title) for name, kind in KINDS.items()]


@get("/export/{name:str}", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def export(request: Visit, name: FromPath[ExportName], database: Store, adjudicated: FromQuery[bool] = False) -> File:
    """All annotations, or the adjudicated ones only."""
    folder = tempfile.TemporaryDirectory(prefix="karat-export-")
    today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    file_name = f"campaign-{name}{'-adjudicated' if adjudicated else ''}-{today}{KINDS[name].suffix}"
    path = Path(folder.name) / file_name
    try:
        compute_apart(database, _export_to, name, path, adjudicated_only=adjudicated)
    except BaseException:
        folder.cleanup()
        raise
    return File(
        path,
        filename=file_name,
        content_disposition_type="attachment",
        media_type="application/zip" if path.suffix == ".zip" else "application/jsonl",
        background=BackgroundTask(folder.cleanup),
    )


def _export_to(connection: Connection, name: str, path: Path, *, adjudicated_only: bool) -> None:
    skipped = Counter[str]()
    records = export_records(connection, adjudicated_only=adjudicated_only, skipped=skipped)
    write_export(records, name, path, skipped=skipped)


HANDLERS = [export]
