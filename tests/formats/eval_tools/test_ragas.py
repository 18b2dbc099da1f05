from __future__ import annotations

import json

import pytest

from builders.records import response
from helpers import collect, messages
from karat.formats import Source, open_reading
from karat.formats.eval_tools.ragas import MAX_CELL, parse_cell, sniff_ragas
from karat.formats.io.head import Head
from karat.model import Query, Response, Run, Score, Snippet, content_id

SAMPLE = {
    "user_input": "why do bees dance",
    "retrieved_contexts": ["Bees dance.", "It's a map."],
    "response": "To talk.",
    "reference": "To show the way.",
    "faithfulness": 0.5,
    "factual_correctness(mode=f1)": None,
    "note": "n",
}
OLD = {
    "question": "why do bees dance",
    "contexts": ["Bees dance."],
    "answer": "To talk.",
    "ground_truths": ["To show the way.", "To talk."],
}
ASKED = content_id("why do bees dance")
REFERENCE = Response(query_id=ASKED, run_id="reference", snippets=(Snippet(snippet_id="1", text="To show the way."),))


def answer(**extra: object) -> Response:
    return response("run", "To talk.", query_id=ASKED, prefix="", extra=extra)


@pytest.mark.parametrize("data", [json.dumps(SAMPLE), json.dumps([SAMPLE], indent=1)])
def test_reads_a_sample(data: str) -> None:
    collection = collect(data, "ragas")
    assert collection.queries == [Query(query_id=ASKED, text="why do bees dance")]
    assert collection.runs == [Run(run_id="reference", human=True), Run(run_id="run")]
    assert collection.responses == [REFERENCE, answer(retrieved_contexts=SAMPLE["retrieved_contexts"], note="n")]
    assert collection.scores == [
        Score(run_id="run", query_id=ASKED, measure="faithfulness", value=0.5),
        Score(run_id="run", query_id=ASKED, measure="factual_correctness(mode=f1)", undefined=1),
    ]


def test_reads_the_names_of_older_files() -> None:
    collection = collect(json.dumps(OLD), "ragas")
    assert collection.responses == [REFERENCE, answer(contexts=["Bees dance."], ground_truths=OLD["ground_truths"])]
    row = {name: value for name, value in OLD.items() if name != "ground_truths"} | {"ground_truth": "To show the way."}
    assert collect(json.dumps(row), "ragas").responses == [REFERENCE, answer(contexts=["Bees dance."])]


def test_reads_csv_with_lists_as_python_or_json() -> None:
    data = (
        "\ufeff,user_input,retrieved_contexts,response,reference,faithfulness,context_recall,note\r\n"
        '0,why do bees dance,"[\'Bees dance.\', ""It\'s a map.""]",To talk.,To show the way.,0.5,nan,n\r\n'
        '1,how long,"[""a"", ""b""]",,,,,\r\n'
    )
    collection = collect(data, "ragas")
    assert collection.responses == [REFERENCE, answer(retrieved_contexts=SAMPLE["retrieved_contexts"], note="n")]
    assert collection.queries[1] == Query(
        query_id=content_id("how long"), text="how long", extra={"retrieved_contexts": ["a", "b"]}
    )
    assert [(score.measure, score.value, score.undefined) for score in collection.scores] == [
        ("faithfulness", 0.5, None),
        ("context_recall", None, 1),
        ("faithfulness", None, 1),
        ("context_recall", None, 1),
    ]


def test_a_cell_that_is_no_list_is_kept_as_text_with_a_warning() -> None:
    data = "question,contexts,answer\nq,\"['a' 'b']\",x\n"
    reading = open_reading(data.encode(), format="ragas")
    responses = [record for record in reading if isinstance(record, Response)]
    assert responses[0].extra == {"contexts": "['a' 'b']"}
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:2: contexts: is a NumPy array without commas between its strings, so it is kept as text"
    ]


@pytest.mark.parametrize("cell", ["[" * 5000, "3", "'a'", "__import__('os')", "[1,", "[" + " " * MAX_CELL + "]"])
def test_what_is_no_list(cell: str) -> None:
    with pytest.raises(ValueError):
        parse_cell(cell)


def test_problems_name_their_place() -> None:
    rows = [SAMPLE | {"user_input": [{"type": "human"}]}, SAMPLE | {"faithfulness": "high"}]
    assert messages("\n".join(map(json.dumps, rows)), "ragas") == [
        "1: user_input: must be a string, not a list",
        "2: faithfulness: must be a number, not 'high'",
    ]


def test_is_recognised() -> None:
    for data in (json.dumps(SAMPLE), json.dumps([OLD]), "question,answer,ground_truth\na,b,c\n"):
        assert sniff_ragas(Head(Source("<bytes>", data.encode())))
    for data in ('{"question": "q", "answer": "a"}', "question,answer\na,b\n", '{"user_input": 1}', "[]", ""):
        assert not sniff_ragas(Head(Source("<bytes>", data.encode())))
