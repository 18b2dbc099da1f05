from __future__ import annotations

import json
from typing import Any

import pytest

from helpers import collect, collect_with_problems, messages, round_trip, sniffed
from karat.formats import Source, read
from karat.formats.io.head import Head
from karat.formats.karat.jsonl import sniff_karat
from karat.model import (
    RECORD_TYPES,
    AnyRecord,
    Citation,
    CitationJudgement,
    Document,
    Evidence,
    Judgement,
    Member,
    Nug,
    Nugget,
    Query,
    Relevance,
    Response,
    Reviewed,
    Run,
    Score,
    Snippet,
    SpanSet,
    Template,
    Vote,
)

UNKNOWN: dict[str, Any] = {"extra": {"extra": 1}, "kinds": ["query"], "hint": None, "deep": {"kind": "nug", "v": 2}}
"""Fields Karat does not know, some of them named like things it does."""
SPANS = SpanSet([(0, 4), (9, 12)])
EVERYTHING: list[AnyRecord] = [
    Query(
        query_id="q",
        text="why \U0001f41d?",
        template="why X?",
        slots={"X": "bees"},
        conditions={"language": "en"},
        extra=UNKNOWN,
    ),
    Run(run_id="r", group="hive", human=True, extra=UNKNOWN),
    Template(
        template_id="why X?",
        description="Why does X do it?",
        categories={"cause": "what makes it happen"},
        types=("event",),
        slots=("X",),
        extra=UNKNOWN,
    ),
    Document(
        doc_id="d",
        text="Bees dance.",
        language="en",
        medium="text",
        time="2024",
        title="Bees",
        extra=UNKNOWN,
    ),
    Response(
        query_id="q",
        run_id="r",
        snippets=(
            Snippet(
                snippet_id="1",
                text="They dance, and hum.",
                origin="paraphrase",
                citations=(
                    Citation(
                        doc_id="d",
                        citation_id="c1",
                        chunk=SPANS,
                        excerpt="…",
                        time="2024",
                        language="en",
                        support="partial",
                        extra={"kind": "book", **UNKNOWN},
                    ),
                ),
                extra={"kind": "sentence", "v": 7, **UNKNOWN},
            ),
        ),
        unnuggetized_chars=0,
        extra=UNKNOWN,
    ),
    Relevance(
        query_id="q",
        run_id="r",
        snippet_id="1",
        assessor="ann",
        label="redundant",
        text_spans=SPANS,
        redundant_with="0",
        reason="said before",
        note="twice",
        adjudicated=True,
        extra=UNKNOWN,
    ),
    Nugget(
        nugget_id="g",
        query_id="q",
        run_id="r",
        snippet_id="1",
        spans=SPANS,
        type="event",
        category="c",
        secondary="s",
        anchor=SpanSet([(0, 4)]),
        world_knowledge=False,
        paraphrase="bees dance",
        source="corrected",
        rule="verb",
        assessor="ann",
        revises=("f",),
        revision="extended",
        reason="too_fine",
        note="with its agent",
        adjudicated=True,
        extra=UNKNOWN,
    ),
    Nug(
        query_id="q",
        nug_id="n",
        descriptions=("bees dance", "the dance of bees"),
        importance="vital",
        weight=-0.5,
        relevance=0.25,
        members=(Member(nugget_id="g", degree=0.5, extra=UNKNOWN),),
        aggregator="and",
        parent="m",
        world_knowledge=True,
        assessor="ann",
        adjudicated=True,
        extra=UNKNOWN,
    ),
    Vote(
        query_id="q",
        nug_id="n",
        assessor="ann",
        occasion="2",
        value="okay",
        primary=False,
        adjudicated=True,
        extra=UNKNOWN,
    ),
    Vote(query_id="q", nug_id="n", assessor="bob", value=0.75),
    Judgement(
        query_id="q",
        run_id="r",
        snippet_id="1",
        nug_id="n",
        degree=0.5,
        probabilities={"0": 0.25, "0.5": 0.5, "1": 0.25},
        judge="person",
        assessor="ann",
        evidence=Evidence(spans=SPANS, words=("dance",), extra=UNKNOWN),
        status="ok",
        adjudicated=True,
        extra=UNKNOWN,
    ),
    CitationJudgement(
        query_id="q",
        run_id="r",
        snippet_id="1",
        nugget_id="g",
        doc_id="d",
        citation_id="c1",
        support="missing",
        spans=SPANS,
        assessor="ann",
        adjudicated=True,
        extra=UNKNOWN,
    ),
    Reviewed(query_id="q", run_id="r", snippet_id="1", step="nuggets", assessor="ann", adjudicated=True, extra=UNKNOWN),
    Score(
        run_id="r",
        query_id="all",
        measure="F3",
        value=0.5,
        low=0.25,
        high=0.75,
        judge_low=0.375,
        judge_high=0.625,
        n=9,
        undefined=1,
        signature="F3|seed:7",
        extra=UNKNOWN,
    ),
]
JUDGEMENT = {"kind": "judgement", "v": 1, "query_id": "q", "run_id": "r", "nug_id": "n", "judge": "j", "status": "ok"}


