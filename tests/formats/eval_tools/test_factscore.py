from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from helpers import collect, collect_with_problems
from karat.formats import Source, open_reading
from karat.formats.eval_tools.factscore import sniff_factscore
from karat.formats.io.head import Head
from karat.model import Collection, Judgement, Nug, Query, Response, Run, Snippet, content_id


def sentence(text: str, *facts: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"text": text, "human-atomic-facts": [{"text": fact, "label": label} for fact, label in facts], **more}


ROW = {
    "input": "Question: Who is Ada?",
    "output": "Ada is a poet[1]. She lives\nin Rome.",
    "topic": "Ada",
    "cat": ["rare"],
    "annotations": [
        sentence("Ada is a poet.", ("Ada is a poet.", "S"), **{"is-relevant": True}),
        sentence("She lives in Rome.", ("Ada lives in Rome.", "NS"), ("Ada is a poet.", "IR")),
    ],
}
POET, ROME = content_id("Ada is a poet."), content_id("Ada lives in Rome.")


def test_sentences_are_snippets_and_facts_are_stated_whatever_their_label() -> None:
    collection = Collection(open_reading(Source("a/GPT.jsonl", json.dumps(ROW).encode()), format="factscore"))
    assert collection.queries == [Query(query_id="Ada", text="Question: Who is Ada?", extra={"cat": ["rare"]})]
    assert collection.runs == [Run(run_id="GPT")]
    first = {"is-relevant": True, "annotated": "Ada is a poet."}
    snippets = (
        Snippet(snippet_id="1", text="Ada is a poet[1].", extra=first),
        Snippet(snippet_id="2", text="She lives\nin Rome.", extra={"annotated": "She lives in Rome."}),
    )
    assert collection.responses == [Response(query_id="Ada", run_id="GPT", snippets=snippets)]
    assert collection.nugs == [
        Nug(query_id="Ada", nug_id=POET, descriptions=("Ada is a poet.",)),
        Nug(query_id="Ada", nug_id=ROME, descriptions=("Ada lives in Rome.",)),
    ]
    stated = {"query_id": "Ada", "run_id": "GPT", "degree": 1.0, "judge": "given"}
    assert collection.judgements == [
        Judgement(**stated, snippet_id="1", nug_id=POET, extra={"label": "S"}),
        Judgement(**stated, snippet_id="2", nug_id=ROME, extra={"label": "NS"}),
        Judgement(**stated, snippet_id="2", nug_id=POET, extra={"label": "IR"}),
    ]


def test_an_answer_without_annotations_is_one_snippet() -> None:
    rows = [{"topic": "Ada", "output": "No idea."}, {"topic": "Bea", "output": "", "annotations": None, "x": 1}]
    collection = collect("\n".join(map(json.dumps, rows)), "factscore")
    assert collection.queries[0] == Query(query_id="Ada", text="Ada")
    assert collection.responses == [
        Response(query_id="Ada", run_id="run", snippets=(Snippet(snippet_id="1", text="No idea."),)),
        Response(query_id="Bea", run_id="run", snippets=(), extra={"x": 1}),
    ]


def test_text_outside_the_sentences_is_not_lost() -> None:
    row = ROW | {"output": "Well: Ada is a poet.", "annotations": [sentence("Ada is a poet.")]}
    response = collect(json.dumps(row), "factscore").responses[0]
    assert response.snippets == (Snippet(snippet_id="1", text="Ada is a poet."),)
    assert response.extra == {"output": "Well: Ada is a poet."}


def test_sentences_that_are_not_in_the_output_leave_it_whole() -> None:
    fact = ("Ada is a poet.", "S")
    row = ROW | {"annotations": [sentence("She lives in Rome.", fact), sentence("Ada is a poet.", fact)]}
    reading = open_reading(json.dumps(row).encode(), format="factscore")
    collection = Collection(reading)
    assert collection.responses[0].snippets == (Snippet(snippet_id="1", text=ROW["output"]),)
    assert collection.responses[0].extra == {"annotations": row["annotations"]}
    assert [(judgement.snippet_id, judgement.nug_id) for judgement in collection.judgements] == [
        (None, POET),
        (None, f"{POET}-2"),
    ]
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: annotations[1].text: is not in the output, or not in order"
    ]


def test_an_impossible_label_is_reported_but_the_fact_is_still_stated() -> None:
    row = ROW | {"annotations": [sentence("Ada is a poet.", ("Ada is a poet.", "maybe"), ("A b.", "s"))]}
    collection, problems = collect_with_problems(json.dumps(row) + "\n" + json.dumps(ROW), "factscore")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: annotations[0].human-atomic-facts[0].label: 'maybe' is not one of s, ns, ir",
        "<bytes>:2: topic: run 'run' has already answered query 'Ada'",
    ]
    assert [(judgement.degree, judgement.extra) for judgement in collection.judgements] == [
        (1.0, {"label": "maybe"}),
        (1.0, {"label": "s"}),
    ]


def test_is_recognised() -> None:
    for row in (ROW, {"topic": "a", "output": "b"}, ROW | {"annotations": None}):
        assert sniff_factscore(Head(Source("<bytes>", json.dumps(row).encode())))
    for row in ({"topic": "a", "output": "b", "score": 1}, {"topic": "a"}, {"topic": 1, "output": 2, "annotations": 3}):
        assert not sniff_factscore(Head(Source("<bytes>", json.dumps(row).encode())))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "sentences", "facts", "unannotated"),
    [("ChatGPT", 1241, 5426, 26), ("InstructGPT", 1123, 4726, 1), ("PerplexityAI", 1625, 5888, 17)],
)
def test_labelled_biographies(real_data: Path, name: str, sentences: int, facts: int, unannotated: int) -> None:
    data = (real_data / "factscore" / f"{name}.jsonl.gz").read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    source = Source(f"{name}.jsonl.gz", data)
    assert sniff_factscore(Head(source))
    reading = open_reading(source, format="factscore")
    collection = Collection(reading)
    assert reading.source.warnings == []
    assert [run.run_id for run in collection.runs] == [name]
    assert len(collection.queries) == len(collection.responses) == len(rows) == 183
    annotated = [row for row in rows if row["annotations"]]
    assert len(rows) - len(annotated) == unannotated
    written = sum(len(row["annotations"]) for row in annotated)
    whole = sum(bool(row["output"]) for row in rows if not row["annotations"])
    assert sum(len(response.snippets) for response in collection.responses) == written + whole
    assert written == sentences
    labels = [
        fact["label"]
        for row in annotated
        for sentence in row["annotations"]
        for fact in sentence["human-atomic-facts"] or ()
    ]
    assert [judgement.extra["label"] for judgement in collection.judgements] == labels
    assert len(labels) == facts
    assert {judgement.degree for judgement in collection.judgements} == {1.0}
    for response, row in ((collection.responses[0], rows[0]), (collection.responses[-1], rows[-1])):
        assert response.query_id == row["topic"]
        assert response.snippets[0].text in row["output"]
