from __future__ import annotations

import json

from helpers import collect, collect_with_problems
from karat.formats import Source, open_reading
from karat.formats.banks.drgym import sniff_drgym
from karat.formats.io.head import Head
from karat.model import Collection, Judgement, Nug, Query, Run, Score, content_id

FOUND = {
    "question": "why",
    "key_points": {
        "doc-1": [{"point_number": 1, "point_content": "bees dance", "spans": ["they dance"]}],
        "doc-2": [{"point_number": 1, "point_content": "bees eat", "spans": []}],
    },
}
AGGREGATED = {
    "question": "why",
    "key_points": [{"point_number": 1, "point_content": "bees dance and eat", "original_point_number": [1, 2]}],
}
LABELS = {
    "42": {
        "labels": {
            "1": ["Supported", "it says so"],
            "2": {"label": "omitted", "justification": "no"},
            "3": "Contradicted",
        },
        "support_rate": 40.0,
        "model": "m",
    }
}


def test_reads_the_points_of_documents() -> None:
    collection = collect(json.dumps(FOUND), "drgym")
    query_id = content_id("why")
    assert collection.queries == [Query(query_id=query_id, text="why")]
    first = {"doc_id": "doc-1", "spans": ["they dance"]}
    assert collection.nugs == [
        Nug(query_id=query_id, nug_id="doc-1:1", descriptions=("bees dance",), extra=first),
        Nug(query_id=query_id, nug_id="doc-2:1", descriptions=("bees eat",), extra={"doc_id": "doc-2", "spans": []}),
    ]


def test_a_file_of_one_question_names_the_query() -> None:
    source = Source("key_point/42_aggregated.json", json.dumps(AGGREGATED, indent=2).encode())
    collection = Collection(open_reading(source, format="drgym"))
    assert collection.queries == [Query(query_id="42", text="why")]
    extra = {"original_point_number": [1, 2]}
    assert collection.nugs == [Nug(query_id="42", nug_id="1", descriptions=("bees dance and eat",), extra=extra)]
    rows = "\n".join(json.dumps(AGGREGATED | {"id": number}) for number in (7, 8))
    assert [query.query_id for query in collect(rows, "drgym").queries] == ["7", "8"]


def test_reads_the_labels_of_answers() -> None:
    source = Source("some-agent.json", json.dumps(LABELS).encode())
    collection = Collection(open_reading(source, format="drgym"))
    assert collection.runs == [Run(run_id="some-agent")]
    assert collection.queries == [Query(query_id="42", text="", extra={"model": "m"})]
    given = {"query_id": "42", "run_id": "some-agent", "judge": "given"}
    why = {"label": "Supported", "justification": "it says so"}
    assert collection.judgements == [
        Judgement(**given, nug_id="1", degree=1.0, extra=why),
        Judgement(**given, nug_id="2", degree=0.0, extra={"label": "omitted", "justification": "no"}),
        Judgement(**given, nug_id="3", degree=0.0, extra={"label": "Contradicted"}),
    ]
    assert collection.scores == [Score(run_id="some-agent", query_id="42", measure="support_rate", value=0.4)]


def test_reads_labels_beside_the_points() -> None:
    point = {"point_number": 1, "point_content": "bees dance", "label": "Supported", "justification": "yes"}
    collection = collect(json.dumps({"question": "why", "key_points": [point]}), "drgym")
    assert collection.nugs[0].extra == {}
    extra = {"label": "Supported", "justification": "yes"}
    assert [(judgement.degree, judgement.extra) for judgement in collection.judgements] == [(1.0, extra)]


def test_bad_labels_fail_and_repeated_points_are_reported() -> None:
    point = {"point_number": 1, "point_content": "bees dance", "label": "suported"}
    collection, problems = collect_with_problems(json.dumps({"question": "why", "key_points": [point, point]}), "drgym")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: key_points[0].label: 'suported' is not one of supported, omitted, contradicted",
        "<bytes>:1: key_points[1].point_number: point '1' appears twice",
    ]
    assert [judgement.status for judgement in collection.judgements] == ["failed"]
    _, problems = collect_with_problems(json.dumps({"42": {"labels": {"1": []}}}), "drgym")
    assert [str(problem) for problem in problems] == ["<bytes>:1: 42.labels.1: is missing"]


def test_is_recognised() -> None:
    for data in (FOUND, AGGREGATED, LABELS, {"question": "q", "key_points": []}):
        assert sniff_drgym(Head(Source("<bytes>", json.dumps(data).encode())))
    for data in ({"question": "q", "key_points": [1]}, {"a": {"labels": {}}}, {"a": {"labels": [1]}}, {}, []):
        assert not sniff_drgym(Head(Source("<bytes>", json.dumps(data).encode())))
