from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats import Source
from karat.formats.datasets.wice import sniff_wice
from karat.formats.io.head import Head
from karat.model import Evidence, Judgement, Nug, Query, Response, Run, Snippet

ROW: dict[str, Any] = {
    "label": "partially_supported",
    "supporting_sentences": [[0, 1], [1]],
    "claim": "Bees dance and sing.",
    "evidence": ["Bees dance.", "Often."],
    "meta": {"id": "dev1", "claim_title": "Bee", "claim_section": "Life", "claim_context": "..."},
}
TOKENS = {
    "claim_tokens": ["Bees", "dance", "and", "sing", "."],
    "non_supported_spans": [False, False, True, True, False],
}


def lines(*rows: object) -> str:
    return "\n".join(map(json.dumps, rows))


def test_reads_a_claim_judged_against_a_page() -> None:
    collection = collect(lines(ROW), "wice")
    assert collection.queries == [
        Query(query_id="dev1", text="Bee", extra={"claim_section": "Life", "claim_context": "..."})
    ]
    assert collection.runs == [Run(run_id="evidence")]
    snippets = (Snippet(snippet_id="0", text="Bees dance."), Snippet(snippet_id="1", text="Often."))
    assert collection.responses == [Response(query_id="dev1", run_id="evidence", snippets=snippets)]
    assert collection.nugs == [Nug(query_id="dev1", nug_id="dev1", descriptions=("Bees dance and sing.",))]
    assert collection.judgements == [
        Judgement(
            query_id="dev1",
            run_id="evidence",
            nug_id="dev1",
            degree=0.5,
            judge="person",
            evidence=Evidence(extra={"snippet_ids": ["0", "1"]}),
            extra={"supporting_sentences": [[0, 1], [1]]},
        )
    ]


def test_unsupported_tokens_are_kept() -> None:
    collection = collect("\ufeff" + lines(ROW | TOKENS | {"supporting_sentences": [[]]}) + "\r\n", "wice")
    assert collection.nugs[0].extra == {"claim_tokens": TOKENS["claim_tokens"]}
    assert collection.judgements[0].extra == {"non_supported_spans": TOKENS["non_supported_spans"]}
    assert collection.judgements[0].evidence is None


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = lines(
        ROW | {"label": "maybe"},
        ROW,
        ROW | TOKENS | {"meta": {"id": 2}, "supporting_sentences": [[1, 7]], "non_supported_spans": [True]},
        ROW | {"meta": {}},
        ROW | {"meta": {"id": 3}, "evidence": [None, "x"], "supporting_sentences": [[1]]},
    )
    assert messages(data, "wice") == [
        "1: label: 'maybe' is not one of supported, partially_supported, not_supported",
        "2: meta.id: the query with query_id 'dev1' appears twice",
        "3: supporting_sentences[0]: 7 is not one of the 2 sentences, counted from 0",
        "3: non_supported_spans: there are 1 marks for 5 tokens",
        "4: meta.id: is missing",
        "5: evidence[0]: must be a string, not null",
    ]
    collection = collect_with_problems(data, "wice")[0]
    assert [judgement.status for judgement in collection.judgements] == ["failed", "ok", "ok"]
    assert collection.responses[-1].snippets == (Snippet(snippet_id="1", text="x"),)


def test_is_recognised() -> None:
    assert sniff_wice(Head(Source("<bytes>", lines(ROW).encode())))
    for other in (ROW | {"meta": 1}, {"claim": "x", "label": "y"}, [ROW["claim"]]):
        assert not sniff_wice(Head(Source("<bytes>", lines(other).encode())))


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "claims"), [("entailment_retrieval/claim", 349), ("non_supported_tokens", 124)])
def test_wice(real_data: Path, name: str, claims: int) -> None:
    path = real_data / "wice" / name / "dev.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    collection = collect(path.read_bytes(), "wice")
    assert len(collection.judgements) == len(collection.nugs) == len(collection.queries) == len(rows) == claims
    assert sum(len(response.snippets) for response in collection.responses) == sum(len(row["evidence"]) for row in rows)
    assert sum(judgement.degree == 0.5 for judgement in collection.judgements) == sum(
        row["label"] == "partially_supported" for row in rows
    )
    assert collection.nugs[0].nug_id == rows[0]["meta"]["id"]
    assert collection.nugs[-1].descriptions == (rows[-1]["claim"],)
