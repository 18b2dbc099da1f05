from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.model import Nug, Query, Vote, content_id

BANK = {
    "query": "why do bees dance",
    "qid": "q1",
    "nuggets": [
        {"text": "the dance tells direction", "importance": "vital"},
        {"text": "it tells distance", "importance": "okay"},
    ],
}


def line(**changes: object) -> str:
    return json.dumps(BANK | changes)


def test_reads_a_bank_as_query_and_nugs() -> None:
    collection = collect(line(), "nuggetizer-bank")
    assert collection.queries == [Query(query_id="q1", text="why do bees dance")]
    assert collection.nugs == [
        Nug(
            query_id="q1",
            nug_id=content_id("the dance tells direction"),
            descriptions=("the dance tells direction",),
            importance="vital",
        ),
        Nug(
            query_id="q1",
            nug_id=content_id("it tells distance"),
            descriptions=("it tells distance",),
            importance="okay",
        ),
    ]


def test_numbers_as_ids_a_byte_order_mark_and_crlf_are_read() -> None:
    data = b"\xef\xbb\xbf" + line(qid=7).encode() + b"\r\n\r\n" + line(qid="8").encode() + b"\r\n"
    collection = collect(data, "nuggetizer-bank")
    assert [query.query_id for query in collection.queries] == ["7", "8"]


def test_a_query_without_text_or_unknown_fields_is_not_made_up() -> None:
    collection = collect(json.dumps({"qid": "q1", "nuggets": BANK["nuggets"]}), "nuggetizer-bank")
    assert collection.queries == []
    assert len(collection.nugs) == 2


def test_an_impossible_importance_is_reported_and_the_nug_kept_without_one() -> None:
    data = line(nuggets=[{"text": "x y", "importance": "crucial"}, {"text": "z", "importance": None}])
    assert messages(data, "nuggetizer-bank") == [
        "1: nuggets[0].importance: 'crucial' is not one of vital, okay, failed"
    ]
    collection, _ = collect_with_problems(data, "nuggetizer-bank")
    assert [nug.importance for nug in collection.nugs] == [None, None]


def test_a_nugget_without_text_is_dropped_and_the_others_kept() -> None:
    data = line(nuggets=[{"importance": "vital"}, "loose", {"text": "kept"}])
    assert messages(data, "nuggetizer-bank") == [
        "1: nuggets[1]: must be an object, not a string",
        "1: nuggets[0].text: is missing",
    ]
    assert [nug.descriptions for nug in collect_with_problems(data, "nuggetizer-bank")[0].nugs] == [("kept",)]


def test_round_trip_keeps_failed_importances_repeats_and_unknown_fields() -> None:
    nuggets = [
        {"text": "a b", "importance": "failed", "reasoning": "unsure"},
        {"text": "a b", "importance": "vital", "trace": {"model": "m"}},
        {"text": "c"},
    ]
    data = line(nuggets=nuggets, creator_reasoning_traces=["t"])
    collection = collect(data, "nuggetizer-bank")
    assert [nug.nug_id for nug in collection.nugs[:2]] == [content_id("a b"), content_id("a b") + "-2"]
    assert json.loads(round_trip(collection, "nuggetizer-bank")) == json.loads(data)


def test_a_query_without_nuggets_survives() -> None:
    round_trip(collect(json.dumps({"qid": "q1", "nuggets": []}), "nuggetizer-bank"), "nuggetizer-bank")


def test_is_recognised() -> None:
    assert sniffed(line()) == "nuggetizer-bank"
    assert sniffed(json.dumps([BANK], indent=1)) == "nuggetizer-bank"


def test_what_cannot_be_written_is_counted() -> None:
    nug = Nug(query_id="q1", nug_id="n1", descriptions=("a", "b"), weight=0.5)
    vote = Vote(query_id="q1", nug_id="n1", assessor="ann", value="vital")
    assert lost([nug, vote], "nuggetizer-bank") == {
        "nug.descriptions": 1,
        "nug.nug_id": 1,
        "nug.weight": 1,
        "vote": 1,
    }


@pytest.mark.real_data
def test_rag24_bank(real_data: Path) -> None:
    path = real_data / "nuggetizer-rag24" / "nuggets" / "rag24_nuggets_mistral.jsonl"
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    raw = Counter(nugget["importance"] for row in rows for nugget in row["nuggets"])
    impossible = sum(count for label, count in raw.items() if label not in ("vital", "okay", "failed"))
    collection, problems = collect_with_problems(path.read_bytes(), "nuggetizer-bank")
    assert len(collection.queries) == len(rows) == 301
    assert len(collection.nugs) == sum(raw.values()) == 6145
    assert len(problems) == impossible == 30
    assert all(problem.path.endswith("importance") for problem in problems)
    assert sum("importance_status" in nug.extra for nug in collection.nugs) == raw["failed"] == 10
    assert Counter(nug.importance for nug in collection.nugs) == {
        "vital": raw["vital"],
        "okay": raw["okay"],
        None: 40,
    }
    repeats = sum(len(row["nuggets"]) - len({nugget["text"] for nugget in row["nuggets"]}) for row in rows)
    assert sum("-" in nug.nug_id for nug in collection.nugs) == repeats == 7
    assert collection.queries[0].query_id == rows[0]["qid"]
    assert collection.nugs[0].descriptions == (rows[0]["nuggets"][0]["text"],)
    assert collection.nugs[-1].descriptions == (rows[-1]["nuggets"][-1]["text"],)
    round_trip(collection, "nuggetizer-bank")


@pytest.mark.real_data
def test_rag25_dev_nuggets(real_data: Path) -> None:
    path = real_data / "trec-rag-2025-dev" / "rag25-dev-nuggets.jsonl"
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    collection = collect(path.read_bytes(), "nuggetizer-bank")
    assert sniffed(path.read_bytes()) == "nuggetizer-bank"
    assert collection.queries == []
    assert collection.key.query_ids == [str(row["qid"]) for row in rows]
    assert len(rows) == 22
    assert len(collection.nugs) == sum(len(row["nuggets"]) for row in rows) == 1255
    assert all(set(nug.extra) == {"mapped_sub_narrative", "source"} for nug in collection.nugs)
    assert collection.nugs[0].extra["source"] == rows[0]["nuggets"][0]["source"]
    assert collection.nugs[-1].descriptions == (rows[-1]["nuggets"][-1]["text"],)
    written = round_trip(collection, "nuggetizer-bank")
    assert [json.loads(row) for row in written.splitlines()] == rows
