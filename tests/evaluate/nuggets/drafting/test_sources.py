"""Answers or passages to draft from."""

from __future__ import annotations

import pytest

from karat.evaluate.nuggets.drafting.sources import sources_of
from karat.formats.nuggetizer.create_input import CANDIDATES
from karat.model import Citation, Collection, Document, Query, Relevance, Response, Snippet, UsageError

QUERY = Query(query_id="q", text="Why did the dam burst?")
PASSAGES = Response(
    query_id="q",
    run_id=CANDIDATES,
    snippets=(Snippet(snippet_id="d1", text="The dam was old."), Snippet(snippet_id="d2", text="It rained.")),
)
ANSWER = Response(
    query_id="q",
    run_id="a",
    snippets=(
        Snippet(snippet_id="1", text="It was old.", citations=(Citation(doc_id="d7", excerpt="The dam was old."),)),
        Snippet(snippet_id="2", text="Buy boots.", citations=(Citation(doc_id="d8"),)),
    ),
)


def test_answers_come_first() -> None:
    sources = sources_of(Collection([QUERY, PASSAGES, ANSWER]))
    assert sources.kind == "answers"
    assert [(text.said_by, text.question) for text in sources.texts] == [("a", "Why did the dam burst?")]


def test_without_answers_the_candidates_are_used_each_by_itself() -> None:
    sources = sources_of(Collection([QUERY, PASSAGES]))
    assert sources.kind == "passages"
    assert [text.said_by for text in sources.texts] == ["d1", "d2"]


def test_passages_on_request_with_excerpts_and_documents() -> None:
    documents = [Document(doc_id="d8", text="Boots help."), Document(doc_id="d9", text="Nobody cites this.")]
    other = Query(query_id="r", text="?")
    sources = sources_of(Collection([QUERY, other, ANSWER, *documents]), "passages")
    assert [(text.said_by, text.snippets[0][1]) for text in sources.texts] == [
        ("d7", "The dam was old."),
        ("d8", "Boots help."),
    ]
    assert sources.notes == ("1 document left out: no answer to a query cites it",)


def test_documents_of_a_single_query_need_no_citation() -> None:
    sources = sources_of(Collection([QUERY, Document(doc_id="d9", text="The dam was old.")]))
    assert [(text.query_id, text.said_by) for text in sources.texts] == [("q", "d9")]


def test_irrelevant_snippets_are_left_out() -> None:
    label = Relevance(query_id="q", run_id="a", snippet_id="2", assessor="x", label="irrelevant")
    sources = sources_of(Collection([QUERY, ANSWER, label]))
    assert [snippet for snippet, _ in sources.texts[0].snippets] == ["1"]
    assert sources.notes == ("1 snippet that people called irrelevant left out",)


def test_nothing_to_draft_from() -> None:
    with pytest.raises(UsageError, match="no responses and no passages"):
        sources_of(Collection([QUERY]))
    with pytest.raises(UsageError, match="leave out --source answers"):
        sources_of(Collection([QUERY, PASSAGES]), "answers")
