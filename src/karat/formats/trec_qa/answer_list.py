"""TREC QA answers to list questions: the known answers of each question, one per line.

# 2108
Q:Which rivers cross the old town?
Blue River
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Nug, Query

TITLE = "TREC QA list answers"
LIST_QUESTION = {"type": "list"}
_NUMBER = re.compile(r"#\s*(\S+)")
_QUESTION = re.compile(r"Q:\s*(.*)")


def sniff_trec_qa_list(head: Head) -> bool:
    lines = [line.strip() for line in head.lines[:2]]
    return len(lines) == 2 and bool(_NUMBER.fullmatch(lines[0]) and _QUESTION.fullmatch(lines[1]))


def read_trec_qa_list(source: Source) -> Iterator[AnyRecord]:
    """One Query per question and one Nug per answer; nugs have no importance, because all answers count the same."""
    ids: dict[str, ContentIds] = {}
    asked: set[str] = set()
    query_id: str | None = None
    for line in source.text_lines():
        line = line.strip()
        if not line:
            continue
        if number := _NUMBER.fullmatch(line):
            query_id = source.query_id = number[1]
            if query_id in ids:
                source.report("", f"question {query_id} is already in the file", code="duplicate-id")
            ids.setdefault(query_id, ContentIds())
        elif query_id is None:
            source.report("", "an answer needs a line `# number` before it", code="bad-line")
        elif (question := _QUESTION.fullmatch(line)) and query_id in asked:
            source.report("", f"question {query_id} already has a text", code="bad-line")
        elif question:
            asked.add(query_id)
            yield Query(query_id=query_id, text=question[1], conditions=LIST_QUESTION)
        else:
            if query_id not in asked:
                asked.add(query_id)
                source.report("", f"question {query_id} has no line `Q:question`", code="missing-field")
                yield Query(query_id=query_id, text="", conditions=LIST_QUESTION)
            yield Nug(query_id=query_id, nug_id=ids[query_id].next(line), descriptions=(line,))
