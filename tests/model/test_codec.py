from __future__ import annotations

import copy
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.model import (
    RECORD_TYPES,
    Citation,
    CitationJudgement,
    Evidence,
    Judgement,
    Member,
    Nug,
    Nugget,
    Part,
    Query,
    Record,
    Relevance,
    Response,
    Run,
    Score,
    Snippet,
    SpanSet,
    Vote,
    decode_record,
    encode_record,
    kind_of,
    record_from_dict,
    record_to_dict,
)
from karat.model.codec import fast_decoder
from strategies import RECORDS_BY_KIND, json_values, judgements, moderately, nugs, records, responses

every_kind = pytest.mark.parametrize("kind", RECORD_TYPES, ids=kind_of)


def decoded(data: Any) -> Any:
    return decode_record(json.dumps(data).encode())


def rewritten(data: Any) -> Any:
    """What is written of what was read."""
    return json.loads(encode_record(decoded(data)))


def as_json(part: Record | Part) -> dict[str, Any]:
    """The record through Python's own JSON writer."""
    plain: dict[str, Any] = json.loads(json.dumps(record_to_dict(part)))
    return plain


def nug_json(**fields: Any) -> dict[str, Any]:
    return {"kind": "nug", "v": 1, "query_id": "q", "nug_id": "n", "descriptions": ["d"], **fields}


def judgement_json(**fields: Any) -> dict[str, Any]:
    known = {"kind": "judgement", "v": 1, "query_id": "q", "run_id": "r", "nug_id": "n", "judge": "j", "status": "ok"}
    return {**known, **fields}


def response_json(*snippets: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"kind": "response", "v": 1, "query_id": "q", "run_id": "r", "snippets": list(snippets), **fields}


def snippet_json(*citations: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"snippet_id": "s", "text": "t", "citations": list(citations), **fields}


@every_kind
@moderately
@given(data=st.data())
def test_every_record_comes_back_from_its_line(kind: type[Record], data: st.DataObject) -> None:
    record = data.draw(RECORDS_BY_KIND[kind])
    line = encode_record(record)
    assert b"\n" not in line
    assert decode_record(line) == record
    assert type(decode_record(line)) is kind


@moderately
@given(records)
def test_the_line_and_the_dict_say_the_same(record: Record) -> None:
    assert json.loads(encode_record(record)) == as_json(record)
    assert record_from_dict(record_to_dict(record)) == record
    assert record_from_dict(as_json(record)) == record


@moderately
@given(records)
def test_nothing_is_null_that_karat_knows(record: Record) -> None:
    written = json.loads(encode_record(record))
    assert None not in [value for key, value in written.items() if key not in record.extra]


@moderately
@given(responses)
def test_unknown_fields_of_snippets_and_citations_are_written_where_they_belong(record: Response) -> None:
    written = json.loads(encode_record(record))
    assert written.items() >= record.extra.items()
    for snippet_written, part in zip(written["snippets"], record.snippets, strict=True):
        assert snippet_written.items() >= part.extra.items()
        for citation_written, citation in zip(snippet_written.get("citations", []), part.citations, strict=True):
            assert citation_written.items() >= citation.extra.items()


@moderately
@given(nugs)
def test_unknown_fields_of_members_are_written_where_they_belong(record: Nug) -> None:
    for written, member in zip(json.loads(encode_record(record)).get("members", []), record.members, strict=True):
        assert written == {"nugget_id": member.nugget_id, "degree": member.degree, **member.extra}


