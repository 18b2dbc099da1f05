"""The rubric grading workbench (EXAM, RUBRIC): grades of paragraphs, and the bank of questions or nuggets.

grades  ["QID", [{"paragraph_id", "text", "paragraph_data": {...}, "exam_grades": [{"llm", "self_ratings":
        [{"question_id" or "nugget_id", "self_rating": 0..5}], "correctAnswered": [id], "wrongAnswered": [id],
        "answers": [[id, text]]}]}]], one query per line
bank    {"query_id", "query_text", "items": [{"question_id", "question_text", "gold_answers"} or
        {"nugget_id", "nugget_text"}]}, one query (or facet of a query) per line
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.rows import is_json_lines
from karat.formats.io.source import Source
from karat.model import AnyRecord, Citation, Judgement, Nug, Query, Response, Run, Snippet
from karat.model.default_names import RETRIEVED

TITLE = "rubric grading workbench"
BEST_RATING = 5
_GRADED = ("self_ratings", "correctAnswered", "wrongAnswered", "answers", "llm_response_errors")


def sniff_rubric_workbench(head: Head) -> bool:
    value = head.value
    if isinstance(value, list):
        return (
            len(value) == 2
            and isinstance(value[0], str)
            and isinstance(value[1], list)
            and all(isinstance(paragraph, dict) and "paragraph_id" in paragraph for paragraph in value[1])
        )
    item = head.first("items")
    return head.has("query_id", "items") and ("question_text" in item or "nugget_text" in item)


def read_rubric_workbench(source: Source) -> Iterator[AnyRecord]:
    """Grades become a Response of the run "retrieved" with one snippet per paragraph, and one Judgement per graded
    question: the self-rating divided by 5, or otherwise 1 for a correct and 0 for a wrong answer. A bank becomes a
    Query and Nugs."""
    once = Once(source)
    seen: set[tuple[str, str]] = set()
    rows = source.json_lines() if is_json_lines(source) else iter([source.document()])
    run_given = False
    for value in rows:
        if isinstance(value, dict):
            bank = Fields(source, value)
            with bank.unit():
                yield from _read_bank(bank, once, seen)
        elif isinstance(value, list) and len(value) == 2 and isinstance(value[1], list):
            row = Fields(source, {"query_id": value[0], "paragraphs": value[1]})
            with row.unit():
                query_id = source.query_id = row.id("query_id")
                if (RETRIEVED, query_id) in seen:
                    row.bad("", f"query {query_id!r} already has paragraphs", code="duplicate-id")
                seen.add((RETRIEVED, query_id))
                if not run_given:
                    run_given = True
                    yield Run(run_id=RETRIEVED)
                yield from _read_paragraphs(row, query_id)
        else:
            source.report("", f"a row must be [query, paragraphs] or a bank, not {type_name(value)}", code="wrong-type")


def _read_bank(bank: Fields, once: Once, seen: set[tuple[str, str]]) -> Iterator[AnyRecord]:
    query_id = bank.source.query_id = bank.id("query_id")
    text = bank.optional_text("query_text") or ""
    items = bank.items("items")
    facet = {name: bank.get(name) for name in ("facet_id", "facet_text") if bank.has(name)}
    yield from once(Query(query_id=query_id, text=text, extra=bank.rest("facet_id", "facet_text")))
    for item in items:
        with item.unit():
            nug_id = item.id("question_id", "nugget_id")
            if (query_id, nug_id) in seen:
                item.bad("question_id", f"{nug_id!r} appears twice", code="duplicate-id")
            seen.add((query_id, nug_id))
            descriptions = (item.text("question_text", "nugget_text"),)
            if (item.optional_id("query_id") or query_id) != query_id:
                item.complain(
                    "query_id", f"{item.get('query_id')!r} is not the bank's {query_id!r}", code="other-query"
                )
            extra = facet | {name: value for name, value in item.rest().items() if value is not None}
            yield Nug(query_id=query_id, nug_id=nug_id, descriptions=descriptions, extra=extra)


def _read_paragraphs(row: Fields, query_id: str) -> Iterator[AnyRecord]:
    snippets: dict[str, Snippet] = {}
    judgements: list[Judgement] = []
    for paragraph in row.items("paragraphs"):
        with paragraph.unit():
            doc_id = paragraph.id("paragraph_id")
            if doc_id in snippets:
                paragraph.bad("paragraph_id", f"{doc_id!r} appears twice", code="duplicate-id")
            text = paragraph.optional_text("text") or ""
            grades = paragraph.optional_items("exam_grades")
            extra = {name: value for name, value in paragraph.rest().items() if value is not None}
            if grades:
                extra["exam_grades"] = [grade.rest(*_GRADED) for grade in grades]
            snippets[doc_id] = Snippet(snippet_id=doc_id, text=text, citations=(Citation(doc_id=doc_id),), extra=extra)
            judgements += _read_grades(grades, query_id, doc_id)
    yield Response(query_id=query_id, run_id=RETRIEVED, snippets=tuple(snippets.values()))
    yield from judgements


def _read_grades(grades: list[Fields], query_id: str, snippet_id: str) -> Iterator[Judgement]:
    given: set[tuple[str, str]] = set()
    for grade in grades:
        with grade.unit():
            llm = grade.optional_id("llm") or "given"
            for nug_id, judged in _judged(grade).items():
                judge = llm
                if (judge, nug_id) in given:
                    # The same model with a different prompt is a different judge.
                    judge = f"{llm} {_prompt_class(grade)}"
                if (judge, nug_id) in given:
                    grade.complain("llm", f"{judge!r} has already graded {nug_id!r}", code="duplicate-id")
                    continue
                given.add((judge, nug_id))
                status = judged.pop("status", "ok" if "degree" in judged else "unknown")
                yield Judgement(
                    query_id=query_id,
                    run_id=RETRIEVED,
                    snippet_id=snippet_id,
                    nug_id=nug_id,
                    degree=judged.pop("degree", None),
                    judge=judge,
                    status=status,
                    extra=judged,
                )


def _prompt_class(grade: Fields) -> str:
    info = grade.data.get("prompt_info")
    return str(info.get("prompt_class", "")) if isinstance(info, dict) else ""


def _judged(grade: Fields) -> dict[str, dict[str, Any]]:
    """For each question its `degree` or `status`, and the `extra` to keep."""
    judged: dict[str, dict[str, Any]] = {}
    for item in grade.optional_items("self_ratings"):
        with item.unit():
            nug_id = item.id("question_id", "nugget_id")
            if nug_id in judged:
                item.bad("question_id", f"{nug_id!r} is rated twice", code="duplicate-id")
            rating = item.number("self_rating")
            judged[nug_id] = {"self_rating": item.data["self_rating"]} | item.rest()
            if 0 <= rating <= BEST_RATING:
                judged[nug_id]["degree"] = rating / BEST_RATING
            else:
                choices = tuple(str(choice) for choice in range(BEST_RATING + 1))
                item.complain("self_rating", repr(item.data["self_rating"]), code="impossible-label", choices=choices)
                judged[nug_id]["status"] = "failed"
    for nug_id, error in grade.optional_entries("llm_response_errors"):
        judged.setdefault(nug_id, {"status": "failed"})["llm_response_error"] = error
    correct = grade.strings("correctAnswered")
    for nug_id in correct:
        judged.setdefault(nug_id, {"degree": 1.0})
    for nug_id in grade.strings("wrongAnswered"):
        if nug_id in correct and "self_rating" not in judged[nug_id]:
            grade.complain("wrongAnswered", f"{nug_id!r} is in correctAnswered, too", code="impossible-label")
            judged[nug_id] = {"status": "failed"}
        judged.setdefault(nug_id, {"degree": 0.0})
    for index, pair in enumerate(grade.optional_members("answers")):
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
            judged.setdefault(pair[0], {})["answer"] = pair[1]
        else:
            grade.complain(f"answers[{index}]", "must be [question id, text]", code="wrong-type")
    return judged