def line(data: dict[str, Any], **changes: Any) -> str:
    return json.dumps({name: value for name, value in (data | changes).items() if value is not ...})


def test_every_kind_with_every_field_and_unknown_ones_at_every_depth() -> None:
    assert {type(record) for record in EVERYTHING} == set(RECORD_TYPES)
    for record in EVERYTHING:
        if record.extra:
            assert [name for name in record.__struct_fields__ if getattr(record, name) is None] == []
    round_trip(EVERYTHING, "karat")


def test_the_least_that_a_record_holds_is_all_that_is_written() -> None:
    least: list[AnyRecord] = [
        Query(query_id="q", text=""),
        Run(run_id="r"),
        Response(query_id="q", run_id="r", snippets=()),
        Nug(query_id="q", nug_id="n", descriptions=("d",), members=(Member(nugget_id="g"),)),
        Judgement(query_id="q", run_id="r", nug_id="n", judge="j", status="failed"),
        Score(run_id="r", query_id="q", measure="m"),
    ]
    assert round_trip(least, "karat").decode().splitlines() == [
        '{"kind":"query","v":1,"query_id":"q","text":""}',
        '{"kind":"run","v":1,"run_id":"r","human":false}',
        '{"kind":"response","v":1,"query_id":"q","run_id":"r","snippets":[]}',
        '{"kind":"nug","v":1,"query_id":"q","nug_id":"n","descriptions":["d"],'
        '"members":[{"nugget_id":"g","degree":1.0}]}',
        '{"kind":"judgement","v":1,"query_id":"q","run_id":"r","nug_id":"n","judge":"j","status":"failed"}',
        '{"kind":"score","v":1,"run_id":"r","query_id":"q","measure":"m"}',
    ]


def test_unknown_fields_stay_where_they_were() -> None:
    given = {
        "kind": "response",
        "v": 1,
        "query_id": "q",
        "run_id": "r",
        "snippets": [{"snippet_id": "1", "text": "t", "citations": [{"doc_id": "d", "kind": "book"}], "extra": 5}],
        "extra": {"a": None},
        "team": ["x"],
    }
    collection = collect(json.dumps(given), "karat")
    assert collection.responses[0].extra == {"extra": {"a": None}, "team": ["x"]}
    assert json.loads(round_trip(collection, "karat")) == given


def test_extra_never_changes_what_a_record_says() -> None:
    record = Query(query_id="q", text="t", extra={"query_id": "other", "text": "other", "kind": "run", "new": 1})
    hidden = {"query_id": "other", "text": "other", "kind": "run"}
    said = {"kind": "query", "v": 1, "query_id": "q", "text": "t", "new": 1, "karat:extra": hidden}
    assert json.loads(_written(record)) == said
    round_trip([record], "karat")


