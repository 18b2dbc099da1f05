from __future__ import annotations

import json
from typing import Any

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.reports.autojudge_annotate import sniff_autojudge_annotate
from karat.model import Citation, Nugget, Response, Run, Score, Snippet, SpanSet

FORMAT = "autojudge-annotate"
DOCUMENT = {"id": "d1", "title": "Bees", "text": "They dance well.", "url": None}
REPORT_OBJECT = {
    "team_id": "hive",
    "run_id": "run",
    "topic_id": "7",
    "sentences": [{"text": "Bees 🐝 dance.", "citations": ["d1"]}, {"text": "They hum a lot."}],
}
REPORT: dict[str, Any] = {
    "dataset": "mine",
    "request_id": "7",
    "run_id": "run",
    "team_id": "hive",
    "topic_id": "7",
    "username": "alice",
    "rating": "Mostly Good",
    "comment": "fine",
    # JavaScript counts the bee as two: the second sentence begins at 15.
    "spans": [
        {"start": 8, "end": 13, "text": "dance", "sentence_idx": 0},
        {"start": 20, "end": 26, "text": "hum a", "sentence_idx": 1},
    ],
    "report": REPORT_OBJECT,
}
COMMON = {"dataset": "mine", "request_id": "7", "topic_id": "7", "username": "bob"}
OF_DOCUMENT: dict[str, Any] = COMMON | {
    "docid": "d1",
    "rating": "So-so",
    "comment": "",
    "spans": [{"start": 6, "end": 16, "text": "They dance"}],
    "document": DOCUMENT,
}
OF_CITATION: dict[str, Any] = COMMON | {
    "rating": "Not rated",
    "comment": "unsure",
    "spans": [{"start": 0, "end": 4, "text": "Bees"}],
    "report_spans": [{"start": 0, "end": 7, "text": "Bees 🐝"}],
    "citation": {
        "report": REPORT_OBJECT,
        "sentence_idx": 0,
        "sentence": {"text": "Bees 🐝 dance.", "citations": ["d1"]},
        "docid": "d1",
        "document": DOCUMENT,
    },
}
RESPONSE = Response(
    query_id="7",
    run_id="run",
    snippets=(
        Snippet(snippet_id="1", text="Bees 🐝 dance.", citations=(Citation(doc_id="d1"),)),
        Snippet(snippet_id="2", text="They hum a lot."),
    ),
)
DOCUMENTS = Response(
    query_id="7",
    run_id="documents",
    snippets=(
        Snippet(
            snippet_id="d1",
            text="Bees\n\nThey dance well.",
            citations=(Citation(doc_id="d1"),),
            extra={"url": None},
        ),
    ),
)


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def places(nuggets: list[Nugget]) -> list[tuple[str, str, SpanSet, str | None]]:
    return [(nugget.run_id, nugget.snippet_id, nugget.spans, nugget.assessor) for nugget in nuggets]


def test_reads_a_rated_report_with_spans_counted_over_the_report() -> None:
    collection = collect(lines(REPORT), FORMAT)
    assert collection.runs == [Run(run_id="run", group="hive")]
    assert collection.responses == [RESPONSE]
    assert places(collection.nuggets) == [
        ("run", "1", SpanSet([(7, 12)]), "alice"),
        ("run", "2", SpanSet([(5, 10)]), "alice"),
    ]
    assert all(nugget.source == "person" for nugget in collection.nuggets)
    assert collection.scores == [
        Score(
            run_id="run",
            query_id="7",
            measure="rating",
            value=2 / 3,
            signature="rating|assessor:alice",
            extra={"dataset": "mine", "assessor": "alice", "rating": "Mostly Good", "comment": "fine"},
        )
    ]


def test_offsets_over_only_the_sentence_are_understood_too() -> None:
    span = {"start": 5, "end": 8, "text": "hum", "sentence_idx": 1}
    assert collect(lines(REPORT | {"spans": [span]}), FORMAT).nuggets[0].spans == SpanSet([(5, 8)])


