"""TREC Temporal Summarization updates: the sentences that were judged, pooled from all runs.

`query_id update_id doc_id sentence_id update_len duplicate_id update_text`; duplicate_id is `NULL` for an original.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_qa.columns import are_words
from karat.formats.trec_temporal.tables import extra_cells, kept_extra, tempsumm_rows, write_tempsumm_table
from karat.model import AnyRecord, Citation, Collection, Response, Run, Snippet
from karat.model.default_names import POOL

TITLE = "TREC Temporal Summarization updates"
CARRIES = carries(
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra snippets.citations "
    "snippets.citations.doc_id",
)
COLUMNS = ("query_id", "update_id", "doc_id", "sentence_id", "update_len", "duplicate_id", "update_text")
NUMBERS = ("update_len",)
NO_DUPLICATE = "NULL"


class _Update(NamedTuple):
    snippet: Snippet
    line: int


def sniff_tempsumm_updates(head: Head) -> bool:
    return bool(head.lines) and {"query_id", "update_id", "update_text"} <= set(head.lines[0].split())


def read_tempsumm_updates(source: Source) -> Iterator[AnyRecord]:
    """The Run "pool" with one Response per query, whose snippets have the update_id as id.

    One release has the updates of a query twice: a repeated row is a lint finding, and the first one counts; only
    a different text with the same id is a problem. If a duplicate_id
    names an update that is not in the file, that is a lint finding, too: the pool is only a sample.
    """
    pools: dict[str, dict[str, _Update]] = {}
    for row in tempsumm_rows(source, required=("query_id", "update_id", "update_text")):
        with row.unit():
            pool = pools.setdefault(row.id("query_id"), {})
            snippet = _read_snippet(row)
            if (first := pool.setdefault(snippet.snippet_id, _Update(snippet, source.line)).snippet) is snippet:
                continue
            if first.text != snippet.text:
                row.bad(
                    "update_id", f"{snippet.snippet_id!r} has a different text in an earlier row", code="duplicate-id"
                )
            same = "repeats an earlier row" if first == snippet else "differs from an earlier row; that one is kept"
            source.warn("update_id", f"{snippet.snippet_id!r} {same}", code="repeated-row")
    if pools:
        yield Run(run_id=POOL)
    for query_id, pool in pools.items():
        source.query_id = query_id
        for update in pool.values():
            original = update.snippet.extra.get("duplicate_id")
            if original is not None and original not in pool:
                source.warn(
                    "duplicate_id", f"{original!r} is not in the file", code="dangling-reference", line=update.line
                )
        yield Response(query_id=query_id, run_id=POOL, snippets=tuple(update.snippet for update in pool.values()))


def _read_snippet(row: Fields) -> Snippet:
    update_id, text = row.id("update_id"), row.text("update_text")
    doc_id = row.optional_id("doc_id")
    ids = {name: row.optional_id(name) for name in ("sentence_id", "duplicate_id")}
    extra = {name: value for name, value in ids.items() if value is not None and value != NO_DUPLICATE}
    return Snippet(
        snippet_id=update_id,
        text=text,
        citations=(Citation(doc_id=doc_id),) if doc_id is not None else (),
        extra=extra | kept_extra(row, NUMBERS),
    )


def write_tempsumm_updates(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    for run in collection.runs:
        if run.run_id != POOL:
            sink.lose("run.run_id", f"updates are read as the run {POOL}")
    rows = []
    for response in collection.responses:
        if response.run_id != POOL:
            sink.lose("response.run_id", f"updates are read as the run {POOL}")
        if not response.snippets:
            sink.lose("response", "an empty response has no rows")
        for snippet in response.snippets:
            if not are_words(response.query_id, snippet.snippet_id):
                sink.lose("response.snippets", "an id with blanks cannot be written")
                continue
            rows.append({"query_id": response.query_id} | _row(snippet, sink))
    write_tempsumm_table(rows, sink, columns=COLUMNS, what="response.snippets.text")


def _row(snippet: Snippet, sink: Sink) -> dict[str, str]:
    if len(snippet.citations) > 1:
        sink.lose("response.snippets.citations", "an update has only one document: the first is written")
    row = {"update_id": snippet.snippet_id, "duplicate_id": NO_DUPLICATE, "update_text": snippet.text}
    if snippet.citations:
        row["doc_id"] = snippet.citations[0].doc_id
    others = dict(snippet.extra)
    for name in ("sentence_id", "duplicate_id"):
        if isinstance(others.get(name), str):
            row[name] = others.pop(name)
    return row | extra_cells(others, COLUMNS, NUMBERS, sink, "response.snippets.extra")
