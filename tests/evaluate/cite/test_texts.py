from __future__ import annotations

from typing import Any

import pytest

from karat.evaluate.cite.texts import Hints, listed_documents, sources_of
from karat.judges.citations.documents import Source
from karat.model import Citation, Collection, Document, Response, Snippet


def response(run_id: str = "r", *citations: Citation, text: str = "a text", **extra: Any) -> Response:
    snippet = Snippet(snippet_id="1", text=text, citations=citations)
    return Response(query_id="q", run_id=run_id, snippets=(snippet,), extra=extra)


def texts(*records: Any) -> dict[str, str]:
    return {doc_id: source.text for doc_id, source in sources_of(Collection(records)).items()}


@pytest.mark.parametrize(
    "extra",
    [
        {"documents": {"d1": {"id": "d1", "text": "one", "title": "t"}, "d2": "two"}},
        {"passages": [{"doc_id": "d1", "text": "one"}, {"docid": "d2", "doc": {"segment": "two"}}]},
        {"references": ["d1", "d2"], "contexts": ["one", "two"]},
        {"retrieved_context": [{"doc_id": "d1", "text": "one"}, {"id": "d2", "contents": "two"}]},
        {"uncited_passages": [{"passage_id": "d1", "passage": "one"}, {"passage_id": "d2", "passage": "two"}]},
    ],
)
def test_responses_carry_their_documents(extra: dict[str, Any]) -> None:
    carrying = response("r", Citation(doc_id="d1"), **extra)
    assert texts(carrying) == {"d1": "one", "d2": "two"}
    assert listed_documents(carrying) == ["d1", "d2"]


def test_contexts_that_cannot_be_told_apart_are_left_alone() -> None:
    assert texts(response("r", Citation(doc_id="d1"), references=["d1", "d2"], contexts=["one"])) == {}


def test_candidates_are_documents() -> None:
    candidates = response("candidates", Citation(doc_id="d1"), text="the passage")
    assert texts(candidates, response("r", Citation(doc_id="d1"))) == {"d1": "the passage"}


def test_excerpts_are_the_last_resort() -> None:
    cited = response("r", Citation(doc_id="d1", excerpt="part one"), Citation(doc_id="d2", excerpt="whole"))
    again = response("s", Citation(doc_id="d1", excerpt="part two"))
    assert texts(cited, again) == {"d1": "part one\n\npart two", "d2": "whole"}
    assert texts(Document(doc_id="d1", text="all"), cited)["d1"] == "all"


def test_hints() -> None:
    hints = Hints({name: Source(name, "x") for name in ("msmarco_v2.1_doc_11_1429319552", "APW19990519.0113")})
    assert hints.near("msmarco_v2.1_doc_11_1429319552#2_3022858430") == "msmarco_v2.1_doc_11_1429319552"
    assert hints.near("apw19990519-0113") == "APW19990519.0113"
    assert hints.near("APW19990519.0114") == "APW19990519.0113"
    assert hints.near("something else") is None
