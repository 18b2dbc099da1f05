"""TREC RAG 2025 answers: one per line, with metadata; they cite positions in the references or ids of documents.

{"metadata": {"team_id", "run_id", "type": "automatic"|"manual", "narrative_id", "narrative", "prompt"?},
 "references": ["d1"], "answer": [{"text", "citations": [0] or ["d1"]}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.definitions import Once
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_rag.answers import (
    CITATION_STYLE,
    METADATA,
    REFERENCES,
    Responses,
    check_sentence_ids,
    cited_documents,
    cites_by_id,
    lose_unanswered,
    metadata_to_write,
    read_index_citations,
    read_references,
    read_sentences,
    references_of,
    references_to_keep,
    runs_by_id,
    with_extra,
)
from karat.model import AnyRecord, Collection, Query, Response, Run

TITLE = "TREC RAG 2025 answers"
CARRIES = carries(
    query="query_id text",
    run="run_id group human",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra snippets.citations "
    "snippets.citations.doc_id extra",
)
_TYPES = {"automatic": False, "manual": True}
"""Whether the answers of a run of this type are by a person."""


def sniff_trec_rag25(head: Head) -> bool:
    metadata = head.row.get(METADATA)
    return (
        isinstance(metadata, dict)
        and "run_id" in metadata
        and ("narrative_id" in metadata or "topic_id" in metadata)
        and isinstance(head.row.get("answer"), list)
    )


def read_trec_rag25(source: Source) -> Iterator[AnyRecord]:
    """Query, Run and Response; the rest of the metadata (such as the prompt) stays in the response's `extra`."""
    once, responses = Once(source), Responses()
    for row in json_rows(source):
        with row.unit():
            metadata = row.child(METADATA)
            kept = metadata.rest("team_id", "run_id", "type", "narrative_id", "narrative")
            query_id = source.query_id = metadata.id("narrative_id", "topic_id")
            run_id, group = metadata.id("run_id"), metadata.optional_id("team_id")
            narrative = metadata.optional_text("narrative")
            human = metadata.label("type", _TYPES) if metadata.has("type") else None
            references = read_references(row)
            snippets = read_sentences(row, "answer", references, read_index_citations)
            # A type that follows from `human` need not be kept.
            if metadata.has("type") and metadata.data["type"] not in tuple(_TYPES):
                kept["type"] = metadata.data["type"]
            extra = row.rest() | references_to_keep(row, references, snippets)
            extra |= {METADATA: kept} if kept else {}
            extra |= {CITATION_STYLE: "doc_ids"} if cites_by_id(row, "answer") and cited_documents(snippets) else {}
            if narrative is not None:
                yield from once(Query(query_id=query_id, text=narrative))
            yield from once(Run(run_id=run_id, group=group, human=bool(human)))
            yield from responses(Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=extra), row)


def write_trec_rag25(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    lose_unanswered(collection, sink)
    narratives, runs = collection.query_texts(), runs_by_id(collection)
    for response in collection.responses:
        check_sentence_ids(response, sink)
        by_id = response.extra.get(CITATION_STYLE) == "doc_ids"
        references = references_of(response, complete=not by_id)

        def cite(doc_id: str, by_id: bool = by_id, references: list[str] = references) -> str | int:
            return doc_id if by_id else references.index(doc_id)

        answer = [
            with_extra({"text": snippet.text, "citations": [cite(c.doc_id) for c in snippet.citations]}, snippet.extra)
            for snippet in response.snippets
        ]
        run = runs[response.run_id]
        known = {
            "run_id": run.run_id,
            "type": "manual" if run.human else "automatic",
            "narrative_id": response.query_id,
        }
        if response.query_id in narratives:
            known["narrative"] = narratives[response.query_id]
        metadata = metadata_to_write(response, run, known, sink)
        row = {METADATA: metadata, REFERENCES: references, "answer": answer}
        sink.json_line(with_extra(row, response.extra, CITATION_STYLE))
