from __future__ import annotations

from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, load
from karat.formats.io.head import Head
from karat.formats.trec_eval.trec_eval import sniff_trec_eval
from karat.model import Query, Score

OUTPUT = (
    "map                   \t301\t0.2500\n"
    "map                   \t302\t0.5000\n"
    "runid                 \tall\tbees-1\n"
    "num_q                 \tall\t2\n"
    "map                   \tall\t0.3750\n"
)


def score(query_id: str, measure: str, value: float | None, run_id: str = "bees-1") -> Score:
    return Score(run_id=run_id, query_id=query_id, measure=measure, value=value)


def is_sniffed(text: str) -> bool:
    return sniff_trec_eval(Head(Source("<bytes>", text.encode())))


def test_reads_topics_and_all_under_the_name_of_the_run() -> None:
    assert collect(OUTPUT, "trec-eval").scores == [
        score("301", "map", 0.25),
        score("302", "map", 0.5),
        score("all", "num_q", 2.0),
        score("all", "map", 0.375),
    ]


def test_several_outputs_in_one_file() -> None:
    second = OUTPUT.replace("bees-1", "bees-2")
    scores = collect(OUTPUT + second, "trec-eval").scores
    assert [score.run_id for score in scores] == ["bees-1"] * 4 + ["bees-2"] * 4


def test_blanks_bom_and_crlf() -> None:
    data = ("\ufeff" + OUTPUT.replace("\t", "  ").replace("\n", "\r\n")).encode()
    assert collect(data, "trec-eval") == collect(OUTPUT, "trec-eval")


def test_without_a_runid_the_file_names_the_run(tmp_path: Path) -> None:
    path = tmp_path / "honey.v2.txt"
    path.write_text("map all 0.5\nmap 301 0.5\n")
    assert {score.run_id for score in load(path, format="trec-eval").scores} == {"honey.v2"}


def test_nan_is_undefined_and_a_relstring_is_kept() -> None:
    scores = collect("P_5 1 nan\nrelstring_3 1 '101'\nrunid all r\n", "trec-eval").scores
    assert [score.value for score in scores] == [None, None]
    assert scores[1].extra == {"value": "'101'"}
    round_trip(scores, "trec-eval")


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = "map 301 0.5\nmap 302 half\nmap 303\nmap 301 0.6\nmap 304 0.7\n"
    assert messages(data, "trec-eval") == [
        "3: the row has 2 values for the 3 columns measure topic value",
        "2: value: must be a number, not 'half'",
        "4: run 'run' has 'map' for topic '301' twice",
    ]
    assert [score.query_id for score in collect_with_problems(data, "trec-eval")[0].scores] == ["301", "304"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OUTPUT, True),
        ("ndcg_cut_10 all 0.5\nrecip_rank all 0.25\n", True),
        ("strict_vital q1 0.5\nF3 q1 1\n", True),
        ("q1 nDCG@10 0.5\n", False),
        ("measure topic value\nmap all 0.5\n", False),
        ("q1 0 0.5\n", False),
        ('{"map": 1}', False),
        ("", False),
    ],
)
def test_is_recognised_by_its_measures(text: str, expected: bool) -> None:
    assert is_sniffed(text) is expected


def test_round_trip_gives_the_same_numbers() -> None:
    scores = [
        score("1", "map", 0.1 + 0.2),
        score("2", "map", 1e-17),
        score("all", "num_q", 2.0),
        score("all", "map", 0.0),
    ]
    data = round_trip([*scores, score("all", "F3", 1 / 3, run_id="r 2")], "trec-eval")
    assert b"num_q                 \tall\t2\n" in data
    assert b"runid                 \tall\tr 2\n" in data


def test_what_cannot_be_written_is_counted() -> None:
    full = Score(run_id="r", query_id="all", measure="F3", value=0.5, low=0.4, high=0.6, n=9, signature="F3|v:0")
    assert lost([full, Query(query_id="1", text="x")], "trec-eval") == {
        "query": 1,
        "score.low": 1,
        "score.high": 1,
        "score.n": 1,
        "score.signature": 1,
    }
    assert lost([score("a\tb", "map", 0.5)], "trec-eval") == {"score.query_id": 1}
