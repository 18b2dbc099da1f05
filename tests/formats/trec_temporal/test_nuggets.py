from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.io.head import Head
from karat.formats.trec_temporal.nuggets import sniff_tempsumm_nuggets
from karat.model import Nug, Run

HEADER = "query_id\tnugget_id\ttimestamp\timportance\tnugget_len\tnugget_text\n"
ROW = "TS99.1\tN.1\t1326600584\t3\t4\tthe ferry has sunk \n"
NUG = Nug(
    query_id="TS99.1",
    nug_id="N.1",
    descriptions=("the ferry has sunk ",),
    weight=3.0,
    extra={"timestamp": 1326600584, "nugget_len": 4},
)


def test_reads_one_nug_per_row() -> None:
    assert list(collect(HEADER + ROW, "tempsumm-nuggets")) == [NUG]


def test_the_header_may_mix_tabs_and_blanks_and_columns_may_be_in_any_order() -> None:
    data = (
        "nugget_id    query_id   importance\tnugget_text\tnote\nN.1\tTS99.1\t0.5\tsunk\tsure\nN.2\tTS99.1\t\tlost\t\n"
    )
    assert list(collect(b"\xef\xbb\xbf" + data.replace("\n", "\r\n").encode(), "tempsumm-nuggets")) == [
        Nug(query_id="TS99.1", nug_id="N.1", descriptions=("sunk",), weight=0.5, extra={"note": "sure"}),
        Nug(query_id="TS99.1", nug_id="N.2", descriptions=("lost",)),
    ]


def test_a_negative_importance_is_kept_and_a_lint_finding() -> None:
    reading = open_reading((HEADER + ROW.replace("\t3\t", "\t-1\t")).encode(), format="tempsumm-nuggets")
    assert [record.weight for record in reading if isinstance(record, Nug)] == [-1.0]
    assert [str(warning) for warning in reading.source.warnings] == ["<bytes>:2: importance: -1 is negative"]


def test_bad_rows_are_reported_and_the_others_kept() -> None:
    rows = ("TS99.1\tN.1\t1\t1\n", ROW, ROW, ROW.replace("N.1", ""), ROW.replace("N.1", "N.2").replace("\t3", "\thigh"))
    data = HEADER + "".join(rows)
    assert messages(data, "tempsumm-nuggets") == [
        "2: the row has 4 values for 6 columns",
        "4: nugget_id: TS99.1 already has a nugget 'N.1'",
        "5: nugget_id: is empty",
        "6: importance: must be a number, not 'high'",
    ]
    collection, problems = collect_with_problems(data, "tempsumm-nuggets")
    assert [(nug.nug_id, nug.weight) for nug in collection.nugs] == [("N.1", 3.0), ("N.2", None)]
    assert {problem.query_id for problem in problems[1:]} == {"TS99.1"}


def test_a_file_without_its_columns_is_refused() -> None:
    assert messages(ROW, "tempsumm-nuggets") == ["1: the first line must have the column query_id"]


def test_round_trip() -> None:
    assert round_trip([NUG], "tempsumm-nuggets").decode() == HEADER + ROW
    other = Nug(
        query_id="TS99.2", nug_id="N.1", descriptions=("x",), weight=1 / 3, extra={"note": "n", "timestamp": 1.5}
    )
    round_trip([NUG, other, Nug(query_id="TS99.2", nug_id="N.2", descriptions=("y",))], "tempsumm-nuggets")


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        Run(run_id="r"),
        Nug(query_id="a b", nug_id="1", descriptions=("x",)),
        Nug(query_id="1", nug_id="1", descriptions=("a\tb", "c"), importance="vital"),
        Nug(query_id="1", nug_id="2", descriptions=("x",), extra={"n": 3, "query_id": "z", "timestamp": "noon"}),
    ]
    assert lost(records, "tempsumm-nuggets") == {
        "run": 1,
        "nug": 1,
        "nug.importance": 1,
        "nug.descriptions": 2,
        "nug.extra": 3,
    }


@pytest.mark.parametrize(
    ("data", "expected"), [(HEADER + ROW, True), (HEADER.replace("\t", "   "), True), (ROW, False), ("", False)]
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_tempsumm_nuggets(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
@pytest.mark.parametrize(("year", "count", "queries", "negative"), [(2013, 1340, 12, 5), (2014, 828, 10, 0)])
def test_released_nuggets(real_data: Path, year: int, count: int, queries: int, negative: int) -> None:
    path = real_data / f"trec-tempsumm-{year}" / "nuggets.tsv.gz"
    rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line][1:]
    reading = open_reading(path.read_bytes(), format="tempsumm-nuggets")
    nugs = [record for record in reading if isinstance(record, Nug)]
    assert len(nugs) == len(rows) == count
    assert len({nug.query_id for nug in nugs}) == len({row[0] for row in rows}) == queries
    assert sum(nug.weight == -1 for nug in nugs) == sum(row[3] == "-1" for row in rows) == negative
    assert len(reading.source.warnings) == negative
    for nug, row in ((nugs[0], rows[0]), (nugs[-1], rows[-1])):
        assert nug.extra == {"timestamp": int(row[2]), "nugget_len": int(row[4])}
        assert (nug.query_id, nug.nug_id, nug.weight, nug.descriptions) == (row[0], row[1], float(row[3]), (row[5],))
    round_trip(nugs, "tempsumm-nuggets")
