"""Material: what is in the campaign, imports by upload, and giving queries to assessors."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from litestar import Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import UploadFile
from msgspec.structs import asdict

from karat.campaign.material.counts import material_counts, queries_without_assessors
from karat.campaign.material.importing import import_files
from karat.campaign.material.settings import read_settings
from karat.campaign.people.accounts import log_event
from karat.campaign.work.assignments import assign
from karat.formats import FORMAT_NAMES
from karat.model import InputError, UsageError
from karat.web.pages import render_page
from karat.web.routes.downloads import EXPORTS
from karat.web.security import ORGANISERS, Store, Visit, writing
from karat.web.uploads import MAX_FILES, MAX_UPLOAD, save_uploads

SHOWN_PROBLEMS = 50


@get("/material", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def material_page(request: Visit, database: Store) -> Response[str]:
    return _material(request, database)


@post("/material", roles=ORGANISERS, include_in_schema=False, request_max_body_size=MAX_UPLOAD)
async def upload(request: Visit, database: Store) -> Response[str]:
    """Import the files that were sent: all of them or nothing."""
    form = await request.form()
    files = [value for value in form.getall("files", []) if isinstance(value, UploadFile)]
    named, skip = form.get("format") or None, form.get("skip") == "yes"
    with tempfile.TemporaryDirectory(prefix="karat-upload-") as folder:
        try:
            paths = await sync_to_thread(save_uploads, files, Path(folder))
        except UsageError as error:
            return await sync_to_thread(_material, request, database, problem=str(error))
        return await sync_to_thread(_import, request, database, paths, named, skip)


def _import(request: Visit, database: Store, paths: list[Path], named: Any, skip: bool) -> Response[str]:
    if not paths:
        return _material(request, database, problem="No file was sent.")
    if named is not None and named not in FORMAT_NAMES:
        return _material(request, database, problem="There is no such format.")
    try:
        done = import_files(
            database, *paths, format=named, on_error="skip" if skip else "stop", ignore_annotation=skip,
            by=request.user.number,
        )  # fmt: skip
    except InputError as error:
        problems = [_without_folder(str(problem), paths) for problem in error.problems[:SHOWN_PROBLEMS]]
        left = len(error.problems) - len(problems) + error.unlisted
        words = "The files cannot be read as they are; nothing was imported."
        return _material(request, database, problem=words, problems=[*problems, *_and_more(left)])
    except UsageError as error:
        return _material(request, database, problem=_without_folder(str(error), paths))
    skipped = [f"skipped: {problem}" for problem in done.problems[:SHOWN_PROBLEMS]]
    lines = [*done.lines(), *skipped, *_and_more(len(done.problems) - len(skipped))]
    return _material(request, database, said=[_without_folder(line, paths) for line in lines])


@post("/material/assign", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def assign_queries(request: Visit, database: Store) -> Response[str]:
    """Give every query to as many assessors as the settings say."""
    try:
        with writing(request, database) as connection:
            done = assign(connection)
            log_event(connection, f"assigned queries: {done.added} new", by=request.user.number)
    except UsageError as error:
        return _material(request, database, problem=str(error))
    loads = ", ".join(f"{name}: {load}" for name, load in done.loads.items())
    return _material(request, database, said=[f"{done.added} assignments were added. Queries per assessor: {loads}."])


def _and_more(left: int) -> list[str]:
    return [f"... and {left:,} more"] if left else []


def _without_folder(line: str, paths: Iterable[Path]) -> str:
    """Messages name the file as the person knows it."""
    for path in paths:
        line = line.replace(str(path), path.name)
    return line


def _material(
    request: Visit, database: Store, *, problem: str = "", problems: list[str] | None = None,
    said: list[str] | None = None,
) -> Response[str]:  # fmt: skip
    with database.read() as connection:
        counts = {name.replace("_", " "): count for name, count in asdict(material_counts(connection)).items()}
        per_query = read_settings(connection).assessors_per_query
        waiting = queries_without_assessors(connection, per_query)
    values = {
        "counts": counts, "unassigned": waiting, "per_query": per_query,
        "problem": problem, "problems": problems or [], "said": said or [],
        "formats": FORMAT_NAMES, "exports": EXPORTS, "max_megabytes": MAX_UPLOAD // 1_000_000, "max_files": MAX_FILES,
    }  # fmt: skip
    return render_page(request, "organiser/material.html", tab="material", status=422 if problem else 200, **values)


HANDLERS = [material_page, upload, assign_queries]
