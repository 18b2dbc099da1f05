from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import open_reading
from karat.formats.banks.nuggetbank import sniff_nuggetbank
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Collection, Nug, Query, content_id

REFERENCE = {
    "doc_id": "d1",
    "collection": None,
    "text": None,
    "offsets": {"start_offset": 0, "end_offset": 10, "encoding": "utf-8"},
}
CREATOR = {
    "is_human": True,
    "assessor_id": None,
    "llm_model": None,
    "creation_date": "2025-07-02T20:10:37+00:00",
    "format": "v2",
    "contact": [],
}
BANK: dict[str, Any] = {
    "query_id": "7",
    "title_query": "bee dances",
    "full_query": "I want to know what bees tell by dancing.",
    "full_background": "I keep bees.",
    "test_collection": "hive",
    "format_version": "v3",
    "quality": None,
    "creator": [CREATOR],
    "metadata": {"seed": 1},
    "nugget_bank": {
        "What does the dance tell?": {
            "question": "What does the dance tell?",
            "answers": {
                "direction": {"answer": "direction", "references": [REFERENCE]},
                "distance": {"answer": "distance", "references": [], "importance": 2, "creator": None},
            },
            "question_id": "q-dance",
            "aggregator_type": "AND",
            "query_id": "7",
            "importance": "vital",
            "quality": None,
            "sub_nuggets": [],
            "creator": [CREATOR],
            "metadata": {},
        },
        "Who sees it?": {
            "question": "Who sees it?",
            "answers": {"other bees": {"answer": "other bees"}},
            "question_id": "q-who",
            "aggregator_type": "SUM",
            "query_id": "7",
            "importance": 3,
        },
        "Is it loud?": {"question": "Is it loud?", "answers": None, "question_id": "q-loud", "query_id": "7"},
        "KEY": {
            "question": "How long?",
            "answers": {"k": {"answer": "a minute"}},
            "aggregator_type": "OR",
            "query_id": "7",
        },
    },
    "claim_bank": {
        "Bees dance.": {
            "claim": "Bees dance.",
            "claim_id": "c-dance",
            "references": [REFERENCE],
            "query_id": "7",
            "aggregator_type": "AND",
        },
        "Drones rest.": {"claim": "Drones rest.", "claim_id": "c-rest", "query_id": "7", "importance": "okay"},
    },
}


def bank(**changes: Any) -> str:
    return json.dumps(copy.deepcopy(BANK) | changes)


def nuggets(*entries: dict[str, Any]) -> str:
    return json.dumps({"query_id": "7", "title_query": "t", "nugget_bank": {e["question"]: e for e in entries}})


def test_reads_questions_answers_and_claims_as_nugs() -> None:
    collection = collect(bank(), "nuggetbank")
    kept = {"quality", "full_query", "full_background", "test_collection", "creator", "metadata"}
    assert collection.queries == [
        Query(query_id="7", text="bee dances", extra={name: BANK[name] for name in BANK if name in kept})
    ]
    how_long = content_id("How long?")
    assert collection.nugs == [
        Nug(
            query_id="7",
            nug_id="q-dance",
            descriptions=("What does the dance tell?",),
            importance="vital",
            aggregator="and",
            extra={"quality": None, "sub_nuggets": [], "creator": [CREATOR], "metadata": {}},
        ),
        Nug(
            query_id="7",
            nug_id=content_id("q-dance", "direction"),
            descriptions=("direction",),
            parent="q-dance",
            extra={"references": [REFERENCE]},
        ),
        Nug(
            query_id="7",
            nug_id=content_id("q-dance", "distance"),
            descriptions=("distance",),
            weight=2.0,
            parent="q-dance",
            extra={"references": [], "creator": None},
        ),
        Nug(
            query_id="7",
            nug_id="q-who",
            descriptions=("Who sees it?",),
            weight=3.0,
            extra={"aggregator_type": "SUM"},
        ),
        Nug(query_id="7", nug_id=content_id("q-who", "other bees"), descriptions=("other bees",), parent="q-who"),
        Nug(
            query_id="7",
            nug_id="q-loud",
            descriptions=("Is it loud?",),
            extra={"answers": None, "bank": "nugget_bank"},
        ),
        Nug(query_id="7", nug_id=how_long, descriptions=("How long?",), aggregator="or", extra={"bank_key": "KEY"}),
        Nug(
            query_id="7",
            nug_id=content_id(how_long, "a minute"),
            descriptions=("a minute",),
            parent=how_long,
            extra={"bank_key": "k"},
        ),
        Nug(
            query_id="7",
            nug_id="c-dance",
            descriptions=("Bees dance.",),
            aggregator="and",
            extra={"references": [REFERENCE], "bank": "claim_bank"},
        ),
        Nug(query_id="7", nug_id="c-rest", descriptions=("Drones rest.",), importance="okay"),
    ]


