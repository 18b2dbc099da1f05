from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builders.records import nugget
from helpers import round_trip
from karat.formats import Source, open_reading
from karat.formats.datasets.propsegment import sniff_propsegment
from karat.formats.io.head import Head
from karat.model import (
    Collection,
    Evidence,
    InputError,
    Judgement,
    Member,
    Nug,
    Nugget,
    Problem,
    Query,
    Response,
    Run,
    Snippet,
    SpanSet,
)

FLAGS = {"non_informational": False, "rater_did_not_understand_sentence": False}
UNDERSTOOD = {"rater_did_not_understand_premise": False, "rater_did_not_understand_hypothesis": False}


def sentence(text: str) -> dict[str, Any]:
    tokens, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        tokens.append({"text": word, "character_offset_of_token_in_sentence": start})
        start += len(word)
    return {"sentence_text": text, "tokens": tokens}


def marked(*propositions: list[Any], reference: bool = False, **flags: bool) -> dict[str, Any]:
    fields = {"propositions": [{"token_indices": tokens} for tokens in propositions]} if propositions else {}
    return {**FLAGS, **flags, **fields, "is_reference_response": reference}


def related(tokens: list[int], *responses: dict[str, Any], premise: str = "d2", index: int = 0) -> dict[str, Any]:
    proposition = {"document_id": "d1", "sentence_index": index, "proposition": {"token_indices": tokens}}
    return {
        "cluster_id": "c",
        "premise_document_id": premise,
        "hypothesis_proposition": proposition,
        "relationship_responses": [{**UNDERSTOOD, **response} for response in responses],
    }


# The bee is one code point, and two units of UTF-16: token 2 begins at 7.
BEES = sentence("Bees \U0001f41d dance and hum")
CLUSTERS: list[dict[str, Any]] = [
    {
        "cluster_id": "c",
        "cluster_title": "",
        "source_dataset": "SOURCE_WIKI",
        "documents": [
            {"document_id": "d1", "original_url": "", "sentences": [BEES, sentence("Ah !")]},
            {"document_id": "d2", "sentences": [sentence("They hum")]},
        ],
    }
]
PROPOSITIONS: list[dict[str, Any]] = [
    {
        "sentence_id": {"cluster_id": "c", "document_id": "d1", "sentence_index": 0},
        "segmentation_responses": [marked([0, 1, 2], [0, 4], reference=True), marked([4, 0])],
    },
    {
        "sentence_id": {"cluster_id": "c", "document_id": "d1", "sentence_index": 1},
        "segmentation_responses": [marked(non_informational=True)],
    },
    {
        "sentence_id": {"cluster_id": "news", "document_id": "d7", "sentence_index": 0},
        "segmentation_responses": [marked([0])],
    },
]
SUPPORT = {"sentence_index": 0, "proposition": {"token_indices": [0, 1]}}
RELATIONSHIPS: list[dict[str, Any]] = [
    related(
        [0, 4],
        {"relationship": "RELATIONSHIP_ENTAILS", "supporting_premise_proposition": SUPPORT},
        {"relationship": "RELATIONSHIP_CONTRADICTS"},
        {"relationship": "RELATIONSHIP_UNSPECIFIED", "rater_did_not_understand_hypothesis": True},
    ),
    related([0], {"relationship": "RELATIONSHIP_ENTAILS"}, premise="d7"),
]


def folder(
    root: Path, clusters: Any = CLUSTERS, propositions: Any = PROPOSITIONS, related: Any = RELATIONSHIPS
) -> Path:
    (root / "document_clusters.dev.json").write_text(json.dumps(clusters))
    (root / "propositions.dev.json").write_text(json.dumps(propositions))
    (root / "relationships.dev.json").write_text(json.dumps(related))
    return root


def read(path: Path) -> tuple[Collection, list[str], list[Problem]]:
    reading = open_reading(path, format="propsegment", on_error="skip")
    collection = Collection(reading)
    problems = [str(problem).removeprefix(f"{path}/") for problem in reading.source.problems]
    return collection, problems, reading.source.warnings


def proposition(number: int, rater: str, spans: list[tuple[int, int]], tokens: list[int], *, reference: bool) -> Nugget:
    place = {"query_id": "c", "run_id": "d1", "snippet_id": "0"}
    extra = {"token_indices": tokens, "is_reference_response": reference}
    return nugget(f"d1/0/{rater}/{number}", *spans, **place, assessor=rater, extra=extra)


