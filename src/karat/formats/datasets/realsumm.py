"""REALSumm in the layout of Lite2Pyramid: a folder in which line N of every file is about line N of ids.txt.

ids.txt, documents.txt?, references.txt? (`<t> sentence </t> <t> ... </t>`), SCUs.txt (content units between tabs),
summaries/SYSTEM.summary (one summary per line), labels/SYSTEM.label (0 and 1 between tabs, one per content unit).
Units extracted by programs (STUs) and the folds are not labels of people and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from karat.formats.datasets.parts import open_part, part_lines
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug, Query, Response, Run, Snippet
from karat.model.default_names import PERSON, REFERENCE

TITLE = "REALSumm content units and labels (folder)"
_SENTENCE = re.compile(r"<t>(.*?)</t>")
_DEGREES = {"0": 0.0, "1": 1.0}


def sniff_realsumm(head: Head) -> bool:
    folder = head.source.path
    return head.is_directory and all((folder / name).exists() for name in ("ids.txt", "SCUs.txt", "labels"))


def read_realsumm(source: Source) -> Iterator[AnyRecord]:
    """Query (with its document), Nugs and human reference per id, then Run, Responses and Judgements per system."""
    if not source.is_directory:
        source.fail("must be the folder with ids.txt, SCUs.txt, summaries and labels", code="missing-file", line=0)
    folder = source.path
    ids = [line.strip() for line in part_lines(open_part(source, folder / "ids.txt"))]
    if len(set(ids)) < len(ids):
        source.fail(f"ids.txt: {next(i for i in ids if ids.count(i) > 1)!r} appears twice", code="duplicate-id", line=0)
    documents = _aligned(source, folder / "documents.txt", ids) if (folder / "documents.txt").exists() else {}
    for query_id in ids:
        extra = {"document": documents[query_id]} if query_id in documents else {}
        yield Query(query_id=query_id, text="", extra=extra)
    nug_ids: dict[str, list[str]] = {}
    for query_id, line in _aligned(source, folder / "SCUs.txt", ids).items():
        given = ContentIds()
        nug_ids[query_id] = []
        for text in line.split("\t") if line else ():
            nug_ids[query_id].append(given.next(text))
            yield Nug(query_id=query_id, nug_id=nug_ids[query_id][-1], descriptions=(text,))
    if (folder / "references.txt").exists():
        yield Run(run_id=REFERENCE, human=True)
        for query_id, line in _aligned(source, folder / "references.txt", ids).items():
            yield _response(query_id, REFERENCE, [text.strip() for text in _SENTENCE.findall(line)] or [line])
    yield from _read_systems(source, ids, nug_ids)


def _read_systems(source: Source, ids: list[str], nug_ids: dict[str, list[str]]) -> Iterator[AnyRecord]:
    summaries = {path.stem: path for path in sorted((source.path / "summaries").glob("*.summary"))}
    labels = {path.stem: path for path in sorted((source.path / "labels").glob("*.label"))}
    for run_id in sorted({*summaries, *labels}):
        yield Run(run_id=run_id)
        if run_id in summaries:
            for query_id, text in _aligned(source, summaries[run_id], ids).items():
                yield _response(query_id, run_id, [text])
        else:
            source.report(
                "",
                f"labels/{run_id}.label is there, but summaries/{run_id}.summary is missing",
                code="dangling-reference",
            )
        if run_id in labels:
            yield from _read_labels(source, labels[run_id], ids, nug_ids)


def _response(query_id: str, run_id: str, texts: list[str]) -> Response:
    texts = [text for text in texts if text.strip()]
    snippets = tuple(Snippet(snippet_id=str(number), text=text) for number, text in enumerate(texts, 1))
    return Response(query_id=query_id, run_id=run_id, snippets=snippets)


def _read_labels(source: Source, path: Path, ids: list[str], nug_ids: dict[str, list[str]]) -> Iterator[Judgement]:
    part = open_part(source, path)
    for number, (query_id, line) in enumerate(_aligned(source, path, ids).items(), 1):
        part.line, part.query_id = number, query_id
        labels = line.split("\t") if line else []
        expected = nug_ids.get(query_id, [])
        if len(labels) != len(expected):
            part.report("", f"the line has {len(labels)} labels for {len(expected)} content units", code="bad-table")
            continue
        for position, (nug_id, label) in enumerate(zip(expected, labels, strict=True), 1):
            name = f"label {position}"
            degree = Fields(part, {name: label}).label(name, _DEGREES)
            yield Judgement(
                query_id=query_id,
                run_id=path.stem,
                nug_id=nug_id,
                degree=degree,
                judge=PERSON,
                status="ok" if degree is not None else "failed",
            )


def _aligned(source: Source, path: Path, ids: list[str]) -> dict[str, str]:
    """The line of each id; an empty result if the numbers differ, because then no line can be assigned to an id."""
    part = open_part(source, path)
    lines = part_lines(part)
    # An empty last line is a value, too (an empty summary), if otherwise one line is missing.
    lines += [""] * (len(lines) == len(ids) - 1)
    if len(lines) != len(ids):
        part.report(
            "", f"the file has {len(lines)} lines for the {len(ids)} ids of ids.txt", code="bad-table", line=len(lines)
        )
        return {}
    return dict(zip(ids, lines, strict=True))