@moderately
@given(judgements)
def test_unknown_fields_of_evidence_are_written_where_they_belong(record: Judgement) -> None:
    written = json.loads(encode_record(record)).get("evidence", {})
    assert written.items() >= (record.evidence.extra if record.evidence else {}).items()


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "query", "v": 1, "query_id": "q", "text": "t", "note": {"by": [1, None, 2.5, True]}},
        response_json(
            snippet_json({"doc_id": "d", "page": 4}, {"doc_id": "e"}, model="m"),
            snippet_json({"doc_id": "f"}),
            cost=0.5,
        ),
        response_json(snippet_json({"doc_id": "d", "chunk": [[0, 1]], "score": [1]})),
        nug_json(members=[{"nugget_id": "g", "degree": 0.5, "why": "x"}, {"nugget_id": "h", "degree": 1.0}]),
        judgement_json(evidence={"words": ["w"], "page": None}),
        judgement_json(prompt=None),
        nug_json(members=[{"nugget_id": "g", "degree": 1.0, "kind": "nug", "v": 3, "query_id": 7}]),
        nug_json(extra={"extra": 1}, karat={"extra": {}}),
    ],
)
def test_unknown_fields_are_written_back_where_they_stood(data: dict[str, Any]) -> None:
    assert rewritten(data) == data


def test_unknown_fields_land_in_extra_at_every_depth() -> None:
    data = response_json(snippet_json({"doc_id": "d", "page": 4}, model="m"), cost=0.5)
    assert decoded(data) == Response(
        query_id="q",
        run_id="r",
        extra={"cost": 0.5},
        snippets=(
            Snippet(
                snippet_id="s",
                text="t",
                extra={"model": "m"},
                citations=(Citation(doc_id="d", extra={"page": 4}),),
            ),
        ),
    )


@moderately
@given(json_values)
def test_an_unknown_value_is_kept_as_it_is(value: Any) -> None:
    data = nug_json(note=value, members=[{"nugget_id": "g", "degree": 1.0, "note": value}])
    assert rewritten(data) == data


def test_a_text_that_names_the_place_of_unknown_fields_is_a_text() -> None:
    for text in ("karat:extra", '"karat:extra":{}'):
        record = Query(query_id="q", text=text, extra={"note": text})
        assert decode_record(encode_record(record)) == record


SPANS = SpanSet([(0, 2), (4, 6)])


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (Query(query_id="q", text=""), '{"kind":"query","v":1,"query_id":"q","text":""}'),
        (Run(run_id="r"), '{"kind":"run","v":1,"run_id":"r","human":false}'),
        (
            Response(query_id="q", run_id="r", snippets=()),
            '{"kind":"response","v":1,"query_id":"q","run_id":"r","snippets":[]}',
        ),
        (
            Relevance(query_id="q", run_id="r", snippet_id="s", assessor="a", label="redundant"),
            '{"kind":"relevance","v":1,"query_id":"q","run_id":"r","snippet_id":"s","assessor":"a","label":"redundant"}',
        ),
        (
            Nugget(nugget_id="g", query_id="q", run_id="r", snippet_id="s", spans=SPANS, source="auto"),
            '{"kind":"nugget","v":1,"nugget_id":"g","query_id":"q","run_id":"r","snippet_id":"s",'
            '"spans":[[0,2],[4,6]],"source":"auto"}',
        ),
        (
            Nug(query_id="q", nug_id="n", descriptions=(), members=(Member(nugget_id="g"),)),
            '{"kind":"nug","v":1,"query_id":"q","nug_id":"n","descriptions":[],'
            '"members":[{"nugget_id":"g","degree":1.0}]}',
        ),
        (
            Vote(query_id="q", nug_id="n", assessor="a", value=0.5),
            '{"kind":"vote","v":1,"query_id":"q","nug_id":"n","assessor":"a","value":0.5}',
        ),
        (
            Judgement(query_id="q", run_id="r", nug_id="n", judge="j"),
            '{"kind":"judgement","v":1,"query_id":"q","run_id":"r","nug_id":"n","judge":"j","status":"ok"}',
        ),
        (
            CitationJudgement(query_id="q", run_id="r", snippet_id="s", doc_id="d", support="none", assessor="a"),
            '{"kind":"citation_judgement","v":1,"query_id":"q","run_id":"r","snippet_id":"s","doc_id":"d",'
            '"support":"none","assessor":"a"}',
        ),
        (
            Score(run_id="r", query_id="all", measure="F3"),
            '{"kind":"score","v":1,"run_id":"r","query_id":"all","measure":"F3"}',
        ),
    ],
    ids=lambda value: kind_of(value) if isinstance(value, Record) else "",
)
def test_the_least_a_record_says(record: Record, line: str) -> None:
    assert encode_record(record).decode() == line
    assert decode_record(line.encode()) == record


