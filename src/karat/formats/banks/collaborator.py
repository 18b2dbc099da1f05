"""Nugget questions as collaborators of Auto-ARGUE exchange them, one topic per file: `nuggets_{topic}.json`.

{"<question>": ["OR", {"<answer>": ["document", ...]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from karat.formats.banks.question_nugs import question_nugs, topic_of_file
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds

TITLE = "nugget questions with answers (Auto-ARGUE collaborators)"
_AGGREGATORS: dict[str, Literal["and", "or"]] = {"AND": "and", "OR": "or"}
_OTHER_AGGREGATORS = ("NOT", "SUM", "DEFAULT")


def sniff_nuggetbank_collaborator(head: Head) -> bool:
    if len(head.lines) > 1 and head.shape == "lines":
        return False
    return bool(head.row) and all(
        isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)
        for value in head.row.values()
    )


def read_nuggetbank_collaborator(source: Source) -> Iterator[AnyRecord]:
    """One Nug per question and one per answer; the query is in the file's name."""
    value = source.document()
    if not isinstance(value, dict):
        source.fail(f"the file must be an object of questions, not {type_name(value)}", code="wrong-type", line=1)
    topic = topic_of_file(source)
    if topic is None:
        return
    source.query_id = topic.query_id
    ids = ContentIds()
    questions = Fields(source, value)
    for question, pair in value.items():
        with questions.unit():
            aggregator, answers = _pair(questions, question, pair)
            label = aggregator.strip().upper()
            extra = {}
            if label not in _AGGREGATORS:
                extra = {"aggregator_type": aggregator}
                if label not in _OTHER_AGGREGATORS:
                    choices = (*_AGGREGATORS, *_OTHER_AGGREGATORS)
                    questions.complain(question, repr(aggregator), code="impossible-label", choices=choices)
            yield from question_nugs(
                questions, question, answers, topic.query_id, ids, aggregator=_AGGREGATORS.get(label), extra=extra
            )


def _pair(questions: Fields, question: str, pair: Any) -> tuple[str, Any]:
    if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
        questions.bad(question, 'must be ["AND" or "OR", {answer: [document, ...]}]', code="wrong-type")
    return pair[0], pair[1]
