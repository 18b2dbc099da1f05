from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats import Source
from karat.formats.datasets.factcheck_gpt import sniff_factcheck_gpt
from karat.formats.io.head import Head
from karat.model import Judgement, Nug, Query, Response, Run, Snippet, content_id

FIRST: dict[str, Any] = {
    "text": "Bees dance and sing.",
    "sentence_checkworthiness": "yes",
    "claims": ["Bees dance.", "Bees sing."],
    "claims_factuality_label": [True, False],
    "human_evidence": [["x"], "NA"],
    "revised_claims": ["Bees dance."],
}
SECOND: dict[str, Any] = {"text": "So they say.", "claims": [], "claims_factuality_label": []}
ROW: dict[str, Any] = {
    "prompt": "what do bees do",
    "response": "Bees dance and sing. So they say.",
    "revised_response": "Bees dance.",
    "response_factuality": False,
    "sentences": {"sentence1": FIRST, "sentence2": SECOND},
}
QUERY_ID, DANCE, SING = content_id("what do bees do"), content_id("Bees dance."), content_id("Bees sing.")


def lines(*rows: object) -> str:
    return "\n".join(map(json.dumps, rows))


def test_a_claim_is_a_nug_that_its_sentence_contains() -> None:
    collection = collect("\ufeff" + lines(ROW) + "\r\n", "factcheck-gpt")
    assert collection.queries == [Query(query_id=QUERY_ID, text="what do bees do")]
    assert collection.runs == [Run(run_id="response"), Run(run_id="revised_response", human=True)]
    first = Snippet(
        snippet_id="1",
        text="Bees dance and sing.",
        extra={"sentence_checkworthiness": "yes", "revised_claims": ["Bees dance."]},
    )
    second = Snippet(snippet_id="2", text="So they say.", extra={"claims_factuality_label": []})
    assert collection.responses == [
        Response(query_id=QUERY_ID, run_id="response", snippets=(first, second), extra={"response_factuality": False}),
        Response(query_id=QUERY_ID, run_id="revised_response", snippets=(Snippet(snippet_id="1", text="Bees dance."),)),
    ]
    assert collection.nugs == [
        Nug(query_id=QUERY_ID, nug_id=DANCE, descriptions=("Bees dance.",)),
        Nug(query_id=QUERY_ID, nug_id=SING, descriptions=("Bees sing.",)),
    ]
    about = {"query_id": QUERY_ID, "run_id": "response", "snippet_id": "1", "degree": 1.0, "judge": "person"}
    assert collection.judgements == [
        Judgement(nug_id=DANCE, extra={"claims_factuality_label": True, "human_evidence": ["x"]}, **about),
        Judgement(nug_id=SING, extra={"claims_factuality_label": False, "human_evidence": "NA"}, **about),
    ]


def test_an_answer_that_differs_from_its_sentences_is_kept() -> None:
    collection = collect(lines(ROW | {"response": "Bees!"}), "factcheck-gpt")
    assert collection.responses[0].extra == {"response_factuality": False, "response": "Bees!"}


def test_a_claim_of_two_sentences_is_one_nug_and_a_prompt_asked_again_another_query() -> None:
    collection = collect(lines(ROW | {"sentences": {"a": FIRST, "b": FIRST}}, ROW), "factcheck-gpt")
    assert [nug.nug_id for nug in collection.nugs] == [DANCE, SING, DANCE, SING]
    assert [judgement.snippet_id for judgement in collection.judgements] == ["1", "1", "2", "2", "1", "1"]
    assert [query.query_id for query in collection.queries] == [QUERY_ID, f"{QUERY_ID}-2"]


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    sentences = {"sentence1": "x", "sentence2": FIRST | {"text": 1}, "sentence3": FIRST | {"claims": ["Bees sing.", 2]}}
    data = lines(ROW | {"prompt": None}, ROW | {"sentences": sentences}, ROW | {"sentences": []})
    assert messages(data, "factcheck-gpt") == [
        "1: prompt: is missing",
        "2: sentences.sentence1: must be an object",
        "2: sentences.sentence2.text: must be a string, not a number",
        "2: sentences.sentence3.claims[1]: must be a string, not a number",
        "3: sentences: must be an object, not a list",
    ]
    collection = collect_with_problems(data, "factcheck-gpt")[0]
    assert [nug.nug_id for nug in collection.nugs] == [SING]


def test_is_recognised() -> None:
    assert sniff_factcheck_gpt(Head(Source("<bytes>", lines(ROW).encode())))
    for other in (ROW | {"sentences": ["x"]}, ROW | {"sentences": {}}, {"prompt": "x", "response": "y"}, [1]):
        assert not sniff_factcheck_gpt(Head(Source("<bytes>", lines(other).encode())))


@pytest.mark.real_data
def test_factcheck_gpt(real_data: Path) -> None:
    path = real_data / "factcheck-gpt" / "factcheck-GPT-benchmark.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sentences = [sentence for row in rows for sentence in row["sentences"].values()]
    collection = collect(path.read_bytes(), "factcheck-gpt")
    assert len(collection.queries) == len(rows) == 94
    assert len(collection.responses) == 2 * len(rows)
    assert (
        sum(len(response.snippets) for response in collection.responses if response.run_id == "response")
        == len(sentences)
        == 311
    )
    assert len(collection.judgements) == sum(len(sentence["claims"]) for sentence in sentences) == 678
    assert len(collection.nugs) == 678
    true = sum(sentence["claims_factuality_label"].count(True) for sentence in sentences)
    assert sum(judgement.extra["claims_factuality_label"] is True for judgement in collection.judgements) == true
    assert collection.queries[0].text == rows[0]["prompt"]
    assert collection.nugs[-1].descriptions[0] == [claim for sentence in sentences for claim in sentence["claims"]][-1]
