"""Reports of NeuCLIR, RAGTIME, DRAGUN, BioGen and iKAT: one per line; sentences cite documents by id.

{"metadata": {"team_id", "run_id", "topic_id", ...}, "responses": [{"text", "citations"}], "references": ["d1"]}
Citations are an object with scores, `{"d1": 0.9}`, or a list of ids, `["d1"]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_rag.answers import (
    CITATION_STYLE,
    METADATA,
    REFERENCES,
    Responses,
    check_reference,
    check_sentence_ids,
    doc_id_of,
    is_manual,
    lose_unanswered,
    metadata_to_write,
    read_references,
    read_sentences,
    references_of,
    references_to_keep,
    runs_by_id,
    with_extra,
)
from karat.model import AnyRecord, Citation, Collection, Response, Run, Snippet

TITLE = "reports (NeuCLIR, RAGTIME, DRAGUN, BioGen, iKAT)"
CARRIES = carries(
    run="run_id group human",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra snippets.citations "
    "snippets.citations.doc_id snippets.citations.extra extra",
)
_QUERY_IDS = ("topic_id", "request_id", "narrative_id")
_CITATIONS = "citations"
_SCORE = "score"


def sniff_report(head: Head) -> bool:
    metadata = head.row.get(METADATA)
    return (
        isinstance(metadata, dict)
        and "run_id" in metadata
        and any(name in metadata for name in _QUERY_IDS)
        and isinstance(head.row.get("responses"), list)
    )


def read_report(source: Source) -> Iterator[AnyRecord]:
    """Run and Response; other metadata stays in the response's `extra`, the score of a citation in the citation's."""
    once, responses = Once(source), Responses()
    for row in json_rows(source):
        with row.unit():
            metadata = row.child(METADATA)
            kept = metadata.rest("team_id", "run_id", "topic_id")
            query_id = source.query_id = metadata.id(*_QUERY_IDS)
            run_id, group = metadata.id("run_id"), metadata.optional_id("team_id")
            references = read_references(row)
            snippets = read_sentences(row, "responses", references, _read_citations)
            extra = row.rest() | references_to_keep(row, references, snippets) | ({METADATA: kept} if kept else {})
            yield from once(Run(run_id=run_id, group=group, human=is_manual(kept.get("type"))))
            yield from responses(Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=extra), row)


def _read_citations(item: Fields, references: list[str]) -> list[Citation]:
    if item.data.get(_CITATIONS) == {}:
        # Kept among the unknown fields, so that it is written back as it was and not as an empty list.
        return []
    scored = isinstance(item.get(_CITATIONS), dict)
    members = item.entries(_CITATIONS) if scored else [(doc_id, None) for doc_id in item.optional_members(_CITATIONS)]
    citations: list[Citation] = []
    for index, (value, score) in enumerate(members):
        place = join(_CITATIONS, value if scored else index)
        doc_id = doc_id_of(item, place, value)
        if doc_id is not None:
            check_reference(item, place, doc_id, references)
            citations.append(Citation(doc_id=doc_id, extra={_SCORE: score} if scored else {}))
    return citations


def write_report(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    lose_unanswered(collection, sink)
    runs = runs_by_id(collection)
    for response in collection.responses:
        check_sentence_ids(response, sink)
        run = runs[response.run_id]
        known = {"run_id": run.run_id, "topic_id": response.query_id} | ({"type": "manual"} if run.human else {})
        row = {
            METADATA: metadata_to_write(response, run, known, sink),
            "responses": [
                with_extra({"text": snippet.text, _CITATIONS: _citations(snippet, sink)}, snippet.extra)
                for snippet in response.snippets
            ],
            REFERENCES: references_of(response, complete=False),
        }
        sink.json_line(with_extra(row, response.extra, CITATION_STYLE))


def _citations(snippet: Snippet, sink: Sink) -> dict[str, Any] | list[str]:
    """An object if citations have scores, otherwise a list."""
    citations = snippet.citations
    if not citations and snippet.extra.get(_CITATIONS) == {}:
        return {}
    for citation in citations:
        if set(citation.extra) - {_SCORE}:
            sink.lose("response.snippets.citations.extra", "a citation can have only a score")
    if not any(_SCORE in citation.extra for citation in citations):
        return [citation.doc_id for citation in citations]
    scores: dict[str, Any] = {}
    for citation in citations:
        if citation.doc_id in scores:
            sink.lose("response.snippets.citations", "with scores, a sentence can cite a document only once")
        scores.setdefault(citation.doc_id, citation.extra.get(_SCORE))
    return scores
