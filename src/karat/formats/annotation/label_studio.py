"""Label Studio's JSON export: tasks with a text and the labelled regions of each annotator.

[{"id": 1, "data": {"text": "…"}, "annotations": [{"completed_by": 3, "result": [{"id": "r1", "type": "labels",
"from_name": "label", "to_name": "text", "value": {"start": 0, "end": 4, "text": "…", "labels": ["PER"]}}]}]}]
Offsets count UTF-16 units, as browsers do. Label Studio has no region of several parts: further parts are separate
regions, whose `parentID` (shown as a tree) and `meta.karat_part_of` name the first part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from karat.formats.annotation.annotated_text import pieces_of, spans_in
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Collection, Nugget, Response, Run, Snippet, SpanSet

TITLE = "Label Studio export"
CARRIES = carries(
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra",
    nugget="nugget_id query_id run_id snippet_id spans type source rule assessor extra",
)
RUN = "label-studio"
PART_OF = "karat_part_of"
_IDS = ("query_id", "run_id", "snippet_id")
_SOURCES: dict[Any, Literal["person", "auto", "corrected"]] = {
    "manual": "person",
    "prediction": "auto",
    "prediction-changed": "corrected",
}
_ORIGINS = {source: origin for origin, source in _SOURCES.items()}
_WHERE = {"from_name": "label", "to_name": "text"}


def sniff_label_studio(head: Head) -> bool:
    return isinstance(head.row.get("data"), dict) and (
        isinstance(head.row.get("annotations"), list) or isinstance(head.row.get("predictions"), list)
    )


def read_label_studio(source: Source) -> Iterator[AnyRecord]:
    """One Snippet per task and one Nugget per region; the tasks of one query and run are one Response."""
    snippets: dict[tuple[str, str], dict[str, Snippet]] = {}
    nuggets: list[Nugget] = []
    taken: set[tuple[str, str]] = set()
    for number, task in enumerate(json_rows(source), start=1):
        with task.unit():
            data = task.child("data")
            own_id = task.optional_id("id")
            query_id = source.query_id = data.optional_id("query_id") or own_id or str(number)
            run_id = data.optional_id("run_id") or RUN
            snippet_id = data.optional_id("snippet_id") or "1"
            tasks = snippets.setdefault((query_id, run_id), {})
            if snippet_id in tasks:
                task.bad("id", f"an earlier task has the id {query_id!r}, too", code="duplicate-id")
            text = _text(data)
            extra = task.rest("annotations", "predictions")
            if own_id is not None and own_id != query_id:
                extra["id"] = task.data["id"]
            if rest := data.rest():
                extra["data"] = rest
            reader = _Regions((query_id, run_id, snippet_id), text, taken)
            for name in ("annotations", "predictions"):
                items = task.optional_items(name)
                if kept := [
                    remainder for item in items for remainder in reader.read(item, predicted=name == "predictions")
                ]:
                    extra[name] = kept
            tasks[snippet_id] = Snippet(snippet_id=snippet_id, text=text, extra=extra)
            nuggets.extend(reader.nuggets)
    for run_id in dict.fromkeys(run_id for (_, run_id), tasks in snippets.items() if tasks):
        yield Run(run_id=run_id)
    for (query_id, run_id), tasks in snippets.items():
        if tasks:
            yield Response(query_id=query_id, run_id=run_id, snippets=tuple(tasks.values()))
    yield from nuggets


def _text(data: Fields) -> str:
    """The text: the field `text`, or the only other field that has a string."""
    names = [name for name, value in data.data.items() if isinstance(value, str) and name not in _IDS]
    return data.text(names[0]) if len(names) == 1 else data.text("text")


def _assessor(completed_by: Any) -> str | None:
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return str(completed_by) if isinstance(completed_by, str | int) and completed_by != "" else None


class _Regions:
    """Reads the annotations of one task."""

    def __init__(self, ids: tuple[str, str, str], text: str, taken: set[tuple[str, str]]) -> None:
        self.nuggets: list[Nugget] = []
        self._ids = ids
        self._text = text
        self._taken = taken

    def read(self, annotation: Fields, *, predicted: bool) -> Iterator[dict[str, Any]]:
        """Collect the nuggets; returns the other content of the annotation, to be kept with the task."""
        with annotation.unit():
            results = annotation.optional_items("result")
            if annotation.data.get("was_cancelled") is True:
                message = f"was skipped by its annotator, so its {len(results)} regions are not read"
                annotation.source.warn(annotation.path, message, code="not-accepted")
                yield annotation.data
                return
            by = annotation.data.get("model_version" if predicted else "completed_by")
            others: list[dict[str, Any]] = []
            regions: dict[str, list[Fields]] = {}
            for number, item in enumerate(results):
                with item.unit():
                    meta = item.data.get("meta")
                    whole = meta.get(PART_OF) if isinstance(meta, dict) else None
                    # Not optional_id: ids of regions are strings and those of tasks numbers, which is no finding.
                    region_id = str(item.get("id") or len(self._taken) + number + 1)
                    if item.data.get("type") != "labels" or (region_id in regions and whole is None):
                        # A relation, a choice, a comment, or a second label on the same region.
                        others.append(item.data)
                    elif isinstance(whole, str) and whole in regions:
                        regions[whole].append(item)
                    else:
                        regions[region_id] = [item]
            for region_id, parts in regions.items():
                with parts[0].unit():
                    self._add(region_id, parts, by, predicted=predicted)
            rest = annotation.rest("result", "completed_by", "model_version")
            if rest or others or not regions or (isinstance(by, dict) and len(by) > 1):
                known = {} if by is None else {"model_version" if predicted else "completed_by": by}
                yield known | annotation.rest("result") | ({"result": others} if others else {})

    def _add(self, region_id: str, parts: list[Fields], by: Any, *, predicted: bool) -> None:
        query_id, run_id, snippet_id = self._ids
        pairs: list[tuple[int, int]] = []
        for part in parts:
            value = part.child("value")
            pair = [value.integer("start"), value.integer("end")]
            pairs += spans_in(value, "", [pair], self._text, stated=value.optional_text("text"), utf16=True)
        first, value = parts[0], parts[0].child("value")
        labels = value.strings("labels")
        extra = first.rest("type", "origin")
        for name, usual in _WHERE.items():
            if extra.get(name) == usual:
                del extra[name]
        if first.has("origin") and first.data["origin"] not in tuple(_SOURCES):
            extra["origin"] = first.data["origin"]
        if len(labels) > 1:
            extra["labels"] = labels[1:]
        if more := value.rest("start", "end", "text"):
            extra["value"] = more
        while (query_id, region_id) in self._taken:
            region_id += "'"
        self._taken.add((query_id, region_id))
        self.nuggets.append(
            Nugget(
                nugget_id=region_id,
                query_id=query_id,
                run_id=run_id,
                snippet_id=snippet_id,
                spans=SpanSet(pairs),
                type=labels[0] if labels else None,
                source="auto" if predicted else _SOURCES.get(_plain(first.data.get("origin")), "person"),
                rule=str(by) if predicted and by is not None else None,
                assessor=None if predicted else _assessor(by),
                extra=extra,
            )
        )


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else None


# -- writing ------------------------------------------------------------------------------------


def write_label_studio(records: Iterable[AnyRecord], sink: Sink) -> None:
    """One task per snippet; the file is one array, as Label Studio imports it."""
    collection = Collection(records)
    nuggets: dict[tuple[str, str, str], list[Nugget]] = {}
    for nugget in collection.nuggets:
        nuggets.setdefault((nugget.query_id, nugget.run_id, nugget.snippet_id), []).append(nugget)
    tasks: list[dict[str, Any]] = []
    for response in collection.responses:
        if not response.snippets:
            sink.lose("response", "a task needs a text")
        for snippet in response.snippets:
            ids = (response.query_id, response.run_id, snippet.snippet_id)
            extra = dict(snippet.extra)
            data = _dict(extra.pop("data", {})) | {"text": snippet.text} | dict(zip(_IDS, ids, strict=True))
            kept = {name: _dicts(extra.pop(name, [])) for name in ("annotations", "predictions")}
            tasks.append(extra | {"data": data} | _annotations(nuggets.pop(ids, []), kept, snippet.text, sink))
    for unplaced in nuggets.values():
        for _ in unplaced:
            sink.lose("nugget", "its snippet is missing")
    written = {response.run_id for response in collection.responses if response.snippets}
    for run in collection.runs:
        if run.run_id not in written:
            sink.lose("run", "it has no response")
    sink.json_document(tasks)


def _annotations(
    nuggets: list[Nugget], kept: dict[str, list[dict[str, Any]]], text: str, sink: Sink
) -> dict[str, list[dict[str, Any]]]:
    people: dict[str | None, list[dict[str, Any]]] = {}
    programs: dict[str | None, list[dict[str, Any]]] = {}
    for nugget in nuggets:
        if not nugget.spans.fits(text):
            sink.lose("nugget", "its span is outside its snippet")
        elif nugget.source == "auto" and nugget.assessor is None:
            programs.setdefault(nugget.rule, []).extend(_regions(nugget, text))
        else:
            if nugget.rule is not None:
                sink.lose("nugget.rule", "only predictions have a model")
            people.setdefault(nugget.assessor, []).extend(_regions(nugget, text))
    written: dict[str, list[dict[str, Any]]] = {"annotations": [], "predictions": []}
    for annotation in kept["annotations"]:
        if annotation.get("was_cancelled") is True:
            written["annotations"].append(annotation)
            continue
        regions = people.pop(_assessor(annotation.get("completed_by")), [])
        written["annotations"].append(annotation | {"result": regions + _dicts(annotation.get("result", []))})
    for prediction in kept["predictions"]:
        version = prediction.get("model_version")
        regions = programs.pop(None if version is None else str(version), [])
        written["predictions"].append(prediction | {"result": regions + _dicts(prediction.get("result", []))})
    for assessor, regions in people.items():
        written["annotations"].append(_completed_by(assessor) | {"result": regions})
    for rule, regions in programs.items():
        written["predictions"].append(({} if rule is None else {"model_version": rule}) | {"result": regions})
    return written


def _completed_by(assessor: str | None) -> dict[str, Any]:
    """The user in Label Studio's form: a number or an e-mail address."""
    if assessor is None:
        return {}
    return {"completed_by": int(assessor) if str(assessor).isdecimal() else {"email": assessor}}


def _regions(nugget: Nugget, text: str) -> Iterator[dict[str, Any]]:
    extra = dict(nugget.extra)
    labels = [nugget.type] if nugget.type is not None else []
    labels += [label for label in _list(extra.pop("labels", [])) if isinstance(label, str)]
    more = _dict(extra.pop("value", {}))
    places = zip(pieces_of(nugget.spans, text), nugget.spans.to_utf16(text), strict=True)
    for number, (piece, (start, end)) in enumerate(places):
        value = more | {"start": start, "end": end, "text": piece, "labels": labels}
        region = _WHERE | {"type": "labels", "origin": _ORIGINS[nugget.source]} | extra | {"value": value}
        region["id"] = nugget.nugget_id
        if number:
            region["id"] = f"{nugget.nugget_id}.{number + 1}"
            region["parentID"] = nugget.nugget_id
            region["meta"] = {PART_OF: nugget.nugget_id}
        yield region


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [member for member in _list(value) if isinstance(member, dict)]
