from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import nug
from karat.model import (
    RECORD_TYPES,
    AnyRecord,
    CitationJudgement,
    Collection,
    Judgement,
    Key,
    Nug,
    Nugget,
    Query,
    Record,
    Relevance,
    Response,
    Run,
    Score,
    SpanSet,
    Vote,
)
from strategies import moderately, records

QUERY = Query(query_id="q", text="why?")
RUN = Run(run_id="r")
RESPONSE = Response(query_id="q", run_id="r", snippets=())
RELEVANCE = Relevance(query_id="q", run_id="r", snippet_id="s", assessor="a", label="relevant")
NUGGET = Nugget(nugget_id="g", query_id="q", run_id="r", snippet_id="s", spans=SpanSet([(0, 1)]), source="auto")
NUG = Nug(query_id="q", nug_id="n", descriptions=("d",))
VOTE = Vote(query_id="q", nug_id="n", assessor="a", value="vital")
JUDGEMENT = Judgement(query_id="q", run_id="r", nug_id="n", judge="j", degree=1.0)
CITATION_JUDGEMENT = CitationJudgement(
    query_id="q", run_id="r", snippet_id="s", doc_id="d", support="full", assessor="a"
)
SCORE = Score(run_id="r", query_id="all", measure="F3", value=0.5)
ONE_OF_EACH: list[AnyRecord] = [
    QUERY, RUN, RESPONSE, RELEVANCE, NUGGET, NUG, VOTE, JUDGEMENT, CITATION_JUDGEMENT, SCORE,
]  # fmt: skip


def test_records_come_out_definitions_before_uses() -> None:
    assert list(Collection(reversed(ONE_OF_EACH))) == ONE_OF_EACH


@moderately
@given(st.lists(records, max_size=8))
def test_a_collection_holds_what_was_put_in_each_kind_in_its_order(put_in: list[AnyRecord]) -> None:
    collection = Collection(put_in)
    assert len(collection) == len(put_in)
    assert list(collection) == sorted(put_in, key=lambda record: RECORD_TYPES.index(type(record)))
    for kind in RECORD_TYPES:
        assert collection.of(kind) == [record for record in put_in if type(record) is kind]


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("queries", QUERY),
        ("runs", RUN),
        ("responses", RESPONSE),
        ("relevances", RELEVANCE),
        ("nuggets", NUGGET),
        ("nugs", NUG),
        ("votes", VOTE),
        ("judgements", JUDGEMENT),
        ("citation_judgements", CITATION_JUDGEMENT),
        ("scores", SCORE),
    ],
)
def test_each_kind_has_a_name(name: str, record: Record) -> None:
    assert getattr(Collection(ONE_OF_EACH), name) == [record]
    assert getattr(Collection(), name) == []


def test_collections_are_equal_however_their_kinds_were_mixed() -> None:
    mixed = list(ONE_OF_EACH)
    random.Random(7).shuffle(mixed)
    assert mixed != ONE_OF_EACH
    assert Collection(mixed) == Collection(ONE_OF_EACH)


def test_the_order_within_a_kind_matters() -> None:
    assert Collection([nug("1"), nug("2")]) != Collection([nug("2"), nug("1")])


def test_a_collection_is_not_its_list() -> None:
    assert Collection([QUERY]) != [QUERY]


def test_a_collection_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Collection())


def test_it_prints_what_it_counts() -> None:
    assert repr(Collection([VOTE, nug("1"), nug("2")])) == "<Collection: 2 Nug, 1 Vote>"
    assert repr(Collection()) == "<Collection: empty>"


def test_it_can_be_walked_twice() -> None:
    collection = Collection(iter(ONE_OF_EACH))
    assert list(collection) == list(collection) == ONE_OF_EACH


def test_query_texts_by_id() -> None:
    assert Collection([QUERY, Query(query_id="p", text="how?"), RUN]).query_texts() == {"q": "why?", "p": "how?"}


def test_the_key_of_a_collection_has_its_nugs_and_votes() -> None:
    key = Collection(ONE_OF_EACH).key
    assert key.of("q") == [NUG]
    assert key.votes == {("q", "n"): [VOTE]}


def test_a_key_lists_queries_and_their_nugs_in_order() -> None:
    key = Key([nug("2", query_id="b"), nug("1", query_id="a"), nug("1", query_id="b")])
    assert key.query_ids == ["b", "a"]
    assert key.of("b") == [nug("2", query_id="b"), nug("1", query_id="b")]
    assert len(key) == 3


def test_a_query_the_key_does_not_know_has_no_nugs() -> None:
    key = Key([nug("1")])
    assert key.of("other") == []
    assert key.query_ids == ["q"]


def test_an_empty_key_has_nothing() -> None:
    assert len(Key()) == 0
    assert Key().query_ids == []


def test_votes_without_nugs_make_no_query_of_the_key() -> None:
    assert Key(votes=[VOTE]).query_ids == []


def test_a_nug_has_every_vote_of_every_assessor_and_occasion() -> None:
    cast = [
        VOTE,
        Vote(query_id="q", nug_id="n", assessor="b", value=0.5),
        Vote(query_id="q", nug_id="n", assessor="a", occasion="2", value="okay"),
    ]
    other = Vote(query_id="p", nug_id="n", assessor="a", value="okay")
    assert Key([NUG], [*cast, other]).votes == {("q", "n"): cast, ("p", "n"): [other]}


def test_of_two_nugs_with_one_id_the_last_is_kept() -> None:
    key = Key([nug("1", "old"), nug("2"), nug("1", "new")])
    assert key.of("q") == [nug("1", "new"), nug("2")]


def test_children_are_the_nugs_of_the_same_query_that_name_their_parent() -> None:
    both, left, right = nug("both"), nug("left", parent="both"), nug("right", parent="both")
    elsewhere = nug("far", query_id="p", parent="both")
    key = Key([left, both, right, elsewhere, nug("alone")])
    assert key.children(both) == [left, right]
    assert key.children(left) == []
