from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from karat.formats.karat.schema import record_schema
from karat.model import RECORD_TYPE_BY_KIND, RECORD_TYPES, decode_record, encode_record
from karat.model.records import EXTRA_KEY

SPANS = [[0, 4], [9, 12]]
IDS = {"v": 1, "query_id": "q", "run_id": "r"}
EVERY_FIELD: dict[str, dict[str, Any]] = {
    "template": {
        "v": 1,
        "template_id": "why",
        "description": "Why does X do it?",
        "categories": {"cause": "what makes it happen"},
        "types": ["event"],
        "slots": ["X"],
    },
    "document": {
        "v": 1,
        "doc_id": "d",
        "text": "Bees dance.",
        "language": "en",
        "medium": "text",
        "time": "2024",
        "title": "Bees",
    },
    "query": {
        "v": 1,
        "query_id": "q",
        "text": "why?",
        "template": "why X?",
        "slots": {"X": "bees"},
        "conditions": {"language": "en"},
    },
    "run": {"v": 1, "run_id": "r", "group": "hive", "human": True},
    "response": IDS
    | {
        "snippets": [
            {
                "snippet_id": "1",
                "text": "They dance, and hum.",
                "origin": "extract",
                "citations": [
                    {
                        "doc_id": "d",
                        "citation_id": "c1",
                        "chunk": SPANS,
                        "excerpt": "…",
                        "time": "2024",
                        "language": "en",
                        "support": "partial",
                    }
                ],
            }
        ],
        "unnuggetized_chars": 3,
    },
    "relevance": IDS
    | {
        "snippet_id": "1",
        "assessor": "ann",
        "label": "redundant",
        "text_spans": SPANS,
        "redundant_with": "0",
        "reason": "said before",
        "note": "twice",
        "adjudicated": True,
    },
    "nugget": IDS
    | {
        "nugget_id": "g",
        "snippet_id": "1",
        "spans": SPANS,
        "type": "event",
        "category": "c",
        "secondary": "s",
        "anchor": [[0, 4]],
        "world_knowledge": False,
        "paraphrase": "bees dance",
        "source": "corrected",
        "rule": "verb",
        "assessor": "ann",
        "revises": ["f"],
        "revision": "extended",
        "reason": "too_fine",
        "note": "with its agent",
        "adjudicated": True,
    },
    "nug": {
        "v": 1,
        "query_id": "q",
        "nug_id": "n",
        "descriptions": ["bees dance"],
        "importance": "vital",
        "weight": -0.5,
        "relevance": 0.25,
        "members": [{"nugget_id": "g", "degree": 0.5}],
        "aggregator": "and",
        "parent": "m",
        "world_knowledge": True,
        "assessor": "ann",
        "adjudicated": True,
    },
    "vote": {
        "v": 1,
        "query_id": "q",
        "nug_id": "n",
        "assessor": "ann",
        "occasion": "2",
        "value": "okay",
        "primary": False,
        "adjudicated": True,
    },
    "judgement": IDS
    | {
        "snippet_id": "1",
        "nug_id": "n",
        "degree": 0.5,
        "probabilities": {"0": 0.25, "0.5": 0.5, "1": 0.25},
        "judge": "person",
        "assessor": "ann",
        "evidence": {"spans": SPANS, "words": ["dance"]},
        "status": "ok",
        "adjudicated": True,
    },
    "citation_judgement": IDS
    | {
        "snippet_id": "1",
        "nugget_id": "g",
        "doc_id": "d",
        "citation_id": "c1",
        "support": "missing",
        "spans": SPANS,
        "assessor": "ann",
        "adjudicated": True,
    },
    "reviewed": IDS | {"snippet_id": "1", "step": "nuggets", "assessor": "ann", "adjudicated": True},
    "score": IDS
    | {
        "query_id": "all",
        "measure": "F3",
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "judge_low": 0.375,
        "judge_high": 0.625,
        "n": 9,
        "undefined": 1,
        "signature": "F3|seed:7",
    },
}
VALIDATOR = Draft202012Validator(json.loads(json.dumps(record_schema())))


