"""RAGChecker's meta-evaluation: which of two answers people prefer, with two annotators per instance.

{"instance_id", "dataset", "query_id", "query", "gt_answer", "model1": {"model_name", "response", "critiques"},
 "model2": {...}, "correctness_label": -2..2, "completeness_label", "overall_label"}; positive: model2 is better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Query, Response, Run, Score, Signature, Snippet
from karat.model.default_names import REFERENCE

TITLE = "RAGChecker human preferences between two answers"
_LABELS = ("correctness_label", "completeness_label", "overall_label")
_GREATEST = 2


def sniff_ragchecker_human(head: Head) -> bool:
    return head.has("model1", "model2", "gt_answer", *_LABELS)


def read_ragchecker_human(source: Source) -> Iterator[AnyRecord]:
    """The Query, the reference and both models' Responses once, and three Scores per annotator.

    A preference is about a pair: it is a Score of model2 (-2..2, higher is better) with the measure
    `overall_preference`; the other model and the annotator are in its signature
    (`overall_preference|over:MODEL1|assessor:1`) and its `extra`. Annotators have no ids: they are numbered in the
    order of their rows per instance. Query ids repeat across data sets, so the name of the set is put before them.
    """
    once = Once(source)
    texts: dict[tuple[str, str], str] = {}
    annotators: Counter[tuple[str, str, str]] = Counter()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = f"{row.id('dataset')}/{row.id('query_id')}"
            models = row.child("model1"), row.child("model2")
            first, second = (model.id("model_name") for model in models)
            extra = row.rest("query", "gt_answer", *_LABELS)
            yield from once(Query(query_id=query_id, text=row.text("query"), extra=extra))
            answers: list[tuple[str, str, dict[str, Any], str]] = [(REFERENCE, row.text("gt_answer"), {}, row.path)]
            for model in models:
                answers.append((model.id("model_name"), model.text("response"), model.rest(), model.path))
            for run_id, text, answer_extra, path in answers:
                if (query_id, run_id) in texts:
                    if texts[query_id, run_id] != text:
                        message = f"the answer of {run_id!r} differs from its first occurrence, which is kept"
                        source.report(path, message, code="conflicting-definition")
                    continue
                texts[query_id, run_id] = text
                yield from once(Run(run_id=run_id, human=run_id == REFERENCE))
                snippets = (Snippet(snippet_id="1", text=text),) if text.strip() else ()
                yield Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=answer_extra)
            annotators[query_id, first, second] += 1
            assessor = str(annotators[query_id, first, second])
            for label in _LABELS:
                with row.unit():
                    yield _read_preference(row, label, query_id, second, {"over": first, "assessor": assessor})


def _read_preference(row: Fields, label: str, query_id: str, run_id: str, settings: dict[str, str]) -> Score:
    value = row.number(label)
    choices = range(-_GREATEST, _GREATEST + 1)
    if value not in choices:
        row.bad(label, repr(row.get(label)), code="impossible-label", choices=tuple(map(str, choices)))
    measure = label.replace("_label", "_preference")
    return Score(
        run_id=run_id,
        query_id=query_id,
        measure=measure,
        value=value,
        signature=str(Signature(measure, settings)),
        extra=settings,
    )
