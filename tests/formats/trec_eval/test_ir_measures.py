from __future__ import annotations

from pathlib import Path

import pytest

from helpers import collect, lost, messages, round_trip
from karat.formats import Source, load
from karat.formats.io.head import Head
from karat.formats.trec_eval.ir_measures import sniff_ir_measures
from karat.model import Score

TABLE = "bees\t301\tnDCG@10\t0.25\nbees\tall\tnDCG@10\t0.25\n"


def test_reads_a_score_a_line() -> None:
    assert collect(TABLE, "ir-measures").scores == [
        Score(run_id="bees", query_id="301", measure="nDCG@10", value=0.25),
        Score(run_id="bees", query_id="all", measure="nDCG@10", value=0.25),
    ]


@pytest.mark.parametrize("text", ["301\tAP(rel=2)\t0.5\nall\tAP(rel=2)\t0.5\n", "AP(rel=2)\t0.5\n"])
def test_reads_what_the_program_prints(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bees.tsv"
    path.write_text(text)
    assert (
        Score(run_id="bees", query_id="all", measure="AP(rel=2)", value=0.5) in load(path, format="ir-measures").scores
    )


def test_what_is_wrong_is_reported() -> None:
    assert messages("a 1 P@5 0.5\na 1 P@5 x\n1 2 3 4 5\n\na 1 P@5 1\n", "ir-measures") == [
        "2: value: must be a number, not 'x'",
        "3: the row has 5 values for the 4 columns run topic measure value",
        "5: run 'a' has 'P@5' for topic '1' twice",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TABLE, True),
        ("q1\tRR@10\t0.5\n", True),
        ("nDCG@10\t0.5\nP@5\t0.25\n", True),
        ("bees q1 nugget_coverage 0.5\n", True),
        ("map all 0.5\n", False),
        ("bees map 301 0.5\n", False),
        ("301 0 doc-1 2\n", False),
        ("run topic measure value\n", False),
        ("301\tbees and honey\n", False),
        ("", False),
    ],
)
def test_is_recognised_by_its_measures(text: str, expected: bool) -> None:
    assert sniff_ir_measures(Head(Source("<bytes>", text.encode()))) is expected


def test_round_trip_and_losses() -> None:
    scores = [
        Score(run_id="a", query_id="q 1", measure="F3", value=-0.1),
        Score(run_id="a", query_id="2", measure="F3"),
    ]
    assert round_trip(scores, "ir-measures") == b"a\tq 1\tF3\t-0.1\na\t2\tF3\tnan\n"
    assert lost([Score(run_id="a", query_id="1", measure="F3", value=1, low=0)], "ir-measures") == {"score.low": 1}
