"""What is cited: each snippet, or the chunk of it that the citation names, and the nuggets in it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.formats.nuggetizer.create_input import CANDIDATES
from karat.judges.citations.claims import split_claims
from karat.measures.cases.response_text import by_snippet, chosen_nuggets
from karat.measures.distillation.chunk_citations import claims_support
from karat.model import Citation, Collection, Nugget, Response, Snippet


class Cited(msgspec.Struct, frozen=True, kw_only=True):
    """A text that a response says is in a document."""

    query_id: str
    run_id: str
    snippet_id: str
    nugget_id: str | None = None
    """Where the text is a nugget of the snippet."""
    citation: Citation
    text: str

    @property
    def is_empty(self) -> bool:
        """Whether it has no word of content, and so says nothing that could be checked."""
        return not split_claims(self.text)


def cited_texts(collection: Collection) -> list[Cited]:
    """All cited texts, run by run in the order of the files; passages that were only retrieved are left out."""
    nuggets: dict[tuple[str, str], list[Nugget]] = {}
    for nugget in _current(collection):
        nuggets.setdefault((nugget.query_id, nugget.run_id), []).append(nugget)
    return [
        cited
        for response in collection.responses
        if response.run_id != CANDIDATES
        for cited in _of_response(response, by_snippet(nuggets.get((response.query_id, response.run_id), ())))
    ]


def _current(collection: Collection) -> list[Nugget]:
    """The nuggets that count: corrected ones before automatic ones, and none that another one revises."""
    revised = {(nugget.query_id, nugget_id) for nugget in collection.nuggets for nugget_id in nugget.revises}
    kept = [nugget for nugget in collection.nuggets if (nugget.query_id, nugget.nugget_id) not in revised]
    return chosen_nuggets(kept, responses=collection.responses)


def _of_response(response: Response, nuggets: dict[str, list[Nugget]]) -> Iterator[Cited]:
    for snippet in response.snippets:
        for citation in _distinct(snippet):
            place = {"query_id": response.query_id, "run_id": response.run_id, "snippet_id": snippet.snippet_id}
            chunk = snippet.text if citation.chunk is None else _pieces(snippet.text, citation.chunk)
            yield Cited(**place, citation=citation, text=chunk)
            for nugget in nuggets.get(snippet.snippet_id, ()):
                if claims_support(citation, nugget):
                    text = nugget.paraphrase or _pieces(snippet.text, nugget.spans)
                    yield Cited(**place, nugget_id=nugget.nugget_id, citation=citation, text=text)


def _distinct(snippet: Snippet) -> list[Citation]:
    """A document that a snippet cites twice for the same chunk, without ids, is one citation."""
    seen: dict[tuple[object, ...], Citation] = {}
    for citation in snippet.citations:
        seen.setdefault((citation.doc_id, citation.citation_id, citation.chunk), citation)
    return list(seen.values())


def _pieces(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    return " ".join(text[start:end] for start, end in spans)
