from __future__ import annotations

import re
from pathlib import Path

import pytest

from builders.records import nug
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_qa.key import sniff_trec_qa_key
from karat.model import Nug, Query, Vote

KEY = "Qid 9.4: What is a moon garden?\n9.4 1\tvital\tflowers at night\n9.4 2\tokay\twhite plants\n\n\n"


def entry(number: int, importance: str | None, text: str) -> Nug:
    return nug(str(number), text, query_id="9.4", importance=importance)


def test_reads_questions_and_nuggets() -> None:
    collection = collect(KEY, "trec-qa-key")
    assert collection.queries == [Query(query_id="9.4", text="What is a moon garden?")]
    assert collection.nugs == [entry(1, "vital", "flowers at night"), entry(2, "okay", "white plants")]


@pytest.mark.parametrize(
    "line", ["9.4 1 vital flowers at night", "9.4\t1\tVITAL\tflowers at night  ", "9.4  1  vital  flowers at night"]
)
def test_columns_are_separated_by_tabs_or_blanks(line: str) -> None:
    assert collect(line, "trec-qa-key").nugs == [entry(1, "vital", "flowers at night")]


def test_a_byte_order_mark_and_windows_line_ends_are_passed_over() -> None:
    assert collect(b"\xef\xbb\xbf" + KEY.replace("\n", "\r\n").encode(), "trec-qa-key") == collect(KEY, "trec-qa-key")


def test_an_impossible_importance_is_reported_and_the_nug_kept_without_one() -> None:
    collection, problems = collect_with_problems("9.4 1\tvitl\tflowers\n9.4 2\tokay\tplants\nstray\n", "trec-qa-key")
    assert [str(problem).removeprefix("<bytes>:") for problem in problems] == [
        "1: importance: 'vitl' is not one of vital, okay, ok",
        "3: the line must be `Qid N: question` or `qid number vital|okay description`",
    ]
    assert [nug.importance for nug in collection.nugs] == [None, "okay"]


def test_a_problem_names_its_query() -> None:
    assert collect_with_problems("9.4 1\tvitl\tflowers\n", "trec-qa-key")[1][0].query_id == "9.4"
    assert messages(KEY, "trec-qa-key") == []


def test_round_trip() -> None:
    assert round_trip(collect(KEY, "trec-qa-key"), "trec-qa-key").decode() == KEY


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        entry(1, None, "no importance"),
        Nug(query_id="9.4", nug_id="2", descriptions=("a", "b"), importance="okay", weight=2.0),
        Vote(query_id="9.4", nug_id="2", assessor="ann", value="vital"),
    ]
    assert lost(records, "trec-qa-key") == {"nug": 1, "nug.descriptions": 1, "nug.weight": 1, "vote": 1}


def test_is_recognised() -> None:
    assert sniff_trec_qa_key(Head(Source("<bytes>", KEY.encode())))
    assert not sniff_trec_qa_key(Head(Source("<bytes>", b"9.4\t1\t0.5\tflowers\n")))
    assert not sniff_trec_qa_key(Head(Source("<bytes>", b"")))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "queries", "nugs"),
    [
        ("trec12answers_definition", 50, 417),
        ("trec13answers_other", 64, 580),
        ("trec14answers_other", 75, 758),
        ("trec14answers_relationship", 25, 223),
        ("trec15answers_other", 75, 675),
        ("trec15answers_ciqa", 30, 487),
    ],
)
def test_released_keys(real_data: Path, name: str, queries: int, nugs: int) -> None:
    data = (real_data / "trec-qa-nuggets" / name).read_bytes()
    questions = re.findall(r"^Qid (\S+):", data.decode(), re.MULTILINE)
    rows = re.findall(r"^(\S+) (\d+)\t(vital|okay)\t(.*)$", data.decode(), re.MULTILINE)
    collection = collect(data, "trec-qa-key")
    assert [query.query_id for query in collection.queries] == questions
    assert [(nug.query_id, nug.nug_id, nug.importance) for nug in collection.nugs] == [row[:3] for row in rows]
    assert (len(questions), len(rows)) == (queries, nugs)
    assert [collection.nugs[0].descriptions[0], collection.nugs[-1].descriptions[0]] == [
        rows[0][3].strip(),
        rows[-1][3].strip(),
    ]
    round_trip(collection, "trec-qa-key")


def test_ids_that_would_not_be_read_back_are_not_written() -> None:
    records = [
        Query(query_id="q:1", text="Who?"),
        Query(query_id="1", text="Who?"),
        Nug(query_id="1", nug_id="n 1", descriptions=("red fox",), importance="vital"),
    ]
    assert lost(records, "trec-qa-key") == {"query": 1, "nug": 1}
