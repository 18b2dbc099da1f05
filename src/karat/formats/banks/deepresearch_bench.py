"""DeepResearch Bench: its prompts, a system's articles, the criteria of each prompt, and the scores.

`{"id", "topic", "language", "prompt"}`; `{"id", "prompt", "article"}`;
`{"id", "prompt", "dimension_weight": {dim: w}, "criterions": {dim: [{"criterion", "explanation", "weight"}]}}`;
`{"id", "prompt"?, "comprehensiveness", "insight", "instruction_following", "readability", "overall_score"}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.eval_tools.answer_rows import Answers, file_stem, run_of_file, score_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Nug

TITLE = "DeepResearch Bench prompts, articles, criteria and scores"
_DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
_MEASURES = (*_DIMENSIONS, "overall_score")
_RESULTS_FILE = "raw_results"


def sniff_deepresearch_bench(head: Head) -> bool:
    if head.has("id", "prompt"):
        return head.has("article") or head.has("criterions") or head.has("topic", "language") or head.has(*_MEASURES)
    return head.has("id", *_MEASURES)


def read_deepresearch_bench(source: Source) -> Iterator[AnyRecord]:
    """A criterion is a Nug whose weight is the weight of its dimension times its own; both are in its `extra`.

    The run of articles and scores is named like the file; for `raw_results.jsonl` like its folder, as the tool does.
    """
    answers = Answers(source)
    run_id = run_of_file(source)
    if file_stem(source) == _RESULTS_FILE and source.path.parent.name:
        run_id = source.path.parent.name
    answered: set[str] = set()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("id")
            prompt, language = row.optional_text("prompt"), row.optional_text("language")
            article = row.optional_text("article")
            dimensions = row.optional_child("criterions")
            weights = row.optional_child("dimension_weight")
            measures = [name for name in _MEASURES if name in row.data]
            failed = row.has("error") and not measures
            error = {"error": row.get("error")} if failed else {}
            extra = row.rest(*measures)
            if prompt is not None or (extra and article is None):
                conditions = {} if language is None else {"language": language}
                kept = extra if article is None else {}
                yield from answers.query(query_id, prompt or "", conditions=conditions, extra=kept)
            if article is not None:
                yield from answers.response(row, "article", query_id, run_id, article, extra)
            if dimensions is not None:
                yield from _read_criteria(dimensions, weights, query_id, answers)
            if (measures or failed) and query_id in answered:
                row.bad("id", f"run {run_id!r} already has scores for query {query_id!r}", code="duplicate-id")
            if measures or failed:
                answered.add(query_id)
                yield from answers.run(run_id)
            for measure in measures:
                with row.unit():
                    yield score_of(run_id, query_id, measure, row.optional_number(measure))
            if failed:
                yield score_of(run_id, query_id, "overall_score", None, **error)


def _read_criteria(dimensions: Fields, weights: Fields | None, query_id: str, answers: Answers) -> Iterator[AnyRecord]:
    ids = ContentIds()
    for dimension in dimensions.data:
        with dimensions.unit():
            share = None if weights is None else weights.optional_number(dimension)
            if share is None:
                dimensions.complain(dimension, "this dimension is missing in dimension_weight", code="missing-field")
            for item in dimensions.items(dimension):
                with item.unit():
                    text, weight = item.text("criterion"), item.number("weight")
                    extra = item.rest() | {"category": dimension, "criterion_weight": weight}
                    if share is not None:
                        extra["dimension_weight"] = share
                    yield from answers.once(
                        Nug(
                            query_id=query_id,
                            nug_id=ids.next(text),
                            descriptions=(text,),
                            weight=None if share is None else share * weight,
                            extra=extra,
                        )
                    )
