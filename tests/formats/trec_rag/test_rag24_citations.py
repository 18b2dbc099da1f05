from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from builders.records import citation_judgement
from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import open_reading
from karat.model import Citation, CitationJudgement, Collection, Query, Response, Run, Snippet

WEBASSESS = {
    "topic_id": "q1",
    "run_id": "hive.best_v3.5",
    "sentences": [
        {
            "sentenceId": 0,
            "verification_worthy": "1",
            "citationsCombibed": "2",
            "text": "They tell the way.",
            "citations": [
                {"citationId": 4, "reference": "d1", "support": "2"},
                {"citationId": 0, "reference": "d2", "support": "1"},
                {"citationId": 2, "reference": "d3", "support": "0"},
            ],
        },
        {
            "sentenceId": 1,
            "verification_worthy": "0",
            "citationsCombibed": "-1",
            "text": "Well.",
            "citations": [{"citationId": 4, "reference": "d1", "support": "-1"}],
        },
    ],
}
OLDER = {
    "topic_id": "q1",
    "run_id": "solo",
    "sentences": [
        {"sentenceID": 0, "text": "They vote.", "citations": [{"citationID": 0, "reference": "d1", "support": "2"}]},
        {"sentenceID": 1, "text": "They hum.", "citations": []},
    ],
}


def cited(snippet_id: str, doc_id: str, support: str, run_id: str = "best_v3.5") -> CitationJudgement:
    ids = {"query_id": "q1", "run_id": run_id, "snippet_id": snippet_id, "assessor": "nist"}
    return citation_judgement(doc_id, support, **ids)


def test_reads_run_response_and_a_judgement_a_judged_citation() -> None:
    collection = collect(json.dumps(WEBASSESS), "trec-rag24-citations")
    assert collection.runs == [Run(run_id="best_v3.5", group="hive")]
    assert collection.responses == [
        Response(
            query_id="q1",
            run_id="best_v3.5",
            snippets=(
                Snippet(
                    snippet_id="0",
                    text="They tell the way.",
                    citations=(
                        Citation(doc_id="d1", extra={"citationId": 4}),
                        Citation(doc_id="d2", extra={"citationId": 0}),
                        Citation(doc_id="d3"),
                    ),
                    extra={"verification_worthy": "1", "citationsCombibed": "2"},
                ),
                Snippet(
                    snippet_id="1",
                    text="Well.",
                    citations=(Citation(doc_id="d1", extra={"citationId": 4}),),
                    extra={"verification_worthy": "0", "citationsCombibed": "-1"},
                ),
            ),
        )
    ]
    assert collection.citation_judgements == [
        cited("0", "d1", "full"),
        cited("0", "d2", "partial"),
        cited("0", "d3", "none"),
    ]


@pytest.mark.parametrize("row", [WEBASSESS, OLDER])
def test_round_trip_writes_the_same_object(row: dict[str, object]) -> None:
    row = row | {"note": "kept"}
    assert json.loads(round_trip(collect(json.dumps(row), "trec-rag24-citations"), "trec-rag24-citations")) == row


def test_numbers_as_codes_and_ids_and_a_byte_order_mark_are_read() -> None:
    row = {
        "topic_id": 7,
        "run_id": "hive.a",
        "sentences": [{"sentenceId": "0", "text": "x", "citations": [{"reference": "d1", "support": 2}]}],
    }
    collection = collect("\ufeff" + json.dumps(row) + "\r\n", "trec-rag24-citations")
    assert [
        (citation_judgement.query_id, citation_judgement.support)
        for citation_judgement in collection.citation_judgements
    ] == [("7", "full")]


@pytest.mark.parametrize("text", ["NaN", "null"])
def test_a_sentence_without_text_is_kept_with_a_warning(text: str) -> None:
    data = json.dumps(OLDER).replace('"They vote."', text)
    reading = open_reading(data.encode(), format="trec-rag24-citations")
    collection = Collection(reading)
    assert collection.responses[0].snippets[0].text == ""
    assert collection.citation_judgements == [cited("0", "d1", "full", "solo")]
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: sentences[0].text: the sentence has no text"
    ]
    round_trip(collection, "trec-rag24-citations")


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    citations = [
        {"citationId": 0, "reference": "d1", "support": "3"},
        {"citationId": 1, "reference": "d2"},
        {"citationId": 2, "reference": "d1", "support": "2"},
        {"citationId": 3, "reference": "d3", "support": "2"},
    ]
    sentences = [{"sentenceId": 0, "text": "x", "citations": citations}, {"text": "y"}, {"sentenceId": 2, "text": 5}]
    data = json.dumps({"topic_id": "q1", "run_id": "hive.a", "sentences": sentences}) + "\n{broken\n[1]\n"
    assert messages(data, "trec-rag24-citations") == [
        "1: sentences[0].citations[0].support: '3' is not one of 2, 1, 0, -1",
        "1: sentences[0].citations[1].support: is missing",
        "1: sentences[0].citations[2].reference: 'd1' is cited twice in the sentence",
        "1: sentences[1].sentenceId: is missing",
        "1: sentences[2].text: must be a string, not a number",
        "2: is not JSON: object keys must be strings (byte 1)",
        "3: a row must be an object, not a list",
    ]
    collection, _ = collect_with_problems(data, "trec-rag24-citations")
    assert collection.citation_judgements == [cited("0", "d3", "full", "a")]
    assert [citation.doc_id for citation in collection.responses[0].snippets[0].citations] == ["d1", "d2", "d3"]


