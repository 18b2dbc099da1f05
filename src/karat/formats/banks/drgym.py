"""DeepResearchGym's key points, as found in each document and aggregated, and the labels given to answers.

`{"question", "key_points": {"<docid>": [{"point_number", "point_content", "spans": []}]}}` (found),
`{"question", "key_points": [{"point_number", "point_content", "original_point_number": []}]}` (aggregated),
`{"<query id>": {"labels": {"<point_number>": ["Supported", "why"]}, "support_rate": 60.0, ...}}` (labels).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import file_stem, run_of_file, score_of
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Judgement, Nug, Query, Run, content_id
from karat.model.default_names import GIVEN

TITLE = "DeepResearchGym key points"
_AGGREGATED = "_aggregated"
_DEGREES = {"supported": 1.0, "omitted": 0.0, "contradicted": 0.0}
_LABELS = ("Supported", "Omitted", "Contradicted")
_RATES = ("support_rate", "omitted_rate", "contradicted_rate")


def sniff_drgym(head: Head) -> bool:
    points = head.first("key_points")
    if head.has("question", "key_points"):
        if "point_content" in points or head.row["key_points"] in ([], {}):
            return True
        inner = next(iter(points.values()), None)
        return isinstance(inner, list) and bool(inner) and isinstance(inner[0], dict) and "point_content" in inner[0]
    first = next(iter(head.row.values()), None)
    if not isinstance(first, dict) or not isinstance(first.get("labels"), dict):
        return False
    return not {*_RATES}.isdisjoint(first) or any(_label(value)[0] in _LABELS for value in first["labels"].values())


def read_drgym(source: Source) -> Iterator[AnyRecord]:
    """One Nug per key point; points of documents get the id `docid:number`, aggregated ones their number.

    The query's id is in the row; otherwise it is the name of a file with one question, or it is made from the question.
    Labels are judgements of the run named like the file: Supported is 1, Omitted and Contradicted are 0.
    """
    once = Once(source)
    rows = list(json_rows(source))
    for row in rows:
        with row.unit():
            if "key_points" in row.data:
                yield from _read_key_points(row, once, is_single=len(rows) == 1)
            else:
                yield from once(Run(run_id=run_of_file(source)))
                for query_id in row.data:
                    with row.unit():
                        yield from _read_labels(row.child(query_id), query_id)


def _read_key_points(row: Fields, once: Once, *, is_single: bool) -> Iterator[AnyRecord]:
    question = row.text("question")
    stem = file_stem(row.source) if is_single else None
    named = stem.removesuffix(_AGGREGATED) if stem else content_id(question)
    query_id = row.source.query_id = row.optional_id("query_id", "qid", "id") or named
    points: list[tuple[str, Fields]] = []
    if isinstance(row.get("key_points"), dict):
        documents = row.child("key_points")
        for doc_id in documents.data:
            with documents.unit():
                points += [(doc_id, item) for item in documents.items(doc_id)]
    else:
        points = [("", item) for item in row.optional_items("key_points")]
    yield from once(Query(query_id=query_id, text=question, extra=row.rest()))
    seen: set[str] = set()
    for doc_id, item in points:
        with item.unit():
            number, text = item.id("point_number"), item.text("point_content")
            nug_id = f"{doc_id}:{number}" if doc_id else number
            if nug_id in seen:
                item.bad("point_number", f"point {number!r} appears twice", code="duplicate-id")
            seen.add(nug_id)
            why = {"justification": item.get("justification")} if item.has("justification") else {}
            extra = ({"doc_id": doc_id} if doc_id else {}) | item.rest("label")
            yield from once(Nug(query_id=query_id, nug_id=nug_id, descriptions=(text,), extra=extra))
            if "label" in item.data:
                run_id = run_of_file(row.source)
                yield from once(Run(run_id=run_id))
                yield _judgement(item, "label", query_id, run_id, nug_id, why)


def _read_labels(result: Fields, query_id: str) -> Iterator[AnyRecord]:
    """The labels of one answer; the nugs are in the other file, that of the key points."""
    run_id = run_of_file(result.source)
    result.source.query_id = query_id
    labels = result.child("labels")
    rates = [rate for rate in _RATES if rate in result.data]
    if extra := result.rest(*rates):
        yield Query(query_id=query_id, text="", extra=extra)
    for number, value in labels.data.items():
        label, why = _label(value)
        fields = Fields(labels.source, {number: label}, labels.path)
        yield _judgement(fields, number, query_id, run_id, number, why)
    for rate in rates:
        with result.unit():
            percent = result.optional_number(rate)
            yield score_of(run_id, query_id, rate, None if percent is None else percent / 100.0)


def _label(value: Any) -> tuple[Any, dict[str, Any]]:
    """The label and its reason: "Supported", ["Supported", "why"] or {"label", "justification"}."""
    if isinstance(value, list):
        return next(iter(value), None), {"justification": value[1]} if len(value) > 1 else {}
    if isinstance(value, dict):
        return value.get("label"), {name: kept for name, kept in value.items() if name != "label"}
    return value, {}


def _judgement(item: Fields, name: str, query_id: str, run_id: str, nug_id: str, why: dict[str, Any]) -> Judgement:
    degree = item.label(name, _DEGREES)
    return Judgement(
        query_id=query_id,
        run_id=run_id,
        nug_id=nug_id,
        degree=degree,
        judge=GIVEN,
        status="ok" if degree is not None else "failed",
        extra={"label": item.data[name]} | why,
    )
