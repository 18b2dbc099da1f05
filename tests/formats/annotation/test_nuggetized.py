from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import nugget
from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import load, open_inputs
from karat.formats.annotation.nuggetized import NUGGET_TYPES
from karat.model import Citation, Collection, Nugget, Response, Run, Snippet, SpanSet
from karat.nuggetizer.templates import TYPES
from strategies import moderately, span_pairs

TEXT = "Ada Brown left Rome in May."
EVENT = {"type": "EVT", "spans": [[0, 19]], "anchor": [10, 14], "text": "Ada Brown left Rome", "rule": "event"}
TIME = {"type": "TMP", "spans": [[20, 26]], "text": "in May", "rule": "time"}
ROW: dict[str, Any] = {"snippet_id": "1", "text": TEXT, "nuggets": [EVENT, TIME]}


def lines(*rows: Any) -> str:
    return "\n".join(map(json.dumps, rows))


def row(*nuggets: Any, **fields: Any) -> dict[str, Any]:
    return ROW | {"nuggets": [*nuggets]} | fields


automatic = partial(nugget, source="auto")


def test_reads_a_snippet_a_row() -> None:
    collection = collect(
        lines(ROW, {"snippet_id": 2, "text": "Nothing.", "nuggets": [], "style": "blog"}), "nuggetized"
    )
    assert collection.runs == [Run(run_id="text")]
    snippets = Snippet(snippet_id="1", text=TEXT), Snippet(snippet_id="2", text="Nothing.", extra={"style": "blog"})
    assert collection.responses == [Response(query_id="text", run_id="text", snippets=snippets)]
    event, time = collection.nuggets
    assert event == Nugget(
        nugget_id=event.nugget_id, query_id="text", run_id="text", snippet_id="1", spans=SpanSet([(0, 19)]), type="EVT",
        anchor=SpanSet([(10, 14)]), source="auto", rule="event",
    )  # fmt: skip
    assert (time.type, time.anchor, time.spans) == ("TMP", None, SpanSet([(20, 26)]))
    assert event.nugget_id != time.nugget_id


def test_rows_of_one_query_and_run_are_one_response_in_any_order() -> None:
    rows = [ROW | {"query_id": q, "run_id": r, "snippet_id": s} for q, r, s in ("qr1", "pr1", "qr2", "qs1")]
    collection = collect(lines(*rows), "nuggetized")
    assert [(response.query_id, response.run_id, len(response.snippets)) for response in collection.responses] == [
        ("q", "r", 2), ("p", "r", 1), ("q", "s", 1),
    ]  # fmt: skip
    assert [run.run_id for run in collection.runs] == ["r", "s"]


def test_snippets_without_ids_are_numbered() -> None:
    collection = collect(lines(*({"text": TEXT, "nuggets": [EVENT]} for _ in range(2))), "nuggetized")
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["1", "2"]


def test_people_may_have_made_the_nuggets_of_a_row_or_one_of_them() -> None:
    rows = [
        row(EVENT, TIME | {"source": "corrected", "assessor": "ben"}, source="person", assessor="ann"),
        row(EVENT, TIME | {"source": "person"}, snippet_id="2"),
    ]
    collection = collect(lines(*rows), "nuggetized")
    assert [(nugget.source, nugget.assessor) for nugget in collection.nuggets] == [
        ("person", "ann"), ("corrected", "ben"), ("auto", None), ("person", None),
    ]  # fmt: skip


def test_automatic_and_gold_files_can_be_read_together() -> None:
    auto, gold = lines(ROW).encode(), lines(ROW | {"source": "person"}).encode()
    assert len(load(auto, gold).nuggets) == 4


def test_one_file_may_hold_the_rows_of_several_people() -> None:
    collection = collect(
        lines(ROW, ROW | {"source": "person"}, ROW | {"source": "person", "assessor": "b"}), "nuggetized"
    )
    assert len(collection.nuggets) == 6
    assert len({nugget.nugget_id for nugget in collection.nuggets}) == 6
    assert len(collection.responses[0].snippets) == 1


@pytest.mark.parametrize(
    "stated", ["Ada ... left", "Ada left", "Ada\n...  left", "Adaleft", " Ada  ...left "], ids=repr
)
def test_the_text_of_pieces_may_be_joined_in_any_way(stated: str) -> None:
    (marked,) = collect(lines(row({"type": "EVT", "spans": [[0, 3], [10, 14]], "text": stated})), "nuggetized").nuggets
    assert marked.spans == SpanSet([(0, 3), (10, 14)])


