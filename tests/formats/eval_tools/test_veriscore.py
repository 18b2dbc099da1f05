from __future__ import annotations

import json

from helpers import collect, collect_with_problems
from karat.formats import Source
from karat.formats.eval_tools.veriscore import sniff_veriscore
from karat.formats.io.head import Head
from karat.model import Judgement, Nug, Query, Response, Run, Snippet, content_id

ANSWER = {"question": "why", "response": "Bees dance. They eat.", "model": "m", "prompt_source": "set"}
CLAIMED = ANSWER | {
    "abstained": False,
    "claim_list": [["Bees dance."], ["Bees eat."]],
    "all_claims": ["Bees dance.", "Bees eat."],
}
ASKED = content_id("why")
SNIPPETS = (Snippet(snippet_id="1", text="Bees dance. They eat."),)


def test_reads_an_answer() -> None:
    collection = collect(json.dumps(ANSWER), "veriscore")
    assert collection.queries == [Query(query_id=ASKED, text="why")]
    assert collection.runs == [Run(run_id="m")]
    assert collection.responses == [
        Response(query_id=ASKED, run_id="m", snippets=SNIPPETS, extra={"prompt_source": "set"})
    ]


def test_claims_are_stated_whatever_was_found_out_about_them() -> None:
    result = {"claim": "Bees eat.", "search_results": "r", "verification_result": "unsupported"}
    collection = collect(json.dumps(CLAIMED | {"claim_verification_result": [result]}), "veriscore")
    dance, eat = content_id("Bees dance."), content_id("Bees eat.")
    assert collection.nugs == [
        Nug(query_id=ASKED, nug_id=dance, descriptions=("Bees dance.",)),
        Nug(query_id=ASKED, nug_id=eat, descriptions=("Bees eat.",)),
    ]
    stated = {"query_id": ASKED, "run_id": "m", "degree": 1.0, "judge": "given"}
    kept = {"search_results": "r", "verification_result": "unsupported"}
    assert collection.judgements == [Judgement(**stated, nug_id=dance), Judgement(**stated, nug_id=eat, extra=kept)]
    assert collection.responses[0].extra["claim_list"] == CLAIMED["claim_list"]


def test_no_claim_no_question_and_abstention() -> None:
    rows = [
        CLAIMED | {"all_claims": ["No verifiable claim."]},
        ANSWER | {"question": "", "abstained": True},
        ANSWER | {"model": None, "all_claims": None},
    ]
    collection = collect("\n".join(map(json.dumps, rows)), "veriscore")
    assert collection.nugs == collection.judgements == []
    assert [(response.query_id, response.run_id) for response in collection.responses] == [
        (ASKED, "m"),
        (content_id("Bees dance. They eat."), "m"),
        (ASKED, "run"),
    ]


def test_problems_name_their_place() -> None:
    results = [
        {"claim": "Bees dance.", "verification_result": "dunno"},
        {"claim": "Cats purr.", "verification_result": "supported"},
    ]
    row = CLAIMED | {"claim_verification_result": results, "all_claims": ["Bees dance.", " ", 3]}
    collection, problems = collect_with_problems(json.dumps(row), "veriscore")
    place = "<bytes>:1: claim_verification_result"
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: all_claims[2]: must be a string, not a number",
        f"{place}[0].verification_result: 'dunno' is not one of supported, unsupported, contradicted, inconclusive",
        f"{place}[1].claim: 'Cats purr.' is not in all_claims",
        "<bytes>:1: all_claims[1]: is empty",
    ]
    assert [judgement.extra for judgement in collection.judgements] == [{"verification_result": "dunno"}]


def test_is_recognised() -> None:
    for row in (ANSWER, CLAIMED):
        assert sniff_veriscore(Head(Source("<bytes>", json.dumps(row).encode())))
    for row in ({"question": "q", "response": "r"}, {"response": "r", "model": "m", "prompt_source": "s"}):
        assert not sniff_veriscore(Head(Source("<bytes>", json.dumps(row).encode())))
