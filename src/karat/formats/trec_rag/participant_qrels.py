"""Relevance judgements that participants of TREC RAG 2025 made themselves, with their confidence.

topic Q0 docid label confidence run

Each becomes a Relevance whose assessor is the run. A ranking has six columns, too, but no rank twice for one topic.
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import blank_separated
from karat.formats.io.source import Source
from karat.formats.trec_eval.qrels import QRELS
from karat.formats.trec_eval.score_tables import all_numeric
from karat.model import AnyRecord, Relevance

TITLE = "participants' relevance judgements (TREC RAG 2025)"
_COLUMNS = ("topic", "iteration", "docid", "label", "confidence", "run")


def sniff_participant_qrels(head: Head) -> bool:
    rows = head.fields_of_lines() if not head.shape else []
    if not rows or not all(len(row) == 6 and row[1].upper() in ("Q0", "0") and row[3].isdigit() for row in rows):
        return False
    labels = [(row[0], row[5], row[3]) for row in rows]
    return len(set(labels)) < len(labels) and all_numeric(rows, 4) and all(0 <= float(row[4]) <= 1 for row in rows)


def read_participant_qrels(source: Source) -> Iterator[AnyRecord]:
    """One Relevance per line: relevant if the label is above 0; label and confidence are kept in `extra`."""
    seen: set[tuple[str, str, str]] = set()
    for row in blank_separated(source, columns=_COLUMNS):
        with row.unit():
            query_id = source.query_id = row.id("topic")
            doc_id, run_id = row.id("docid"), row.id("run")
            grade, confidence = row.integer("label"), row.number("confidence")
            if (query_id, doc_id, run_id) in seen:
                row.bad(
                    "docid", f"{doc_id!r} is judged twice for topic {query_id!r} by {run_id!r}", code="duplicate-id"
                )
            seen.add((query_id, doc_id, run_id))
            yield Relevance(
                query_id=query_id,
                run_id=QRELS,
                snippet_id=doc_id,
                assessor=run_id,
                label="relevant" if grade > 0 else "irrelevant",
                extra={"grade": grade, "confidence": confidence, "iteration": row.data["iteration"]},
            )
