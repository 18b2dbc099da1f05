from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builders.records import judgement
from helpers import collect, collect_with_problems, messages, round_trip
from karat.formats import Source
from karat.formats.datasets.summhay import sniff_summhay
from karat.formats.io.head import Head
from karat.model import Evidence, Judgement, Nug, Query, Response, Run, Snippet

ROW: dict[str, Any] = {
    "topic_id": 12,
    "topic": "A talk about bees.",
    "subtopic_id": "s1",
    "subtopic": "how they dance",
    "summkey": "summary_short",
    "summary": ["- They dance [1].", "- They sleep [2].", "- They hum."],
    "reference_insights": [
        {"insight_id": "i1", "insight": "The dance tells the way.", "insight_name": "way", "query": "Is the way told?"},
        {"insight_id": "i2", "insight": "The dance tells how far."},
    ],
    "annotation": [
        {"insight_id": "i1", "coverage": "partially_covered", "candidate_id": "0"},
        {"insight_id": "i2", "coverage": "not_covered", "candidate_id": "no_selection"},
    ],
    "predictions_prompted_big-1": [
        {"insight_id": "i1", "coverage": "FULL_COVERAGE", "bullet_id": [1, 3]},
        {"insight_id": "i2", "coverage": "NO_COVERAGE", "bullet_id": "NA"},
    ],
    "predictions_9fs_big-1": [
        {"insight_id": "i1", "coverage": "PARTIAL_COVERAGE", "bullet_id": "2"},
        {"insight_id": "i2", "coverage": "NO_COVERAGE", "bullet_id": None},
    ],
}


def data(*rows: dict[str, Any]) -> str:
    return json.dumps(rows or (ROW,), indent=1)


def label(nug_id: str, judge: str, degree: float | None, *bullets: str, **fields: Any) -> Judgement:
    evidence = Evidence(extra={"snippet_ids": [*bullets]}) if bullets else None
    ids = {"query_id": "s1", "run_id": "summary_short", "judge": judge, "status": "ok"}
    return judgement(nug_id, degree, evidence=evidence, **ids | fields)


def test_reads_a_summary_with_the_judgements_of_people_and_models() -> None:
    collection = collect(data(), "summhay")
    assert collection.queries == [
        Query(query_id="s1", text="A talk about bees.\nhow they dance", extra={"topic_id": 12})
    ]
    assert collection.runs == [Run(run_id="summary_short")]
    assert collection.responses == [
        Response(
            query_id="s1",
            run_id="summary_short",
            snippets=(
                Snippet(snippet_id="1", text="- They dance [1]."),
                Snippet(snippet_id="2", text="- They sleep [2]."),
                Snippet(snippet_id="3", text="- They hum."),
            ),
        )
    ]
    assert collection.nugs == [
        Nug(
            query_id="s1",
            nug_id="i1",
            descriptions=("The dance tells the way.",),
            extra={"insight_name": "way", "query": "Is the way told?"},
        ),
        Nug(query_id="s1", nug_id="i2", descriptions=("The dance tells how far.",)),
    ]
    # People count bullets from 0, models from 1: candidate "0" and bullet 1 are both snippet "1".
    assert collection.judgements == [
        label("i1", "person", 0.5, "1"),
        label("i2", "person", 0.0),
        label("i1", "big-1", 1.0, "1", "3"),
        label("i2", "big-1", 0.0),
        label("i1", "9fs_big-1", 0.5, "2"),
        label("i2", "9fs_big-1", 0.0),
    ]
    round_trip(collection, "karat")


