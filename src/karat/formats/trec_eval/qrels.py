"""Relevance judgements of documents ("qrels" of TREC): `topic iteration docid grade`, one judgement per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import blank_separated
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_eval.score_tables import is_number
from karat.model import AnyRecord, Relevance

TITLE = "relevance judgements of documents (qrels)"
CARRIES = carries(relevance="query_id run_id snippet_id assessor label extra")
QRELS = "qrels"
"""The run and the assessor of judgements of documents: these files name neither."""
_COLUMNS = ("topic", "iteration", "docid", "grade")


def sniff_qrels(head: Head) -> bool:
    rows = head.fields_of_lines() if not head.shape else []
    return bool(rows) and all(len(row) == 4 and _is_iteration(row) and row[3].lstrip("+-").isdigit() for row in rows)


def _is_iteration(row: list[str]) -> bool:
    """Whether a column is an iteration: usually 0 or Q0; also another digit, if a document id and no number follows."""
    return row[1].upper() in ("0", "Q0") or (len(row[1]) == 1 and row[1].isdigit() and not is_number(row[2]))


def read_qrels(source: Source) -> Iterator[AnyRecord]:
    """One Relevance per line: relevant if the grade is above 0; grade and iteration are kept in `extra`."""
    seen: set[tuple[str, str]] = set()
    for row in blank_separated(source, columns=_COLUMNS):
        with row.unit():
            query_id = source.query_id = row.id("topic")
            doc_id = row.id("docid")
            number = row.number("grade")
            if (query_id, doc_id) in seen:
                row.bad("docid", f"{doc_id!r} is judged twice for topic {query_id!r}", code="duplicate-id")
            seen.add((query_id, doc_id))
            yield Relevance(
                query_id=query_id,
                run_id=QRELS,
                snippet_id=doc_id,
                assessor=QRELS,
                label="relevant" if number > 0 else "irrelevant",
                extra={"grade": int(number) if number.is_integer() else number, "iteration": row.data["iteration"]},
            )


def write_qrels(records: Iterable[AnyRecord], sink: Sink) -> None:
    """If there is no grade, relevant is written as 1 and everything else as 0."""
    for relevance in records:
        assert isinstance(relevance, Relevance)
        for field in ("run_id", "assessor"):
            if getattr(relevance, field) != QRELS:
                sink.lose(f"relevance.{field}")
        if relevance.label == "redundant":
            sink.lose("relevance.label", "redundant is written as 0")
        if relevance.extra.keys() - {"grade", "iteration"}:
            sink.lose("relevance.extra")
        grade = relevance.extra.get("grade")
        is_relevant = relevance.label == "relevant"
        if isinstance(grade, bool) or not isinstance(grade, int | float) or (grade > 0) != is_relevant:
            grade = int(is_relevant)
        words = [_word(value, sink) for value in (relevance.query_id, str(relevance.extra.get("iteration", "0")))]
        sink.write(f"{words[0]} {words[1]} {_word(relevance.snippet_id, sink)} {grade!r}\n")


def _word(text: str, sink: Sink) -> str:
    word = "_".join(text.split())
    if word != text:
        sink.lose("relevance.ids", "blanks in ids become underscores")
    return word