@pytest.mark.parametrize(
    ("one", "message"),
    [
        ({"spans": [[0, 99]]}, "nuggets[0].spans: ends at 99, but the text has 27 characters"),
        ({"spans": [[3, 3]]}, "nuggets[0].spans: a span needs 0 <= start < end, not [3, 3]"),
        ({"spans": [0]}, "nuggets[0].spans: a span is two whole numbers [start, end], not [0]"),
        ({"spans": [[0, 3], 7]}, "nuggets[0].spans: a span is two whole numbers [start, end], not 7"),
        ({"spans": "0-3"}, "nuggets[0].spans: must be [[start, end], ...], not a string"),
        ({"spans": []}, "nuggets[0].spans: is empty"),
        ({"type": "EVT"}, "nuggets[0].spans: is missing"),
        ({"spans": [[0, 3]], "anchor": [90, 99]}, "nuggets[0].anchor: ends at 99, but the text has 27 characters"),
        ({"spans": [[0, 3]], "text": "Bob"}, "nuggets[0].text: is 'Bob', but the spans cover 'Ada'"),
        ({"spans": [[0, 3]], "text": "ada"}, "nuggets[0].text: is 'ada', but the spans cover 'Ada'"),
        ({"spans": [[0, 3]], "source": "me"}, "nuggets[0].source: 'me' is not one of auto, person, corrected"),
        ({"spans": [[0, 3]], "type": ["EVT"]}, "nuggets[0].type: an id must be a string or a whole number, not a list"),
        ("Ada", "nuggets[0]: must be an object, not a string"),
    ],
)
def test_a_bad_nugget_is_reported_and_is_left_out(one: Any, message: str) -> None:
    data = lines(ROW, row(one, TIME, snippet_id="2"))
    assert messages(data, "nuggetized") == [f"2: {message}"]
    collection, _ = collect_with_problems(data, "nuggetized")
    assert [len(response.snippets) for response in collection.responses] == [2]
    assert [len(collection.nuggets)] == [3]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"snippet_id": "2", "nuggets": []}, "2: text: is missing"),
        ({"snippet_id": "2", "text": 3, "nuggets": []}, "2: text: must be a string, not a number"),
        ({"snippet_id": "2", "text": "x"}, "2: nuggets: is missing"),
        ({"snippet_id": "2", "text": "x", "nuggets": {}}, "2: nuggets: must be a list, not an object"),
        (ROW, "2: snippet_id: '1' is already on line 1"),
        (ROW | {"text": "Other."}, "2: text: snippet '1' has a different text in an earlier row"),
        (row(snippet_id="2", source="nobody"), "2: source: 'nobody' is not one of auto, person, corrected"),
        ([1], "2: a row must be an object, not a list"),
    ],
)
def test_a_bad_row_is_reported_and_is_left_out(second: Any, message: str) -> None:
    data = lines(ROW, second, row(snippet_id="3"))
    assert messages(data, "nuggetized") == [message]
    collection, _ = collect_with_problems(data, "nuggetized")
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["1", "3"]


def test_a_row_twice_in_an_array_on_one_line_is_seen() -> None:
    assert messages(json.dumps([ROW, ROW]), "nuggetized") == [
        "1: [1].snippet_id: '1' is already on line 1",
    ]


def test_other_types_are_kept_and_noted_once() -> None:
    claim = {"type": "CLAIM", "spans": [0, 3]}
    inputs = open_inputs(lines(row(claim, claim, TIME)).encode())
    collection = Collection(inputs)
    assert [nugget.type for nugget in collection.nuggets] == ["CLAIM", "CLAIM", "TMP"]
    assert len({nugget.nugget_id for nugget in collection.nuggets}) == 3
    (noted,) = inputs.warnings
    assert (noted.code, noted.path) == ("unknown-type", "nuggets[0].type")


