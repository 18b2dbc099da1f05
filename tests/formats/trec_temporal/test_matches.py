from __future__ import annotations

import gzip
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from builders.records import judgement
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.io.head import Head
from karat.formats.trec_temporal.matches import sniff_tempsumm_matches
from karat.model import Evidence, Judgement, Run, SpanSet

HEADER = "query_id\tupdate_id\tnugget_id\tmatch_start\tmatch_end\tauto_p\n"
ROWS = "TS99.1\tu-5\tN.1\t3\t9\t0\nTS99.1\tu-5\tN.1\t20\t24\t0\nTS99.1\tu-6\tN.1\t0\t4\t1\n"


def match(update_id: str | None, *spans: tuple[int, int], **fields: Any) -> Judgement:
    evidence = Evidence(spans=SpanSet(spans)) if spans else None
    known = {"query_id": "TS99.1", "run_id": "pool", "snippet_id": update_id, "judge": "given", "status": "ok"}
    return judgement(**{"nug_id": "N.1", "evidence": evidence, "extra": {"auto_p": 0}} | known | fields)


RECORDS = [match("u-5", (3, 9), (20, 24)), match("u-6", (0, 4), extra={"auto_p": 1})]


def test_the_rows_of_an_update_and_nugget_are_one_judgement() -> None:
    assert list(collect(HEADER + ROWS, "tempsumm-matches")) == RECORDS


def test_the_header_may_mix_tabs_and_blanks() -> None:
    data = "query_id    update_id   nugget_id\tmatch_start\tmatch_end\tauto_p\n" + ROWS
    assert list(collect(b"\xef\xbb\xbf" + data.replace("\n", "\r\n").encode(), "tempsumm-matches")) == RECORDS


def test_a_match_needs_no_span() -> None:
    assert list(collect(HEADER + "TS99.1\tu-5\tN.1\t\t\t0\n", "tempsumm-matches")) == [match("u-5")]


def test_an_impossible_span_is_reported_and_the_match_kept_without_it() -> None:
    data = HEADER + "TS99.1\tu-5\tN.1\t9\t3\t0\nTS99.1\tu-6\tN.1\tx\t3\t0\nTS99.1\t\tN.1\t0\t3\t0\nTS99.1\tu\n"
    assert messages(data, "tempsumm-matches") == [
        "2: match_start: a span needs 0 <= start < end, not [9, 3]",
        "3: match_start: must be a number, not 'x'",
        "4: update_id: is empty",
        "5: the row has 2 values for 6 columns",
    ]
    assert list(collect_with_problems(data, "tempsumm-matches")[0]) == [match("u-5"), match("u-6")]


def test_repeated_and_differing_rows_are_lint_findings() -> None:
    row = ROWS.splitlines(keepends=True)[0]
    reading = open_reading((HEADER + row + row + row.replace("\t0\n", "\t1\n")).encode(), format="tempsumm-matches")
    assert list(reading) == [match("u-5", (3, 9))]
    assert [(warning.line, warning.code) for warning in reading.source.warnings] == [
        (3, "repeated-row"),
        (4, "conflicting-definition"),
        (4, "repeated-row"),
    ]


def test_round_trip() -> None:
    assert round_trip(RECORDS, "tempsumm-matches").decode() == HEADER + ROWS
    round_trip([match("u-5"), match("u-7", (1, 2), extra={"note": "sure"})], "tempsumm-matches")


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        Run(run_id="pool"),
        match("u-1", degree=0.5),
        match("u-2", degree=None, status="failed"),
        match(None),
        match("u-3", run_id="r", judge="ann", assessor="bo"),
    ]
    assert lost(records, "tempsumm-matches") == {
        "run": 1,
        "judgement": 3,
        "judgement.run_id": 1,
        "judgement.judge": 1,
        "judgement.assessor": 1,
    }


@pytest.mark.parametrize(
    ("data", "expected"), [(HEADER + ROWS, True), (HEADER.replace("\t", "  "), True), (ROWS, False), ("", False)]
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_tempsumm_matches(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
@pytest.mark.parametrize(("year", "count", "pairs", "repeated"), [(2013, 5157, 5027, 78), (2014, 8357, 8357, 0)])
def test_released_matches(real_data: Path, year: int, count: int, pairs: int, repeated: int) -> None:
    path = real_data / f"trec-tempsumm-{year}" / "matches.tsv.gz"
    rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line][1:]
    spans = defaultdict(set)
    for row in rows:
        spans[tuple(row[:3])] |= set(range(int(row[3]), int(row[4])))
    reading = open_reading(path.read_bytes(), format="tempsumm-matches")
    judgements = [record for record in reading if isinstance(record, Judgement)]
    assert len(rows) == count
    assert len(judgements) == len(spans) == pairs
    assert len(reading.source.warnings) == len(rows) - len(set(map(tuple, rows))) == repeated
    for record, (pair, covered) in zip(judgements, spans.items(), strict=True):
        assert (record.query_id, record.snippet_id, record.nug_id) == pair
        assert record.evidence is not None
        assert record.evidence.spans is not None
        assert record.evidence.spans.length == len(covered)
    round_trip(judgements, "tempsumm-matches")
