"""Annotations exported by autojudge-annotate, one per line: of a report, a document, or a citation of a sentence.

{"dataset", "request_id", "topic_id", "username", "rating": "Mostly Good", "comment", "spans": [{"start", "end",
 "text", "sentence_idx"}], and for a report "run_id", "team_id", "report"; for a document "docid", "document"; for a
 citation "report_spans", "citation": {"report", "sentence_idx", "sentence", "docid", "document"}}

Offsets count UTF-16 units, as JavaScript does. Those of a report are positions in its sentences joined by a blank (or,
if only that fits the span's text, in the sentence), those of `report_spans` in the sentence, those of a document in
its `title`, an empty line and its `text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.formats.reports.judged_reports import JudgedReport, read_judged_report
from karat.model import (
    AnyRecord,
    Citation,
    ContentIds,
    Nugget,
    Response,
    Run,
    Score,
    Signature,
    Snippet,
    SpanSet,
)

TITLE = "autojudge-annotate export"
DOCUMENTS = "documents"
"""The run whose snippets are the annotated documents."""
RATINGS: dict[str, float | None] = {
    "perfect": 1.0,
    "mostly_good": 2 / 3,
    "so_so": 1 / 3,
    "bad": 0.0,
    "not_rated": None,
}


def sniff_autojudge_annotate(head: Head) -> bool:
    if not head.has("username", "rating", "spans") or not (head.has("topic_id") or head.has("request_id")):
        return False
    return head.has("run_id", "report") or head.has("docid", "document") or head.has("citation", "report_spans")


class _Place(NamedTuple):
    """The text in which offsets are counted: a snippet, and the text before it."""

    run_id: str
    snippet: Snippet
    before: str = ""


def read_autojudge_annotate(source: Source) -> Iterator[AnyRecord]:
    """Run and Response per report, the run "documents" with the documents, one Nugget per span, one Score per rating.

    The measures are `rating`, `document_rating` and `citation_rating`: 0 (Bad), 1/3, 2/3 or 1 (Perfect), and no value
    for "Not rated". Who rated (and which citation or document) is in the score's signature and `extra`.
    """
    export = _Export()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("topic_id", "request_id")
            if row.has("citation"):
                export.add_citation(row, query_id)
            elif row.has("report"):
                export.add_report(row, query_id)
            else:
                export.add_document(row, query_id)
    yield from export.records()


class _Export:
    """The content of all rows; every row repeats the report or document that it annotates."""

    def __init__(self) -> None:
        self._reports: dict[tuple[str, str], JudgedReport] = {}
        self._documents: dict[str, dict[str, Snippet]] = {}
        self._nuggets: list[Nugget] = []
        self._scores: dict[tuple[str, str, str, str], Score] = {}
        self._ids: dict[str, ContentIds] = {}

    def records(self) -> Iterator[AnyRecord]:
        yield from {report.run.run_id: report.run for report in self._reports.values()}.values()
        if self._documents:
            yield Run(run_id=DOCUMENTS)
        yield from (report.response for report in self._reports.values())
        for query_id, snippets in self._documents.items():
            yield Response(query_id=query_id, run_id=DOCUMENTS, snippets=tuple(snippets.values()))
        yield from self._nuggets
        yield from self._scores.values()

    def add_report(self, row: Fields, query_id: str) -> None:
        run_id = row.id("run_id")
        snippets = self._report(row.child("report"), {"run_id": run_id, "team_id": row.get("team_id")})
        self._add_score(row, query_id, run_id, "rating", {})
        for span in row.optional_items("spans"):
            with span.unit():
                index = span.integer("sentence_idx")
                if not 0 <= index < len(snippets):
                    message = f"{index} is not one of the report's {len(snippets)} sentences"
                    span.bad("sentence_idx", message, code="dangling-reference")
                before = "".join(f"{snippet.text} " for snippet in snippets[:index])
                self._add_nugget(row, span, query_id, _Place(run_id, snippets[index], before))

    def add_document(self, row: Fields, query_id: str) -> None:
        doc_id = row.id("docid")
        place = self._document(row, query_id, doc_id)
        self._add_score(row, query_id, DOCUMENTS, "document_rating", {"document": doc_id})
        self._add_spans(row, "spans", query_id, place)

    def add_citation(self, row: Fields, query_id: str) -> None:
        citation = row.child("citation")
        report = citation.child("report")
        snippets = self._report(report, {"topic_id": query_id})
        run_id = report.id("run_id") if report.has("run_id") else report.child("metadata").id("run_id")
        index = citation.integer("sentence_idx")
        if not 0 <= index < len(snippets):
            message = f"{index} is not one of the report's {len(snippets)} sentences"
            citation.bad("sentence_idx", message, code="dangling-reference")
        doc_id = citation.optional_id("docid")
        settings = {"sentence": snippets[index].snippet_id} | ({"document": doc_id} if doc_id else {})
        self._add_score(row, query_id, run_id, "citation_rating", settings)
        self._add_spans(row, "report_spans", query_id, _Place(run_id, snippets[index]))
        if row.get("spans"):
            if doc_id is None or not citation.has("document"):
                row.bad("spans", "the document of these spans is missing", code="dangling-reference")
            self._add_spans(row, "spans", query_id, self._document(citation, query_id, doc_id))

    def _report(self, report: Fields, outside: dict[str, Any]) -> tuple[Snippet, ...]:
        """The sentences of a report, whose ids may be in the row around it."""
        data = report.data if "metadata" in report.data else outside | report.data
        judged = read_judged_report(Fields(report.source, data, report.path))
        first = self._reports.setdefault((judged.response.query_id, judged.response.run_id), judged)
        if first != judged:
            report.source.warn(
                report.path, "the report differs from that in an earlier row", code="conflicting-definition"
            )
        return judged.response.snippets

    def _document(self, owner: Fields, query_id: str, doc_id: str) -> _Place:
        document = owner.child("document")
        title, text = document.optional_text("title"), document.optional_text("text") or ""
        snippet = Snippet(
            snippet_id=doc_id,
            text=f"{title}\n\n{text}" if title else text,
            citations=(Citation(doc_id=doc_id),),
            extra=document.rest("id"),
        )
        return _Place(DOCUMENTS, self._documents.setdefault(query_id, {}).setdefault(doc_id, snippet))

    def _add_score(self, row: Fields, query_id: str, run_id: str, measure: str, settings: dict[str, str]) -> None:
        assessor = row.optional_id("username") or ""
        value = row.label("rating", RATINGS) if row.has("rating") else None
        comment = row.optional_text("comment")
        who = {"assessor": assessor} if assessor else {}
        extra = self._rest(row) | who | settings | {"rating": row.data.get("rating")}
        if comment:
            extra["comment"] = comment
        signature = str(Signature(measure, who | settings))
        key = (query_id, run_id, measure, signature)
        if key in self._scores:
            row.bad("rating", f"{assessor!r} has already rated the same thing", code="duplicate-id")
        self._scores[key] = Score(
            run_id=run_id, query_id=query_id, measure=measure, value=value, signature=signature, extra=extra
        )

    def _rest(self, row: Fields) -> dict[str, Any]:
        return row.rest("spans", "report_spans", "report", "document", "citation", "request_id", "docid")

    def _add_spans(self, row: Fields, name: str, query_id: str, place: _Place) -> None:
        for span in row.optional_items(name):
            with span.unit():
                self._add_nugget(row, span, query_id, place)

    def _add_nugget(self, row: Fields, span: Fields, query_id: str, place: _Place) -> None:
        assessor = row.optional_id("username")
        spans = _located(span, place)
        ids = self._ids.setdefault(query_id, ContentIds())
        offsets = [str(offset) for pair in spans for offset in pair]
        nugget_id = ids.next(place.run_id, place.snippet.snippet_id, assessor or "", *offsets)
        self._nuggets.append(
            Nugget(
                nugget_id=nugget_id,
                query_id=query_id,
                run_id=place.run_id,
                snippet_id=place.snippet.snippet_id,
                spans=spans,
                source="person",
                assessor=assessor,
                extra=span.rest(),
            )
        )


def _located(span: Fields, place: _Place) -> SpanSet:
    """The place of a span in its snippet, where its text must be. The tool trims the text, but not the offsets."""
    text, start, end = span.text("text").strip(), span.integer("start"), span.integer("end")
    whole = place.snippet.text
    for before in dict.fromkeys((place.before, "")):
        try:
            [(first, last)] = SpanSet.from_utf16([(start, end)], before + whole)
        except ValueError:
            continue
        first, last = first - len(before), last - len(before)
        covered = whole[first:last] if first >= 0 else ""
        if text and covered.strip() == text:
            first += len(covered) - len(covered.lstrip())
            return SpanSet([(first, first + len(text))])
    return span.bad("text", f"{text!r} is not the text at [{start}, {end}]", code="span-outside")
