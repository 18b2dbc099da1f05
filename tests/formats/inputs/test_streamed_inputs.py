"""Inputs that hold no responses give the same records, and find the same mistakes, as those that hold them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from builders.rows import Row, nug, query, response, run
from karat.formats import Source
from karat.formats.inputs.inputs import Inputs
from karat.formats.inputs.reading import Reading
from karat.formats.inputs.streamed_inputs import StreamedInputs
from karat.model import InputError

TEXTS = ("Ana flew to Lima.", "Ben stayed.")
BAG = {"run_id": "r", "topic_id": "q", "topic": "why?", "references": ["d"]}


def file(name: str, *rows: Row | str) -> Source:
    return Source(name, "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode())


def label(snippet_id: str, **fields: object) -> Row:
    return {"kind": "relevance", "query_id": "q", "run_id": "r", "snippet_id": snippet_id, "label": "relevant",
            "assessor": "ann"} | fields  # fmt: skip


def answer(*texts: str, **fields: object) -> Row:
    return BAG | {"answer": [{"text": text, "citations": [0]} for text in texts]} | fields


CASES: dict[str, Callable[[], list[Source]]] = {
    "one file": lambda: [
        file("a", query("q"), query("p"), run("r"), response("q", "r", *TEXTS), response("p", "r", "x"))
    ],
    "twice in a file": lambda: [
        file("a", response("q", "r", *TEXTS), response("p", "r", "x"), response("q", "r", "y"))
    ],
    "in two files": lambda: [file("a", response("q", "r", *TEXTS)), file("b", response("q", "r", *TEXTS))],
    "in more pieces": lambda: [file("a", response("q", "r", TEXTS[0])), file("b", response("q", "r", *TEXTS))],
    "two texts": lambda: [file("a", response("q", "r", *TEXTS)), file("b", response("q", "r", "other"))],
    "named snippets": lambda: [file("a", label("1"), label("9")), file("b", response("q", "r", *TEXTS))],
    "named spans": lambda: [file("a", response("q", "r", "short"), label("1", text_spans=[[0, 99]]))],
    "unknown query": lambda: [file("a", query("p", "why?"), response("q", "r", *TEXTS), label("1"))],
    "documents": lambda: [
        file("a", *({"kind": "document", "doc_id": each, "text": each} for each in "dee")),
        file("b", {"kind": "document", "doc_id": "d", "text": "other"}, response("q", "r", "x")),
    ],
    "broken lines": lambda: [file("a", "{", response("q", "r", *TEXTS), '{"kind": "response"}', label("7"))],
    "another format": lambda: [
        file("a", answer(*TEXTS), answer("x", topic_id="p"), answer("y")),
        file("b", label("8")),
    ],
    "two formats": lambda: [file("a", answer("y")), file("b", response("q", "r", *TEXTS))],
    "matched by the question": lambda: [
        file("a", query("k", "Why?"), nug(query_id="k"), nug(query_id="p"), query("p", "what?")),
        file("b", query("q", "why"), response("q", "r", *TEXTS), response("p", "r", "x")),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_records_and_problems_are_those_of_inputs_that_are_held(name: str) -> None:
    held = Inputs([Reading(source) for source in CASES[name]()], on_error="skip")
    expected = list(held)
    streamed = StreamedInputs([Reading(source) for source in CASES[name]()], on_error="skip")
    for records in (streamed, streamed.again(), streamed.again()):
        assert list(records) == expected
        assert (streamed.problems, streamed.warnings) == (held.problems, held.warnings)
        assert streamed.unlisted == held.unlisted


def test_some_of_the_cases_have_mistakes_and_some_have_none() -> None:
    wrong = set()
    for name, sources in CASES.items():
        try:
            list(StreamedInputs([Reading(source) for source in sources()]))
        except InputError:
            wrong.add(name)
    assert {"twice in a file", "two texts", "named snippets", "named spans", "documents", "broken lines"} <= wrong
    assert {"one file", "in two files", "in more pieces", "matched by the question"} <= CASES.keys() - wrong


def test_of_responses_only_those_that_meet_another_record_are_kept() -> None:
    many = [response(f"q{number}", "r", *TEXTS) for number in range(100)]
    inputs = StreamedInputs([Reading(file("a", *many, label("1", query_id="q7"))), Reading(file("b", many[8]))])
    assert len(list(inputs)) == 101
    assert inputs.definitions.snippets.keys() == {("q7", "r"), ("q8", "r")}


def test_a_file_that_became_wrong_stops_the_work() -> None:
    reading = Reading(file("a", response("q", "r", *TEXTS)))
    inputs = StreamedInputs([reading])
    assert len(list(inputs)) == 1
    reading.source = file("a", response("q", "r", *TEXTS), "{")
    with pytest.raises(InputError, match="a:2: "):
        list(inputs.again())