@moderately
@given(records)
def test_kind_and_version_are_always_written(record: Record) -> None:
    written = json.loads(encode_record(record))
    assert written["kind"] == kind_of(record)
    assert written["v"] == 1


def test_defaults_that_must_be_written_are_written_beside_unknown_fields() -> None:
    assert rewritten({"kind": "run", "run_id": "r", "note": 1}) == {
        "kind": "run", "v": 1, "run_id": "r", "human": False, "note": 1,
    }  # fmt: skip
    assert rewritten(nug_json(members=[{"nugget_id": "g", "note": 1}]))["members"] == [
        {"nugget_id": "g", "degree": 1.0, "note": 1}
    ]


def test_empty_lists_and_dicts_are_absent() -> None:
    query = Query(query_id="q", text="t", slots={}, conditions={})
    assert set(json.loads(encode_record(query))) == {"kind", "v", "query_id", "text"}
    assert rewritten(response_json(snippet_json()))["snippets"] == [{"snippet_id": "s", "text": "t"}]


def test_an_empty_text_is_not_absent() -> None:
    assert rewritten(nug_json(parent=""))["parent"] == ""


@pytest.mark.parametrize(
    ("data", "without_null"),
    [
        (nug_json(weight=None, members=None), nug_json()),
        (nug_json(weight=None, note=None), nug_json(note=None)),
        (judgement_json(status=None, probabilities=None, snippet_id=None), judgement_json()),
        (
            response_json(
                {"snippet_id": "s", "text": "t", "origin": None, "citations": [{"doc_id": "d", "chunk": None}]}
            ),
            response_json({"snippet_id": "s", "text": "t", "citations": [{"doc_id": "d"}]}),
        ),
        (nug_json(members=[{"nugget_id": "g", "degree": None}]), nug_json(members=[{"nugget_id": "g", "degree": 1.0}])),
        (judgement_json(evidence={"spans": None, "words": None}), judgement_json(evidence={})),
    ],
)
def test_null_is_absent(data: dict[str, Any], without_null: dict[str, Any]) -> None:
    assert rewritten(data) == without_null


def test_null_is_no_value_for_what_must_be_there() -> None:
    with pytest.raises(msgspec.ValidationError, match="text"):
        decoded({"kind": "query", "query_id": "q", "text": None})


def test_number_ids_become_texts_at_every_depth() -> None:
    assert rewritten(
        response_json(snippet_json({"doc_id": -4}, snippet_id=3), query_id=1, run_id=2**70)
    ) == response_json(snippet_json({"doc_id": "-4"}, snippet_id="3"), query_id="1", run_id=str(2**70))
    assert rewritten(nug_json(members=[{"nugget_id": 0, "degree": 1.0}], parent=7)) == nug_json(
        members=[{"nugget_id": "0", "degree": 1.0}], parent="7"
    )
    assert rewritten(judgement_json(judge=1, assessor=2, snippet_id=3)) == judgement_json(
        judge="1", assessor="2", snippet_id="3"
    )
    assert decoded({"kind": "run", "run_id": 1, "group": 2}) == Run(run_id="1", group="2")


def test_a_number_id_that_is_unknown_stays_a_number() -> None:
    assert rewritten(nug_json(query_id=1, topic_id=7)) == nug_json(query_id="1", topic_id=7)


@pytest.mark.parametrize("value", [True, 1.5, [], {}])
def test_only_whole_numbers_pass_for_ids(value: Any) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.query_id"):
        decoded(nug_json(query_id=value))


