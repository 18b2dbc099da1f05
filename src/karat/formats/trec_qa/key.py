"""TREC QA answer keys (definition, Other, relationship, ciQA): vital and okay nuggets, one per line.

Qid 7: Why do bees dance?
7 1<TAB>vital<TAB>to tell the way to food
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Collection, Nug, Query
from karat.model.records import Importance

TITLE = "TREC QA answer key"
CARRIES = carries(query="query_id text", nug="query_id nug_id descriptions importance")
_QUESTION = re.compile(r"Qid\s+(?P<qid>\S+?)\s*:\s*(?P<text>.*)")
_NUGGET = re.compile(r"(?P<qid>\S+)\s+(?P<number>\S+)\s+(?P<importance>\S+)(?:\s+(?P<description>.*))?")
_IMPORTANCES: dict[str, Importance] = {"vital": "vital", "okay": "okay", "ok": "okay"}


def sniff_trec_qa_key(head: Head) -> bool:
    return any(_QUESTION.fullmatch(line.strip()) for line in head.lines[:5]) or all(
        re.match(r"\S+\s+\d+\s+(vital|okay)\s", line) for line in head.lines[:5] or [""]
    )


def read_trec_qa_key(source: Source) -> Iterator[AnyRecord]:
    """One Query per `Qid` line and one Nug per nugget line; the nug's id is its number."""
    for line in source.text_lines():
        line = line.strip()
        if not line:
            continue
        if question := _QUESTION.fullmatch(line):
            source.query_id = question["qid"]
            yield Query(query_id=question["qid"], text=question["text"])
            continue
        match = _NUGGET.fullmatch(line)
        if match is None:
            source.report(
                "", "the line must be `Qid N: question` or `qid number vital|okay description`", code="bad-line"
            )
            continue
        row = Fields(source, match.groupdict())
        with row.unit():
            source.query_id = row.id("qid")
            yield Nug(
                query_id=row.id("qid"),
                nug_id=row.id("number"),
                descriptions=(row.optional_text("description") or "",),
                importance=row.label("importance", _IMPORTANCES),
            )


def write_trec_qa_key(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    texts, key = collection.query_texts(), collection.key
    for query_id in dict.fromkeys((*texts, *key.query_ids)):
        if not _is_word(query_id) or ":" in query_id:
            sink.lose("query", "its id must not have blanks or colons")
            continue
        if query_id in texts:
            sink.write(f"Qid {query_id}: {_one_line(texts[query_id], 'query.text', sink)}\n")
        for nug in key.of(query_id):
            if nug.importance is None or not _is_word(nug.nug_id):
                sink.lose("nug", "it must be vital or okay, and its id must not have blanks")
                continue
            if len(nug.descriptions) != 1:
                sink.lose("nug.descriptions", "only the first description of a nug can be written")
            description = _one_line(next(iter(nug.descriptions), ""), "nug.descriptions", sink)
            sink.write(f"{query_id} {nug.nug_id}\t{nug.importance}\t{description}\n")
        sink.write("\n\n")


def _is_word(identifier: str) -> bool:
    return bool(identifier) and identifier.split() == [identifier]


def _one_line(text: str, what: str, sink: Sink) -> str:
    flat = " ".join(text.splitlines()).strip()
    if flat != text:
        sink.lose(what, "line breaks and outer blanks are not kept")
    return flat
