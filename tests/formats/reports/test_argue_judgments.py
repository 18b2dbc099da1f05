from __future__ import annotations

import copy
import json
from hashlib import md5
from typing import Any

from helpers import collect, collect_with_problems, messages
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.reports.argue_judgments import sniff_argue_judgments
from karat.model import Citation, CitationJudgement, Evidence, Judgement, Nug, Response, Run, Snippet

FORMAT = "argue-judgments"
QUESTION = "What does the dance tell?"
NUG_ID = md5(QUESTION.encode()).hexdigest()
NOWHERE = {"sentence": None, "run_id": None, "sent_id": None}
RELEVANCE = {
    "judgment_type_id": "CITED_DOCUMENT_RELEVANCE",
    "response": {"judgment_type_id": "CITED_DOCUMENT_RELEVANCE", "doc_id": "d1", "is_relevant": True},
    "evaluator": "null",
    "provenance": {"doc_id": "d1", **NOWHERE},
}


def attested(doc_id: str | None, value: object, evaluator: str | None = "from_env") -> dict[str, Any]:
    return {
        "judgment_type_id": "SENTENCE_ATTESTED",
        "response": {"judgment_type_id": "SENTENCE_ATTESTED", "is_attested": value},
        "evaluator": evaluator,
        "provenance": {"doc_id": doc_id, **NOWHERE},
    }


def answers(doc_id: str, *matches: tuple[str, list[str]]) -> dict[str, Any]:
    nuggets = [{"question_text": text, "matched_answer": answer, "importance": None} for text, answer in matches]
    return {
        "judgment_type_id": "SENTENCE_ANSWERS_QUESTION",
        "response": {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "matched_nuggets": nuggets},
        "evaluator": "from_env",
        "provenance": {"doc_id": doc_id, **NOWHERE},
    }


ROW: dict[str, Any] = {
    "report": {
        "metadata": {"team_id": "hive", "run_id": "bees", "topic_id": 300, "collection_ids": ["c"]},
        "responses": [
            {"text": "They dance.", "citations": {"d1": 100.0, "d2": 80.0}},
            {"text": "They hum.", "citations": [0], "evaldata": {"x": 1}},
        ],
        "references": ["d1", "d2"],
    },
    "judgments": [
        {
            "segment_type": "sentence",
            "text": "They dance.",
            "citations": [{"doc_id": "d1", "text": "doc one"}, {"doc_id": "d2", "text": "doc two"}],
            "judgments": [
                RELEVANCE,
                answers("d1", (QUESTION, ["direction"])),
                answers("d2", (QUESTION, ["distance"])),
                attested("d1", True),
                attested("d2", "false"),
            ],
        },
        {
            "segment_type": "sentence",
            "text": "They hum.",
            "citations": [{"doc_id": "d1", "text": "doc one"}],
            "judgments": [attested(None, True, "null")],
        },
    ],
}


def row(**changes: Any) -> str:
    return json.dumps(copy.deepcopy(ROW) | changes)


def test_reads_the_report_its_matched_questions_and_its_citations() -> None:
    collection = collect(row(), FORMAT)
    assert list(collection) == [
        Run(run_id="bees", group="hive"),
        Response(
            query_id="300",
            run_id="bees",
            snippets=(
                Snippet(
                    snippet_id="1",
                    text="They dance.",
                    citations=(
                        Citation(doc_id="d1", excerpt="doc one", extra={"score": 100.0}),
                        Citation(doc_id="d2", excerpt="doc two", extra={"score": 80.0}),
                    ),
                    extra={"judgments": [RELEVANCE]},
                ),
                Snippet(
                    snippet_id="2",
                    text="They hum.",
                    citations=(Citation(doc_id="d1", excerpt="doc one"),),
                    extra={"evaldata": {"x": 1}},
                ),
            ),
            extra={"references": ["d1", "d2"], "metadata": {"collection_ids": ["c"]}},
        ),
        Nug(query_id="300", nug_id=NUG_ID, descriptions=(QUESTION,)),
        Judgement(
            query_id="300",
            run_id="bees",
            snippet_id="1",
            nug_id=NUG_ID,
            degree=1.0,
            judge="from_env",
            evidence=Evidence(words=("direction", "distance")),
            extra={"doc_ids": ["d1", "d2"]},
        ),
        CitationJudgement(
            query_id="300", run_id="bees", snippet_id="1", doc_id="d1", support="full", assessor="from_env"
        ),
        CitationJudgement(
            query_id="300", run_id="bees", snippet_id="1", doc_id="d2", support="none", assessor="from_env"
        ),
        CitationJudgement(query_id="300", run_id="bees", snippet_id="2", doc_id="d1", support="full", assessor="given"),
    ]


def test_importance_and_a_lone_answer_are_read() -> None:
    match = {"question_text": QUESTION, "matched_answer": "direction", "importance": "vital", "note": "n"}
    judgment = answers("d1")
    judgment["response"]["matched_nuggets"] = [match, match | {"question_text": "b", "importance": 2}]
    segment = ROW["judgments"][0] | {"judgments": [judgment]}
    collection = collect(row(judgments=[segment]), FORMAT)
    assert [(nug.importance, nug.weight) for nug in collection.nugs] == [("vital", None), (None, 2.0)]
    assert collection.judgements[0].evidence == Evidence(words=("direction",))
    assert collection.judgements[0].extra == {"doc_ids": ["d1"], "note": "n"}


def test_a_repeated_sentence_is_judged_in_its_place() -> None:
    report = copy.deepcopy(ROW["report"])
    report["responses"] = [{"text": "Same.", "citations": ["d1"]}, {"text": "Same.", "citations": ["d1"]}]
    segments = [{"text": "Same.", "citations": [], "judgments": [attested("d1", value)]} for value in (True, False)]
    collection = collect(row(report=report, judgments=segments), FORMAT)
    assert [(judged.snippet_id, judged.support) for judged in collection.citation_judgements] == [
        ("1", "full"),
        ("2", "none"),
    ]


def test_problems_are_reported_and_the_rest_is_kept() -> None:
    bad = copy.deepcopy(ROW)
    bad["report"]["responses"][1]["citations"] = [0, 7]
    bad["judgments"][0]["judgments"] = [
        attested("d1", "maybe"),
        attested(None, True),
        attested("d2", True),
        attested("d2", False),
    ]
    bad["judgments"][1]["text"] = "They sleep."
    data = json.dumps(bad) + "\n" + row()
    assert messages(data, FORMAT) == [
        "1: report.responses[1].citations[1]: 7 is not the position of one of the 2 references, counted from 0",
        "1: judgments[0].judgments[0].response.is_attested: 'maybe' is not one of true, false",
        "1: judgments[0].judgments[1].provenance: does not name the document",
        "1: judgments[0].judgments[3].response: document 'd2' is judged twice for the sentence, full and none",
        "1: judgments[1].text: is not a sentence of the report",
        "2: report: run 'bees' already has a report on topic '300'",
    ]
    collection, _ = collect_with_problems(data, FORMAT)
    assert [judged.doc_id for judged in collection.citation_judgements] == ["d2"]
    assert [len(snippet.citations) for snippet in collection.responses[0].snippets] == [2, 1]


def test_is_recognised() -> None:
    assert sniff_argue_judgments(Head(Source("<bytes>", row().encode())))
    for other in ('{"report": {}, "judgments": [1]}', '{"report": [], "judgments": []}', "[]", "x", ""):
        assert not sniff_argue_judgments(Head(Source("<bytes>", other.encode())))
