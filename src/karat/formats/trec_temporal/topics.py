"""TREC Temporal Summarization topics: the events to be followed.

<events><event><id>11</id><title>..</title><query>..</query><type>accident</type><start>13..</start><end>13..</end>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.io.xml import read_xml
from karat.formats.trec_qa.columns import number_text, xml_text
from karat.formats.trec_temporal.tables import kept_number
from karat.model import AnyRecord, Query

TITLE = "TREC Temporal Summarization topics"
CARRIES = carries(query="query_id text conditions extra")
NUMBERS = ("start", "end")
"""The first and last second of the event, in `extra`."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def sniff_tempsumm_topics(head: Head) -> bool:
    return head.text.lstrip().startswith("<") and all(
        re.search(part, head.text) for part in (r"<events>\s*<event>", r"<id>", r"<query>")
    )


def read_tempsumm_topics(source: Source) -> Iterator[AnyRecord]:
    """One Query per event: its text is the query (or the title, if there is none), the rest is in `extra`."""
    seen: set[str] = set()
    for event in read_xml(source).all("event"):
        source.line, source.query_id = event.line, None
        row = Fields(source, {child.tag: child.text.strip() for child in event.children})
        with row.unit():
            query_id = source.query_id = row.id("id")
            if query_id in seen:
                row.bad("id", f"event {query_id} is already in the file", code="duplicate-id")
            seen.add(query_id)
            text = row.text("query") if row.has("query") or not row.has("title") else row.text("title")
            kind = row.optional_text("type")
            times = {name: value for name in NUMBERS if (value := kept_number(row, name)) is not None}
            yield Query(
                query_id=query_id,
                text=text,
                conditions={"type": kind} if kind else {},
                extra=times | row.rest(),
            )
        for child in event.children:
            if child.children:
                source.warn(child.tag, "the elements inside are not read", code="left-out", line=child.line)


def write_tempsumm_topics(records: Iterable[AnyRecord], sink: Sink) -> None:
    sink.write('<?xml version="1.0" encoding="UTF-8"?>\n<events>\n')
    for query in records:
        assert isinstance(query, Query)
        known = {"id": query.query_id, "query": query.text}
        if "type" in query.conditions:
            known["type"] = query.conditions["type"]
        if set(query.conditions) - {"type"}:
            sink.lose("query.conditions", "only the type can be written")
        extra = {name: text for name, value in query.extra.items() if (text := _extra_text(name, value)) is not None}
        if len(extra) != len(query.extra):
            sink.lose("query.extra", "only text under a plain name can be written")
        sink.write("  <event>\n")
        for name, text in (known | extra).items():
            what = "query.extra" if name in extra else "query.text"
            sink.write(f"    <{name}>{xml_text(text, what, sink)}</{name}>\n")
        sink.write("  </event>\n")
    sink.write("</events>\n")


def _extra_text(name: str, value: object) -> str | None:
    if name in ("id", "query", "type") or not _NAME.fullmatch(name):
        return None
    if name in NUMBERS:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return number_text(value) if is_number else None  # type: ignore[arg-type]
    return value if isinstance(value, str) else None