def test_reads_a_rated_document() -> None:
    collection = collect(lines(OF_DOCUMENT), FORMAT)
    assert collection.runs == [Run(run_id="documents")]
    assert collection.responses == [DOCUMENTS]
    assert places(collection.nuggets) == [("documents", "d1", SpanSet([(6, 16)]), "bob")]
    assert collection.scores == [
        Score(
            run_id="documents",
            query_id="7",
            measure="document_rating",
            value=1 / 3,
            signature="document_rating|assessor:bob|document:d1",
            extra={"dataset": "mine", "assessor": "bob", "document": "d1", "rating": "So-so"},
        )
    ]


def test_reads_a_rated_citation_with_spans_on_both_sides() -> None:
    collection = collect(lines(REPORT, OF_CITATION), FORMAT)
    assert collection.responses == [RESPONSE, DOCUMENTS]
    assert places(collection.nuggets)[2:] == [
        ("run", "1", SpanSet([(0, 6)]), "bob"),
        ("documents", "d1", SpanSet([(0, 4)]), "bob"),
    ]
    assert collection.scores[1] == Score(
        run_id="run",
        query_id="7",
        measure="citation_rating",
        signature="citation_rating|assessor:bob|sentence:1|document:d1",
        extra={
            "dataset": "mine",
            "assessor": "bob",
            "sentence": "1",
            "document": "d1",
            "rating": "Not rated",
            "comment": "unsure",
        },
    )


@pytest.mark.parametrize(
    ("label", "value"), [("Perfect", 1.0), ("mostly good", 2 / 3), ("So-So", 1 / 3), ("Bad", 0.0), (None, None)]
)
def test_ratings(label: str | None, value: float | None) -> None:
    assert collect(lines(REPORT | {"rating": label}), FORMAT).scores[0].value == value


def test_two_people_may_rate_one_report() -> None:
    collection = collect(lines(REPORT, REPORT | {"username": "bob", "spans": []}), FORMAT)
    assert len(collection.responses) == 1
    assert [score.signature for score in collection.scores] == ["rating|assessor:alice", "rating|assessor:bob"]


def test_reports_may_be_written_with_metadata() -> None:
    report = {
        "metadata": {"team_id": "hive", "run_id": "run", "topic_id": 7},
        "responses": REPORT_OBJECT["sentences"],
    }
    assert collect(lines(REPORT | {"report": report, "topic_id": 7}), FORMAT).responses == [RESPONSE]


def test_problems_are_reported_and_the_rest_is_kept() -> None:
    spans = [
        {"start": 0, "end": 4, "text": "Wasp", "sentence_idx": 0},
        {"start": 0, "end": 400, "text": "Bees", "sentence_idx": 0},
        {"start": 0, "end": 4, "text": "Bees", "sentence_idx": 9},
        {"start": 0, "end": 4, "text": "Bees", "sentence_idx": 0},
    ]
    lone = OF_CITATION | {"citation": OF_CITATION["citation"] | {"document": None}}
    data = lines(REPORT | {"spans": spans, "rating": "Great"}, REPORT, lone, OF_DOCUMENT | {"document": None})
    assert messages(data, FORMAT) == [
        "1: rating: 'Great' is not one of perfect, mostly_good, so_so, bad, not_rated",
        "1: spans[0].text: 'Wasp' is not the text at [0, 4]",
        "1: spans[1].text: 'Bees' is not the text at [0, 400]",
        "1: spans[2].sentence_idx: 9 is not one of the report's 2 sentences",
        "2: rating: 'alice' has already rated the same thing",
        "3: spans: the document of these spans is missing",
        "4: document: is missing",
    ]
    collection, _ = collect_with_problems(data, FORMAT)
    assert [score.value for score in collection.scores] == [None, None]
    assert places(collection.nuggets) == [
        ("run", "1", SpanSet([(0, 4)]), "alice"),
        ("run", "1", SpanSet([(0, 6)]), "bob"),
    ]


def test_is_recognised() -> None:
    for row in (REPORT, OF_DOCUMENT, OF_CITATION):
        assert sniff_autojudge_annotate(Head(Source("<bytes>", lines(row, row).encode())))
    for other in ('{"username": 1, "rating": 2, "spans": 3}', '{"report": {}, "run_id": 1}', "[]", "x", ""):
        assert not sniff_autojudge_annotate(Head(Source("<bytes>", other.encode())))