def test_a_v3_file_is_written_back_as_it_was() -> None:
    collection = collect(bank(), "nuggetbank")
    assert json.loads(round_trip(collection, "nuggetbank")) == BANK


@pytest.mark.parametrize(
    "entry",
    [
        {"importance": None, "quality": 5},
        {"importance": "must have"},
        {"importance": 2, "weight": 7},
        {"importance": 1.5},
        {"weight": 2},
        {"weight": 0.5, "importance": "okay"},
        {"importance": None, "weight": 3},
        {"question_id": None, "aggregator_type": None},
        {"aggregator_type": "Default", "answers": {}},
        {"aggregator_type": "NOT", "references": [REFERENCE], "question_markup": {"a": [1]}},
        {"answers": {"x": {"answer": "x", "weight": -1}, "y": {"answer": "x"}}},
        {"categories": ["must"], "grades": {"run": 4}},
    ],
)
def test_fields_of_a_question_survive(entry: dict[str, Any]) -> None:
    question = {"question": "Why?", "query_id": "7", **entry}
    data = nuggets(question)
    written = json.loads(round_trip(collect(data, "nuggetbank"), "nuggetbank"))
    assert written == json.loads(data) | {"format_version": "v3"}


@pytest.mark.parametrize(
    "changes",
    [
        {"claim_bank": None},
        {"claim_bank": {}, "nugget_bank": None},
        {"nugget_bank": {}, "claim_bank": {}},
        {"nugget_bank": {}},
        {"title_query": ""},
        {"full_query": {"parts": ["a", "b"]}},
    ],
)
def test_empty_parts_of_a_bank_survive(changes: dict[str, Any]) -> None:
    data = bank(**changes)
    assert json.loads(round_trip(collect(data, "nuggetbank"), "nuggetbank")) == json.loads(data)


def test_several_queries_are_written_one_a_line() -> None:
    data = bank() + "\r\n\r\n" + bank(query_id="8", nugget_bank={}, claim_bank=None) + "\r\n"
    collection = collect(b"\xef\xbb\xbf" + data.encode(), "nuggetbank")
    assert [query.query_id for query in collection.queries] == ["7", "8"]
    assert len(round_trip(collection, "nuggetbank").splitlines()) == 2


def test_an_ordinary_key_becomes_claims() -> None:
    key = Collection(
        [
            Nug(query_id="q1", nug_id="n1", descriptions=("bees dance",), importance="vital"),
            Nug(query_id="q1", nug_id=content_id("bees hum"), descriptions=("bees hum",), weight=2.0),
            Nug(query_id="q1", nug_id="n3", descriptions=("bees hum",), weight=0.25, importance="okay"),
            Nug(query_id="q1", nug_id="n4", descriptions=("wasps sting",), weight=-1.0, extra={"tags": ["x"]}),
        ]
    )
    assert json.loads(round_trip(key, "nuggetbank")) == {
        "query_id": "q1",
        "title_query": "",
        "format_version": "v3",
        "claim_bank": {
            "bees dance": {"claim": "bees dance", "claim_id": "n1", "query_id": "q1", "importance": "vital"},
            "bees hum": {"claim": "bees hum", "query_id": "q1", "importance": 2},
            "bees hum (2)": {
                "claim": "bees hum",
                "claim_id": "n3",
                "query_id": "q1",
                "importance": "okay",
                "weight": 0.25,
            },
            "wasps sting": {
                "claim": "wasps sting",
                "claim_id": "n4",
                "query_id": "q1",
                "importance": -1,
                "tags": ["x"],
            },
        },
    }


def test_ids_of_answers_are_written_where_they_are_not_made_from_the_text() -> None:
    key = [
        Query(query_id="q1", text="bees"),
        Nug(query_id="q1", nug_id="n1", descriptions=("what do they do",), aggregator="or"),
        Nug(query_id="q1", nug_id="n1.1", descriptions=("they dance",), parent="n1"),
    ]
    written = json.loads(round_trip(key, "nuggetbank"))
    assert written["nugget_bank"]["what do they do"]["answers"] == {
        "they dance": {"answer": "they dance", "answer_id": "n1.1"}
    }