def test_a_subtopic_is_defined_once_and_unknown_fields_are_kept() -> None:
    label = {"insight_id": "i1", "coverage": "fully_covered", "candidate_id": 2, "seconds": 9}
    second = ROW | {"summkey": 7, "annotation": [label], "note": "x"}
    collection = collect(data(ROW, second), "summhay")
    assert (len(collection.queries), len(collection.nugs), len(collection.responses)) == (1, 2, 2)
    assert collection.responses[1].run_id == "7"
    assert collection.responses[1].extra == {"note": "x"}
    label_of_second = next(
        judgement for judgement in collection.judgements if judgement.run_id == "7" and judgement.judge == "person"
    )
    assert label_of_second.extra == {"seconds": 9}
    assert label_of_second.evidence == Evidence(extra={"snippet_ids": ["3"]})


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    labels = [
        {"insight_id": "i1", "coverage": "halfway", "candidate_id": "3"},
        {"insight_id": "i9", "coverage": "not_covered", "candidate_id": "no_selection"},
        {"insight_id": "i2", "coverage": "fully_covered", "candidate_id": "1"},
        {"insight_id": "i2", "coverage": "not_covered", "candidate_id": "x"},
    ]
    broken = json.dumps([{**ROW, "annotation": labels}])
    collection, problems = collect_with_problems(broken, "summhay")
    choices = "fully_covered, partially_covered, not_covered, full_coverage, partial_coverage, no_coverage"
    assert [str(problem) for problem in problems] == [
        f"<bytes>:1: [0].annotation[0].coverage: 'halfway' is not one of {choices}",
        "<bytes>:1: [0].annotation[0].candidate_id: '3' is not one of the 3 bullets, counted from 0",
        "<bytes>:1: [0].annotation[1].insight_id: 'i9' is not among the reference insights",
        "<bytes>:1: [0].annotation[3].candidate_id: 'x' is not one of the 3 bullets, counted from 0",
        "<bytes>:1: [0].annotation[3]: the judgement with query_id 's1', run_id 'summary_short', nug_id 'i2', "
        "judge 'person' appears twice",
    ]
    assert {problem.query_id for problem in problems} == {"s1"}
    assert collection.judgements[:2] == [
        label("i1", "person", None, status="failed"),
        label("i2", "person", 1.0, "2"),
    ]


def test_a_summary_that_appears_twice_is_reported() -> None:
    assert messages(data(ROW, ROW), "summhay") == [
        "65: [1]: the response with query_id 's1', run_id 'summary_short' appears twice"
    ]


def test_is_recognised() -> None:
    assert sniff_summhay(Head(Source("<bytes>", data().encode())))
    assert not sniff_summhay(Head(Source("<bytes>", b'[{"subtopic_id": "s1", "summary": []}]')))


@pytest.mark.real_data
def test_eval_benchmark(real_data: Path) -> None:
    path = real_data / "summhay" / "eval_benchmark_data.json"
    rows = json.loads(path.read_text())
    collection = collect(path.read_bytes(), "summhay")
    assert len(collection.responses) == len({(row["subtopic_id"], row["summkey"]) for row in rows}) == len(rows) == 124
    assert len(collection.queries) == len({row["subtopic_id"] for row in rows}) == 17
    assert sum(len(response.snippets) for response in collection.responses) == 968
    by_judge = Counter((judgement.judge, judgement.degree) for judgement in collection.judgements)
    names = {"fully_covered": 1.0, "partially_covered": 0.5, "not_covered": 0.0}
    raw = Counter(("person", names[label["coverage"]]) for row in rows for label in row["annotation"])
    assert {key: count for key, count in by_judge.items() if key[0] == "person"} == raw
    assert raw == {("person", 1.0): 344, ("person", 0.5): 271, ("person", 0.0): 277}
    assert Counter(judgement.judge for judgement in collection.judgements) == dict.fromkeys(
        ("person", "gpt-4o", "claude3-haiku", "claude3-opus", "gemini-1.5-pro", "gpt3.5", "9fs_gpt-4o"), 892
    )
    first, last = collection.judgements[0], collection.judgements[-1]
    assert (first.query_id, first.nug_id, first.degree) == ("664eac52d68e5dd3b795fd71", "664eac6cd68e5dd3b795fd8d", 0.5)
    assert first.evidence == Evidence(extra={"snippet_ids": ["5"]})
    assert (last.judge, last.nug_id) == ("9fs_gpt-4o", rows[-1]["predictions_9fs_gpt-4o"][-1]["insight_id"])


@pytest.mark.real_data
def test_people_and_models_mean_the_same_bullets(real_data: Path) -> None:
    collection = collect((real_data / "summhay" / "eval_benchmark_data.json").read_bytes(), "summhay")
    linked = {
        (judgement.query_id, judgement.run_id, judgement.nug_id, judgement.judge): judgement.evidence
        for judgement in collection.judgements
    }
    pairs = [
        (linked[(*key[:3], "person")], evidence)
        for key, evidence in linked.items()
        if key[3] == "gpt-4o" and evidence and linked[(*key[:3], "person")]
    ]
    assert sum(person == model for person, model in pairs) == 511
