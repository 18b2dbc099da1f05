"""The nuggetizer's assignments: which nuggets an answer (or a retrieved passage) supports, one answer per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.nuggetizer.bank import IDS, read_nuggetizer_nug, write_nuggetizer_nug
from karat.model import AnyRecord, Citation, Collection, ContentIds, Judgement, Query, Response, Run, Snippet
from karat.model.default_names import GIVEN, RETRIEVED

TITLE = "nuggetizer assignments"
CARRIES = carries(
    query="query_id text",
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra snippets.citations "
    "snippets.citations.doc_id extra",
    nug="query_id nug_id descriptions importance extra",
    judgement="query_id run_id snippet_id nug_id degree judge status",
)
DEGREES: dict[str, float | None] = {
    "support": 1.0,
    "partial_support": 0.5,
    "not_support": 0.0,
    "failed": None,
}
_LABELS = {degree: label for label, degree in DEGREES.items()}


def sniff_nuggetizer_assignments(head: Head) -> bool:
    has_id = any(name in head.row for name in IDS)
    return has_id and head.has("nuggets") and ("assignment" in head.first("nuggets") or head.has("answer_text"))


def read_nuggetizer_assignments(source: Source) -> Iterator[AnyRecord]:
    """Query, Run and Response per answer, the Nugs of each query as they first appear, and one Judgement per nugget."""
    once = Once(source)
    passages: dict[str, list[Snippet]] = {}
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id(*IDS)
            if row.has("candidate_text"):
                yield from _read_passage(row, query_id, once, passages)
            else:
                yield from _read_answer(row, query_id, once)
    if passages:
        yield Run(run_id=RETRIEVED)
    for query_id, snippets in passages.items():
        yield Response(query_id=query_id, run_id=RETRIEVED, snippets=tuple(snippets))


def _read_answer(row: Fields, query_id: str, once: Once) -> Iterator[AnyRecord]:
    run_id = row.id("run_id")
    text = row.optional_text("answer_text") or ""
    if (query := row.optional_text("query")) is not None:
        yield from once(Query(query_id=query_id, text=query))
    yield from once(Run(run_id=run_id))
    nuggets = row.items("nuggets")
    extra = row.rest("response_length")
    if row.has("response_length") and row.data["response_length"] != len(text.split()):
        extra["response_length"] = row.data["response_length"]
    snippets = (Snippet(snippet_id="1", text=text),) if text else ()
    yield Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=extra)
    yield from _read_judgements(nuggets, query_id, run_id, None, once)


def _read_passage(row: Fields, query_id: str, once: Once, passages: dict[str, list[Snippet]]) -> Iterator[AnyRecord]:
    doc_id = row.id("docid")
    if (query := row.optional_text("text", "query")) is not None:
        yield from once(Query(query_id=query_id, text=query))
    nuggets = row.items("nuggets")
    snippet = Snippet(
        snippet_id=doc_id,
        text=row.text("candidate_text"),
        citations=(Citation(doc_id=doc_id),),
        extra=row.rest(),
    )
    passages.setdefault(query_id, []).append(snippet)
    yield from _read_judgements(nuggets, query_id, RETRIEVED, doc_id, once)


def _read_judgements(
    nuggets: list[Fields], query_id: str, run_id: str, snippet_id: str | None, once: Once
) -> Iterator[AnyRecord]:
    ids = ContentIds()
    for item in nuggets:
        with item.unit():
            nug = read_nuggetizer_nug(item, query_id, ids, "assignment")
            yield from once(nug)
            degree = item.label("assignment", DEGREES)
            yield Judgement(
                query_id=query_id,
                run_id=run_id,
                snippet_id=snippet_id,
                nug_id=nug.nug_id,
                degree=degree,
                judge=GIVEN,
                status="ok" if degree is not None else "failed",
            )


def write_nuggetizer_assignments(records: Iterable[AnyRecord], sink: Sink) -> None:
    """One row per response with its judgements; one row per snippet where passages were judged one by one."""
    collection = Collection(records)
    texts = collection.query_texts()
    assigned = _Assigned(collection, sink)
    responses = list(_answered(collection))
    for response in responses:
        query_id, run_id = response.query_id, response.run_id
        if run_id == RETRIEVED:
            for snippet in response.snippets:
                row: dict[str, Any] = {"text": texts[query_id]} if query_id in texts else {}
                row |= {"qid": query_id, "candidate_text": snippet.text, "docid": snippet.snippet_id}
                sink.json_line(row | {"nuggets": assigned.of(query_id, run_id, snippet.snippet_id)} | snippet.extra)
            continue
        text = _answer_text(response, sink)
        row = {"query": texts[query_id]} if query_id in texts else {}
        row |= {"qid": query_id, "answer_text": text, "response_length": len(text.split()), "run_id": run_id}
        sink.json_line(row | response.extra | {"nuggets": assigned.of(query_id, run_id, None)})
    assigned.lose_the_rest()
    for _ in texts.keys() - {response.query_id for response in responses}:
        sink.lose("query", "no run answers it")
    for _ in {run.run_id for run in collection.runs} - {response.run_id for response in responses}:
        sink.lose("run", "it answers no query")


class _Assigned:
    """The judgements, written row by row; those that fit in no row are lost."""

    def __init__(self, collection: Collection, sink: Sink) -> None:
        self._key = collection.key
        self._sink = sink
        self._written: set[tuple[str, str]] = set()
        self._judged: dict[tuple[str, str, str | None], dict[str, Judgement]] = {}
        for judgement in collection.judgements:
            place = (judgement.query_id, judgement.run_id, judgement.snippet_id)
            if self._judged.setdefault(place, {}).setdefault(judgement.nug_id, judgement) is not judgement:
                sink.lose("judgement", "a nug has only one label per row: the first judge's")

    def of(self, query_id: str, run_id: str, snippet_id: str | None) -> list[dict[str, Any]]:
        ids = ContentIds()
        judged = self._judged.pop((query_id, run_id, snippet_id), {})
        rows = []
        for nug in self._key.of(query_id):
            if nug.nug_id in judged:
                row = write_nuggetizer_nug(nug, ids, self._sink)
                rows.append(row | {"assignment": _label(judged.pop(nug.nug_id), self._sink)})
                self._written.add((query_id, nug.nug_id))
        for _ in judged:
            self._sink.lose("judgement", "its nug is not in the key")
        return rows

    def lose_the_rest(self) -> None:
        for judged in self._judged.values():
            for _ in judged:
                self._sink.lose("judgement", "its response or snippet has no row")
        for query_id, nugs in self._key.nugs.items():
            for nug_id in nugs:
                if (query_id, nug_id) not in self._written:
                    self._sink.lose("nug", "nobody judged it")


def _answer_text(response: Response, sink: Sink) -> str:
    if len(response.snippets) > 1:
        sink.lose("response.snippets", "joined into one answer text")
    elif any(snippet.snippet_id != "1" or not snippet.text for snippet in response.snippets):
        sink.lose(
            "response.snippets.snippet_id",
            "a single snippet gets the id 1 when the file is read, and an empty one is left out",
        )
    if any(snippet.citations for snippet in response.snippets):
        sink.lose("response.snippets.citations")
    return " ".join(snippet.text for snippet in response.snippets)


def _answered(collection: Collection) -> Iterator[Response]:
    """The responses, and an empty one for each judged run whose text is not given."""
    there = {(response.query_id, response.run_id) for response in collection.responses}
    yield from collection.responses
    for judgement in collection.judgements:
        pair = (judgement.query_id, judgement.run_id)
        if judgement.snippet_id is None and pair not in there:
            there.add(pair)
            yield Response(query_id=pair[0], run_id=pair[1], snippets=())


def _label(judgement: Judgement, sink: Sink) -> str:
    if judgement.judge != GIVEN:
        sink.lose("judgement.judge")
    if judgement.status != "ok" or judgement.degree is None:
        if judgement.status == "unknown":
            sink.lose("judgement.status", "unknown is written as failed")
        return "failed"
    nearest = min((0.0, 0.5, 1.0), key=lambda degree: abs(degree - (judgement.degree or 0.0)))
    if nearest != judgement.degree:
        sink.lose("judgement.degree", "only 0, 0.5 and 1 can be written: the nearest of them is used")
    return _LABELS[nearest]