def test_number_ids_nulls_and_a_missing_version_are_welcome() -> None:
    rows = [
        {"kind": "query", "query_id": 7, "text": "t", "template": None},
        {
            "kind": "response",
            "query_id": 7,
            "run_id": 8,
            "snippets": [{"snippet_id": 1, "text": "t", "citations": None}],
        },
        {"kind": "nug", "query_id": 7, "nug_id": 9, "descriptions": ["d"], "parent": 3, "members": [{"nugget_id": 4}]},
        {"kind": "vote", "query_id": 7, "nug_id": 9, "assessor": 5, "value": 1},
        JUDGEMENT | {"query_id": 7, "judge": 2, "assessor": 1, "degree": 1},
    ]
    collection = collect("\ufeff" + "\r\n\r\n".join(map(json.dumps, rows)) + "\r\n", "karat")
    assert list(collection) == [
        Query(query_id="7", text="t"),
        Response(query_id="7", run_id="8", snippets=(Snippet(snippet_id="1", text="t"),)),
        Nug(query_id="7", nug_id="9", descriptions=("d",), parent="3", members=(Member(nugget_id="4"),)),
        Vote(query_id="7", nug_id="9", assessor="5", value=1.0),
        Judgement(query_id="7", run_id="r", nug_id="n", judge="2", assessor="1", degree=1.0),
    ]


KINDS = (
    "template, query, run, document, response, relevance, nugget, nug, vote, judgement, citation_judgement, reviewed, "
    "score"
)
NUG = {"kind": "nug", "query_id": "q", "nug_id": "n", "descriptions": ["d"]}
NUGGET = {
    "kind": "nugget",
    "nugget_id": "g",
    "query_id": "q",
    "run_id": "r",
    "snippet_id": "1",
    "spans": [[0, 3]],
    "source": "auto",
}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (line(NUG, importance="vitall"), "importance: 'vitall' is not one of vital, okay"),
        (line(NUGGET, source="machine"), "source: 'machine' is not one of person, auto, corrected"),
        (line(NUG, nug_id=...), "nug_id: is missing"),
        (line(NUG, nug_id=None), "nug_id: is missing"),
        (line(NUG, descriptions="d"), "descriptions: must be a list, not a string"),
        (line(NUG, descriptions=["d", 5]), "descriptions[1]: must be a string, not a number"),
        (line(NUG, relevance=7), "relevance: 7 is not a number from 0 to 1"),
        (line(NUG, relevance="much"), "relevance: 'much' is not a number from 0 to 1"),
        (line(NUG, members=[{"nugget_id": "g", "degree": 7}]), "members[0].degree: 7 is not a number from 0 to 1"),
        (line(NUG, members=[{"degree": 1}]), "members[0].nugget_id: is missing"),
        (line(NUGGET, spans=[[5, 2]]), "spans: a span needs 0 <= start < end, not [5, 2]"),
        (line(NUGGET, spans=[[1, "2"]]), "spans: a span is two whole numbers [start, end], not [1, '2']"),
        (line(NUG, kind="nugg"), f"kind: 'nugg' is not one of {KINDS}"),
        (line(NUG, kind=["nug"]), f"kind: ['nug'] is not one of {KINDS}"),
        (line(NUG, kind=...), "kind: is missing"),
        (line(NUG, v=2), "v: 2 is not one of 1"),
        ("[1, 2]", "a record must be an object, not a list"),
        ('"nug"', "a record must be an object, not a string"),
        ("[" * 200_000, "is nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_and_the_next_line_kept(row: str, problem: str) -> None:
    data = f"\n{row}\n{line(NUG, nug_id='next')}"
    assert messages(data, "karat") == [f"2: {problem}"]
    collection, _ = collect_with_problems(data, "karat")
    assert collection.nugs[-1].nug_id == "next"


@pytest.mark.parametrize(
    "row",
    [b"{", b'{"kind": "nug"', b"nug", b'{"kind": "query", "text": "\xff"}', b"\x00", b'{"kind": "q\x00"}'],
)
def test_what_is_not_json_is_said_so(row: bytes) -> None:
    collection, problems = collect_with_problems(row + b"\n" + line(NUG).encode(), "karat")
    assert [(problem.line, problem.path, problem.code) for problem in problems] == [(1, "", "bad-json")]
    assert problems[0].message.startswith("is not JSON: ")
    assert len(collection.nugs) == 1


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"degree": 7}, "degree: 7 is not a number from 0 to 1"),
        ({"degree": -0.1}, "degree: -0.1 is not a number from 0 to 1"),
        ({"degree": "support"}, "degree: 'support' is not a number from 0 to 1"),
        ({"degree": True}, "degree: True is not a number from 0 to 1"),
        ({"degree": 1, "status": "fine"}, "status: 'fine' is not one of ok, failed, unknown"),
    ],
)
def test_a_judgement_with_an_impossible_label_is_kept_as_failed(changes: dict[str, Any], problem: str) -> None:
    collection, problems = collect_with_problems(line(JUDGEMENT, note="kept", **changes), "karat")
    assert collection.judgements == [
        Judgement(query_id="q", run_id="r", nug_id="n", judge="j", status="failed", extra={"note": "kept"})
    ]
    assert [str(problem) for problem in problems] == [f"<bytes>:1: {problem}"]
    assert (problems[0].code, problems[0].query_id) == ("impossible-label", "q")


