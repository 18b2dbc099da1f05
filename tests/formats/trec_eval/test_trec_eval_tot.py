from __future__ import annotations

import pytest

from helpers import collect, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_eval.trec_eval_tot import sniff_trec_eval_tot
from karat.model import Score

TABLE = "bees\tmap\t301\t0.25\nbees\tmap\tall\t0.25\nwasps\tmap\t301\tnan\n"


def test_reads_a_score_a_line() -> None:
    assert collect(TABLE, "trec-eval-tot").scores == [
        Score(run_id="bees", query_id="301", measure="map", value=0.25),
        Score(run_id="bees", query_id="all", measure="map", value=0.25),
        Score(run_id="wasps", query_id="301", measure="map"),
    ]


def test_blanks_bom_and_crlf() -> None:
    data = "\ufeff" + TABLE.replace("\t", " ").replace("\n", "\r\n")
    assert collect(data, "trec-eval-tot") == collect(TABLE, "trec-eval-tot")


def test_what_is_wrong_is_reported() -> None:
    assert messages("a map 1 0.5\na map 1\na map 1 0.7\na map 2 inf\n", "trec-eval-tot") == [
        "2: the row has 3 values for the 4 columns run measure topic value",
        "3: run 'a' has 'map' for topic '1' twice",
        "4: value: must be a finite number, not 'inf'",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TABLE, True),
        ("my_run strict_vital 7 0.5\n", True),
        ("my_run 7 strict_vital 0.5\n", False),
        ("301 0 doc-1 2\n", False),
        ("run measure topic value\na map 1 0.5\n", False),
        ("1.3 tag doc Godiva\n", False),
        ("", False),
    ],
)
def test_is_recognised_by_its_measures(text: str, expected: bool) -> None:
    assert sniff_trec_eval_tot(Head(Source("<bytes>", text.encode()))) is expected


def test_round_trip_and_losses() -> None:
    scores = [
        Score(run_id="a b", query_id="all", measure="F3", value=2 / 3),
        Score(run_id="a b", query_id="1", measure="F3"),
    ]
    assert round_trip(scores, "trec-eval-tot") == b"a b\tF3\tall\t0.6666666666666666\na b\tF3\t1\tnan\n"
    assert lost([Score(run_id="a", query_id="1", measure="F3", value=1, n=3)], "trec-eval-tot") == {"score.n": 1}
