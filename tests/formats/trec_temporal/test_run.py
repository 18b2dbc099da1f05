from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_temporal.run import sniff_tempsumm_run
from karat.model import Citation, Query, Response, Run, Snippet

DOC = "1326500000-00ff"
RUN = (
    f"7\tgreen\tr1\t{DOC}\t3\t1326503600\t0.25\n"
    f"7\tgreen\tr1\t{DOC}\t3\t1326507200\t1\n"
    f"8\tgreen\tr1\t{DOC}\t0\t1326507200\t-2\n"
)


def sentence(snippet_id: str, sentence_id: str, time: str | None, confidence: float | None) -> Snippet:
    extra: dict[str, object] = {"sentence_id": sentence_id}
    if confidence is not None:
        extra["confidence"] = confidence
    return Snippet(snippet_id=snippet_id, text="", citations=(Citation(doc_id=DOC, time=time),), extra=extra)


RECORDS = [
    Run(run_id="r1", group="green"),
    Response(
        query_id="7",
        run_id="r1",
        snippets=(sentence(f"{DOC}-3", "3", "1326503600", 0.25), sentence(f"{DOC}-3#2", "3", "1326507200", 1.0)),
    ),
    Response(query_id="8", run_id="r1", snippets=(sentence(f"{DOC}-0", "0", "1326507200", -2.0),)),
]


def test_reads_a_snippet_a_row_and_numbers_repeated_sentences() -> None:
    assert list(collect(RUN, "tempsumm-run")) == RECORDS


def test_blanks_windows_line_ends_and_a_byte_order_mark_are_tolerated() -> None:
    data = b"\xef\xbb\xbf" + RUN.replace("\t", "  ").replace("\n", " \r\n\r\n").encode()
    assert list(collect(data, "tempsumm-run")) == RECORDS


def test_runs_of_two_teams_with_one_name_are_reported_apart() -> None:
    collection = collect(RUN + RUN.replace("green", "blue") + RUN.replace("r1", "r2"), "tempsumm-run")
    assert collection.runs == [
        Run(run_id="green-r1", group="green"),
        Run(run_id="blue-r1", group="blue"),
        Run(run_id="r2", group="green"),
    ]
    assert Counter(response.run_id for response in collection.responses) == {"green-r1": 2, "blue-r1": 2, "r2": 2}
    round_trip(collection, "tempsumm-run")


def test_bad_values_are_reported_and_the_sentence_kept_without_them() -> None:
    data = f"7 green r1 {DOC}\n7 green r1 {DOC} 3 noon high\n"
    assert messages(data, "tempsumm-run") == [
        "1: the row has 4 values for the 7 columns topic team run docid sentence_id decision_time confidence",
        "2: confidence: must be a number, not 'high'",
        "2: decision_time: must be a number, not 'noon'",
    ]
    collection, problems = collect_with_problems(data, "tempsumm-run")
    assert collection.responses[0].snippets == (sentence(f"{DOC}-3", "3", None, None),)
    assert problems[-1].query_id == "7"


def test_round_trip() -> None:
    assert round_trip(RECORDS, "tempsumm-run").decode() == RUN
    nameless = [Run(run_id="r1"), *RECORDS[1:]]
    assert round_trip(nameless, "tempsumm-run").decode() == RUN.replace("green", "-")


def test_what_cannot_be_written_is_counted() -> None:
    told = Snippet(
        snippet_id="1",
        text="It sank.",
        citations=(Citation(doc_id=DOC, time="1326503600"),),
        extra={"sentence_id": "3", "confidence": 1, "note": "n"},
    )
    records = [
        Query(query_id="7", text="ferry"),
        Run(run_id="r1"),
        Run(run_id="silent"),
        Response(query_id="7", run_id="r1", snippets=(told, sentence(f"{DOC}-3", "3", None, 1.0))),
        Response(query_id="8", run_id="r1", snippets=()),
    ]
    assert lost(records, "tempsumm-run") == {
        "query": 1,
        "run": 1,
        "response": 1,
        "response.snippets": 1,
        "response.snippets.snippet_id": 1,
        "response.snippets.text": 1,
        "response.snippets.extra": 1,
    }


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (RUN, True),
        (RUN.replace("\t", " "), True),
        ("", False),
        ("301 Q0 FBIS3-1 1 9.5 tag\n", False),
        ("7 green r1 doc 3 noon high\n", False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_tempsumm_run(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
def test_released_run(real_data: Path) -> None:
    path = real_data / "trec-tempsumm-2014" / "cunlp-updates.ssv.gz"
    rows = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    collection = collect(path.read_bytes(), "tempsumm-run")
    counts = Counter((row[0], row[2]) for row in rows)
    assert {(item.query_id, item.run_id): len(item.snippets) for item in collection.responses} == counts
    assert (len(rows), len(collection.responses), len(collection.runs)) == (87268, 30, 3)
    assert {run.group for run in collection.runs} == {"cunlp"}
    sent = [snippet for response in collection.responses for snippet in response.snippets]
    assert [item.extra["confidence"] for item in sent] == [float(row[6]) for row in rows]
    repeated = len(rows) - len({(*row[:3], *row[3:5]) for row in rows})
    assert sum("#" in item.snippet_id for item in sent) == repeated == 12109
    for item, row in ((sent[0], rows[0]), (sent[-1], rows[-1])):
        assert item.snippet_id.partition("#")[0] == f"{row[3]}-{row[4]}"
        assert item.citations == (Citation(doc_id=row[3], time=row[5]),)
    round_trip(collection, "tempsumm-run")
