"""ScholarQA-CS: questions with weighted rubrics, and systems' answers. JSON, JSON lines, or the folder with both.

test_configs_snippets.json  [{"case_id", "initial_prompt", "metric_config": {"config": {"other_properties":
                              [{"name": "most_important_item_0", "criterion", "weight", "evidence": [...]}], ...}}}]
src_answers/NAME.jsonl      {"case_id", "answer_text"}
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from karat.formats.datasets.parts import Distinct, open_part
from karat.formats.eval_tools.answer_rows import run_of_file
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Nug, Query, Response, Run, Snippet
from karat.model.records import Importance

TITLE = "ScholarQA-CS rubrics and answers (folder, JSON or JSON lines)"
_IMPORTANCES: tuple[tuple[str, Importance], ...] = (("most_important", "vital"), ("nice_to_have", "okay"))


def sniff_scholarqa(head: Head) -> bool:
    if head.is_directory:
        return any(sniff_scholarqa(Head(Source(path))) for path in _files(head.source.path)[:1])
    return head.has("case_id", "initial_prompt", "metric_config") or head.row.keys() == {"case_id", "answer_text"}


def _files(folder: Path) -> list[Path]:
    return [*sorted(folder.glob("test_configs*.json")), *sorted(folder.glob("src_answers/*.jsonl"))]


def read_scholarqa(source: Source) -> Iterator[AnyRecord]:
    """One Query per case; one Nug per criterion with its name and weight in the file, vital if it is a "most important"
    one and okay if it is "nice to have"; one Run per file of answers, one Response with one snippet per answer."""
    once, distinct = Once(source), Distinct()
    files = [open_part(source, path) for path in _files(source.path)] if source.is_directory else [source]
    if not files:
        source.fail("the folder has no test_configs*.json or src_answers/*.jsonl", code="missing-file", line=0)
    cases: set[str] = set()
    for file in files:
        for row in json_rows(file):
            with row.unit():
                query_id = file.query_id = row.id("case_id")
                if row.has("answer_text"):
                    yield from _read_answer(row, query_id, cases, once, distinct)
                else:
                    yield from _read_case(row, query_id, distinct)
                    cases.add(query_id)


def _read_case(row: Fields, query_id: str, distinct: Distinct) -> Iterator[AnyRecord]:
    prompt = row.text("initial_prompt")
    config = row.child("metric_config").child("config")
    items = config.items("other_properties")
    extra = row.rest() | {"metric_config": config.rest("question")}
    query = distinct(row.source, join(row.path, "case_id"), Query(query_id=query_id, text=prompt, extra=extra))
    if not query:
        return
    yield from query
    for item in items:
        with item.unit():
            nug_id, criterion = item.id("name"), item.text("criterion")
            importance = next((level for start, level in _IMPORTANCES if nug_id.startswith(start)), None)
            nug = Nug(
                query_id=query_id,
                nug_id=nug_id,
                descriptions=(criterion,),
                importance=importance,
                weight=item.optional_number("weight"),
                extra=item.rest(),
            )
            yield from distinct(row.source, join(item.path, "name"), nug)


def _read_answer(row: Fields, query_id: str, cases: set[str], once: Once, distinct: Distinct) -> Iterator[AnyRecord]:
    if cases and query_id not in cases:
        row.bad("case_id", f"{query_id!r} is not among the cases", code="dangling-reference")
    run_id, text = run_of_file(row.source), row.text("answer_text")
    snippets = (Snippet(snippet_id="1", text=text),) if text.strip() else ()
    yield from once(Run(run_id=run_id))
    response = Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=row.rest())
    yield from distinct(row.source, row.path, response)