def test_reads_sentences_propositions_and_relationships(tmp_path: Path) -> None:
    collection, problems, warnings = read(folder(tmp_path))
    assert problems == []
    assert collection.queries == [Query(query_id="c", text="", extra={"source_dataset": "SOURCE_WIKI", "split": "dev"})]
    assert collection.runs == [Run(run_id="d1"), Run(run_id="d2")]
    bees_remarks = [
        {"assessor": "rater-1", **FLAGS, "is_reference_response": True},
        {"assessor": "rater-2", **FLAGS, "is_reference_response": False},
    ]
    ah_remarks = [{"assessor": "rater-1", **FLAGS, "non_informational": True, "is_reference_response": False}]
    bees_tokens = [[0, 4], [5, 6], [7, 12], [13, 16], [17, 20]]
    assert collection.responses == [
        Response(
            query_id="c",
            run_id="d1",
            snippets=(
                Snippet(
                    snippet_id="0",
                    text="Bees \U0001f41d dance and hum",
                    extra={"tokens": bees_tokens, "segmentation_responses": bees_remarks},
                ),
                Snippet(
                    snippet_id="1",
                    text="Ah !",
                    extra={"tokens": [[0, 2], [3, 4]], "segmentation_responses": ah_remarks},
                ),
            ),
            extra={"original_url": ""},
        ),
        Response(
            query_id="c",
            run_id="d2",
            snippets=(
                Snippet(
                    snippet_id="0",
                    text="They hum",
                    extra={"tokens": [[0, 4], [5, 8]], "segmentation_responses": []},
                ),
            ),
        ),
    ]
    assert collection.nuggets == [
        proposition(1, "rater-1", [(0, 12)], [0, 1, 2], reference=True),
        proposition(2, "rater-1", [(0, 4), (17, 20)], [0, 4], reference=True),
        proposition(1, "rater-2", [(0, 4), (17, 20)], [0, 4], reference=False),
    ]
    assert collection.nugs == [
        Nug(
            query_id="c",
            nug_id="d1/0/0,4",
            descriptions=("Bees ... hum",),
            members=(Member(nugget_id="d1/0/rater-1/2"), Member(nugget_id="d1/0/rater-2/1")),
        )
    ]
    same = {"query_id": "c", "run_id": "d2", "nug_id": "d1/0/0,4", "judge": "person"}
    assert collection.judgements == [
        Judgement(
            **same,
            degree=1.0,
            assessor="rater-1",
            evidence=Evidence(spans=SpanSet([(0, 8)]), extra={"snippet_ids": ["0"]}),
            extra={**UNDERSTOOD, "relationship": "RELATIONSHIP_ENTAILS"},
        ),
        Judgement(
            **same,
            degree=0.0,
            assessor="rater-2",
            extra={**UNDERSTOOD, "relationship": "RELATIONSHIP_CONTRADICTS"},
        ),
        Judgement(
            **same,
            assessor="rater-3",
            status="unknown",
            extra={
                **UNDERSTOOD,
                "rater_did_not_understand_hypothesis": True,
                "relationship": "RELATIONSHIP_UNSPECIFIED",
            },
        ),
    ]
    assert [warning.message for warning in warnings] == [
        "propositions.dev.json: 1 sentences without text in document_clusters are left out",
        "relationships.dev.json: 1 pairs without text in document_clusters are left out",
    ]
    round_trip(collection, "karat")


def test_a_pair_that_appears_twice_gets_further_raters(tmp_path: Path) -> None:
    pair = related([0], {"relationship": "RELATIONSHIP_ENTAILS"})
    collection, problems, _ = read(folder(tmp_path, related=[pair, pair]))
    assert problems == []
    assert [judgement.assessor for judgement in collection.judgements] == ["rater-1", "rater-2"]
    assert len(collection.nugs) == 1
    assert collection.nugs[0].members == ()


def test_what_is_wrong_is_reported_and_the_rest_kept(tmp_path: Path) -> None:
    shifted = {**BEES, "tokens": [{"text": "Bees", "character_offset_of_token_in_sentence": 1}]}
    masked = {"masked_sentence_text": "B___", "tokens": []}
    documents = [{"document_id": "d1", "sentences": [BEES, shifted, 7, masked]}, *CLUSTERS[0]["documents"]]
    sentence_id = PROPOSITIONS[0]["sentence_id"]
    propositions = [
        {"sentence_id": sentence_id, "segmentation_responses": [marked([0, 5], [], ["x"], [1])]},
        {"sentence_id": sentence_id, "segmentation_responses": []},
    ]
    far = {"sentence_index": 9, "proposition": {"token_indices": [0]}}
    pairs = [
        related([0], {"relationship": "ENTAILS"}, {}),
        related([0], {"relationship": "RELATIONSHIP_ENTAILS", "supporting_premise_proposition": far}),
        related([99], {"relationship": "RELATIONSHIP_ENTAILS"}),
    ]
    collection, problems, _ = read(folder(tmp_path, [{**CLUSTERS[0], "documents": documents}], propositions, pairs))
    choices = ", ".join(
        f"relationship_{end}" for end in ("entails", "neither_entails_nor_contradicts", "contradicts", "unspecified")
    )
    tokens = "is not one of the 5 tokens of the sentence, counted from 0"
    assert problems == [
        "propositions.dev.json:1: [1].sentence_id: the sentence appears twice",
        f"propositions.dev.json:1: [0].segmentation_responses[0].propositions[0].token_indices[1]: 5 {tokens}",
        "propositions.dev.json:1: [0].segmentation_responses[0].propositions[1].token_indices: is empty",
        f"propositions.dev.json:1: [0].segmentation_responses[0].propositions[2].token_indices[0]: 'x' {tokens}",
        "document_clusters.dev.json:1: [0].documents[0].sentences[1].tokens[0].text: "
        "'Bees' is not at position 1 of the sentence",
        "document_clusters.dev.json:1: [0].documents[0].sentences[2]: must be an object, not a number",
        "document_clusters.dev.json:1: [0].documents[1].document_id: 'd1' appears twice",
        f"relationships.dev.json:1: [0].relationship_responses[0].relationship: 'ENTAILS' is not one of {choices}",
        "relationships.dev.json:1: [0].relationship_responses[1].relationship: is missing",
        "relationships.dev.json:1: [1].relationship_responses[0].supporting_premise_proposition.sentence_index: "
        "9 is not a sentence of 'd2'",
        f"relationships.dev.json:1: [2].hypothesis_proposition.proposition.token_indices[0]: 99 {tokens}",
    ]
    assert [len(snippet.extra["tokens"]) for snippet in collection.responses[0].snippets] == [5, 0]
    assert [nugget.nugget_id for nugget in collection.nuggets] == ["d1/0/rater-1/4"]
    assert [judgement.status for judgement in collection.judgements] == ["failed", "failed", "ok"]


