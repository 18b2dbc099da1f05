"""TREC QA nugget pyramids: the weight of a nugget is the share of assessors who called it vital.

141.8<TAB>1<TAB>0.714285714285714<TAB>plays the cello
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_qa.columns import QUESTION_ID, are_words, number_text, one_line
from karat.model import AnyRecord, Nug

TITLE = "TREC QA nugget pyramid"
CARRIES = carries(nug="query_id nug_id descriptions weight")
_ROW = re.compile(r"(?P<qid>\S+)\s+(?P<number>\S+)\s+(?P<weight>\S+)(?:\s+(?P<description>.*))?")
# The description must have a letter: rows with only numbers are judgements of documents.
_SURE_ROW = re.compile(rf"{QUESTION_ID}\t\d+\t\d+(?:\.\d*)?(?:[eE]-?\d+)?\t.*[A-Za-z].*")


def sniff_trec_qa_pyramid(head: Head) -> bool:
    return bool(head.lines) and all(_SURE_ROW.fullmatch(line) for line in head.lines[:20])


def read_trec_qa_pyramid(source: Source) -> Iterator[AnyRecord]:
    """One Nug per line; its id is its number."""
    seen: set[tuple[str, str]] = set()
    for line in source.text_lines():
        line = line.strip()
        if not line:
            continue
        match = _ROW.fullmatch(line)
        if match is None:
            source.report("", "the line must be `qid number weight description`", code="bad-line")
            continue
        row = Fields(source, match.groupdict())
        with row.unit():
            query_id = source.query_id = row.id("qid")
            nug_id = row.id("number")
            weight = row.number("weight")
            if (query_id, nug_id) in seen:
                row.bad("number", f"question {query_id} already has a nugget {nug_id}", code="duplicate-id")
            seen.add((query_id, nug_id))
            description = row.optional_text("description") or ""
            yield Nug(query_id=query_id, nug_id=nug_id, descriptions=(description,), weight=weight)


def write_trec_qa_pyramid(records: Iterable[AnyRecord], sink: Sink) -> None:
    for nug in records:
        assert isinstance(nug, Nug)
        if nug.weight is None:
            sink.lose("nug", "it has no weight, which a pyramid needs")
            continue
        if not are_words(nug.query_id, nug.nug_id):
            sink.lose("nug", "an id with blanks cannot be written")
            continue
        if len(nug.descriptions) != 1:
            sink.lose("nug.descriptions", "only the first description of a nug can be written")
        description = one_line(next(iter(nug.descriptions), ""), "nug.descriptions", sink)
        sink.write(f"{nug.query_id}\t{nug.nug_id}\t{number_text(nug.weight)}\t{description}\n")
