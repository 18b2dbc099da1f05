"""Which documents are at hand, and where their texts come from.

In this order; the first text of a document counts:
1. `document` records (every format of documents becomes such records);
2. candidate passages (the run "candidates" of the nuggetizer's and ragnarok's requests);
3. what responses carry with them: `documents`, `passages`, `contexts`, `retrieved_context` and the like, as an object
   {id: text or {"text"}}, as a list of {"doc_id", "text"}, or as a list of texts in the order of `references`;
4. excerpts of citations.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from karat.formats.documents.json_documents import IDS, TEXTS
from karat.formats.nuggetizer.create_input import CANDIDATES
from karat.judges.citations.documents import Source
from karat.model import Collection, Response

CARRIED = (
    "documents", "passages", "contexts", "context", "retrieved_context", "retrieved_contexts", "retrieved_passages",
    "retrieval_context", "candidates", "uncited_passages",
)  # fmt: skip
"""Fields of a response that may hold the texts it was made from."""
_IDS = (*IDS, "passage_id", "pid")
_TEXTS = (*TEXTS, "passage", "content")
REFERENCES = "references"
MANY = 2_000
"""With more ids than this, only those that begin alike are compared for a hint."""
ALIKE = 0.8


def sources_of(collection: Collection) -> dict[str, Source]:
    """Every document that has a text, by its id."""
    sources: dict[str, Source] = {}

    def add(doc_id: str, text: object, title: object = None) -> None:
        if doc_id not in sources and isinstance(text, str) and text.strip():
            sources[doc_id] = Source(doc_id, text, title if isinstance(title, str) else "")

    for document in collection.documents:
        add(document.doc_id, document.text, document.title)
    for response in collection.responses:
        for snippet in response.snippets if response.run_id == CANDIDATES else ():
            for citation in snippet.citations:
                add(citation.doc_id, snippet.text, snippet.extra.get("title"))
    for response in collection.responses:
        for doc_id, text, title in _carried(response):
            add(doc_id, text, title)
    excerpts: dict[str, dict[str, None]] = {}
    for response in collection.responses:
        for snippet in response.snippets:
            for citation in snippet.citations:
                if citation.excerpt:
                    excerpts.setdefault(citation.doc_id, {}).setdefault(citation.excerpt)
    for doc_id, texts in excerpts.items():
        add(doc_id, "\n\n".join(texts))
    return sources


def listed_documents(response: Response) -> list[str]:
    """The documents that a response lists or carries, cited or not."""
    references = response.extra.get(REFERENCES)
    listed = [doc_id for doc_id in references if isinstance(doc_id, str)] if isinstance(references, list) else []
    return list(dict.fromkeys([*listed, *(doc_id for doc_id, _, _ in _carried(response))]))


def named_documents(collection: Collection) -> set[str]:
    """Every document that a response cites or lists."""
    return {
        doc_id
        for response in collection.responses
        if response.run_id != CANDIDATES
        for doc_id in (*cited_documents(response), *listed_documents(response))
    }


def cited_documents(response: Response) -> list[str]:
    """The documents that a response cites, in order."""
    return list(dict.fromkeys(citation.doc_id for snippet in response.snippets for citation in snippet.citations))


def _carried(response: Response) -> Iterator[tuple[str, Any, Any]]:
    references = response.extra.get(REFERENCES) or cited_documents(response)
    for name in CARRIED:
        held = response.extra.get(name)
        if isinstance(held, dict):
            for doc_id, value in held.items():
                yield (doc_id, *_text_of(value))
        elif isinstance(held, list):
            for at, value in enumerate(held):
                doc_id = _id_of(value)
                if doc_id is None and len(held) == len(references):
                    doc_id = str(references[at])
                if doc_id is not None:
                    yield (doc_id, *_text_of(value))


def _id_of(value: object) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((str(value[name]) for name in _IDS if isinstance(value.get(name), str | int)), None)


def _text_of(value: object) -> tuple[Any, Any]:
    """The text and the title of a document, which may be a text, an object, or an object in an object."""
    if not isinstance(value, dict):
        return value, None
    inner = value.get("doc")
    if isinstance(inner, dict):
        value = {**value, **inner}
    return next((value[name] for name in _TEXTS if isinstance(value.get(name), str)), None), value.get("title")


class Hints:
    """Ids at hand that are nearly the id of a document that is not."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._ids = list(sources)
        self._plain: dict[str, str] = {}
        for doc_id in self._ids:
            self._plain.setdefault(_plain(doc_id), doc_id)
        self._known: dict[str, str | None] = {}

    def near(self, doc_id: str) -> str | None:
        """The id at hand that is nearest; None where none is near."""
        if doc_id not in self._known:
            self._known[doc_id] = self._near(doc_id)
        return self._known[doc_id]

    def _near(self, doc_id: str) -> str | None:
        plain = _plain(doc_id)
        if plain in self._plain:
            return self._plain[plain]
        # A segment of a document that is at hand as a whole.
        whole = doc_id.partition("#")[0]
        if whole != doc_id and whole in self._plain.values():
            return whole
        ids = self._ids if len(self._ids) <= MANY else [other for other in self._ids if other[:8] == doc_id[:8]]
        return next(iter(difflib.get_close_matches(doc_id, ids[:MANY], 1, ALIKE)), None)


def _plain(doc_id: str) -> str:
    """An id without case, blanks, punctuation, and the ending of a file."""
    return re.sub(r"[\W_]+", "", re.sub(r"\.(?:txt|html?|pdf|json)$", "", doc_id.lower().strip()))
