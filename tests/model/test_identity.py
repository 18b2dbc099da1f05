from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from builders.records import citation_judgement
from karat.model import (
    RECORD_TYPES,
    Citation,
    CitationJudgement,
    Judgement,
    Nug,
    Query,
    Record,
    Relevance,
    Response,
    Run,
    Score,
    Snippet,
    Vote,
    kind_of,
)
from karat.model.identity import (
    DEFINITIONS,
    IDENTITY_FIELDS,
    citation_units,
    identity,
    identity_text,
    with_citation_ids,
)
from strategies import moderately, pairs_of_a_kind, records


def fields(record: Record) -> tuple[str | None, ...]:
    return tuple(getattr(record, name) for name in IDENTITY_FIELDS[type(record)])


@pytest.mark.parametrize("kind", RECORD_TYPES, ids=kind_of)
def test_every_kind_is_identified_by_fields_it_has(kind: type[Record]) -> None:
    assert set(IDENTITY_FIELDS[kind]) <= set(kind.__struct_fields__)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Relevance, "assessor"),
        (Vote, "assessor"),
        (Vote, "occasion"),
        (Judgement, "judge"),
        (Judgement, "assessor"),
        (CitationJudgement, "nugget_id"),
        (Score, "signature"),
    ],
)
def test_another_voice_or_place_is_another_thing(kind: type[Record], name: str) -> None:
    assert name in IDENTITY_FIELDS[kind]


@pytest.mark.parametrize("kind", RECORD_TYPES, ids=kind_of)
def test_what_is_said_of_a_thing_does_not_make_it_another(kind: type[Record]) -> None:
    opinions = {"label", "value", "degree", "status", "support", "importance", "weight", "text", "spans", "snippets"}
    assert not opinions & set(IDENTITY_FIELDS[kind])


@moderately
@given(pairs_of_a_kind)
def test_two_records_are_the_same_thing_when_those_fields_are(pair: tuple[Record, Record]) -> None:
    one, other = pair
    assert (identity(one) == identity(other)) == (fields(one) == fields(other))
    renamed = msgspec.structs.replace(other, **dict(zip(IDENTITY_FIELDS[type(one)], fields(one), strict=True)))
    assert identity(renamed) == identity(one)


@moderately
@given(records)
def test_every_one_of_those_fields_counts(record: Record) -> None:
    for name in IDENTITY_FIELDS[type(record)]:
        other = msgspec.structs.replace(record, **{name: f"{getattr(record, name)}+"})
        assert identity(other) != identity(record)


@moderately
@given(records)
def test_an_identity_can_be_looked_up(record: Record) -> None:
    assert {identity(record): 1}[identity(msgspec.structs.replace(record, extra={"other": 1}))] == 1


def test_a_judgement_of_a_snippet_is_another_than_that_of_the_response() -> None:
    whole = Judgement(query_id="q", run_id="r", nug_id="n", judge="j")
    assert identity(whole) == ("q", "r", None, "n", "j", None, None)
    assert identity(msgspec.structs.replace(whole, snippet_id="s")) == ("q", "r", "s", "n", "j", None, None)


def test_what_others_refer_to_are_definitions() -> None:
    assert sorted(kind_of(kind) for kind in DEFINITIONS) == [
        "document", "nug", "nugget", "query", "response", "run", "template",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (Query(query_id="q1", text="why?"), "query_id 'q1'"),
        (Run(run_id="it's"), 'run_id "it\'s"'),
        (Nug(query_id="q1", nug_id="n2", descriptions=()), "query_id 'q1', nug_id 'n2'"),
        (
            Vote(query_id="q1", nug_id="n2", assessor="a", value="vital"),
            "query_id 'q1', nug_id 'n2', assessor 'a'",
        ),
        (
            CitationJudgement(query_id="q", run_id="r", snippet_id="", doc_id="d", support="full", assessor="a"),
            "query_id 'q', run_id 'r', snippet_id '', doc_id 'd', assessor 'a'",
        ),
    ],
)
def test_an_identity_in_words_leaves_out_what_is_absent(record: Record, words: str) -> None:
    assert identity_text(record) == words


def test_citations_get_ids_by_their_place() -> None:
    citations = (Citation(doc_id="d"), Citation(doc_id="d", citation_id="c3"), Citation(doc_id="e"))
    response = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text="a", citations=citations),))
    named = with_citation_ids(response)
    assert [citation.citation_id for citation in named.snippets[0].citations] == ["c1", "c3", "c3-2"]
    assert with_citation_ids(named) == named


def test_citations_of_one_document_are_told_apart_where_everybody_does() -> None:
    first, second = (citation_judgement("d", "full", citation_id=name) for name in ("c1", "c2"))
    whole = citation_judgement("d", "none", assessor="ben")
    unit = citation_units([first, second])
    assert unit(first) != unit(second)
    unit = citation_units([first, second, whole])
    assert unit(first) == unit(second) == unit(whole)