def test_a_number_is_no_text() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.text"):
        decoded({"kind": "query", "query_id": "q", "text": 5})


def test_a_record_without_version_is_of_the_first() -> None:
    assert decode_record(b'{"kind":"run","run_id":"r"}') == Run(run_id="r", v=1)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (nug_json(v=2), r"\$\.v"),
        (nug_json(relevance=1.5), r"\$\.relevance"),
        (nug_json(importance="good"), r"\$\.importance"),
        (nug_json(members=[{"nugget_id": "a"}, {"nugget_id": "g", "degree": -1}]), r"\$\.members\[1\]\.degree"),
        (nug_json(note=1, members=[{"nugget_id": "g", "degree": "x", "note": 1}]), r"\$\.members\[0\]\.degree"),
        (nug_json(members=[5]), r"\$\.members\[0\]"),
        (nug_json(members={"nugget_id": "g"}), r"\$\.members"),
        (judgement_json(status="done"), r"\$\.status"),
        (judgement_json(probabilities={"0.7": 1.0}), r"\$\.probabilities"),
        (judgement_json(probabilities={"1": 1.1}), r"\$\.probabilities"),
        (judgement_json(evidence={"spans": [[3, 2]]}), r"0 <= start < end.*\$\.evidence\.spans"),
        (
            response_json(snippet_json({"doc_id": "d", "chunk": [[0, 1.5]]})),
            r"\$\.snippets\[0\]\.citations\[0\]\.chunk",
        ),
        (response_json(unnuggetized_chars=-1), r"\$\.unnuggetized_chars"),
        ({"kind": "vote", "query_id": "q", "nug_id": "n", "assessor": "a", "value": "good"}, r"\$\.value"),
        ({"kind": "topic", "query_id": "q"}, r"\$\.kind"),
        ({"kind": ["query"], "query_id": "q"}, r"\$\.kind"),
        ({"query_id": "q", "text": "t"}, "kind"),
        ({"kind": "run", "note": 1}, "run_id"),
        ([], "array"),
        (None, "null"),
    ],
)
def test_what_cannot_be_a_record_names_the_place(data: Any, place: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=place):
        decoded(data)


@pytest.mark.parametrize("line", [b"", b'{"kind":"run"', b'{"kind":"run","run_id":"r"} x'])
def test_what_is_no_json_is_an_error_of_its_own(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError) as caught:
        decode_record(line)
    assert not isinstance(caught.value, msgspec.ValidationError)


def test_the_bare_decoder_takes_known_fields_only() -> None:
    assert fast_decoder()(b'{"kind":"run","run_id":"r"}') == Run(run_id="r")
    with pytest.raises(msgspec.ValidationError, match="note"):
        fast_decoder()(b'{"kind":"run","run_id":"r","note":1}')


def test_reading_a_dict_leaves_it_as_it_was() -> None:
    data = response_json(snippet_json({"doc_id": 1, "chunk": None, "page": 4}), cost=0.5)
    before = copy.deepcopy(data)
    record_from_dict(data)
    assert data == before


@moderately
@given(records)
def test_writing_leaves_the_record_as_it_was(record: Record) -> None:
    before = copy.deepcopy(record)
    encode_record(record)
    record_to_dict(record)
    assert record == before


def test_changing_the_dict_does_not_change_the_record() -> None:
    record = Query(query_id="q", text="t", slots={"X": "bees"}, extra={"note": {"pages": [1]}})
    before = copy.deepcopy(record)
    data = record_to_dict(record)
    data["slots"]["X"] = "wasps"
    data["note"]["pages"].append(2)
    assert record == before


def test_a_part_can_be_written_by_itself() -> None:
    assert as_json(Evidence(spans=SPANS, words=("w",), extra={"page": 1})) == {
        "spans": [[0, 2], [4, 6]],
        "words": ["w"],
        "page": 1,
    }