def test_is_recognised(tmp_path: Path) -> None:
    assert not sniff_propsegment(Head(Source(tmp_path)))
    with pytest.raises(InputError, match="must be a folder with document_clusters"):
        list(open_reading(tmp_path, format="propsegment"))
    assert sniff_propsegment(Head(Source(folder(tmp_path))))
    assert not sniff_propsegment(Head(Source(tmp_path / "propositions.dev.json")))
    (tmp_path / "relationships.dev.json").unlink()
    assert read(tmp_path)[0].judgements == []


@pytest.mark.real_data
def test_dev(real_data: Path) -> None:
    path = real_data / "propsegment"
    collection, problems, warnings = read(path)
    assert problems == []
    assert [warning.message.split(":")[1].split()[0] for warning in warnings] == ["424", "952"]
    clusters = json.loads((path / "document_clusters.dev.json").read_text())
    texts = {
        (cluster["cluster_id"], document["document_id"], index): one
        for cluster in clusters
        for document in cluster["documents"]
        for index, one in enumerate(document["sentences"])
    }
    assert sum(len(response.snippets) for response in collection.responses) == len(texts) == 387
    rows = [
        row for row in json.loads((path / "propositions.dev.json").read_text()) if _key(row["sentence_id"]) in texts
    ]
    token_sets = [
        proposition["token_indices"]
        for row in rows
        for response in row["segmentation_responses"]
        for proposition in response.get("propositions", [])
    ]
    assert len(rows) == 387
    assert len(collection.nuggets) == len(token_sets) == 5444
    gaps = sum(max(tokens) - min(tokens) >= len(tokens) for tokens in token_sets)
    assert sum(len(nugget.spans) > 1 for nugget in collection.nuggets) == gaps == 3837
    assert {nugget.assessor for nugget in collection.nuggets} == {"rater-1", "rater-2", "rater-3"}
    remarks = [one for r in collection.responses for s in r.snippets for one in s.extra["segmentation_responses"]]
    assert len(remarks) == 3 * 387
    assert sum(one["non_informational"] for one in remarks) == 22
    first = collection.nuggets[0]
    sentence_of_first = texts[first.query_id, first.run_id, int(first.snippet_id)]
    words = [sentence_of_first["tokens"][token]["text"] for token in first.extra["token_indices"]]
    covered = first.spans.text(sentence_of_first["sentence_text"])
    assert "".join(covered.replace(" ... ", "").split()) == "".join(words)


@pytest.mark.real_data
def test_dev_relationships(real_data: Path) -> None:
    path = real_data / "propsegment"
    collection, _, _ = read(path)
    documents = {response.run_id for response in collection.responses}
    rows = [
        row
        for row in json.loads((path / "relationships.dev.json").read_text())
        if row["premise_document_id"] in documents
    ]
    labels = Counter(one["relationship"] for row in rows for one in row["relationship_responses"])
    assert len(rows) == len(collection.nugs) == 1060
    assert Counter(judgement.extra["relationship"] for judgement in collection.judgements) == labels
    assert Counter((judgement.degree, judgement.status) for judgement in collection.judgements) == {
        (1.0, "ok"): labels["RELATIONSHIP_ENTAILS"],
        (0.0, "ok"): labels["RELATIONSHIP_NEITHER_ENTAILS_NOR_CONTRADICTS"] + labels["RELATIONSHIP_CONTRADICTS"],
        (None, "unknown"): labels["RELATIONSHIP_UNSPECIFIED"],
    }
    assert (len(collection.judgements), labels["RELATIONSHIP_ENTAILS"]) == (3180, 1053)
    assert all(nug.members for nug in collection.nugs)
    assert collection.judgements[0].run_id == rows[0]["premise_document_id"]
    assert collection.judgements[-1].run_id == rows[-1]["premise_document_id"]


def _key(sentence_id: dict[str, Any]) -> tuple[str, str, int]:
    return sentence_id["cluster_id"], sentence_id["document_id"], sentence_id["sentence_index"]
