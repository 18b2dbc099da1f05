from __future__ import annotations

import csv
import io
import json

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats import Source
from karat.formats.eval_tools.open_rag_eval_scores import sniff_open_rag_eval_scores
from karat.formats.io.head import Head
from karat.model import Citation, Judgement, Nug, Query, Response, Run, Score, Snippet, content_id

NUGGETS = {
    "nuggetizer_scores": {"All": 0.75, "Vital Strict": 1.0},
    "nuggets": ["bees dance", "to show food"],
    "labels": ["vital", "okay"],
    "assignments": ["support", "partial_support"],
    "assignment_scores": [1.0, 0.5],
}
FIRST, SECOND = content_id("bees dance"), content_id("to show food")
RUN = {
    "retrieved_passages": {"[1]": "Bees dance.", "[2]": "Bees fly."},
    "generated_answer": [{"text": "They dance", "citations": ["[1]"]}, {"text": "to talk", "citations": []}],
    "retrieval_score_umbrela_scores": {"[1]": 3},
    "retrieval_score_precision_metrics": {"precision@": {"1": 1.0}, "MRR": 1.0},
    "generation_score_autonugget_scores": NUGGETS,
    "generation_score_hallucination_score": 0.9,
    "generation_score_citation_scores": {"citation_score_[1]": 1, "f1": 0.8},
    "generation_score_no_answer_score": {"query_answered": "yes"},
}


def table(prefix: str) -> str:
    cells = {"query_id": "q1", "query": "why"}
    cells |= {prefix + name: json.dumps(value) for name, value in RUN.items()}
    cells["consistency_rouge"] = json.dumps({"mean": 0.5})
    file = io.StringIO()
    writer = csv.DictWriter(file, list(cells))
    writer.writeheader()
    writer.writerow(cells)
    return file.getvalue()


def report(**changes: object) -> str:
    entry = {"query_id": "q1", "query": "why", "runs": [RUN], "consistency": {"rouge": {"mean": 0.5}}}
    return json.dumps({"evaluation": [entry | changes]})


@pytest.mark.parametrize("data", [table("run_1_"), table(""), report()])
def test_reads_table_and_report(data: str) -> None:
    collection = collect(data, "open-rag-eval-scores")
    assert collection.queries == [Query(query_id="q1", text="why")]
    assert collection.runs == [Run(run_id="run")]
    assert collection.responses == [
        Response(
            query_id="q1",
            run_id="run",
            snippets=(
                Snippet(snippet_id="1", text="They dance", citations=(Citation(doc_id="[1]", excerpt="Bees dance."),)),
                Snippet(snippet_id="2", text="to talk"),
            ),
            extra={
                "retrieval_score_umbrela_scores": {"[1]": 3},
                "generation_score_citation_scores": {"citation_score_[1]": 1},
                "generation_score_no_answer_score": {"query_answered": "yes"},
                "assignment_scores": [1.0, 0.5],
                "uncited_passages": {"[2]": "Bees fly."},
            },
        )
    ]
    assert collection.nugs == [
        Nug(query_id="q1", nug_id=FIRST, descriptions=("bees dance",), importance="vital"),
        Nug(query_id="q1", nug_id=SECOND, descriptions=("to show food",), importance="okay"),
    ]
    assert collection.judgements == [
        Judgement(query_id="q1", run_id="run", nug_id=FIRST, degree=1.0, judge="given"),
        Judgement(query_id="q1", run_id="run", nug_id=SECOND, degree=0.5, judge="given"),
    ]
    assert {score.measure: score.value for score in collection.scores} == {
        "nuggetizer_scores.All": 0.75,
        "nuggetizer_scores.Vital Strict": 1.0,
        "retrieval_score_precision_metrics.precision@.1": 1.0,
        "retrieval_score_precision_metrics.MRR": 1.0,
        "generation_score_hallucination_score": 0.9,
        "generation_score_citation_scores.f1": 0.8,
        "consistency_rouge.mean": 0.5,
    }


def test_reads_only_the_dictionary() -> None:
    collection = collect(json.dumps({"query_id": 1, **NUGGETS}), "open-rag-eval-scores")
    assert collection.queries == [Query(query_id="1", text="", extra={"assignment_scores": [1.0, 0.5]})]
    assert collection.responses == []
    assert [judgement.degree for judgement in collection.judgements] == [1.0, 0.5]
    assert collection.scores[0] == Score(run_id="run", query_id="1", measure="nuggetizer_scores.All", value=0.75)


def test_several_runs_and_an_answer_in_one_piece() -> None:
    collection = collect(report(runs=[{"generated_answer": "a b"}, {"generated_answer": ""}]), "open-rag-eval-scores")
    assert [(response.run_id, len(response.snippets)) for response in collection.responses] == [
        ("run", 1),
        ("run:2", 0),
    ]


def test_problems_name_their_place_and_only_their_judgement_fails() -> None:
    broken = NUGGETS | {"labels": ["vital", "good"], "assignments": ["suport"]}
    collection, problems = collect_with_problems(json.dumps({"query_id": "q", **broken}), "open-rag-eval-scores")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: assignments: there are 1 values for 2 nuggets",
        "<bytes>:1: assignments[0]: 'suport' is not one of support, partial_support, not_support",
        "<bytes>:1: labels[1]: 'good' is not one of vital, okay",
        "<bytes>:1: assignments[1]: is missing",
    ]
    assert [judgement.status for judgement in collection.judgements] == ["failed", "failed"]
    assert [nug.importance for nug in collection.nugs] == ["vital", None]


def test_a_citation_of_no_passage_is_reported() -> None:
    part = {"text": "x", "citations": ["[9]"]}
    data = report(runs=[{"retrieved_passages": {"[1]": "a"}, "generated_answer": [part]}])
    assert messages(data, "open-rag-eval-scores") == [
        "1: evaluation[0].runs[0].generated_answer[0].citations: '[9]' is not one of the retrieved passages"
    ]


def test_is_recognised() -> None:
    for data in (table("run_1_"), table(""), report(), json.dumps(NUGGETS)):
        assert sniff_open_rag_eval_scores(Head(Source("<bytes>", data.encode())))
    others = (
        "query_id,query,score\n",
        '{"nuggets": [{"text": "x"}], "labels": 1, "assignments": 2}',
        '{"evaluation": 1}',
    )
    for data in others:
        assert not sniff_open_rag_eval_scores(Head(Source("<bytes>", data.encode())))