def test_the_types_are_those_of_the_nuggetizer() -> None:
    assert NUGGET_TYPES == TYPES


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([ROW], True),
        ([ROW | {"query_id": "q", "run_id": "r"}], True),
        ([{"text": TEXT, "nuggets": [EVENT]}], True),
        ([{"snippet_id": "1", "text": "x", "nuggets": []}], True),
        ([{"text": "x" * 70_000, "nuggets": [{"spans": [[0, 1]]}]}], True),
        ([{"text": "x", "nuggets": []}, {"text": TEXT, "nuggets": [EVENT]}], True),
        ([{"qid": "q", "query": "why", "nuggets": [{"text": "x", "importance": "vital"}]}], False),
    ],
)
def test_is_recognised(rows: list[Any], expected: bool) -> None:
    assert (sniffed(lines(*rows)) == "nuggetized") is expected


def test_writes_the_rows_that_it_read() -> None:
    rows = [
        ROW | {"notes": ["read twice"], "style": "news"},
        row(EVENT | {"category": "EVENT", "source": "person", "assessor": "ann", "sure": True}, snippet_id="2"),
    ]
    data = round_trip(collect(lines(*rows), "nuggetized"), "nuggetized")
    assert [json.loads(line) for line in data.splitlines()] == rows


def test_ids_are_written_where_they_are_not_those_of_the_reader() -> None:
    snippets = (Snippet(snippet_id="1", text="Ada left."),)
    records = [
        Run(run_id="r"),
        Response(query_id="q", run_id="r", snippets=snippets),
        automatic("mine"),
        automatic("yours"),
    ]
    data = round_trip(records, "nuggetized")
    assert b'"nugget_id":"mine"' in data
    assert b'"query_id":"q","run_id":"r"' in data


kinds = st.sampled_from(["EVT", "TMP", "CLAIM", None])
sources = st.sampled_from(["auto", "person", "corrected"])
drafts = st.builds(
    dict, spans=st.lists(span_pairs(8), min_size=1, max_size=3).map(SpanSet), type=kinds, source=sources,
    assessor=st.sampled_from(["ann", None]), anchor=st.none() | span_pairs(8).map(lambda pair: SpanSet([pair])),
    rule=st.none() | st.text(max_size=3), nugget_id=st.none() | st.sampled_from(["a", "b", "c"]),
)  # fmt: skip


@given(st.lists(st.lists(drafts, max_size=4), min_size=1, max_size=3))
@moderately
def test_what_is_written_is_read_back(of_snippets: list[list[dict[str, Any]]]) -> None:
    rows, given_ids = [], set[str]()
    for number, drafts in enumerate(of_snippets):
        items = []
        for draft in drafts:
            item = {name: value for name, value in draft.items() if value is not None}
            if item.get("nugget_id") in given_ids:
                del item["nugget_id"]
            given_ids.add(item.get("nugget_id", ""))
            items.append(item)
        rows.append({"snippet_id": str(number), "text": "𝒳 bc ... g", "nuggets": items})
    round_trip(collect(json.dumps(rows), "nuggetized"), "nuggetized")


def test_what_cannot_be_written_is_reported() -> None:
    cited = Snippet(snippet_id="1", text="Ada left.", citations=(Citation(doc_id="d"),), extra={"source": "x"})
    records = [
        Run(run_id="r", human=True), Run(run_id="idle"),
        Response(query_id="q", run_id="r", snippets=(cited,), unnuggetized_chars=3),
        Response(query_id="p", run_id="r", snippets=()),
        automatic(extra={"text": "x"}), automatic("far", (5, 99)), automatic("lost", snippet_id="9"),
    ]  # fmt: skip
    assert lost(records, "nuggetized") == {
        "run": 1, "run.human": 1, "response": 1, "response.unnuggetized_chars": 1, "response.snippets.citations": 1,
        "response.snippets.citations.doc_id": 1, "response.snippets.extra": 1, "nugget": 2, "nugget.extra": 1,
    }  # fmt: skip


def test_what_a_nugget_corrects_is_read_and_written() -> None:
    spans = {"query_id": "q", "run_id": "r", "snippet_id": "1"}
    first = nugget("f", (0, 9), **spans)
    second = nugget(
        "g", (0, 19), **spans, revises=("f",), revision="extended", reason="too_fine", note="with its event"
    )
    answer = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="1", text=TEXT),))
    round_trip([Run(run_id="r"), first, second, answer], "nuggetized")
    wrong = messages(lines(row(EVENT | {"revision": "moved"})), "nuggetized")
    assert wrong == ["1: nuggets[0].revision: 'moved' is not one of joined, split, extended, shrunk, retyped"]
