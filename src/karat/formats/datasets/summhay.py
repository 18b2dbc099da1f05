"""SummHay's evaluation benchmark: which reference insights a summary covers, judged by people and six LLMs.

{"subtopic_id", "topic", "subtopic", "summkey", "summary": ["- bullet", ...],
 "reference_insights": [{"insight_id", "insight", ...}],
 "annotation": [{"insight_id", "coverage": "fully_covered", "candidate_id": "0"}],
 "predictions_prompted_gpt-4o": [{"insight_id", "coverage": "FULL_COVERAGE", "bullet_id": 1}], ...}

People's `candidate_id` counts bullets from 0, the models' `bullet_id` from 1: of the bullets that both named, 462 to
511 per model agree when counted like this, and at most 14 when both are counted from the same number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.formats.datasets.parts import SNIPPET_IDS, Distinct
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Evidence, Judgement, Nug, Query, Response, Run, Snippet
from karat.model.default_names import PERSON

TITLE = "SummHay insight coverage (people and LLM judges)"
_DEGREES = {
    "fully_covered": 1.0, "partially_covered": 0.5, "not_covered": 0.0,
    "full_coverage": 1.0, "partial_coverage": 0.5, "no_coverage": 0.0,
}  # fmt: skip
_NO_BULLET = (None, "", "NA", "no_selection")
_PREDICTIONS = "predictions_"


def sniff_summhay(head: Head) -> bool:
    return head.has("subtopic_id", "summkey", "summary", "reference_insights", "annotation")


def read_summhay(source: Source) -> Iterator[AnyRecord]:
    """Query (subtopic), Run (summkey), Response of bullets, Nugs (insights), then people's and models' Judgements.

    The prompted judges are named after their model, others after method and model (`9fs_gpt-4o`). A judgement
    is about the whole summary; the bullets it links are its evidence (`evidence.extra["snippet_ids"]`).
    """
    once, distinct = Once(source), Distinct()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("subtopic_id")
            run_id = row.id("summkey")
            bullets = row.strings("summary")
            topics = [text for name in ("topic", "subtopic") if (text := row.optional_text(name))]
            about_topic = {name: row.get(name) for name in ("topic_id", "topic_fn") if row.has(name)}
            yield from once(Query(query_id=query_id, text="\n".join(topics), extra=about_topic))
            yield from once(Run(run_id=run_id))
            insights = row.items("reference_insights")
            labels = {PERSON: row.optional_items("annotation")}
            for name in row.data:
                if name.startswith(_PREDICTIONS):
                    labels[name.removeprefix(_PREDICTIONS).removeprefix("prompted_")] = row.optional_items(name)
            snippets = tuple(Snippet(snippet_id=str(n), text=text) for n, text in enumerate(bullets, 1))
            response = Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=row.rest())
            if not (first := distinct(source, row.path, response)):
                continue
            yield from first
            known: set[str] = set()
            for item in insights:
                with item.unit():
                    nug = _read_insight(item, query_id)
                    known.add(nug.nug_id)
                    yield from once(nug)
            for judge, items in labels.items():
                for item in items:
                    with item.unit():
                        judgement = _read_judgement(item, response, judge, known)
                        yield from distinct(source, item.path, judgement)


def _read_insight(item: Fields, query_id: str) -> Nug:
    nug_id, text = item.id("insight_id"), item.text("insight")
    return Nug(query_id=query_id, nug_id=nug_id, descriptions=(text,), extra=item.rest())


def _read_judgement(item: Fields, response: Response, judge: str, known: set[str]) -> Judgement:
    nug_id = item.id("insight_id")
    if nug_id not in known:
        item.bad("insight_id", f"{nug_id!r} is not among the reference insights", code="dangling-reference")
    degree = item.label("coverage", _DEGREES)
    name, first = ("candidate_id", 0) if judge == PERSON else ("bullet_id", 1)
    linked = _linked(item, name, first, response.snippets)
    return Judgement(
        query_id=response.query_id,
        run_id=response.run_id,
        nug_id=nug_id,
        degree=degree,
        judge=judge,
        evidence=Evidence(extra={SNIPPET_IDS: linked}) if linked else None,
        status="ok" if degree is not None else "failed",
        extra=item.rest(),
    )


def _linked(item: Fields, name: str, first: int, snippets: Sequence[Snippet]) -> list[str]:
    """The ids of the snippets in the field `name`: a number, a string of digits, or a list of them."""
    value = item.get(name)
    snippet_ids: list[str] = []
    for number in value if isinstance(value, list) else [value]:
        if number in _NO_BULLET:
            continue
        index = int(number) - first if type(number) is int or str(number).isdecimal() else -1
        if 0 <= index < len(snippets):
            snippet_ids.append(snippets[index].snippet_id)
        else:
            message = f"{number!r} is not one of the {len(snippets)} bullets, counted from {first}"
            item.complain(name, message, code="dangling-reference")
    return snippet_ids
