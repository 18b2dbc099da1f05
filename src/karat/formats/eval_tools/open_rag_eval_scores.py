"""open-rag-eval's scores: its CSV, its JSON report, or the bare dictionary of nugget scores.

CSV: `query_id,query,run_1_generated_answer,run_1_generation_score_autonugget_scores,...`, cells in JSON; in older
files the names do not begin with `run_1_`.
Report: `{"evaluation": [{"query_id", "query", "runs": [{...}], "consistency"?}]}`.
Dictionary: `{"query_id", "nuggets": [], "labels": [], "assignments": [], "nuggetizer_scores": {}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from karat.formats.eval_tools.answer_rows import run_of_file, score_of
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows, table_rows
from karat.formats.io.source import Source
from karat.formats.nuggetizer.assignments import DEGREES
from karat.model import AnyRecord, Citation, ContentIds, Judgement, Nug, Query, Response, Run, Snippet, content_id
from karat.model.default_names import GIVEN
from karat.model.records import Importance

TITLE = "open-rag-eval scores"
NUGGETS = "generation_score_autonugget_scores"
_PREFIXES = ("generation_score_", "retrieval_score_")
_SCORE_COLUMNS = (*_PREFIXES, "consistency_", "nuggetizer_scores")
_RUN = re.compile(r"run_(\d+)_(.+)", re.DOTALL)
_IMPORTANCES: dict[str, Importance] = {"vital": "vital", "okay": "okay"}
_ASSIGNMENTS = {label: degree for label, degree in DEGREES.items() if degree is not None}
# Numbers about a single passage or sentence and not about the answer: kept in `extra`.
_DETAIL = re.compile(r"citation_score_.*|part_score_.*|\[\d+\]", re.DOTALL)
_DETAILS = frozenset({"retrieval_score_umbrela_scores"})


def sniff_open_rag_eval_scores(head: Head) -> bool:
    if not head.shape:
        names = [_without_run(name) for name in head.columns(",")]
        return "query" in names and any(name.startswith(_PREFIXES) for name in names)
    if head.has("nuggets", "labels", "assignments"):
        nuggets = head.row["nuggets"]
        return isinstance(nuggets, list) and all(isinstance(nugget, str) for nugget in nuggets)
    return {"query", "runs"} <= head.first("evaluation").keys()


def _without_run(name: str) -> str:
    match = _RUN.fullmatch(name)
    return match[2] if match else name


def read_open_rag_eval_scores(source: Source) -> Iterator[AnyRecord]:
    """Nugs and judgements from nugget scores, responses from generated answers, and one Score for every other number.

    A number inside an object is the measure `column.key`. What is not a number, or is about one passage or sentence,
    stays in the response's `extra` (or in the query's, if there is no answer). Run 1 is named like the file, run 2
    `file:2`.
    """
    once = Once(source)
    stem = run_of_file(source)
    for row in _rows(source):
        with row.unit():
            query = row.optional_text("query")
            query_id = row.optional_id("query_id") or (content_id(query) if query else row.id("query_id"))
            source.query_id = query_id
            extra: dict[str, Any] = {}
            records: list[AnyRecord] = []
            for number, values in _runs(row):
                with values.unit():
                    run_id = stem if number == "1" else f"{stem}:{number}"
                    records += once(Run(run_id=run_id))
                    records += _read_run(values, query_id, run_id, once, extra)
            if query is not None or extra:
                yield from once(Query(query_id=query_id, text=query or "", extra=extra))
            yield from records


def _rows(source: Source) -> Iterator[Fields]:
    if not Head(source).shape:
        for row in table_rows(source, delimiter=","):
            yield Fields(source, {name: _decoded(value, name) for name, value in row.data.items() if value != ""})
        return
    for document in json_rows(source):
        if document.has("evaluation"):
            with document.unit():
                yield from document.items("evaluation")
        else:
            yield document


def _decoded(cell: Any, name: str) -> Any:
    """The JSON value in a cell; a cell without JSON is text."""
    if not isinstance(cell, str) or name in ("query", "query_id"):
        return cell
    try:
        return msgspec.json.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        return cell


def _runs(row: Fields) -> Iterator[tuple[str, Fields]]:
    """The fields of each run of a query, by the run's number."""
    if row.has("runs"):
        consistency = {f"consistency_{name}": value for name, value in row.optional_entries("consistency")}
        for index, run in enumerate(row.items("runs"), 1):
            data = {name: _decoded(value, name) for name, value in run.data.items()}
            yield str(index), Fields(row.source, data | (consistency if index == 1 else {}), run.path)
        return
    runs: dict[str, dict[str, Any]] = {}
    for name, value in row.rest().items():
        match = _RUN.fullmatch(name)
        runs.setdefault(match[1] if match else "1", {})[match[2] if match else name] = value
    for number, data in runs.items():
        yield number, Fields(row.source, data, row.path)