def test_reads_autojudge_containers() -> None:
    data = {
        "format_version": "v4",
        "banks": {
            "7": {
                "query": "bees",
                "qid": "7",
                "full_query": "about bees",
                "nuggets": [{"text": "they dance", "importance": "vital", "reasoning": "r"}],
            }
        },
    }
    collection = collect(json.dumps(data), "nuggetbank")
    assert collection.queries == [Query(query_id="7", text="bees", extra={"full_query": "about bees"})]
    assert collection.nugs == [
        Nug(
            query_id="7",
            nug_id=content_id("they dance"),
            descriptions=("they dance",),
            importance="vital",
            extra={"reasoning": "r"},
        )
    ]
    round_trip(collection, "nuggetbank")
    v3 = collect(json.dumps({"format_version": "v3", "banks": {"7": BANK}}), "nuggetbank")
    assert v3 == collect(bank(), "nuggetbank")


def test_reads_lists_in_place_of_keyed_objects() -> None:
    data = {
        "metadata": {"team_id": "t", "topic_id": 9},
        "nugget_bank": [
            {"question": "Why?", "aggregator_type": "or", "answers": [{"answer": "a", "references": ["d"]}, "b"]}
        ],
    }
    collection = collect(json.dumps(data), "nuggetbank")
    why = content_id("Why?")
    assert collection.nugs == [
        Nug(query_id="9", nug_id=why, descriptions=("Why?",), aggregator="or"),
        Nug(
            query_id="9",
            nug_id=content_id(why, "a"),
            descriptions=("a",),
            parent=why,
            extra={"references": ["d"]},
        ),
        Nug(query_id="9", nug_id=content_id(why, "b"), descriptions=("b",), parent=why),
    ]


def test_the_topic_may_be_in_the_file_name() -> None:
    source = Source("a/nuggets_300.v3.json", b'{"title_query": "t", "nugget_bank": {}}')
    assert Collection(open_reading(source, format="nuggetbank")).queries == [Query(query_id="300", text="t")]


def test_problems_are_reported_and_the_rest_is_kept() -> None:
    data = nuggets(
        {"question": "Why?", "question_id": "1", "query_id": "7", "aggregator_type": "XOR"},
        {"question": "How?", "question_id": "1", "query_id": "7"},
        {"question": "When?", "question_id": "2", "query_id": "8", "answers": {"x": 5, "y": {"answer": "y"}}},
    )
    collection, _ = collect_with_problems(data, "nuggetbank")
    assert messages(data, "nuggetbank") == [
        "1: nugget_bank.Why?.aggregator_type: 'XOR' is not one of AND, OR, NOT, SUM, Default",
        "1: nugget_bank.How?.question_id: '1' appears twice",
        "1: nugget_bank.When?.query_id: '8' is not the bank's '7'",
        "1: nugget_bank.When?.answers.x: must be an object, not a number",
    ]
    assert [nug.descriptions[0] for nug in collection.nugs] == ["Why?", "When?", "y"]
    assert messages('{"nugget_bank": {}}', "nuggetbank") == ["1: query_id: is missing"]
    assert messages(bank() + "\n" + bank(), "nuggetbank") == ["2: query_id: query '7' already has a bank"]


def test_what_cannot_be_written_is_counted() -> None:
    key = [
        Query(query_id="q1", text="t", template="x"),
        Nug(query_id="q1", nug_id="n1", descriptions=("a", "b"), relevance=0.5),
        Nug(query_id="q1", nug_id="n2", descriptions=("c",), parent="gone"),
        Nug(query_id="q1", nug_id="n3", descriptions=("d",), parent="n1", aggregator="and"),
        Nug(query_id="q1", nug_id="n4", descriptions=("e",), parent="n3"),
    ]
    assert lost(key, "nuggetbank") == {
        "query.template": 1,
        "nug.relevance": 1,
        "nug.descriptions": 1,
        "nug.parent": 1,
        "nug.aggregator": 1,
        "nug": 1,
    }


def test_is_recognised() -> None:
    assert sniffed(bank()) == "nuggetbank"
    assert sniffed(json.dumps(BANK, indent=2)) == "nuggetbank"
    assert sniffed('{"format_version": "v4", "banks": {}}') == "nuggetbank"
    for other in ('{"nugget_bank": 1}', '{"banks": [1]}', '{"query_id": 1, "nugget_bank": "x"}', "[1]", "x", ""):
        assert not sniff_nuggetbank(Head(Source("<bytes>", other.encode())))
