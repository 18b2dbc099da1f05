"""open-rag-eval's answers: `query_id,query,query_run,passage_id,passage,generated_answer`, one row per passage.

The answer is in the first row of its query and run; markers such as `[1]` or `[1, 2]` cite passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from karat.formats.eval_tools.answer_rows import run_of_file
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Citation, Query, Response, Run, Snippet, content_id

TITLE = "open-rag-eval answers"
_COLUMNS = frozenset({"query", "passage_id", "passage", "generated_answer"})
_MARKER = r"\[[0-9]+(?:\s*,\s*[0-9]+)*\]"
# A piece ends after its markers, the punctuation that ends the sentence, and the blanks after it.
_MARKERS = re.compile(rf"{_MARKER}(?:\s*(?:,\s*)?{_MARKER})*[.,;:!?)\"'”’]*\s*")
_NUMBER = re.compile(r"\[?([0-9]+)\]?")


@dataclass
class _Answer:
    """The rows of one query and run."""

    line: int
    text: str = ""
    passages: dict[str, Citation] = field(default_factory=dict)


def sniff_open_rag_eval(head: Head) -> bool:
    return not head.shape and frozenset(head.columns(",")) >= _COLUMNS


def read_open_rag_eval(source: Source) -> Iterator[AnyRecord]:
    """One Response per query and run, cut into snippets after its markers; joined, they are the answer.

    A marker cites the passage with that number; its text is the citation's excerpt. Passages that are not cited
    are kept in the response's `extra`. Run 1 is named like the file, run 2 `file:2`, and so on.
    """
    once = Once(source)
    answers: dict[tuple[str, str], _Answer] = {}
    for row in table_rows(source, delimiter=","):
        with row.unit():
            query = row.text("query")
            query_id = source.query_id = row.optional_id("query_id") or content_id(query)
            yield from once(Query(query_id=query_id, text=query))
            number = row.optional_id("query_run") or "1"
            _add_row(row, answers.setdefault((query_id, number), _Answer(source.line)))
    stem = run_of_file(source)
    for (query_id, number), answer in answers.items():
        source.query_id = query_id
        run_id = stem if number == "1" else f"{stem}:{number}"
        yield from once(Run(run_id=run_id))
        yield _response(source, query_id, run_id, answer)


def _add_row(row: Fields, answer: _Answer) -> None:
    text = row.optional_text("generated_answer")
    if text and not answer.text:
        answer.text, answer.line = text, row.source.line
    elif text and text != answer.text:
        row.complain("generated_answer", "differs from the answer in the first row", code="duplicate-id")
    doc_id = row.optional_id("passage_id")
    if doc_id is None:
        return
    if doc_id in answer.passages:
        row.complain("passage_id", f"passage {doc_id!r} appears twice in this answer", code="duplicate-id")
        return
    passage = row.optional_text("passage")
    answer.passages[doc_id] = Citation(doc_id=doc_id, excerpt=passage, extra=row.rest("query_id", "query_run"))


def _response(source: Source, query_id: str, run_id: str, answer: _Answer) -> Response:
    numbered = _numbered(answer.passages)
    snippets: list[Snippet] = []
    cited: set[str] = set()
    for piece in _stretches(answer.text):
        citations: dict[str, Citation] = {}
        for number in (number for marker in re.findall(_MARKER, piece) for number in re.findall(r"[0-9]+", marker)):
            passage = numbered.get(number)
            if passage is not None:
                citations[passage.doc_id] = passage
                continue
            message = f"[{number}] cites no passage of query {query_id!r}"
            source.report("generated_answer", message, code="dangling-reference", line=answer.line)
        cited.update(citations)
        number = str(len(snippets) + 1)
        snippets.append(Snippet(snippet_id=number, text=piece, citations=tuple(citations.values())))
    uncited = [_passage_row(passage) for doc_id, passage in answer.passages.items() if doc_id not in cited]
    extra = {"uncited_passages": uncited} if uncited else {}
    return Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets), extra=extra)


def _stretches(text: str) -> Iterator[str]:
    """The text in pieces, each of which ends with markers, except perhaps the last."""
    start = 0
    for match in _MARKERS.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    if start < len(text):
        yield text[start:]


def _numbered(passages: dict[str, Citation]) -> dict[str, Citation]:
    """Passages by their number: the number in ids such as `[1]` or `1`, otherwise the position in the list."""
    matches = {doc_id: _NUMBER.fullmatch(doc_id) for doc_id in passages}
    if all(matches.values()):
        return {match[1]: passages[doc_id] for doc_id, match in matches.items() if match}
    return {str(number): passage for number, passage in enumerate(passages.values(), 1)}


def _passage_row(passage: Citation) -> dict[str, Any]:
    return passage.extra | {"passage_id": passage.doc_id, "passage": passage.excerpt}
