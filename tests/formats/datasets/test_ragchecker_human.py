from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builders.records import response
from helpers import collect, collect_with_problems, round_trip
from karat.formats import Source
from karat.formats.datasets.ragchecker_human import sniff_ragchecker_human
from karat.formats.io.head import Head
from karat.model import Query, Response, Run, Score
from karat.model.identity import identity

ROW: dict[str, Any] = {
    "instance_id": 0,
    "dataset": "set/one",
    "query_id": "7",
    "query": "why do bees dance",
    "gt_answer": "To tell the way.",
    "model1": {"model_name": "small", "response": "They like it.", "critiques": "1. wrong"},
    "model2": {"model_name": "big", "response": "They tell the way.", "critiques": "1. short"},
    "correctness_label": 2,
    "completeness_label": 0,
    "overall_label": 1,
}


def preference(of: str, value: float, assessor: str) -> Score:
    return Score(
        run_id="big",
        query_id="set/one/7",
        measure=f"{of}_preference",
        value=value,
        signature=f"{of}_preference|over:small|assessor:{assessor}",
        extra={"over": "small", "assessor": assessor},
    )


def answer(run_id: str, text: str, **extra: str) -> Response:
    return response(run_id, text, query_id="set/one/7", prefix="", extra=extra)


def test_two_annotators_of_one_pair_of_answers() -> None:
    second = ROW | {"correctness_label": -1, "completeness_label": -2, "overall_label": -1}
    collection = collect(json.dumps([ROW, second]), "ragchecker-human")
    assert collection.queries == [Query(query_id="set/one/7", text="why do bees dance", extra={"instance_id": 0})]
    assert collection.runs == [Run(run_id="reference", human=True), Run(run_id="small"), Run(run_id="big")]
    assert collection.responses == [
        answer("reference", "To tell the way."),
        answer("small", "They like it.", critiques="1. wrong"),
        answer("big", "They tell the way.", critiques="1. short"),
    ]
    assert collection.scores == [
        preference("correctness", 2.0, "1"),
        preference("completeness", 0.0, "1"),
        preference("overall", 1.0, "1"),
        preference("correctness", -1.0, "2"),
        preference("completeness", -2.0, "2"),
        preference("overall", -1.0, "2"),
    ]
    round_trip(collection, "karat")


def test_number_ids_and_unknown_fields() -> None:
    collection = collect(json.dumps(ROW | {"query_id": 7, "round": 3}), "ragchecker-human")
    assert collection.queries[0].extra == {"instance_id": 0, "round": 3}
    assert collection.responses[0].query_id == "set/one/7"


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    other = ROW["model1"] | {"response": "They must."}
    rows = [ROW | {"overall_label": 3}, ROW | {"model1": other, "correctness_label": None}, ROW | {"model2": "big"}]
    collection, problems = collect_with_problems("\n".join(map(json.dumps, rows)), "ragchecker-human")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: overall_label: 3 is not one of -2, -1, 0, 1, 2",
        "<bytes>:2: model1: the answer of 'small' differs from its first occurrence, which is kept",
        "<bytes>:2: correctness_label: is missing",
        "<bytes>:3: model2: must be an object, not a string",
    ]
    assert [score.signature.split("|")[0] for score in collection.scores if score.signature] == [
        "correctness_preference",
        "completeness_preference",
        "completeness_preference",
        "overall_preference",
    ]


def test_is_recognised() -> None:
    assert sniff_ragchecker_human(Head(Source("<bytes>", json.dumps([ROW]).encode())))
    assert not sniff_ragchecker_human(Head(Source("<bytes>", b'{"query_id": "1", "query": "q", "gt_answer": "a"}')))


@pytest.mark.real_data
def test_human_labeled_data(real_data: Path) -> None:
    path = real_data / "ragchecker" / "human_labeled_data.json"
    rows = json.loads(path.read_text())
    collection = collect(path.read_bytes(), "ragchecker-human")
    assert len(rows) == 560
    assert len(collection.queries) == len({(row["dataset"], row["query_id"]) for row in rows}) == 280
    assert len(collection.responses) == 3 * 280
    assert len(collection.runs) == 9
    assert len(collection.scores) == len({identity(score) for score in collection.scores}) == 3 * 560
    for name in ("correctness", "completeness", "overall"):
        raw = Counter(row[f"{name}_label"] for row in rows)
        assert Counter(score.value for score in collection.scores if score.measure == f"{name}_preference") == raw
    assert Counter(score.extra["assessor"] for score in collection.scores) == {"1": 840, "2": 840}
    first, last = collection.scores[0], collection.scores[-1]
    assert (first.query_id, first.run_id, first.value) == ("kiwi/41", "e5_mistral_gpt_4", 1.0)
    assert (last.run_id, last.extra["over"]) == (rows[-1]["model2"]["model_name"], rows[-1]["model1"]["model_name"])


@pytest.mark.real_data
def test_a_positive_label_prefers_the_second_model(real_data: Path) -> None:
    """The file does not say which sign is whose: gpt-4 against an 8b model settles it."""
    collection = collect((real_data / "ragchecker" / "human_labeled_data.json").read_bytes(), "ragchecker-human")
    signs = {"strong second": 0.0, "strong first": 0.0}
    for score in collection.scores:
        if score.measure == "overall_preference" and score.value is not None:
            if score.run_id.endswith("gpt_4") and score.extra["over"].endswith("8b"):
                signs["strong second"] += score.value
            if score.run_id.endswith("8b") and score.extra["over"].endswith("gpt_4"):
                signs["strong first"] += score.value
    assert signs["strong second"] > 0 > signs["strong first"]
