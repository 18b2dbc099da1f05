"""RAGAS rows: `{"user_input", "response"?, "reference"?, "retrieved_contexts"?, ...}`, as JSON lines, array or CSV.

In older files the names are `question` (or `query`), `answer`, `ground_truth` (or a list `ground_truths`) and
`contexts`. Columns named like a RAGAS metric become scores. In CSV, lists are written as JSON or as Python prints them.
A mark in the answer such as `[2]` is a citation of the second context (see inline_citations).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import pairwise
from tokenize import NL, STRING, generate_tokens
from typing import Any

import msgspec

from karat.formats.eval_tools.answer_rows import QUERY_IDS, Answers, run_of_file, score_of
from karat.formats.eval_tools.inline_citations import snippet_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows, table_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord
from karat.model.default_names import REFERENCE

TITLE = "RAGAS samples and results"
MAX_CELL = 1 << 20
"""The longest cell that is read as a list (in characters)."""
METRICS = frozenset(
    """faithfulness answer_relevancy response_relevancy context_precision context_recall context_relevancy
    context_entity_recall context_entities_recall context_utilization answer_similarity semantic_similarity
    answer_correctness factual_correctness noise_sensitivity noise_sensitivity_relevant noise_sensitivity_irrelevant
    llm_context_precision_with_reference llm_context_precision_without_reference non_llm_context_recall
    non_llm_context_precision_with_reference nv_accuracy nv_context_relevance nv_response_groundedness
    answer_accuracy context_relevance response_groundedness bleu_score rouge_score exact_match string_present
    summary_score summarization_score harmfulness maliciousness coherence correctness conciseness""".split()
)
_LISTS = (
    "retrieved_contexts", "contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids",
    "multi_responses", "ground_truths", "rubrics",
)  # fmt: skip


def sniff_ragas(head: Head) -> bool:
    return _is_ragas(head.columns(",") if not head.shape else head.row)


def _is_ragas(names: Iterable[str]) -> bool:
    names = frozenset(names)
    if "user_input" in names:
        return not names.isdisjoint({"response", "reference", "retrieved_contexts", "reference_contexts"})
    truths = {"ground_truth", "ground_truths"}
    if "query" in names and "question" not in names:
        # With these names it is a table of Karat's, unless there is a reference answer; with runs it always is.
        return (
            "answer" in names
            and not names.isdisjoint(truths)
            and names.isdisjoint({"run_id", "run", "system", "model"})
        )
    return "question" in names and (
        ("contexts" in names and not names.isdisjoint({"answer", *truths}))
        or ("answer" in names and not names.isdisjoint(truths))
    )


def read_ragas(source: Source) -> Iterator[AnyRecord]:
    """The response belongs to the run named like the file, the reference to the run "reference".

    Contexts, their ids, rubrics and unknown fields are kept in the response's `extra` (without a response: in the
    query's).
    """
    run_id = run_of_file(source, avoid=REFERENCE)
    answers = Answers(source)
    if Head(source).shape:
        rows = json_rows(source)
    else:
        rows = (_without_lists_as_text(row) for row in table_rows(source, delimiter=","))
    for row in rows:
        with row.unit():
            yield from _read_sample(row, run_id, answers)


def _read_sample(row: Fields, run_id: str, answers: Answers) -> Iterator[AnyRecord]:
    text = row.text("user_input", "question", "query")
    response, reference = row.optional_text("response", "answer"), _reference(row)
    query_id = row.source.query_id = row.optional_id(*QUERY_IDS) or answers.query_id(text, run_id)
    measures = [name for name in row.data if name.partition("(")[0] in METRICS]
    extra = {name: value for name, value in row.rest(*measures).items() if value is not None and name}
    yield from answers.query(query_id, text, extra=extra if response is None else {})
    if reference is not None:
        yield from answers.response(row, "reference", query_id, REFERENCE, reference)
    if response is not None:
        snippet = snippet_of(row, response, sources=_sources(row), passages=_passages(row), question=text)
        yield from answers.response(row, "response", query_id, run_id, response, extra, snippet=snippet)
    for measure in measures:
        with row.unit():
            missing = str(row.data[measure]).lower() == "nan"
            value = None if missing else row.optional_number(measure)
            yield score_of(run_id, query_id, measure, value)


def _passages(row: Fields) -> Any:
    return row.data.get("retrieved_contexts") or row.data.get("contexts")


def _sources(row: Fields) -> Any:
    """The ids of the contexts with their texts, where there are as many ids as texts."""
    ids, passages = row.data.get("retrieved_context_ids") or row.data.get("sources"), _passages(row)
    if isinstance(ids, list) and isinstance(passages, list) and len(ids) == len(passages):
        pairs = zip(ids, passages, strict=True)
        return [{"id": each, "text": text} if isinstance(each, str | int) else each for each, text in pairs]
    return ids


def _reference(row: Fields) -> str | None:
    """The reference answer; in old files the first of the list `ground_truths`, which also stays in `extra`."""
    if row.has("reference", "ground_truth") or not row.has("ground_truths"):
        return row.optional_text("reference", "ground_truth")
    texts = Fields(row.source, row.data, row.path).strings("ground_truths")
    return texts[0] if texts else None


def _without_lists_as_text(row: Fields) -> Fields:
    """A CSV row in the form of JSON: lists as lists, empty cells as null."""
    data: dict[str, Any] = {name: None if value == "" else value for name, value in row.data.items()}
    for name in _LISTS:
        if data.get(name) is not None:
            try:
                data[name] = parse_cell(data[name])
            except ValueError as error:
                row.source.warn(name, f"{error}, so it is kept as text", code="bad-list")
    return Fields(row.source, data, row.path)


def parse_cell(cell: str) -> Any:
    """A list or object written as JSON or as Python prints it; ValueError for anything else."""
    if len(cell) > MAX_CELL:
        raise ValueError(f"is longer than {MAX_CELL:,} characters")
    try:
        value = msgspec.json.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        value = _python_literal(cell)
    if not isinstance(value, list | dict):
        raise ValueError("is not a list")
    return value


def _python_literal(cell: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise ValueError("is neither JSON nor a Python list") from None
    # NumPy prints ['a' 'b'], which Python reads as the single string 'ab'.
    kinds = [token.type for token in generate_tokens(StringIO(cell.strip()).readline) if token.type != NL]
    if any(pair == (STRING, STRING) for pair in pairwise(kinds)):
        raise ValueError("is a NumPy array without commas between its strings")
    return value
