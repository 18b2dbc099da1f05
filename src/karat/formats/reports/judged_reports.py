"""The report inside the files of judging and annotation tools, with its sentences as snippets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from karat.formats.io.fields import Fields, type_name
from karat.formats.io.json_path import join
from karat.model import Citation, Response, Run, Snippet

_MANUAL = "manual"


class JudgedReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report as its run and response."""

    run: Run
    response: Response


def read_judged_report(report: Fields) -> JudgedReport:
    """A report `{"metadata": {...}, "responses": [{"text", "citations"}], "references"}`.

    The ids may be beside the sentences instead of in `metadata`, and the list of sentences may be called `answer` or
    `sentences`. Citations are document ids, positions in `references`, or `{document: score}`.
    """
    nested = report.optional_child("metadata")
    metadata = nested if nested is not None else report
    query_id = report.source.query_id = metadata.id("topic_id", "request_id", "narrative_id")
    run_id = metadata.id("run_id")
    run = Run(
        run_id=run_id,
        group=metadata.optional_id("team_id"),
        human=str(metadata.data.get("type")).strip().lower() == _MANUAL,
    )
    references = report.strings("references")
    snippets = []
    for number, sentence in enumerate(report.optional_items("responses", "answer", "sentences"), start=1):
        text = ""
        with sentence.unit():
            text = sentence.optional_text("text") or ""
        citations = tuple(_citations(sentence, references))
        snippets.append(Snippet(snippet_id=str(number), text=text, citations=citations, extra=sentence.rest()))
    extra = report.rest("references")
    if references:
        extra["references"] = references
    if nested is not None and (unknown := nested.rest()):
        extra["metadata"] = unknown
    return JudgedReport(
        run=run, response=Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets), extra=extra)
    )


def _citations(sentence: Fields, references: list[str]) -> Iterator[Citation]:
    value = sentence.get("citations")
    if isinstance(value, dict):
        for doc_id, score in value.items():
            yield Citation(doc_id=doc_id, extra={} if score is None else {"score": score})
        return
    if not isinstance(value, list | None):
        sentence.complain("citations", f"must be a list or an object, not {type_name(value)}", code="wrong-type")
        return
    for index, member in enumerate(value or []):
        doc_id = _document(sentence, join("citations", index), member, references)
        if doc_id is not None:
            yield Citation(doc_id=doc_id)


def _document(sentence: Fields, path: str, member: Any, references: list[str]) -> str | None:
    if isinstance(member, str):
        return member
    if isinstance(member, bool) or not isinstance(member, int):
        sentence.complain(
            path, f"a citation must be a document id or a number, not {type_name(member)}", code="wrong-type"
        )
    elif not 0 <= member < len(references):
        message = f"{member} is not the position of one of the {len(references)} references, counted from 0"
        sentence.complain(path, message, code="dangling-reference")
    else:
        return references[member]
    return None
