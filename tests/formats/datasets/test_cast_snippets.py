from __future__ import annotations

import ast
import csv
import io
import json
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats import Source, load, open_reading
from karat.formats.datasets.cast_snippets import sniff_cast_snippets
from karat.formats.io.head import Head
from karat.model import Citation, Collection, Nugget, Query, Relevance, Response, Run, Snippet, SpanSet

PASSAGE = "Bees 🐝 dance – they tell the way."
ROW = {
    "HITId": "h1",
    "WorkerId": "w1",
    "RejectionTime": "",
    "Input.turn_id": "1_2",
    "Input.passage_id": "p1",
    "Input.relevance_score": "3",
    "Input.passage": PASSAGE,
    "Input.query": "why do bees dance",
    "Answer.taskAnswers": '[{"answer_confidence":{"high":True,"low":False},"relevant-text-spans":{"entities":'
    '[{"endOffset":14,"label":"relevant-text-span","startOffset":8},{"endOffset":34,"startOffset":21}]}}]',
    "text_spans_2": "['dance ', 'tell the way.']",
}
NOTHING = '[{"answer_confidence":{},"relevant-text-spans":{"entities":[]}}]'


def table(*rows: dict[str, str]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ROW)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def marked(start: int, end: int) -> str:
    return json.dumps([{"x": {"entities": [{"startOffset": start, "endOffset": end}]}}])


def test_reads_passages_and_marks_with_utf16_offsets() -> None:
    other = ROW | {"WorkerId": "w2", "Answer.taskAnswers": NOTHING, "text_spans_2": "[]"}
    collection = collect(table(ROW, other), "cast-snippets")
    assert collection.queries == [Query(query_id="1_2", text="why do bees dance")]
    assert collection.runs == [Run(run_id="passages")]
    passage = Snippet(
        snippet_id="p1", text=PASSAGE, citations=(Citation(doc_id="p1"),), extra={"Input.relevance_score": "3"}
    )
    assert collection.responses == [Response(query_id="1_2", run_id="passages", snippets=(passage,))]
    ids = {"query_id": "1_2", "run_id": "passages", "snippet_id": "p1"}
    assert collection.relevances == [
        Relevance(
            **ids,
            assessor="w1",
            label="relevant",
            text_spans=SpanSet([(7, 13), (20, 33)]),
            extra={"HITId": "h1", "answer_confidence": "high"},
        ),
        Relevance(**ids, assessor="w2", label="irrelevant", extra={"HITId": "h1"}),
    ]
    about = {**ids, "source": "person", "assessor": "w1"}
    assert collection.nuggets == [
        Nugget(nugget_id="p1/w1/7-13", spans=SpanSet([(7, 13)]), type="relevant-text-span", **about),
        Nugget(nugget_id="p1/w1/20-33", spans=SpanSet([(20, 33)]), **about),
    ]
    assert [nugget.spans.text(PASSAGE) for nugget in collection.nuggets] == ["dance ", "tell the way."]


def test_texts_have_lost_what_is_not_ascii() -> None:
    row = ROW | {"Answer.taskAnswers": marked(8, 20), "text_spans_2": "['dance  they']"}
    assert len(collect("\ufeff" + table(row), "cast-snippets").nuggets) == 1


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = table(
        ROW,
        ROW,
        ROW | {"WorkerId": "w2", "Answer.taskAnswers": marked(30, 99), "text_spans_2": ""},
        ROW | {"WorkerId": "w3", "Answer.taskAnswers": marked(0, 4), "text_spans_2": "['Bears']"},
        ROW | {"WorkerId": "w4", "Answer.taskAnswers": "oops"},
        ROW | {"WorkerId": "w5", "Input.passage": "Wasps."},
        ROW | {"WorkerId": "", "Input.passage_id": "p2"},
        ROW | {"WorkerId": "w6", "text_spans_2": "['dance ']"},
    )
    assert messages(data, "cast-snippets") == [
        "3: WorkerId: 'w1' has already annotated 'p1'",
        "4: Answer.taskAnswers[0].x.entities[0].endOffset: UTF-16 position 99 is inside a character or past the end",
        "5: text_spans_2[0]: is not the text at [0, 4]",
        "6: Answer.taskAnswers: is neither a JSON nor a Python list",
        "7: Input.passage: the text of 'p1' differs from that in an earlier row",
        "8: WorkerId: is empty",
        "9: text_spans_2: 1 texts for 2 spans",
    ]
    collection = collect_with_problems(data, "cast-snippets")[0]
    assert [nugget.assessor for nugget in collection.nuggets] == ["w1", "w1", "w6", "w6"]


def test_is_recognised_as_a_file_and_as_a_folder(tmp_path: Path) -> None:
    assert sniff_cast_snippets(Head(Source("<bytes>", table(ROW).encode())))
    assert not sniff_cast_snippets(Head(Source("<bytes>", b"query_id,query\n1,x\n")))
    assert not sniff_cast_snippets(Head(Source(tmp_path)))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").write_text(table(ROW))
    (tmp_path / "deep" / "b.csv").write_text(table(ROW | {"Input.turn_id": "1_3"}))
    assert sniff_cast_snippets(Head(Source(tmp_path)))
    assert [query.query_id for query in load(tmp_path, format="cast-snippets").queries] == ["1_2", "1_3"]


@pytest.mark.real_data
def test_cast_snippets(real_data: Path) -> None:
    folder = real_data / "cast-snippets"
    rows = []
    for path in sorted(folder.rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows.extend(csv.DictReader(file))
    texts = [ast.literal_eval(row["text_spans_2"]) for row in rows]
    reading = open_reading(folder, format="cast-snippets")
    collection = Collection(reading)
    assert len(collection.relevances) == len(rows) == 2445
    assert len(collection.nuggets) == sum(map(len, texts)) == 6861
    assert (
        sum(relevance.label == "irrelevant" for relevance in collection.relevances)
        == sum(not text for text in texts)
        == 263
    )
    assert len(collection.queries) == len(collection.responses) == len({row["Input.turn_id"] for row in rows}) == 163
    passages = {(row["Input.turn_id"], row["Input.passage_id"]): row["Input.passage"] for row in rows}
    assert sum(len(response.snippets) for response in collection.responses) == len(passages) == 815
    selected = [nugget.spans.text(passages[nugget.query_id, nugget.snippet_id]) for nugget in collection.nuggets]
    stated = [text for some in texts for text in some]
    assert sum(map(str.__eq__, selected, stated)) == 5634  # the others have lost what is not ASCII
    assert collection.queries[0].query_id == rows[0]["Input.turn_id"]
    assert collection.nuggets[-1].assessor == rows[-1]["WorkerId"]
    assert reading.source.warnings == []
