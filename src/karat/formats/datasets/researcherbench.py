"""ResearcherBench answers: `[{"id": 1, "question", "response"}]`, one file per system (its name); or their folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from karat.formats.datasets.parts import Distinct, open_part
from karat.formats.eval_tools.answer_rows import run_of_file
from karat.formats.io.definitions import Once
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Query, Response, Run, Snippet

TITLE = "ResearcherBench answers (folder or JSON)"


def sniff_researcherbench(head: Head) -> bool:
    if head.is_directory:
        return any(sniff_researcherbench(Head(Source(path))) for path in _files(head.source.path)[:1])
    return head.shape == "array" and head.row.keys() == {"id", "question", "response"}


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("user_data/*.json")) or sorted(folder.glob("*.json"))


def read_researcherbench(source: Source) -> Iterator[AnyRecord]:
    """One Query per question, one Run per file, one Response with one snippet per answer."""
    once, distinct = Once(source), Distinct()
    files = [open_part(source, path) for path in _files(source.path)] if source.is_directory else [source]
    if not files:
        source.fail("the folder has no JSON file", code="missing-file", line=0)
    for file in files:
        run_id = run_of_file(file)
        yield from once(Run(run_id=run_id))
        for row in json_rows(file):
            with row.unit():
                query_id = file.query_id = row.id("id")
                question, text = row.text("question"), row.text("response")
                snippets = (Snippet(snippet_id="1", text=text),) if text.strip() else ()
                response = Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=row.rest())
                yield from once(Query(query_id=query_id, text=question))
                yield from distinct(file, row.path, response)
