from __future__ import annotations

import csv
from pathlib import Path

import pytest

from builders.records import nug
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_qa.pyramid import sniff_trec_qa_pyramid
from karat.model import Nug, Query

PYRAMID = "9.4\t1\t0.714285714285714\tflowers at night\n9.4\t2\t1\twhite plants\n9.5\t1\t0\tbats\n"


def entry(query_id: str, number: int, weight: float | None, *texts: str) -> Nug:
    return nug(str(number), *texts, query_id=query_id, weight=weight)


def test_reads_one_nug_per_line() -> None:
    assert list(collect(PYRAMID, "trec-qa-pyramid")) == [
        entry("9.4", 1, 0.714285714285714, "flowers at night"),
        entry("9.4", 2, 1.0, "white plants"),
        entry("9.5", 1, 0.0, "bats"),
    ]


def test_blanks_windows_line_ends_and_a_byte_order_mark_are_tolerated() -> None:
    data = b"\xef\xbb\xbf9.4  1  0.5  white plants \r\n\r\n9.4 2 1e-3"
    assert list(collect(data, "trec-qa-pyramid")) == [entry("9.4", 1, 0.5, "white plants"), entry("9.4", 2, 0.001, "")]


def test_bad_rows_are_reported_and_the_others_kept() -> None:
    data = "9.4\t1\tmany\tflowers\n9.4\t2\t0.5\tplants\n9.4\t2\t0.25\tbats\n9.4\n9.4\t3\tnan\towls\n"
    assert messages(data, "trec-qa-pyramid") == [
        "1: weight: must be a number, not 'many'",
        "3: number: question 9.4 already has a nugget 2",
        "4: the line must be `qid number weight description`",
        "5: weight: must be a finite number, not 'nan'",
    ]
    collection, problems = collect_with_problems(data, "trec-qa-pyramid")
    assert list(collection) == [entry("9.4", 2, 0.5, "plants")]
    assert [problem.code for problem in problems] == ["wrong-type", "duplicate-id", "bad-line", "wrong-type"]


@pytest.mark.parametrize("weight", [0.1 + 0.2, 1 / 3, 5e-324, 12345678901234567890.0, -2.0, 3.0])
def test_weights_come_back_exactly(weight: float) -> None:
    round_trip([entry("9.4", 1, weight, "white plants")], "trec-qa-pyramid")


def test_round_trip() -> None:
    assert round_trip(collect(PYRAMID, "trec-qa-pyramid"), "trec-qa-pyramid").decode() == PYRAMID


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        Query(query_id="9.4", text="why"),
        entry("9.4", 1, None, "no weight"),
        entry("9.4", 2, 0.5, "two", "texts"),
        entry("a b", 3, 0.5, "an id with a blank"),
        entry("9.4", 4, 0.5, "two\nlines"),
        Nug(query_id="9.4", nug_id="5", descriptions=("x",), weight=1.0, importance="vital"),
    ]
    assert lost(records, "trec-qa-pyramid") == {"query": 1, "nug": 2, "nug.descriptions": 2, "nug.importance": 1}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (PYRAMID, True),
        ("", False),
        ("1\t0\t17\t1\n1\t0\t18\t0\n", False),
        ("SCU\t0\t5\tsome text\n", False),
        ("9.4 1\tvital\tflowers\n", False),
        ('{"a": 1}', False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_trec_qa_pyramid(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "queries", "nugs"), [("trec15answers_other_pyramid", 75, 675), ("trec15answers_ciqa_pyramid", 30, 487)]
)
def test_released_pyramids(real_data: Path, name: str, queries: int, nugs: int) -> None:
    path = real_data / "trec-qa-nuggets" / name
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    collection = collect(path.read_bytes(), "trec-qa-pyramid")
    assert len(collection) == len(collection.nugs) == len(rows) == nugs
    assert len(collection.key.query_ids) == len({row[0] for row in rows}) == queries
    assert [nug.weight for nug in collection.nugs] == [float(row[2]) for row in rows]
    for record, row in ((collection.nugs[0], rows[0]), (collection.nugs[-1], rows[-1])):
        assert (record.query_id, record.nug_id, record.descriptions) == (row[0], row[1], (row[3].strip(),))
    round_trip(collection, "trec-qa-pyramid")
