"""CAsT-snippets: passages in which crowd workers marked answers to a question. CSV exports of MTurk, or their folder.

Input.turn_id,Input.query,Input.passage_id,Input.passage,WorkerId,Answer.taskAnswers,text_spans_2,...

`Answer.taskAnswers` is JSON with Python's True and False:
`[{"answer_confidence": {"high": True}, "relevant-...": {"entities": [{"startOffset": 0, "endOffset": 9, "label"}]}}]`.
Offsets count UTF-16 units of the passage as it is in the file; `text_spans_2` has the same spans as text, without the
characters outside ASCII.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from karat.formats.datasets.parts import open_part
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Citation, Nugget, Query, Relevance, Response, Run, Snippet, SpanSet

TITLE = "CAsT-snippets crowd annotations (folder or CSV)"
PASSAGES = "passages"
"""The run of the annotated passages."""
_ANSWER, _TEXTS = "Answer.taskAnswers", "text_spans_2"
_COLUMNS = {"Input.turn_id", "Input.passage_id", "Input.passage", "WorkerId", _ANSWER}


def sniff_cast_snippets(head: Head) -> bool:
    if head.is_directory:
        first = next(iter(_files(head.source.path)), None)
        return first is not None and sniff_cast_snippets(Head(Source(first)))
    return _COLUMNS.issubset(head.columns(","))


def _files(folder: Path) -> list[Path]:
    # Not rglob: someone may name a folder that holds a whole disk.
    patterns = ("*.csv", "*/*.csv", "*/*/*.csv", "*/*/*/*.csv") if len(folder.resolve().parts) > 1 else ("*.csv",)
    return sorted(path for pattern in patterns for path in folder.glob(pattern))


def read_cast_snippets(source: Source) -> Iterator[AnyRecord]:
    """One Query per turn with its passages as one Response; one Relevance per worker and passage, and one Nugget per
    marked span.

    If a worker marked nothing, the passage is irrelevant. Details about the work (times, approval, confidence) are in
    `extra` of the Relevance.
    """
    reader = _CastReader(source)
    files = [open_part(source, path) for path in _files(source.path)] if source.is_directory else [source]
    if not files:
        source.fail("the folder has no CSV file", code="missing-file", line=0)
    for file in files:
        for row in table_rows(file, delimiter=","):
            with row.unit():
                yield from reader.read(row)
    yield from reader.finished()


class _CastReader:
    def __init__(self, source: Source) -> None:
        self._once = Once(source)
        self._passages: dict[str, dict[str, Snippet]] = {}
        self._marks: list[AnyRecord] = []
        self._seen: set[tuple[str, str, str]] = set()

    def read(self, row: Fields) -> Iterator[AnyRecord]:
        """The query; the passage and what the worker marked are kept for later."""
        query_id = row.source.query_id = row.id("Input.turn_id")
        passage_id, worker = row.id("Input.passage_id"), row.id("WorkerId")
        text = row.text("Input.passage")
        query = Query(query_id=query_id, text=row.optional_text("Input.query") or "")
        passage_fields = {
            name: value for name in ("Input.Q0", "Input.relevance_score", "Input.labels") if (value := row.get(name))
        }
        snippet = Snippet(
            snippet_id=passage_id, text=text, citations=(Citation(doc_id=passage_id),), extra=passage_fields
        )
        yield from self._once(query)
        known = self._passages.setdefault(query_id, {}).setdefault(passage_id, snippet)
        if known.text != text:
            row.bad(
                "Input.passage",
                f"the text of {passage_id!r} differs from that in an earlier row",
                code="conflicting-definition",
            )
        if (query_id, passage_id, worker) in self._seen:
            row.bad("WorkerId", f"{worker!r} has already annotated {passage_id!r}", code="duplicate-id")
        self._seen.add((query_id, passage_id, worker))
        answers = _literal(row, _ANSWER)
        texts = _literal(row, _TEXTS) if row.get(_TEXTS) else None
        marks = [*_spans(row, answers, texts, text)]
        extra = {name: value for name, value in row.rest().items() if value}
        extra |= _confidence(answers)
        self._marks.append(
            Relevance(
                query_id=query_id,
                run_id=PASSAGES,
                snippet_id=passage_id,
                assessor=worker,
                label="relevant" if marks else "irrelevant",
                text_spans=SpanSet(pair for _, spans in marks for pair in spans) if marks else None,
                extra=extra,
            )
        )
        for label, spans in marks:
            self._marks.append(
                Nugget(
                    nugget_id=f"{passage_id}/{worker}/{spans[0][0]}-{spans[0][1]}",
                    query_id=query_id,
                    run_id=PASSAGES,
                    snippet_id=passage_id,
                    spans=spans,
                    type=label,
                    source="person",
                    assessor=worker,
                )
            )

    def finished(self) -> Iterator[AnyRecord]:
        yield Run(run_id=PASSAGES)
        for query_id, snippets in self._passages.items():
            yield Response(query_id=query_id, run_id=PASSAGES, snippets=tuple(snippets.values()))
        yield from self._marks


def _literal(row: Fields, name: str) -> list[Any]:
    """A list in the form of JSON or of Python."""
    text, value = row.text(name), None
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(text)
            break
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    if not isinstance(value, list):
        row.bad(name, "is neither a JSON nor a Python list", code="wrong-type")
    return value


def _confidence(answers: list[Any]) -> dict[str, str]:
    """The level of confidence that the worker chose."""
    levels = answers[0].get("answer_confidence") if answers and isinstance(answers[0], dict) else None
    chosen = [level for level, is_chosen in levels.items() if is_chosen] if isinstance(levels, dict) else []
    return {"answer_confidence": chosen[0]} if len(chosen) == 1 else {}


def _spans(
    row: Fields, answers: list[Any], texts: list[Any] | None, passage: str
) -> Iterator[tuple[str | None, SpanSet]]:
    """The marked spans with their labels; a span that does not cover the text in the file is reported."""
    entities = [*_entities(row, answers)]
    if texts is not None and len(texts) != len(entities):
        row.complain(_TEXTS, f"{len(texts)} texts for {len(entities)} spans", code="span-mismatch")
        texts = None
    for index, item in enumerate(entities):
        with item.unit():
            start, end = item.integer("startOffset"), item.integer("endOffset")
            try:
                spans = SpanSet.from_utf16([(start, end)], passage)
            except ValueError as error:
                item.bad("endOffset", str(error), code="span-outside")
            if texts is not None and _ascii(spans.text(passage)) != _ascii(str(texts[index])):
                row.complain(f"{_TEXTS}[{index}]", f"is not the text at [{start}, {end}]", code="span-mismatch")
                continue
            yield item.optional_text("label"), spans


def _entities(row: Fields, answers: Iterable[Any]) -> Iterator[Fields]:
    for index, answer in enumerate(answers):
        if not isinstance(answer, dict):
            row.complain(f"{_ANSWER}[{index}]", "must be an object", code="wrong-type")
            continue
        for name, value in answer.items():
            if isinstance(value, dict) and "entities" in value:
                inside = Fields(row.source, value, f"{_ANSWER}[{index}].{name}")
                with inside.unit():
                    yield from inside.items("entities")


def _ascii(text: str) -> str:
    return text.encode("ascii", "ignore").decode()
