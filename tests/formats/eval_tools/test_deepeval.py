from __future__ import annotations

import json

import pytest

from helpers import collect, collect_with_problems
from karat.formats import Source
from karat.formats.eval_tools.deepeval import sniff_deepeval
from karat.formats.io.head import Head
from karat.model import Query, Response, Run, Score, Snippet, content_id

CASE = {
    "input": "why do bees dance",
    "actual_output": "To talk.",
    "expected_output": "To show the way.",
    "retrieval_context": ["Bees dance."],
    "context": None,
    "tags": ["bees"],
}
ASKED = content_id("why do bees dance")
REFERENCE = Response(query_id=ASKED, run_id="reference", snippets=(Snippet(snippet_id="1", text="To show the way."),))
ANSWER = (Snippet(snippet_id="1", text="To talk."),)


@pytest.mark.parametrize(
    "data",
    [json.dumps([CASE], indent=1), json.dumps(CASE), json.dumps({"test_cases": [CASE]}), "\ufeff" + json.dumps([CASE])],
)
def test_reads_test_cases_in_every_shape(data: str) -> None:
    collection = collect(data, "deepeval")
    assert collection.queries == [Query(query_id=ASKED, text="why do bees dance")]
    assert collection.runs == [Run(run_id="reference", human=True), Run(run_id="run")]
    kept = {"retrieval_context": ["Bees dance."], "tags": ["bees"]}
    assert collection.responses == [REFERENCE, Response(query_id=ASKED, run_id="run", snippets=ANSWER, extra=kept)]


def test_camel_case_and_metrics_of_a_test_run() -> None:
    metrics = [{"name": "Faithfulness", "score": 0.25, "threshold": 0.5}, {"name": "Bias", "score": None, "error": "e"}]
    case = {"input": "why do bees dance", "actualOutput": "To talk.", "expectedOutput": "To show the way."}
    collection = collect(json.dumps({"testCases": [case | {"metricsData": metrics}]}), "deepeval")
    assert collection.responses == [REFERENCE, Response(query_id=ASKED, run_id="run", snippets=ANSWER)]
    assert collection.scores == [
        Score(run_id="run", query_id=ASKED, measure="Faithfulness", value=0.25, extra={"threshold": 0.5}),
        Score(run_id="run", query_id=ASKED, measure="Bias", undefined=1, extra={"error": "e"}),
    ]


def test_a_golden_has_no_answer_and_meets_the_test_case_made_from_it() -> None:
    golden = {"input": "why do bees dance", "expected_output": "To show the way.", "actual_output": None}
    collection = collect(json.dumps({"goldens": [golden], "test_cases": [CASE]}), "deepeval")
    assert [query.query_id for query in collection.queries] == [ASKED]
    assert [response.run_id for response in collection.responses] == ["reference", "run"]
    alone = collect(json.dumps({"goldens": [golden | {"source_file": "f"}]}), "deepeval")
    assert alone.queries == [Query(query_id=ASKED, text="why do bees dance", extra={"source_file": "f"})]
    assert alone.responses == [REFERENCE]


def test_a_question_asked_again_gets_an_ordinal_and_own_ids_are_kept() -> None:
    collection = collect("\n".join(json.dumps(case) for case in (CASE, CASE, CASE | {"id": 3})), "deepeval")
    assert [query.query_id for query in collection.queries] == [ASKED, f"{ASKED}-2", "3"]


def test_a_case_without_input_is_reported() -> None:
    collection, problems = collect_with_problems(json.dumps({"test_cases": [{"actual_output": "x"}, CASE]}), "deepeval")
    assert [str(problem) for problem in problems] == ["<bytes>:1: test_cases[0].input: is missing"]
    assert len(collection.responses) == 2


def test_is_recognised() -> None:
    for data in (CASE, [CASE], {"goldens": [{"input": "q", "expectedOutput": "a"}]}):
        assert sniff_deepeval(Head(Source("<bytes>", json.dumps(data).encode())))
    for data in ({"input": "q", "output": "a"}, {"question": "q", "answer": "a"}, {"test_cases": 3}):
        assert not sniff_deepeval(Head(Source("<bytes>", json.dumps(data).encode())))
