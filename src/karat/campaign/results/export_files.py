"""An export as one file to give away: Karat's records, or a zip of another tool's files.

Other tools know no assessors, so a zip has one folder per layer: each assessor's own work, and what was adjudicated.
What a format cannot hold is listed in losses.txt.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from karat.campaign.results.export import skipped_lines
from karat.formats import Losses, write, write_bytes
from karat.formats.annotation.annotated_text import JoinedText
from karat.model import AnyRecord, Collection, KaratError, UsageError

ADJUDICATED_FOLDER = "adjudicated"
SHARED_FOLDER = "all"


class ExportKind(NamedTuple):
    """What can be chosen: its title, the ending of the file, and the formats in the zip with their file names."""

    title: str
    suffix: str
    formats: tuple[tuple[str, str], ...] = ()


EXPORTS = {
    "karat": ExportKind("Karat's own records (JSONL)", ".jsonl"),
    "nuggetizer": ExportKind(
        "nuggetizer: bank and assignments (zip)",
        ".zip",
        (("nuggetizer-bank", "bank.jsonl"), ("nuggetizer-assignments", "assignments.jsonl")),
    ),
    "brat": ExportKind("brat standoff (zip)", ".zip"),
    "trec": ExportKind(
        "TREC QA and RAG: key, pyramid, judged responses, citations (zip)",
        ".zip",
        (
            ("trec-qa-key", "key.txt"),
            ("trec-qa-pyramid", "pyramid.txt"),
            ("trec-qa-judged", "judged.txt"),
            ("trec-rag24-citations", "citations.jsonl"),
        ),
    ),
}


def write_export(
    records: Iterable[AnyRecord], name: str, target: Path, *, skipped: Counter[str] | None = None
) -> list[str]:
    """Write the file, whole or not at all; returns what the format could not hold, one line each.

    skipped: what the records leave out, as `export_records` counts it.
    """
    missing = Counter[str]() if skipped is None else skipped
    if name not in EXPORTS:
        raise UsageError(f"no export is called {name!r}; choose from {', '.join(EXPORTS)}")
    if name == "karat":
        lost = write(records, target, format="karat").lines()
        return [*lost, *skipped_lines(missing)]
    lines: list[str] = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, layer in layers(records):
            files = _brat(layer) if name == "brat" else _formats(layer, EXPORTS[name].formats)
            for file, content, losses in files:
                if content is not None:
                    archive.writestr(f"{folder}/{file}", content)
                lines += [f"{folder}/{file}: {line}" for line in losses]
        lines += skipped_lines(missing)
        archive.writestr("losses.txt", "".join(f"{line}\n" for line in lines) or "Nothing was lost.\n")
    return lines


def layers(records: Iterable[AnyRecord]) -> Iterator[tuple[str, list[AnyRecord]]]:
    """What belongs together: the records of one assessor, or the adjudicated ones, each with those of nobody."""
    of_nobody: list[AnyRecord] = []
    by_layer: dict[tuple[bool, str], list[AnyRecord]] = {}
    for record in records:
        adjudicated = bool(getattr(record, "adjudicated", None))
        assessor = getattr(record, "assessor", None)
        if adjudicated or assessor is not None:
            by_layer.setdefault((adjudicated, "" if adjudicated else str(assessor)), []).append(record)
        else:
            of_nobody.append(record)
    if not by_layer:
        yield SHARED_FOLDER, of_nobody
    names: set[str] = {ADJUDICATED_FOLDER}
    for (adjudicated, assessor), layer in by_layer.items():
        folder = ADJUDICATED_FOLDER if adjudicated else _free(f"assessor-{_plain(assessor)}", names)
        yield folder, [*of_nobody, *layer]


def _formats(
    layer: Sequence[AnyRecord], formats: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, bytes | None, list[str]]]:
    for format_name, file in formats:
        losses = Losses()
        try:
            content = write_bytes(layer, format=format_name, losses=losses)
        except KaratError as error:
            yield file, None, [f"not written: {error}"]
        else:
            # An empty file would say that there is nothing; the list of losses says why.
            yield file, content or None, losses.lines()


def _brat(layer: Sequence[AnyRecord]) -> Iterator[tuple[str, bytes | None, list[str]]]:
    """A text and its annotations per query and run."""
    collection = Collection(layer)
    nuggets: dict[tuple[str, str], list[AnyRecord]] = {}
    for nugget in collection.nuggets:
        nuggets.setdefault((nugget.query_id, nugget.run_id), []).append(nugget)
    names: set[str] = set()
    for response in collection.responses:
        own = nuggets.get((response.query_id, response.run_id))
        if own is None:
            continue
        name = _free(f"{_plain(response.query_id)}.{_plain(response.run_id)}", names)
        losses = Losses()
        content = write_bytes([response, *own], format="brat", losses=losses)
        # What these two say is true of every file: the text is beside it, and its name has the run.
        losses.counts.pop("response.snippets", None)
        losses.counts.pop("run.run_id", None)
        yield f"{name}.txt", JoinedText(response.snippets).text.encode(), []
        yield f"{name}.ann", content, losses.lines()


def _plain(name: str) -> str:
    """A name that is safe in a file name on every system.

    >>> _plain("../a b/ü")
    'a_b_ü'
    """
    return re.sub(r"[^\w\-]+", "_", name).strip("_.")[:80] or "x"


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free
