from __future__ import annotations

import json

import pytest

from karat.formats import Source, open_reading
from karat.formats.banks.collaborator import sniff_nuggetbank_collaborator
from karat.formats.io.head import Head
from karat.model import Collection, Nug, content_id

QUESTIONS = {
    "What does the dance tell?": ["OR", {"direction": ["d1", "d2"], "distance": []}],
    "Who sees it?": ["and", {"other bees": ["d3"]}],
}
FORMAT = "nuggetbank-collaborator"


def read(data: object, name: str = "x/nuggets_300.json") -> tuple[Collection, list[str]]:
    source = Source(name, json.dumps(data).encode())
    collection = Collection(open_reading(source, format=FORMAT, on_error="skip"))
    return collection, [str(problem) for problem in source.problems]


def test_reads_questions_and_answers_of_the_topic_in_the_file_name() -> None:
    collection, problems = read(QUESTIONS)
    dance, who = content_id("What does the dance tell?"), content_id("Who sees it?")
    assert problems == []
    assert list(collection) == [
        Nug(query_id="300", nug_id=dance, descriptions=("What does the dance tell?",), aggregator="or"),
        Nug(
            query_id="300",
            nug_id=content_id(dance, "direction"),
            descriptions=("direction",),
            parent=dance,
            extra={"references": [{"doc_id": "d1"}, {"doc_id": "d2"}]},
        ),
        Nug(
            query_id="300",
            nug_id=content_id(dance, "distance"),
            descriptions=("distance",),
            parent=dance,
            extra={"references": []},
        ),
        Nug(query_id="300", nug_id=who, descriptions=("Who sees it?",), aggregator="and"),
        Nug(
            query_id="300",
            nug_id=content_id(who, "other bees"),
            descriptions=("other bees",),
            parent=who,
            extra={"references": [{"doc_id": "d3"}]},
        ),
    ]


@pytest.mark.parametrize(
    ("name", "topic"),
    [("nuggets_300.json.gz", "300"), ("run.nuggets_2024-7.v3.json", "2024-7"), ("nuggets_a_b.json", "a_b")],
)
def test_names_of_files(name: str, topic: str) -> None:
    assert {nug.query_id for nug in read(QUESTIONS, name)[0].nugs} == {topic}


def test_another_name_is_taken_for_the_topic_with_a_warning() -> None:
    source = Source("bees.json", json.dumps(QUESTIONS).encode())
    collection = Collection(open_reading(source, format=FORMAT))
    assert collection.nugs[0].query_id == "bees"
    assert [warning.code for warning in source.warnings] == ["guessed-query"]


def test_without_a_name_there_is_no_topic() -> None:
    assert read(QUESTIONS, "<bytes>") == (
        Collection(),
        ["<bytes>:1: only the name of the file says the topic: call the file nuggets_TOPIC.json"],
    )


def test_problems_are_reported_and_the_rest_is_kept() -> None:
    collection, problems = read(
        {"a?": ["XOR", {"x": []}], "b?": "OR", "c?": ["OR", {"y": 3, "z": [4]}], "d?": ["OR", []]}
    )
    assert problems == [
        "x/nuggets_300.json:1: a?: 'XOR' is not one of AND, OR, NOT, SUM, DEFAULT",
        'x/nuggets_300.json:1: b?: must be ["AND" or "OR", {answer: [document, ...]}]',
        "x/nuggets_300.json:1: c?.y: must be a list, not a number",
        "x/nuggets_300.json:1: c?.z[0]: must be a string, not a number",
        "x/nuggets_300.json:1: d?: answers must be an object, not a list",
    ]
    assert [nug.descriptions[0] for nug in collection.nugs] == ["a?", "x", "c?", "z", "d?"]
    assert collection.nugs[0].extra == {"aggregator_type": "XOR"}


def test_is_recognised() -> None:
    def recognised(data: str) -> bool:
        return sniff_nuggetbank_collaborator(Head(Source("<bytes>", data.encode())))

    assert recognised(json.dumps(QUESTIONS))
    assert recognised(json.dumps(QUESTIONS, indent=1))
    for other in ('{"a": ["b", "c"]}', '{"a": 1}', "{}", "[]", '["q", {}]', "x", '{"a": ["OR", {}]}\n{"b": 1}'):
        assert not recognised(other)