def test_answers_of_other_formats_are_written_too() -> None:
    snippet = Snippet(snippet_id="1", text="x", citations=(Citation(doc_id="d1"), Citation(doc_id="d2")))
    records = [
        Run(run_id="a", group="hive"),
        Response(query_id="q1", run_id="a", snippets=(snippet,)),
        cited("1", "d2", "none", "a"),
    ]
    assert lost(records, "trec-rag24-citations") == {}


def test_what_cannot_be_written_is_counted() -> None:
    snippet = Snippet(snippet_id="1", text="x", citations=(Citation(doc_id="d1"), Citation(doc_id="d1")))
    other = CitationJudgement(
        query_id="q1", run_id="a.b", snippet_id="1", doc_id="d1", nugget_id="n", support="missing", assessor="ann"
    )
    records = [
        Query(query_id="q1", text="why"),
        Run(run_id="a.b"),
        Run(run_id="silent"),
        Response(query_id="q1", run_id="a.b", snippets=(snippet,)),
        other,
        cited("1", "d1", "full", "a.b"),
        cited("1", "d9", "full", "a.b"),
    ]
    assert lost(records, "trec-rag24-citations") == {
        "query": 1,
        "run": 1,
        "run.group": 1,
        "response.snippets.citations": 1,
        "citation_judgement": 2,
        "citation_judgement.nugget_id": 1,
        "citation_judgement.assessor": 1,
        "citation_judgement.support": 1,
    }


def test_is_recognised() -> None:
    assert sniffed(json.dumps(WEBASSESS)) == "trec-rag24-citations"
    assert sniffed(json.dumps(OLDER)) == "trec-rag24-citations"


FILES = {
    "Webassess.20241031": (507, 4401, 4427, 96, 0),
    "with_prediction.20241025": (456, 3900, 3252, 0, 11),
    "without_prediction.20241025": (210, 1744, 1522, 0, 3),
}
CODES = {"full": "2", "partial": "1", "none": "0"}


@pytest.mark.real_data
@pytest.mark.parametrize("name", FILES)
def test_citation_judgements(real_data: Path, name: str) -> None:
    path = real_data / "trec-rag-2024" / f"final.citation_judgments_{name}.jsonl"
    text = path.read_text()
    rows = [json.loads(row) for row in text.splitlines()]
    sentences = [sentence for row in rows for sentence in row["sentences"]]
    codes = Counter(citation["support"] for sentence in sentences for citation in sentence["citations"])
    reading = open_reading(path)
    collection = Collection(reading)
    assert reading.format.name == "trec-rag24-citations"
    assert len(collection.responses) == len(rows) == FILES[name][0]
    snippets = [snippet for response in collection.responses for snippet in response.snippets]
    assert len(snippets) == len(sentences) == FILES[name][1]
    assert sum(len(snippet.citations) for snippet in snippets) == sum(codes.values()) == FILES[name][2]
    assert len(collection.citation_judgements) == sum(codes.values()) - codes["-1"]
    assert codes["-1"] == FILES[name][3]
    assert Counter(CODES[citation_judgement.support] for citation_judgement in collection.citation_judgements) == {
        code: count for code, count in codes.items() if code != "-1"
    }
    assert len(reading.source.warnings) == text.count('"text": NaN') == FILES[name][4]
    for response, row in ((collection.responses[0], rows[0]), (collection.responses[-1], rows[-1])):
        assert (response.query_id, response.run_id) == (row["topic_id"], row["run_id"].split(".", 1)[1])
        assert response.snippets[0].text == row["sentences"][0]["text"]
    written = round_trip(collection, "trec-rag24-citations").decode()
    expected = [json.loads(row) for row in re.sub('"text": NaN', '"text": ""', text).splitlines()]
    assert [json.loads(row) for row in written.splitlines()] == expected


@pytest.mark.real_data
def test_run_ids_join_with_the_nugget_assignments(real_data: Path) -> None:
    folder = real_data / "trec-rag-2024"
    assignments = (folder / "nugget_assignment.20241108.jl").read_text()
    assigned = {json.loads(row)["run_id"] for row in assignments.splitlines()}
    runs = {
        run.run_id
        for name in FILES
        for run in Collection(open_reading(folder / f"final.citation_judgments_{name}.jsonl")).runs
    }
    assert len(runs) == len(assigned) == 45
    assert runs - assigned == {"webis-manual"}
    assert assigned - runs == {"webis-manual-manual"}


@pytest.mark.real_data
def test_two_is_full_support(real_data: Path) -> None:
    """Judged blind, the run with the best mean support of first citations is the one published as the best."""
    totals: dict[str, list[float]] = {}
    for name in ("Webassess.20241031", "without_prediction.20241025"):
        path = real_data / "trec-rag-2024" / f"final.citation_judgments_{name}.jsonl"
        collection = Collection(open_reading(path))
        degrees = {
            (
                citation_judgement.query_id,
                citation_judgement.run_id,
                citation_judgement.snippet_id,
                citation_judgement.doc_id,
            ): {"full": 1.0, "partial": 0.5}.get(citation_judgement.support, 0.0)
            for citation_judgement in collection.citation_judgements
        }
        for response in collection.responses:
            keys = [
                (response.query_id, response.run_id, snippet.snippet_id, snippet.citations[0].doc_id)
                for snippet in response.snippets
                if snippet.citations
            ]
            values = [degrees[key] for key in keys if key in degrees]
            if values:
                totals.setdefault(response.run_id, []).append(sum(values) / len(values))
    means = {run_id: sum(values) / len(values) for run_id, values in totals.items()}
    assert max(means, key=means.__getitem__) == "ag_rag_gpt35_expansion_rrf_20"
