"""RAGChecker's input and output: `{"results": [{"query_id", "query", "gt_answer", "response", ...}], "metrics"?}`.

The output adds claims and entailment labels. `response2answer` has one label per claim of the reference answer (does
the response entail it?); these become judgements. `answer2response` has one label per claim of the response; it stays
in the response's `extra`, with the retrieved passages and their labels. The metrics of a result are fractions, those of
the whole file are percentages: both become fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import Answers, read_scores, run_of_file
from karat.formats.io.fields import Fields, normal_label
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug
from karat.model.default_names import GIVEN, REFERENCE

TITLE = "RAGChecker input and output"
_DEGREES = {"entailment": 1.0, "neutral": 0.0, "contradiction": 0.0}
_LABELS = "response2answer"


def sniff_ragchecker(head: Head) -> bool:
    result = head.first("results")
    return {"query_id", "query", "gt_answer"} <= result.keys() and bool(
        {"response", "retrieved_context"} & result.keys()
    )


def read_ragchecker(source: Source) -> Iterator[AnyRecord]:
    """The system is the run named like the file, the ground truth is the run "reference"."""
    run_id = run_of_file(source, avoid=REFERENCE)
    answers = Answers(source)
    for document in json_rows(source):
        with document.unit():
            results = document.items("results")
            metrics = document.optional_child("metrics")
            yield from answers.run(run_id, extra=document.rest())
            for row in results:
                with row.unit():
                    yield from _read_result(row, run_id, answers)
            source.query_id = None
            for group in metrics.data if metrics is not None else ():
                with document.unit():
                    assert metrics is not None
                    yield from read_scores(metrics.child(group), run_id, "all", divisor=100.0)


def _read_result(row: Fields, run_id: str, answers: Answers) -> Iterator[AnyRecord]:
    query_id = row.source.query_id = row.id("query_id")
    query = row.optional_text("query") or ""
    truth, response = row.optional_text("gt_answer"), row.optional_text("response")
    claims, metrics = row.optional_members("gt_answer_claims"), row.optional_child("metrics")
    labels = row.optional_members(_LABELS) if row.has(_LABELS) else None
    yield from answers.query(query_id, query)
    if truth is not None:
        yield from answers.response(row, "gt_answer", query_id, REFERENCE, truth)
    if response is not None:
        yield from answers.response(row, "response", query_id, run_id, response, row.rest())
    ids = ContentIds()
    nug_ids: list[str | None] = []
    for index, claim in enumerate(claims):
        nug = _nug(row, index, claim, query_id, ids)
        nug_ids.append(None if nug is None else nug.nug_id)
        if nug is not None:
            yield from answers.once(nug)
    if labels is not None:
        yield from _read_labels(row, labels, nug_ids, query_id, run_id)
    if metrics is not None:
        yield from read_scores(metrics, run_id, query_id)


def _nug(row: Fields, index: int, claim: Any, query_id: str, ids: ContentIds) -> Nug | None:
    """A claim: a sentence, or a triple whose parts are kept."""
    parts = [claim] if isinstance(claim, str) else claim
    if not isinstance(parts, list) or not parts or not all(isinstance(part, str) for part in parts):
        row.complain(
            join("gt_answer_claims", index), "a claim must be a string or a list of strings", code="wrong-type"
        )
        return None
    extra = {"claim": claim} if isinstance(claim, list) else {}
    text = " ".join(parts)
    return Nug(query_id=query_id, nug_id=ids.next(text), descriptions=(text,), extra=extra)


def _read_labels(
    row: Fields, labels: list[Any], nug_ids: list[str | None], query_id: str, run_id: str
) -> Iterator[AnyRecord]:
    if len(labels) != len(nug_ids):
        row.complain(_LABELS, f"there are {len(labels)} labels for {len(nug_ids)} claims", code="dangling-reference")
    for index, nug_id in enumerate(nug_ids):
        label = labels[index] if index < len(labels) else None
        degree = _DEGREES.get(normal_label(label)) if isinstance(label, str) else None
        if degree is None and index < len(labels):
            place, choices = join(_LABELS, index), ("Entailment", "Neutral", "Contradiction")
            row.complain(place, repr(label), code="impossible-label", choices=choices)
        if nug_id is not None:
            yield Judgement(
                query_id=query_id,
                run_id=run_id,
                nug_id=nug_id,
                degree=degree,
                judge=GIVEN,
                status="ok" if degree is not None else "failed",
                extra={"label": label} if label is not None else {},
            )
