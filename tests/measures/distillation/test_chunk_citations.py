"""Citations of chunks, on the example of Babko-Malaya 2008 (section 3): two citations of parts of a snippet."""

from __future__ import annotations

import math
from typing import Any

import pytest
from msgspec.structs import replace

from builders.cases import cases, value
from karat.measures.cases.case import Case
from karat.measures.registry import parse_measure
from karat.model import Citation, CitationJudgement, Nugget, Response, Snippet, SpanSet

TEXT = (
    "The UN police said the officer was killed late Sunday on the motorway between Leposavic and Mitrovica, some 55 "
    "kilometers (33 miles) north of the capital Pristina"
)
PLACES = (
    "on the motorway between Leposavic and Mitrovica",
    "some 55 kilometers (33 miles) north of the capital Pristina",
)
KILLED = "the officer was killed late Sunday"


def span(part: str) -> tuple[int, int]:
    start = TEXT.index(part)
    return start, start + len(part)


CHUNKS = (SpanSet([(0, span(PLACES[0])[1])]), SpanSet([span(KILLED), span(PLACES[1])]))
NUGGETS = [
    Nugget(nugget_id=name, query_id="q", run_id="r", snippet_id="1", spans=SpanSet([span(part)]), source="person")
    for name, part in (("killed", KILLED), ("road", PLACES[0]), ("distance", PLACES[1]))
]


def judged(nugget_id: str | None, doc_id: str, support: Any) -> CitationJudgement:
    return CitationJudgement(
        query_id="q", run_id="r", snippet_id="1", nugget_id=nugget_id, doc_id=doc_id, support=support, assessor="ann"
    )


def case(*judgements: CitationJudgement, chunks: tuple[SpanSet | None, ...] = CHUNKS) -> Case:
    citations = tuple(Citation(doc_id=f"d{at}", chunk=chunk) for at, chunk in enumerate(chunks, 1))
    answer = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text=TEXT, citations=citations),))
    return cases([answer, *NUGGETS, *judgements])["r"]


def values(of: Case) -> list[float]:
    return [value(parse_measure(f"chunk_{part}"), of) for part in ("precision", "recall", "F")]


RIGHT = [judged("killed", "d1", "full"), judged("killed", "d2", "full"), judged("road", "d1", "full"),
         judged("distance", "d2", "full")]  # fmt: skip
NOT_CLAIMED = [judged("road", "d2", "none"), judged("distance", "d1", "none")]


def test_each_citation_answers_for_its_own_chunk_only() -> None:
    assert values(case(*RIGHT, *NOT_CLAIMED)) == [1.0, 1.0, 1.0]


def test_without_chunks_each_citation_claims_the_whole_snippet() -> None:
    precision, recall, _ = values(case(*RIGHT, *NOT_CLAIMED, chunks=(None, None)))
    assert (precision, recall) == (pytest.approx(4 / 6), 1.0)


def test_a_nugget_outside_all_chunks_has_no_support() -> None:
    precision, recall, f = values(case(RIGHT[0], RIGHT[2], judged("distance", "d1", "full"), chunks=CHUNKS[:1]))
    assert (precision, recall, f) == (1.0, pytest.approx(2 / 3), pytest.approx(0.8))


def test_a_judgement_of_the_snippet_holds_where_the_nugget_has_none() -> None:
    precision, recall, _ = values(case(judged(None, "d1", "partial"), judged("road", "d1", "full")))
    # killed 1/2, road 1 by the first citation; the second was not judged, so that distance does not count.
    assert (precision, recall) == (0.75, 0.75)


def test_two_citations_of_one_document_are_told_apart_by_their_ids() -> None:
    """One document cited for both chunks: it supports the first, and not the second."""
    citations = tuple(Citation(doc_id="d", citation_id=f"c{at}", chunk=chunk) for at, chunk in enumerate(CHUNKS, 1))
    answer = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text=TEXT, citations=citations),))
    said = [replace(judged(None, "d", support), citation_id=name) for name, support in (("c1", "full"), ("c2", "none"))]
    # killed: 1 and 0, road: 1, distance: 0.
    assert values(cases([answer, *NUGGETS, *said])["r"])[:2] == [0.5, pytest.approx(2 / 3)]
    # Judged as a document, it is one claim per nugget, as without ids.
    assert values(cases([answer, *NUGGETS, judged(None, "d", "partial")])["r"])[:2] == [0.5, 0.5]
    # A nugget's own judgement goes before that of the citation for the snippet.
    own = judged("distance", "d", "full")
    assert values(cases([answer, *NUGGETS, *said, own])["r"])[:2] == [0.75, 1.0]


def test_without_judgements_or_response_it_is_undefined() -> None:
    assert all(map(math.isnan, values(case())))
    assert all(map(math.isnan, values(cases([*NUGGETS, *RIGHT])["r"])))