def record(kind: str, /, **changes: Any) -> dict[str, Any]:
    """A record with every field, changed; a field that becomes `...` is absent."""
    data = {"kind": kind} | EVERY_FIELD[kind] | changes
    return {name: value for name, value in data.items() if value is not ...}


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(VALIDATOR.schema)


def test_the_examples_hold_every_field_of_every_kind() -> None:
    assert set(EVERY_FIELD) == set(RECORD_TYPE_BY_KIND)
    for kind, fields in EVERY_FIELD.items():
        known = {field.encode_name for field in msgspec.structs.fields(RECORD_TYPE_BY_KIND[kind])}
        assert set(fields) == known - {EXTRA_KEY}


@pytest.mark.parametrize("kind", EVERY_FIELD)
def test_a_record_with_every_field_is_valid_and_so_is_what_karat_writes_of_it(kind: str) -> None:
    VALIDATOR.validate(record(kind))
    written = encode_record(decode_record(json.dumps(record(kind)).encode()))
    assert json.loads(written) == record(kind)


@pytest.mark.parametrize("kind", EVERY_FIELD)
def test_unknown_fields_are_allowed(kind: str) -> None:
    VALIDATOR.validate(record(kind, hint={"a": [1]}))


def test_unknown_fields_are_allowed_inside_parts() -> None:
    VALIDATOR.validate(record("nug", members=[{"nugget_id": "g", "hint": 1}]))


def test_a_vote_may_be_a_number() -> None:
    VALIDATOR.validate(record("vote", value=0.75))


@pytest.mark.parametrize(
    "wrong",
    [
        record("judgement", degree=7),
        record("judgement", degree=-0.1),
        record("judgement", degree="full"),
        record("judgement", status="done"),
        record("judgement", nug_id=...),
        record("judgement", judge=...),
        record("judgement", probabilities={"1": 1.5}),
        record("nug", importance="crucial"),
        record("nug", members=[{"nugget_id": "g", "degree": 2}]),
        record("nug", members=[{"degree": 1}]),
        record("nug", descriptions="bees dance"),
        record("nug", aggregator="xor"),
        record("query", query_id=...),
        record("query", query_id=3),
        record("run", run_id=...),
        record("run", human="yes"),
        record("run", v=2),
        record("response", snippets=...),
        record("response", snippets=[{"text": "no id"}]),
        record("response", unnuggetized_chars=-1),
        record("relevance", label="meh"),
        record("nugget", spans=[[0, 4, 9]]),
        record("nugget", spans=[[-1, 4]]),
        record("nugget", spans=[["0", 4]]),
        record("nugget", source="robot"),
        record("nugget", revision="moved"),
        record("nugget", revises="g"),
        record("template", template_id=...),
        record("template", categories=["cause"]),
        record("document", doc_id=...),
        record("vote", value="crucial"),
        record("vote", value=1.5),
        record("citation_judgement", support="some"),
        record("score", value="high"),
        record("run", kind="runs"),
        record("run", kind=...),
        {},
        [],
    ],
)
def test_a_wrong_record_is_not_valid(wrong: Any) -> None:
    assert not VALIDATOR.is_valid(wrong)


@pytest.mark.parametrize("kind", EVERY_FIELD)
def test_what_the_schema_requires_is_what_the_reader_requires(kind: str) -> None:
    fields = msgspec.structs.fields(RECORD_TYPE_BY_KIND[kind])
    required = {field.encode_name for field in fields if field.required}
    for name in EVERY_FIELD[kind]:
        assert VALIDATOR.is_valid(record(kind, **{name: ...})) == (name not in required)


def test_the_name_under_which_unknown_fields_are_kept_in_memory_is_not_in_the_schema() -> None:
    assert EXTRA_KEY not in json.dumps(record_schema())
    assert len(record_schema()["oneOf"]) == len(RECORD_TYPES) == 13
