from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from builders.records import nugget
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import open_reading
from karat.formats.annotation.label_studio import sniff_label_studio
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Collection, Response, Run, Snippet, SpanSet

TEXT = "A 🐝 dances\r\nre\u0301el, then hums."


def region(start: int, end: int, text: str, label: str = "Act", **more: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, "labels": [label]}
    return {
        "id": "r1",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "origin": "manual",
        "value": value,
    } | more


def task(*results: dict[str, Any], by: Any = 3, **more: Any) -> dict[str, Any]:
    return {"id": 7, "data": {"text": TEXT}, "annotations": [{"completed_by": by, "result": list(results)}]} | more


marked = partial(nugget, query_id="7", run_id="label-studio", type="Act")


def test_reads_a_task_as_a_response_and_its_regions_as_nuggets() -> None:
    collection = collect(json.dumps([task(region(5, 11, "dances"))]), "label-studio")
    assert collection.runs == [Run(run_id="label-studio")]
    assert collection.responses == [
        Response(query_id="7", run_id="label-studio", snippets=(Snippet(snippet_id="1", text=TEXT),))
    ]
    assert collection.nuggets == [marked("r1", (4, 10), assessor="3")]
    written = json.loads(round_trip(collection, "label-studio"))
    assert written[0]["annotations"] == [{"completed_by": 3, "result": [region(5, 11, "dances")]}]
    assert written[0]["data"]["query_id"] == "7"


def test_offsets_in_code_points_are_seen_by_the_text() -> None:
    reading = open_reading(json.dumps([task(region(4, 10, "dances"))]).encode(), format="label-studio")
    assert Collection(reading).nuggets[0].spans == SpanSet([(4, 10)])
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: [0].annotations[0].result[0].value: offsets are read as code points, "
        "because only then they cover the stated text"
    ]


@pytest.mark.parametrize(
    ("by", "assessor"),
    [(3, "3"), ("ann", "ann"), ({"id": 4, "email": "a@b.c"}, "a@b.c"), ({"id": 4}, "4"), (None, None)],
)
def test_who_completed_it(by: Any, assessor: str | None) -> None:
    collection = collect(json.dumps([task(region(0, 1, "A"), by=by)]), "label-studio")
    assert collection.nuggets[0].assessor == assessor
    round_trip(collection, "label-studio")


def test_parts_of_ours_are_one_nugget_and_other_children_are_not() -> None:
    part = region(25, 29, "hums", id="r1.2", parentID="r1", meta={"karat_part_of": "r1"})
    child = region(0, 1, "A", id="c", parentID="r1")
    collection = collect(json.dumps([task(region(5, 11, "dances"), part, child)]), "label-studio")
    assert collection.nuggets == [
        marked("r1", (4, 10), (24, 28), assessor="3"),
        marked("c", (0, 1), assessor="3", extra={"parentID": "r1"}),
    ]
    round_trip(collection, "label-studio")