def _read_run(values: Fields, query_id: str, run_id: str, once: Once, query_extra: dict[str, Any]) -> list[AnyRecord]:
    scores: list[AnyRecord] = []
    extra: dict[str, Any] = {}
    snippets = _read_snippets(values)
    nuggets = values.optional_child(NUGGETS) or (values if values.has("nuggets") else None)
    judged = [] if nuggets is None else [*_read_nuggets(nuggets, query_id, run_id, once)]
    for part, name in ((nuggets, "nuggetizer_scores"), (values, "")):
        if part is None:
            continue
        items = {name: part.get(name)} if name else part.rest()
        for measure, value in items.items():
            if (rest := _take_scores(measure, value, query_id, run_id, scores)) is not None:
                extra[measure] = rest
    if nuggets is not None and nuggets is not values:
        extra |= nuggets.rest()
    if passages := _uncited(values.get("retrieved_passages"), snippets or ()):
        extra["uncited_passages"] = passages
    if snippets is None:
        query_extra |= extra
        return [*judged, *scores]
    return [Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=extra), *judged, *scores]


def _take_scores(measure: str, value: Any, query_id: str, run_id: str, scores: list[AnyRecord]) -> Any:
    """Turn the numbers of a score column into Scores; returns the rest (None if there is none)."""
    if not measure.startswith(_SCORE_COLUMNS) or measure in _DETAILS or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        scores.append(score_of(run_id, query_id, measure, float(value)))
        return None
    if not isinstance(value, dict):
        return value
    others: dict[str, Any] = {}
    for key, inner in value.items():
        rest = inner if _DETAIL.fullmatch(key) else _take_scores(f"{measure}.{key}", inner, query_id, run_id, scores)
        if rest is not None:
            others[key] = rest
    return others or None


def _read_snippets(values: Fields) -> tuple[Snippet, ...] | None:
    """The parts of the generated answer; None if the file has no answer."""
    answer, passages = values.get("generated_answer"), values.get("retrieved_passages")
    texts = passages if isinstance(passages, dict) else {}
    if not isinstance(answer, list):
        return None if answer is None else ((Snippet(snippet_id="1", text=str(answer)),) if answer else ())
    snippets: list[Snippet] = []
    for part in values.items("generated_answer"):
        with part.unit():
            ids = list(dict.fromkeys(part.strings("citations")))
            citations = tuple(Citation(doc_id=cited, excerpt=_text_or_none(texts.get(cited))) for cited in ids if cited)
            number, text = str(len(snippets) + 1), part.text("text")
            snippets.append(Snippet(snippet_id=number, text=text, citations=citations, extra=part.rest()))
            for doc_id in ids if texts else ():
                if doc_id not in texts:
                    part.complain(
                        "citations", f"{doc_id!r} is not one of the retrieved passages", code="dangling-reference"
                    )
    return tuple(snippets)


def _uncited(passages: Any, snippets: tuple[Snippet, ...]) -> Any:
    """The passages whose text is in no citation."""
    if not isinstance(passages, dict):
        return passages
    cited = {citation.doc_id for snippet in snippets for citation in snippet.citations}
    return {doc_id: text for doc_id, text in passages.items() if doc_id not in cited}


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _read_nuggets(nuggets: Fields, query_id: str, run_id: str, once: Once) -> Iterator[AnyRecord]:
    """One nug per nugget, with the label and the assignment at the same position in the other two lists."""
    texts = nuggets.optional_members("nuggets")
    columns = {name: nuggets.optional_members(name) for name in ("labels", "assignments") if nuggets.has(name)}
    for name, column in columns.items():
        if len(column) != len(texts):
            nuggets.complain(
                name, f"there are {len(column)} values for {len(texts)} nuggets", code="dangling-reference"
            )
    ids = ContentIds()
    for index, text in enumerate(texts):
        # The values at one position of the lists, by the name that messages use.
        places = {"nuggets": join("nuggets", index)} | {name: join(name, index) for name in columns}
        item = Fields(nuggets.source, {places["nuggets"]: text}, nuggets.path)
        item.data.update({places[name]: column[index] for name, column in columns.items() if index < len(column)})
        with item.unit():
            description = item.text(places["nuggets"])
            importance = item.label(places["labels"], _IMPORTANCES) if "labels" in columns else None
            nug_id = ids.next(description)
            yield from once(Nug(query_id=query_id, nug_id=nug_id, descriptions=(description,), importance=importance))
            if "assignments" in columns:
                degree = item.label(places["assignments"], _ASSIGNMENTS)
                yield Judgement(
                    query_id=query_id,
                    run_id=run_id,
                    nug_id=nug_id,
                    degree=degree,
                    judge=GIVEN,
                    status="ok" if degree is not None else "failed",
                )
