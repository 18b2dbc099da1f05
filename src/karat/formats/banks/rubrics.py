"""Rubrics: weighted criteria, also negative ones, for each prompt; one prompt per line.

HealthBench: `{"prompt_id", "prompt": [messages], "rubrics": [{"criterion", "points", "tags"}], ...}`;
TREC RAG: `{"qid", "rubrics": [{"criterion", "weight", "axis"}]}`. Graded rows have `criteria_met` and `explanation`
in each criterion (the list is then often called `rubric_items`) and the `completion` that was graded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import Answers, run_of_file, score_of
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug
from karat.model.default_names import GIVEN, REFERENCE

TITLE = "rubrics (HealthBench, TREC RAG)"
_ITEMS = ("rubrics", "rubric_items")
_IDEAL = "ideal_completions_data"
_MET = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}


def sniff_rubrics(head: Head) -> bool:
    items = [head.first(name) for name in _ITEMS]
    return any("criterion" in item and not {"points", "weight"}.isdisjoint(item) for item in items)


def read_rubrics(source: Source) -> Iterator[AnyRecord]:
    """One Query per row, one Nug per criterion (its points are the weight), one Judgement per graded criterion.

    The ideal completion is a response of the run "reference". The run of a graded completion is the row's `run_id` or
    `model`, otherwise it is named like the file.
    """
    answers = Answers(source)
    run_of_source = run_of_file(source, avoid=REFERENCE)
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("prompt_id", "qid", "query_id", "id")
            items = row.items(*_ITEMS)
            text, prompt = _messages(row, "prompt", "query", "problem")
            completion, messages = _messages(row, "completion", "response")
            ideal, score = row.optional_child(_IDEAL), row.optional_number("score")
            graded = score is not None or completion is not None or any("criteria_met" in item.data for item in items)
            run_id = (row.optional_id("run_id", "model") if graded else None) or run_of_source
            extra = ({"prompt": prompt} if isinstance(prompt, list) else {}) | row.rest()
            if text is not None or extra or not items:
                yield from answers.query(query_id, text or "", extra=extra)
            if ideal is not None and (best := ideal.optional_text("ideal_completion")) is not None:
                yield from answers.response(row, _IDEAL, query_id, REFERENCE, best, ideal.rest())
            if completion is not None:
                kept = {"completion": messages} if isinstance(messages, list) else {}
                yield from answers.response(row, "completion", query_id, run_id, completion, kept)
            if graded:
                yield from answers.run(run_id)
            ids = ContentIds()
            for item in items:
                with item.unit():
                    yield from _read_criterion(item, query_id, run_id, ids, answers)
            if score is not None:
                yield score_of(run_id, query_id, "score", score)


def _read_criterion(item: Fields, query_id: str, run_id: str, ids: ContentIds, answers: Answers) -> Iterator[AnyRecord]:
    text = item.text("criterion")
    if not item.has("points", "weight"):
        item.complain("points", "is missing", code="missing-field")
    weight = item.optional_number("points", "weight")
    graded = "criteria_met" in item.data
    explanation = item.get("explanation") if graded else None
    extra = {name: value for name, value in item.rest("criteria_met").items() if value is not None}
    nug = Nug(query_id=query_id, nug_id=ids.next(text), descriptions=(text,), weight=weight, extra=extra)
    yield from answers.once(nug)
    if not graded:
        return
    met = item.get("criteria_met")
    degree = _MET.get(str(met).strip().lower())
    if degree is None:
        item.complain("criteria_met", repr(met), code="impossible-label", choices=("true", "false"))
    yield Judgement(
        query_id=query_id,
        run_id=run_id,
        nug_id=nug.nug_id,
        degree=degree,
        judge=GIVEN,
        status="ok" if degree is not None else "failed",
        extra={} if explanation is None else {"explanation": explanation},
    )


def _messages(row: Fields, *names: str) -> tuple[str | None, Any]:
    """The text of a conversation, and its form in the file; several messages are written with their speakers."""
    value = row.get(*names)
    if value is None or isinstance(value, str):
        return value, value
    if not isinstance(value, list):
        row.bad(names[0], f"must be a string or a list of messages, not {type_name(value)}", code="wrong-type")
    spoken: list[tuple[str, str]] = []
    for message in row.items(*names):
        with message.unit():
            spoken.append((message.optional_text("role") or "user", message.text("content")))
    if len(spoken) == 1:
        return spoken[0][1], value
    return "\n\n".join(f"{role}: {content}" for role, content in spoken), value