def test_everything_else_is_kept_and_written_back() -> None:
    relation = {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right"}
    choice = {"id": "q", "type": "choices", "from_name": "c", "to_name": "text", "value": {"choices": ["x"]}}
    second = region(5, 11, "dances", "Other", from_name="second")
    odd = region(0, 1, "A", id="r2", from_name="l", score=0.5, origin="prediction-changed")
    odd["value"] |= {"labels": ["Act", "More"], "hypertext": 1}
    data = task(region(5, 11, "dances"), second, odd, relation, choice, project=3, predictions=[])
    data["data"] |= {"title": "t", "text": TEXT}
    data["annotations"][0] |= {"id": 9, "lead_time": 1.5, "was_cancelled": False}
    data["annotations"].append({"completed_by": 4, "result": []})
    data["predictions"] = [{"model_version": "m1", "score": 0.3, "result": [region(0, 1, "A", id="p")]}]
    collection = collect(json.dumps([data]), "label-studio")
    snippet = collection.responses[0].snippets[0]
    assert snippet.extra["data"] == {"title": "t"}
    assert snippet.extra["project"] == 3
    assert snippet.extra["annotations"] == [
        {"completed_by": 3, "id": 9, "lead_time": 1.5, "was_cancelled": False, "result": [second, relation, choice]},
        {"completed_by": 4},
    ]
    assert collection.nuggets == [
        marked("r1", (4, 10), assessor="3"),
        marked(
            "r2",
            (0, 1),
            assessor="3",
            source="corrected",
            extra={"from_name": "l", "score": 0.5, "labels": ["More"], "value": {"hypertext": 1}},
        ),
        marked("p", (0, 1), source="auto", rule="m1"),
    ]
    round_trip(collection, "label-studio")


def test_a_skipped_annotation_is_a_finding_and_kept_as_it_is() -> None:
    data = task(region(0, 1, "A"))
    data["annotations"][0]["was_cancelled"] = True
    reading = open_reading(json.dumps([data]).encode(), format="label-studio")
    collection = Collection(reading)
    assert collection.nuggets == []
    assert [warning.message for warning in reading.source.warnings] == [
        "was skipped by its annotator, so its 1 regions are not read"
    ]
    round_trip(collection, "label-studio")


def test_tasks_of_one_response_are_its_snippets_and_equal_region_ids_are_reported_apart() -> None:
    tasks = [
        {"id": n, "data": {"body": f"Text {n}", "query_id": "q", "run_id": "sys", "snippet_id": f"s{n}"}}
        | {"annotations": [{"result": [region(0, 4, "Text")]}]}
        for n in (1, 2)
    ]
    collection = collect(json.dumps(tasks), "label-studio")
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["s1", "s2"]
    assert collection.responses[0].snippets[0].extra == {"id": 1}
    assert [nugget.nugget_id for nugget in collection.nuggets] == ["r1", "r1'"]
    round_trip(collection, "label-studio")


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    tasks = [
        {"id": 1, "data": {}, "annotations": []},
        task(
            region(3, 11, "x"), region(0, 99, "y", id="r2"), region(0, 1, "A", id="r3"), {"id": "r4", "type": "labels"}
        ),
        task(),
        {"id": 5},
    ]
    data = json.dumps(tasks)
    assert messages(data, "label-studio") == [
        "1: [0].data.text: is missing",
        "1: [1].annotations[0].result[0].value: [[3, 11]] begin or end inside a character",
        "1: [1].annotations[0].result[1].value: ends at 99, but the text has 30 UTF-16 units",
        "1: [1].annotations[0].result[3].value: is missing",
        "1: [2].id: an earlier task has the id '7', too",
        "1: [3].data: is missing",
    ]
    assert [nugget.nugget_id for nugget in collect_with_problems(data, "label-studio")[0].nuggets] == ["r3"]


def test_round_trip_of_records_from_elsewhere() -> None:
    texts = ("🐝 e\u0301 one\r\ntwo", "second")
    ids = {"query_id": "q", "run_id": "sys"}
    round_trip(
        [
            Run(run_id="sys"),
            Response(
                **ids,
                snippets=tuple(Snippet(snippet_id=str(n), text=text) for n, text in enumerate(texts)),
            ),
            marked("a", (0, 1), (4, 7), (9, 12), **ids, snippet_id="0", assessor="x@y.z", type=None),
            marked("b", (0, 12), **ids, snippet_id="0", source="corrected"),
            marked("c", (0, 6), **ids, snippet_id="1", source="auto", rule="v1"),
        ],
        "label-studio",
    )


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        Run(run_id="sys", human=True),
        Response(query_id="q", run_id="sys", snippets=()),
        marked("a", (0, 1)),
        Response(query_id="7", run_id="label-studio", snippets=(Snippet(snippet_id="1", text="ab"),)),
        marked("b", (0, 9)),
        marked("c", (0, 1), rule="r", paraphrase="p"),
        marked("d", (0, 1), snippet_id="2"),
    ]
    assert lost(records, "label-studio") == {
        "run": 1,
        "run.human": 1,
        "response": 1,
        "nugget": 2,
        "nugget.paraphrase": 1,
        "nugget.rule": 1,
    }


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (json.dumps([task()]), True),
        (json.dumps(task()), True),
        ('[{"id": 1, "data": {"text": "x"}, "predictions": []}]', True),
        ('[{"data": [], "annotations": []}]', False),
        ('{"data": {}}', False),
        ("[1]", False),
        ("", False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_label_studio(Head(Source("<bytes>", data.encode()))) is expected


def test_a_list_where_the_name_of_a_region_belongs_is_kept_as_it_is() -> None:
    value = '{"start": 0, "end": 2, "text": "ab", "labels": ["LOC"]}'
    region = f'{{"id": "r", "type": "labels", "value": {value}, "meta": {{"karat_part_of": ["x"]}}}}'
    task = f'[{{"id": 1, "data": {{"text": "ab"}}, "annotations": [{{"result": [{region}]}}]}}]'
    (nugget,) = collect(task, "label-studio").nuggets
    assert nugget.extra["meta"] == {"karat_part_of": ["x"]}