@pytest.mark.parametrize("probabilities", [{"1": 2}, {"0.7": 1}, {"1": "x"}, [1], 0.5])
def test_impossible_probabilities_make_a_judgement_failed(probabilities: Any) -> None:
    collection, problems = collect_with_problems(line(JUDGEMENT, degree=1, probabilities=probabilities), "karat")
    assert [(judgement.status, judgement.degree) for judgement in collection.judgements] == [("failed", None)]
    assert [problem.path.split("[")[0] for problem in problems] == ["probabilities"]


def test_the_smallest_unit_is_left_out() -> None:
    snippets = [{"snippet_id": "1"}, {"snippet_id": "2", "text": "b"}, {"snippet_id": "3", "text": 4}]
    row = {"kind": "response", "query_id": "q", "run_id": "r", "snippets": snippets}
    collection, problems = collect_with_problems(json.dumps(row), "karat")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: snippets[0].text: is missing",
        "<bytes>:1: snippets[2].text: must be a string, not a number",
    ]
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["2"]


def test_is_recognised() -> None:
    for record in EVERYTHING:
        assert sniff_karat(Head(Source("<bytes>", _written(record))))
    assert not sniff_karat(Head(Source("<bytes>", b'{"kind": ["nug"]}')))
    assert not sniff_karat(Head(Source("<bytes>", b'{"kind": "other"}')))
    assert sniffed(line(NUG)) == "karat"


def _written(record: AnyRecord) -> bytes:
    from karat.formats import write_bytes

    return write_bytes([record])


def test_a_field_that_is_nearly_a_known_one_is_a_warning() -> None:
    nug = {"kind": "nug", "query_id": "q", "nug_id": "1", "descriptions": ["x"]}
    rows = [nug | {"improtance": "vital", "note": 1}, nug | {"nug_id": "2", "aggregation": "or"}]
    source = Source("key", "\n".join(map(json.dumps, rows)).encode())
    assert [record.extra for record in read(source)] == [{"improtance": "vital", "note": 1}, {"aggregation": "or"}]
    assert [(str(warning), warning.code) for warning in source.warnings] == [
        ("key:1: improtance: is no field of a nug and is kept without a meaning; did you mean 'importance'?",
         "misspelt-field"),
        ("key:2: aggregation: is no field of a nug and is kept without a meaning; its name is similar to 'aggregator'",
         "unknown-field"),
    ]  # fmt: skip
