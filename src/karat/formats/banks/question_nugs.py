"""Questions with their answers as nugs, for the files `nuggets_{topic}.json` with one topic each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from karat.formats.io.fields import Fields, type_name
from karat.formats.io.source import Source
from karat.model import ContentIds, Nug

_FILE_NAME = re.compile(r"(?:.*\.)?nuggets?_(?P<topic>.+?)(?:\.(?:v\d+|preload|revised))*\.jsonl?", re.IGNORECASE)


class FileTopic(NamedTuple):
    """Topic and annotator from a file's name: `nuggets_300_ann.json` may have ann's nuggets of topic 300."""

    query_id: str
    user: str | None = None


def topic_of_file(source: Source, *, users: bool = False) -> FileTopic | None:
    """The topic in a file's name; None (and a problem) if the input has no name.

    users: whether the name may end in `_` and the annotator's name.
    """
    name = Path(source.name).name.removesuffix(".gz")
    if match := _FILE_NAME.fullmatch(name):
        topic, _, user = match["topic"].partition("_") if users else (match["topic"], "", "")
        return FileTopic(topic, user or None)
    stem = name.partition(".")[0]
    if source.name == "-" or source.name.startswith("<") or not stem:
        source.report(
            "", "only the name of the file says the topic: call the file nuggets_TOPIC.json", code="missing-field"
        )
        return None
    source.warn(
        "", f"the name of the file is not nuggets_TOPIC.json, so {stem!r} is taken as the topic", code="guessed-query"
    )
    return FileTopic(stem)


def question_nugs(
    questions: Fields,
    question: str,
    answers: Any,
    query_id: str,
    ids: ContentIds,
    *,
    aggregator: Literal["and", "or"] | None = None,
    extra: dict[str, Any] | None = None,
) -> Iterator[Nug]:
    """One nug for the question and one for each of its answers: `{"answer": ["document", ...]}`.

    The documents of an answer become `references` as NuggetBank v3 writes them.
    """
    nug_id = ids.next(question)
    yield Nug(
        query_id=query_id, nug_id=nug_id, descriptions=(question,), aggregator=aggregator, extra=dict(extra or {})
    )
    item = questions.inside(question, answers) if isinstance(answers, dict) else None
    if item is None:
        questions.complain(question, f"answers must be an object, not {type_name(answers)}", code="wrong-type")
        return
    for answer in answers:
        with item.unit():
            yield Nug(
                query_id=query_id,
                nug_id=ids.next(nug_id, answer),
                descriptions=(answer,),
                parent=nug_id,
                extra={"references": [{"doc_id": doc_id} for doc_id in item.strings(answer)]},
            )
