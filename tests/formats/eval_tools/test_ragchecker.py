from __future__ import annotations

import json

from helpers import collect, collect_with_problems, messages
from karat.formats import Source, open_reading
from karat.formats.eval_tools.ragchecker import sniff_ragchecker
from karat.formats.io.head import Head
from karat.model import Collection, Judgement, Nug, Query, Response, Run, Score, Snippet, content_id

RESULT = {
    "query_id": 7,
    "query": "why do bees dance",
    "gt_answer": "To show the way.",
    "response": "They show where food is.",
    "retrieved_context": [{"doc_id": "d1", "text": "Bees dance."}],
    "response_claims": [["bees", "show", "food"]],
    "gt_answer_claims": [["bees", "show", "the way"], "the dance has a direction"],
    "response2answer": ["Entailment", "Contradiction"],
    "answer2response": ["Neutral"],
    "metrics": {"recall": 0.5, "precision": None},
}
FIRST, SECOND = content_id("bees show the way"), content_id("the dance has a direction")


def document(*results: dict[str, object], **more: object) -> str:
    return json.dumps({"results": list(results), **more}, indent=1)


def test_reads_answers_claims_labels_and_metrics() -> None:
    metrics = {"overall_metrics": {"precision": 76.4, "f1": None}, "retriever_metrics": {"claim_recall": 50}}
    collection = collect(document(RESULT, metrics=metrics, note="n"), "ragchecker")
    assert collection.queries == [Query(query_id="7", text="why do bees dance")]
    assert collection.runs == [Run(run_id="run", extra={"note": "n"}), Run(run_id="reference", human=True)]
    kept = {name: RESULT[name] for name in ("retrieved_context", "response_claims", "answer2response")}
    assert collection.responses == [
        Response(query_id="7", run_id="reference", snippets=(Snippet(snippet_id="1", text="To show the way."),)),
        Response(
            query_id="7",
            run_id="run",
            snippets=(Snippet(snippet_id="1", text="They show where food is."),),
            extra=kept,
        ),
    ]
    triple = {"claim": ["bees", "show", "the way"]}
    assert collection.nugs == [
        Nug(query_id="7", nug_id=FIRST, descriptions=("bees show the way",), extra=triple),
        Nug(query_id="7", nug_id=SECOND, descriptions=("the dance has a direction",)),
    ]
    given = {"query_id": "7", "run_id": "run", "judge": "given"}
    assert collection.judgements == [
        Judgement(**given, nug_id=FIRST, degree=1.0, extra={"label": "Entailment"}),
        Judgement(**given, nug_id=SECOND, degree=0.0, extra={"label": "Contradiction"}),
    ]
    assert collection.scores == [
        Score(run_id="run", query_id="7", measure="recall", value=0.5),
        Score(run_id="run", query_id="7", measure="precision", undefined=1),
        Score(run_id="run", query_id="all", measure="precision", value=0.764),
        Score(run_id="run", query_id="all", measure="f1", undefined=1),
        Score(run_id="run", query_id="all", measure="claim_recall", value=0.5),
    ]


def test_the_run_is_named_like_the_file() -> None:
    data = document(RESULT).encode()
    assert [
        run.run_id for run in Collection(open_reading(Source("x/gpt-4.1.json", data), format="ragchecker")).runs
    ] == [
        "gpt-4.1",
        "reference",
    ]
    clash = Collection(open_reading(Source("reference.json", data), format="ragchecker"))
    assert {run.run_id: run.human for run in clash.runs} == {"run": False, "reference": True}


def test_input_without_claims_and_with_nulls() -> None:
    plain = {"query_id": "q", "query": "w", "gt_answer": None, "response": "", "retrieved_context": []}
    collection = collect(document(plain | {"gt_answer_claims": None, "metrics": {}}), "ragchecker")
    assert collection.responses == [Response(query_id="q", run_id="run", snippets=(), extra={"retrieved_context": []})]


def test_problems_are_reported_and_only_their_judgement_fails() -> None:
    broken = RESULT | {"query_id": "b", "response2answer": ["maybe"], "gt_answer_claims": ["x", "y"]}
    collection, problems = collect_with_problems(document(broken, RESULT), "ragchecker")
    assert [str(problem) for problem in problems] == [
        "<bytes>:25: results[0].response2answer: there are 1 labels for 2 claims",
        "<bytes>:26: results[0].response2answer[0]: 'maybe' is not one of Entailment, Neutral, Contradiction",
    ]
    assert {problem.query_id for problem in problems} == {"b"}
    assert [judgement.status for judgement in collection.judgements] == ["failed", "failed", "ok", "ok"]


def test_a_bad_claim_leaves_the_others_in_their_places() -> None:
    data = document(RESULT | {"gt_answer_claims": [3, "y"]})
    collection, problems = collect_with_problems(data, "ragchecker")
    assert [problem.path for problem in problems] == ["results[0].gt_answer_claims[0]"]
    assert [judgement.extra["label"] for judgement in collection.judgements] == ["Contradiction"]


def test_a_query_answered_twice_is_reported() -> None:
    assert messages(json.dumps({"results": [RESULT, RESULT]}), "ragchecker") == [
        "1: results[1].response: run 'run' has already answered query '7'"
    ]


def test_is_recognised() -> None:
    assert sniff_ragchecker(Head(Source("<bytes>", document(RESULT).encode())))
    for other in ([RESULT], {"results": [1]}, {"results": RESULT["metrics"]}, {"results": None}):
        assert not sniff_ragchecker(Head(Source("<bytes>", json.dumps(other).encode())))
