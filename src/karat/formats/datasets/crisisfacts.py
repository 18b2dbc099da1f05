"""CrisisFACTS 2022: events, and the facts that NIST's assessors found for each day. JSON arrays.

facts.json   [{"eventID", "event", "summaryRequests": [...], "factsByRequest": {requestID: [{"fact", "source", ...}]},
               "allFacts": [...]}]
topics.json  [{"eventID", "title", "trecisID", "description", ...}]
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.datasets.parts import Distinct
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Nug, Query, Response, Run, Snippet

TITLE = "CrisisFACTS facts and topics (JSON)"
REQUEST = "requestID"
_OTHERS = "factsWithoutRequest"
"""The field of a query's `extra` for facts that belong to none of its days; the track does not use them as nuggets."""
_SUMMARY = ".summary"


def sniff_crisisfacts(head: Head) -> bool:
    return head.has("eventID", "factsByRequest") or head.has("eventID", "trecisID", "title")


def read_crisisfacts(source: Source) -> Iterator[AnyRecord]:
    """One Query per event; one Nug per fact of a day, with the day's request and the source in `extra`; one Response
    per gold summary (`wiki.summary`, `nist.summary`, ...) if the file has them."""
    once, distinct = Once(source), Distinct()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("eventID")
            title = row.text("title", "event")
            summaries = {name: row.optional_text(name) for name in row.data if name.endswith(_SUMMARY)}
            days = row.optional_child("factsByRequest")
            facts = {day: days.optional_items(day) for day in days.data} if days is not None else {}
            of_days = [fact.data for day in facts.values() for fact in day]
            others = [fact for fact in row.optional_members("allFacts") if fact not in of_days]
            extra = row.rest() | ({_OTHERS: others} if others else {})
            query = distinct(source, join(row.path, "eventID"), Query(query_id=query_id, text=title, extra=extra))
            if not query:
                continue
            yield from query
            for name, text in summaries.items():
                if text is not None:
                    yield from once(Run(run_id=name.removesuffix(_SUMMARY), human=True))
                    yield _summary(query_id, name.removesuffix(_SUMMARY), text)
            for request_id, items in facts.items():
                yield from _nugs(items, query_id, request_id)


def _summary(query_id: str, run_id: str, text: str) -> Response:
    snippets = (Snippet(snippet_id="1", text=text),) if text.strip() else ()
    return Response(query_id=query_id, run_id=run_id, snippets=snippets)


def _nugs(facts: list[Fields], query_id: str, request_id: str) -> Iterator[AnyRecord]:
    for number, item in enumerate(facts, 1):
        with item.unit():
            fact = item.text("fact")
            extra = {REQUEST: request_id, **item.rest("eventID", "event")}
            yield Nug(query_id=query_id, nug_id=f"{request_id}-{number}", descriptions=(fact,), extra=extra)
