"""The texts that a key is drafted from: the answers of runs, or passages (retrieved documents)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from karat.formats.nuggetizer.create_input import CANDIDATES
from karat.model import Collection, Response, UnfitInput
from karat.model.wording import number_of

SourceKind = Literal["auto", "answers", "passages"]
DOCUMENTS = "documents"
"""The run of nuggets in documents, which no run wrote; the snippet is the document."""


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with its snippets, or a passage."""

    query_id: str
    run_id: str
    said_by: str
    """Who says it, as it is counted: the run, or the passage."""
    snippets: tuple[tuple[str, str], ...]
    """The id and text of each snippet."""
    question: str = ""


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """All texts to draft from."""

    texts: tuple[SourceText, ...]
    kind: Literal["answers", "passages"]
    notes: tuple[str, ...] = ()


def sources_of(collection: Collection, kind: SourceKind = "auto") -> Sources:
    """The answers in a collection, or, where it has none (or they are asked for), the passages.

    Passages are the candidates of the nuggetizer's input, the excerpts that answers cite, and documents: those that the
    answers to a query cite, or all of them where there is only one query.
    """
    questions = collection.query_texts()
    answers = [response for response in collection.responses if response.run_id != CANDIDATES]
    if kind == "answers" or (kind == "auto" and any(_has_text(answer) for answer in answers)):
        if not answers:
            raise UnfitInput(
                "the files have no answers of runs to draft a key from"
                + ("; they have passages: leave out --source answers" if collection.responses else "")
            )
        texts, notes = _answers(collection, answers)
        return Sources(texts=tuple(_asked(texts, questions)), kind="answers", notes=tuple(notes))
    texts, notes = _passages(collection)
    if not texts:
        raise UnfitInput(
            "the files have no responses and no passages: a key is drafted from the answers of runs, or from candidate "
            "passages, cited excerpts or documents"
        )
    return Sources(texts=tuple(_asked(texts, questions)), kind="passages", notes=tuple(notes))


def _has_text(response: Response) -> bool:
    return any(snippet.text.strip() for snippet in response.snippets)


def _asked(texts: list[SourceText], questions: dict[str, str]) -> Iterator[SourceText]:
    for text in texts:
        yield msgspec.structs.replace(text, question=questions.get(text.query_id, ""))


def _answers(collection: Collection, answers: list[Response]) -> tuple[list[SourceText], list[str]]:
    """The answers, without the snippets that people called irrelevant."""
    irrelevant = {
        (label.query_id, label.run_id, label.snippet_id)
        for label in collection.relevances
        if label.label == "irrelevant"
    }
    texts = []
    for response in answers:
        ref = (response.query_id, response.run_id)
        kept = [
            (snippet.snippet_id, snippet.text)
            for snippet in response.snippets
            if (*ref, snippet.snippet_id) not in irrelevant
        ]
        texts.append(
            SourceText(
                query_id=response.query_id, run_id=response.run_id, said_by=response.run_id, snippets=tuple(kept)
            )
        )
    left = sum(len(response.snippets) for response in answers) - sum(len(text.snippets) for text in texts)
    return texts, [f"{number_of(left, 'snippet')} that people called irrelevant left out"] if left else []


def _passages(collection: Collection) -> tuple[list[SourceText], list[str]]:
    texts: dict[tuple[str, str], SourceText] = {}

    def add(query_id: str, run_id: str, passage_id: str, text: str | None) -> None:
        if text and text.strip():
            texts.setdefault(
                (query_id, passage_id),
                SourceText(query_id=query_id, run_id=run_id, said_by=passage_id, snippets=((passage_id, text),)),
            )

    documents = {document.doc_id: document.text for document in collection.documents if document.text}
    cited: set[str] = set()
    for response in collection.responses:
        for snippet in response.snippets:
            if response.run_id == CANDIDATES:
                add(response.query_id, CANDIDATES, snippet.snippet_id, snippet.text)
                continue
            for citation in snippet.citations:
                cited.add(citation.doc_id)
                text = citation.excerpt or documents.get(citation.doc_id)
                add(response.query_id, DOCUMENTS, citation.doc_id, text)
    unused = [doc_id for doc_id in documents if doc_id not in cited]
    if len(collection.queries) == 1:
        for doc_id in unused:
            add(collection.queries[0].query_id, DOCUMENTS, doc_id, documents[doc_id])
        unused = []
    them = "it" if len(unused) == 1 else "them"
    notes = [f"{number_of(len(unused), 'document')} left out: no answer to a query cites {them}"] if unused else []
    return list(texts.values()), notes
