from __future__ import annotations

import copy
import gzip
import json
from typing import Any

from builders.records import judgement
from helpers import collect, collect_with_problems, messages
from karat.formats.banks.rubric_workbench import sniff_rubric_workbench
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Citation, Judgement, Nug, Query, Response, Run, Snippet

FORMAT = "rubric-workbench"
DATA = {
    "judgments": [{"paragraphId": "p1", "query": "q1", "relevance": 2, "titleQuery": "q1"}],
    "rankings": [{"method": "m", "paragraphId": "p1", "queryId": "q1", "rank": 1, "score": 2.5}],
}
GRADE: dict[str, Any] = {
    "correctAnswered": ["q1/a", "q1/c"],
    "wrongAnswered": ["q1/b", "q1/d"],
    "answers": [["q1/a", "to find food"], ["q1/c", "yes"], ["q1/f", "?"]],
    "llm_response_errors": {"q1/d": {"failure_reason": "no answer"}},
    "self_ratings": [{"question_id": "q1/a", "self_rating": 4}, {"nugget_id": "q1/b", "self_rating": 0}],
    "llm": "some-model",
    "llm_options": {"temperature": 0},
    "prompt_info": {"prompt_class": "Rated"},
    "exam_ratio": 0.5,
}
PARAGRAPH: dict[str, Any] = {
    "paragraph_id": "p1",
    "text": "Bees dance to find food.",
    "paragraph": None,
    "paragraph_data": DATA,
    "exam_grades": [GRADE],
    "grades": [{"correctAnswered": True, "llm": "some-model"}],
}
BANK = {
    "query_id": "q1",
    "facet_id": "f1",
    "facet_text": "why",
    "test_collection": "hive",
    "query_text": "bee dances",
    "info": None,
    "items": [
        {"query_id": "q1", "question_id": "q1/a", "question_text": "Why?", "gold_answers": ["food"], "info": {"n": 1}},
        {"query_id": "q1", "nugget_id": "q1/b", "nugget_text": "It tells the way.", "facet_id": None},
    ],
}


def grades(*paragraphs: dict[str, Any], query_id: object = "q1") -> str:
    return json.dumps([query_id, list(paragraphs)])


def verdict(nug_id: str, degree: float | None, judge: str = "some-model", **fields: Any) -> Judgement:
    ids = {"query_id": "q1", "run_id": "retrieved", "snippet_id": "p1", "judge": judge}
    return judgement(nug_id, degree, **ids | fields)


def test_reads_paragraphs_and_their_grades() -> None:
    collection = collect(gzip.compress(grades(PARAGRAPH).encode()), FORMAT)
    assert collection.runs == [Run(run_id="retrieved")]
    kept = {"llm": "some-model", "llm_options": {"temperature": 0}, "prompt_info": {"prompt_class": "Rated"}}
    assert collection.responses == [
        Response(
            query_id="q1",
            run_id="retrieved",
            snippets=(
                Snippet(
                    snippet_id="p1",
                    text="Bees dance to find food.",
                    citations=(Citation(doc_id="p1"),),
                    extra={
                        "paragraph_data": DATA,
                        "grades": PARAGRAPH["grades"],
                        "exam_grades": [kept | {"exam_ratio": 0.5}],
                    },
                ),
            ),
        )
    ]
    assert collection.judgements == [
        verdict("q1/a", 0.8, extra={"self_rating": 4, "answer": "to find food"}),
        verdict("q1/b", 0.0, extra={"self_rating": 0}),
        verdict("q1/d", None, status="failed", extra={"llm_response_error": {"failure_reason": "no answer"}}),
        verdict("q1/c", 1.0, extra={"answer": "yes"}),
        verdict("q1/f", None, status="unknown", extra={"answer": "?"}),
    ]


def test_the_same_model_with_another_prompt_is_another_judge() -> None:
    other = {"llm": "some-model", "wrongAnswered": ["q1/a"], "prompt_info": {"prompt_class": "Checked"}}
    collection = collect(grades(PARAGRAPH | {"exam_grades": [GRADE, other]}), FORMAT)
    assert collection.judgements[-1] == verdict("q1/a", 0.0, "some-model Checked")


def test_reads_a_bank_with_facets() -> None:
    second = BANK | {"facet_id": "f2", "facet_text": None, "items": [{"nugget_id": "q1/z", "nugget_text": "z"}]}
    collection = collect(json.dumps(BANK) + "\n" + json.dumps(second), FORMAT)
    assert collection.queries == [
        Query(query_id="q1", text="bee dances", extra={"test_collection": "hive", "info": None})
    ]
    facet = {"facet_id": "f1", "facet_text": "why"}
    assert collection.nugs == [
        Nug(
            query_id="q1",
            nug_id="q1/a",
            descriptions=("Why?",),
            extra=facet | {"gold_answers": ["food"], "info": {"n": 1}},
        ),
        Nug(query_id="q1", nug_id="q1/b", descriptions=("It tells the way.",), extra=facet),
        Nug(query_id="q1", nug_id="q1/z", descriptions=("z",), extra={"facet_id": "f2"}),
    ]


def test_problems_are_reported_and_the_rest_is_kept() -> None:
    bad = copy.deepcopy(PARAGRAPH)
    bad["exam_grades"] = [
        {
            "llm": "m",
            "self_ratings": [
                {"question_id": "a", "self_rating": 7},
                {"question_id": "b", "self_rating": "x"},
                {"question_id": "a", "self_rating": 1},
                {"self_rating": 3},
            ],
            "correctAnswered": ["c", "e"],
            "wrongAnswered": ["c"],
            "answers": ["e"],
        },
    ]
    data = "\n".join((grades(bad, bad, query_id=1), "[1]", grades(query_id=1), json.dumps({"query_id": "x"})))
    assert messages(data, FORMAT) == [
        "1: paragraphs[0].exam_grades[0].self_ratings[0].self_rating: 7 is not one of 0, 1, 2, 3, 4, 5",
        "1: paragraphs[0].exam_grades[0].self_ratings[1].self_rating: must be a number, not 'x'",
        "1: paragraphs[0].exam_grades[0].self_ratings[2].question_id: 'a' is rated twice",
        "1: paragraphs[0].exam_grades[0].self_ratings[3].question_id: is missing",
        "1: paragraphs[0].exam_grades[0].wrongAnswered: 'c' is in correctAnswered, too",
        "1: paragraphs[0].exam_grades[0].answers[0]: must be [question id, text]",
        "1: paragraphs[1].paragraph_id: 'p1' appears twice",
        "2: a row must be [query, paragraphs] or a bank, not a list",
        "3: query '1' already has paragraphs",
        "4: items: is missing",
    ]
    collection, _ = collect_with_problems(data, FORMAT)
    assert [(judgement.nug_id, judgement.degree, judgement.status) for judgement in collection.judgements] == [
        ("a", None, "failed"),
        ("c", None, "failed"),
        ("e", 1.0, "ok"),
    ]


def test_is_recognised() -> None:
    def recognised(data: str) -> bool:
        return sniff_rubric_workbench(Head(Source("<bytes>", data.encode())))

    assert recognised(grades(PARAGRAPH) + "\n" + grades())
    assert recognised(json.dumps(BANK))
    for other in ('["a", ["b"]]', '["a", 1]', "[1, [2]]", '{"query_id": 1, "items": [1]}', "[]", "{}", "x", ""):
        assert not recognised(other)
