from __future__ import annotations

import json

from helpers import collect, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_eval.scores_jsonl import sniff_scores_jsonl
from karat.model import Score

ROW = {"run_id": "bees", "topic_id": "301", "measure": "F3", "value": 0.25}


def lines(*rows: object) -> str:
    return "\n".join(map(json.dumps, rows))


def is_sniffed(*rows: object) -> bool:
    return sniff_scores_jsonl(Head(Source("<bytes>", lines(*rows).encode())))


def test_reads_a_score_a_line() -> None:
    data = lines(ROW, ROW | {"topic_id": "all", "value": None, "note": "no vital nug"})
    assert collect(data, "scores-jsonl").scores == [
        Score(run_id="bees", query_id="301", measure="F3", value=0.25),
        Score(run_id="bees", query_id="all", measure="F3", extra={"note": "no vital nug"}),
    ]


def test_number_ids_aliases_bom_and_crlf() -> None:
    data = "\ufeff" + lines({"run_id": 1, "query_id": 301, "measure": "F3", "value": "0.5"}) + "\r\n"
    assert collect(data, "scores-jsonl").scores == [Score(run_id="1", query_id="301", measure="F3", value=0.5)]


def test_what_is_wrong_is_reported() -> None:
    data = lines(ROW, ROW, ROW | {"measure": None}, ROW | {"topic_id": "2", "value": "many"}, {"run_id": "a"})
    assert messages(data, "scores-jsonl") == [
        "2: run 'bees' has 'F3' for topic '301' twice",
        "3: measure: is missing",
        "4: value: must be a number, not 'many'",
        "5: topic_id: is missing",
    ]


def test_is_recognised() -> None:
    assert is_sniffed(ROW)
    assert not is_sniffed({"run_id": "a", "topic_id": "1", "answer": []})
    assert not is_sniffed(ROW | {"value": ["x"]})
    assert not is_sniffed([1, 2])


def test_round_trip_and_losses() -> None:
    scores = [
        Score(run_id="a", query_id="all", measure="F3", value=1 / 3, extra={"note": ["x"]}),
        Score(run_id="a", query_id="1", measure="F3"),
    ]
    round_trip(scores, "scores-jsonl")
    more = Score(run_id="a", query_id="1", measure="F3", value=1, high=1.0, extra={"qid": "x"})
    assert lost([more], "scores-jsonl") == {"score.high": 1, "score.extra": 1}
