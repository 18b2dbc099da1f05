from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems
from karat.formats import Source
from karat.formats.banks.rubrics import sniff_rubrics
from karat.formats.io.head import Head
from karat.model import Judgement, Nug, Query, Response, Run, Score, Snippet, content_id

ROW = {
    "prompt_id": "p1",
    "prompt": [{"role": "user", "content": "Does it hurt?"}],
    "rubrics": [
        {"criterion": "Asks where", "points": 5, "tags": ["axis:context"]},
        {"criterion": "Is rude", "points": -3, "tags": []},
    ],
    "example_tags": ["theme:pain"],
    "ideal_completions_data": {"ideal_completion": "Where?", "ideal_completions_group": "Group 1"},
}
FIRST, SECOND = content_id("Asks where"), content_id("Is rude")


def test_reads_healthbench() -> None:
    collection = collect(json.dumps(ROW), "rubrics")
    extra = {"prompt": ROW["prompt"], "example_tags": ["theme:pain"]}
    assert collection.queries == [Query(query_id="p1", text="Does it hurt?", extra=extra)]
    assert collection.runs == [Run(run_id="reference", human=True)]
    assert collection.responses == [
        Response(
            query_id="p1",
            run_id="reference",
            snippets=(Snippet(snippet_id="1", text="Where?"),),
            extra={"ideal_completions_group": "Group 1"},
        )
    ]
    assert collection.nugs == [
        Nug(query_id="p1", nug_id=FIRST, descriptions=("Asks where",), weight=5.0, extra={"tags": ["axis:context"]}),
        Nug(query_id="p1", nug_id=SECOND, descriptions=("Is rude",), weight=-3.0, extra={"tags": []}),
    ]


def test_a_conversation_says_who_speaks() -> None:
    prompt = [{"role": "user", "content": "Ow"}, {"role": "assistant", "content": "Where?"}]
    collection = collect(json.dumps(ROW | {"prompt": prompt}), "rubrics")
    assert collection.queries[0].text == "user: Ow\n\nassistant: Where?"


def test_reads_the_rubrics_of_trec_rag() -> None:
    row = {"qid": 3, "domain": "STEM", "rubrics": [{"criterion": "Explains", "weight": "4.0", "axis": "Clarity"}]}
    collection = collect(json.dumps(row), "rubrics")
    assert collection.queries == [Query(query_id="3", text="", extra={"domain": "STEM"})]
    assert collection.runs == []
    nug = Nug(
        query_id="3", nug_id=content_id("Explains"), descriptions=("Explains",), weight=4.0, extra={"axis": "Clarity"}
    )
    assert collection.nugs == [nug]


def test_reads_graded_criteria() -> None:
    items = [
        {"criterion": "Asks where", "points": 5, "criteria_met": True, "explanation": "it does"},
        {"criterion": "Is rude", "points": -3, "criteria_met": "false"},
    ]
    completion = [{"role": "assistant", "content": "Where?"}]
    row = {"prompt_id": "p1", "rubric_items": items, "completion": completion, "score": 1.0, "model": "m"}
    collection = collect(json.dumps(row), "rubrics")
    assert collection.runs == [Run(run_id="m")]
    assert collection.responses[0].snippets == (Snippet(snippet_id="1", text="Where?"),)
    given = {"query_id": "p1", "run_id": "m", "judge": "given"}
    assert collection.judgements == [
        Judgement(**given, nug_id=FIRST, degree=1.0, extra={"explanation": "it does"}),
        Judgement(**given, nug_id=SECOND, degree=0.0),
    ]
    assert collection.scores == [Score(run_id="m", query_id="p1", measure="score", value=1.0)]
    assert all(not nug.extra for nug in collection.nugs)


def test_a_bad_grade_fails_and_missing_points_are_reported() -> None:
    items = [{"criterion": "a b", "criteria_met": "perhaps"}, {"points": 3}, {"criterion": "c d", "points": 1}]
    collection, problems = collect_with_problems(json.dumps({"qid": "q", "rubrics": items}), "rubrics")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: rubrics[0].points: is missing",
        "<bytes>:1: rubrics[0].criteria_met: 'perhaps' is not one of true, false",
        "<bytes>:1: rubrics[1].criterion: is missing",
    ]
    assert [judgement.status for judgement in collection.judgements] == ["failed"]
    assert [nug.weight for nug in collection.nugs] == [None, 1.0]


def test_is_recognised() -> None:
    assert sniff_rubrics(Head(Source("<bytes>", json.dumps(ROW).encode())))
    for other in ({"rubrics": {"score1_description": "x"}}, {"rubrics": [3]}, {"qid": 1, "nuggets": []}):
        assert not sniff_rubrics(Head(Source("<bytes>", json.dumps(other).encode())))


@pytest.mark.real_data
def test_trec_rag_2025_dev(real_data: Path) -> None:
    path = real_data / "trec-rag-2025-dev" / "research-rubrics-dev-rubrics.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert sniff_rubrics(Head(Source(path)))
    collection = collect(path.read_bytes(), "rubrics")
    assert len(collection.queries) == len(rows) == 30
    assert len(collection.nugs) == sum(len(row["rubrics"]) for row in rows) == 755
    assert sum((nug.weight or 0) < 0 for nug in collection.nugs) == 97
    assert collection.queries[0].query_id == rows[0]["qid"]
    for nug, item in ((collection.nugs[0], rows[0]["rubrics"][0]), (collection.nugs[-1], rows[-1]["rubrics"][-1])):
        assert nug.descriptions == (item["criterion"],)
        assert (nug.weight, nug.extra) == (item["weight"], {"axis": item["axis"]})
    # One criterion stands twice in its rubric.
    assert [nug.nug_id[-2:] for nug in collection.nugs if len(nug.nug_id) > 16] == ["-2"]
