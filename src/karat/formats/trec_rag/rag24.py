"""TREC RAG 2024 answers (also ragnarok's): one per line; sentences cite positions in a list of references.

{"run_id", "topic_id", "topic", "references": ["d1"], "response_length": 9, "answer": [{"text", "citations": [0]}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_rag.answers import (
    CITATION_STYLE,
    REFERENCES,
    Responses,
    check_sentence_ids,
    lose_unanswered,
    read_index_citations,
    read_references,
    read_sentences,
    references_of,
    references_to_keep,
    with_extra,
)
from karat.model import AnyRecord, Collection, Query, Response, Run, Snippet

TITLE = "TREC RAG 2024 answers"
CARRIES = carries(
    query="query_id text",
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra snippets.citations "
    "snippets.citations.doc_id extra",
)
_LENGTH = "response_length"


def sniff_trec_rag24(head: Head) -> bool:
    answer = head.row.get("answer")
    return (
        head.has("topic_id", "run_id")
        and isinstance(answer, list)
        and (not answer or "text" in head.first("answer"))
        and (head.has("references") or "citations" in head.first("answer"))
    )


def read_trec_rag24(source: Source) -> Iterator[AnyRecord]:
    """Query, Run and Response; the stated length is kept if it is not the number of words."""
    once, responses = Once(source), Responses()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("topic_id")
            run_id = row.id("run_id")
            topic = row.optional_text("topic")
            references = read_references(row)
            snippets = read_sentences(row, "answer", references, read_index_citations)
            extra = row.rest(_LENGTH) | references_to_keep(row, references, snippets)
            if row.has(_LENGTH) and row.data[_LENGTH] != _words(snippets):
                extra[_LENGTH] = row.data[_LENGTH]
            if topic is not None:
                yield from once(Query(query_id=query_id, text=topic))
            yield from once(Run(run_id=run_id))
            yield from responses(Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=extra), row)


def _words(snippets: tuple[Snippet, ...]) -> int:
    return sum(len(snippet.text.split()) for snippet in snippets)


def write_trec_rag24(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    lose_unanswered(collection, sink)
    topics = collection.query_texts()
    for response in collection.responses:
        check_sentence_ids(response, sink)
        references = references_of(response, complete=True)
        known: dict[str, Any] = {"run_id": response.run_id, "topic_id": response.query_id}
        if response.query_id in topics:
            known["topic"] = topics[response.query_id]
        known |= {
            REFERENCES: references,
            _LENGTH: response.extra.get(_LENGTH, _words(response.snippets)),
            "answer": [
                with_extra(
                    {"text": snippet.text, "citations": [references.index(c.doc_id) for c in snippet.citations]},
                    snippet.extra,
                )
                for snippet in response.snippets
            ],
        }
        sink.json_line(with_extra(known, response.extra, CITATION_STYLE))
