"""Argilla's records with span questions: as the SDK writes them (2.x and 1.x), or flat as on the Hugging Face Hub.

{"id": "1", "fields": {"text": "…"}, "responses": {"spans": [{"value": [{"start": 0, "end": 4, "label": "PER"}],
 "user_id": "ann"}]}, "suggestions": {"spans": {"value": […], "agent": "m"}}}
{"fields": {"text": "…"}, "responses": [{"user_id": "ann", "values": {"spans": {"value": […]}}}], "suggestions": []}
{"text": "…", "spans.responses": [[{"start": 0, "end": 4, "label": "PER"}]], "spans.responses.users": ["ann"]}
Offsets count code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from karat.formats.annotation.annotated_text import Documents, spans_in
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord

TITLE = "Argilla records"
RUN = "argilla"
_RESPONSES, _USERS, _SUGGESTION = ".responses", ".responses.users", ".suggestion"


def sniff_argilla(head: Head) -> bool:
    row = head.row
    if isinstance(row.get("fields"), dict):
        return isinstance(row.get("responses"), list | dict) or isinstance(row.get("suggestions"), list | dict)
    return any(name.endswith(_RESPONSES) and f"{name}.users" in row for name in row)


class _SpanAnswer(NamedTuple):
    """What one person (or program) marked for one question."""

    path: str
    question: str
    value: Any
    assessor: str | None
    agent: str | None = None

    def kept(self) -> dict[str, Any]:
        """An answer that is not spans, for the `extra` of its record."""
        by = {"user_id": self.assessor, "agent": self.agent}
        return {"question": self.question, "value": self.value} | {name: who for name, who in by.items() if who}


def read_argilla(source: Source) -> Iterator[AnyRecord]:
    """One Response per record and one Nugget per span: a person's from responses, a program's from suggestions."""
    documents = Documents(source, RUN)
    for number, row in enumerate(json_rows(source), start=1):
        with row.unit():
            query_id = row.optional_id("id", "external_id", "_server_id") or str(number)
            source.query_id = query_id
            answers = list(_answers(row))
            fields = row.optional_child("fields") or row
            text = _text(fields, {answer.question for answer in answers})
            extra = row.rest()
            if fields is not row and (others := fields.rest()):
                extra["fields"] = others
            if unlike := [answer for answer in answers if not _is_spans(answer.value)]:
                extra["answers"] = [answer.kept() for answer in unlike]
            yield from documents.response(row, query_id, text, extra)
            for answer in answers:
                for index, member in enumerate(answer.value if _is_spans(answer.value) else []):
                    item = Fields(source, member, f"{answer.path}[{index}]")
                    with item.unit():
                        pair = [item.integer("start"), item.integer("end")]
                        spans = spans_in(item, "", [pair], text, stated=item.optional_text("text"))
                        yield documents.nugget(
                            query_id,
                            spans,
                            item.optional_id("label"),
                            category=answer.question,
                            source="auto" if answer.assessor is None and answer.agent is not None else "person",
                            rule=answer.agent or None,
                            assessor=answer.assessor,
                            extra=item.rest(),
                        )


def _is_spans(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(member, dict) and "start" in member and "end" in member for member in value
    )


def _text(fields: Fields, questions: set[str]) -> str:
    """The field `text`, or the first that has text: a record does not say which field a question is about."""
    names = [name for name, value in fields.data.items() if isinstance(value, str) and name not in questions]
    if fields.has("text") or not names:
        return fields.text("text")
    if len(names) > 1:
        message = f"the record does not say which of {', '.join(names)} the spans are in; {names[0]} is used"
        fields.source.warn(fields.path, message, code="ambiguous-text")
    return fields.text(names[0])


def _answers(row: Fields) -> Iterator[_SpanAnswer]:
    responses, suggestions = row.get("responses"), row.get("suggestions")
    if isinstance(responses, dict):
        for question in responses:
            for item in row.inside("responses", responses).optional_items(question):
                yield _SpanAnswer(f"{item.path}.value", question, item.get("value"), item.optional_id("user_id"))
    elif responses is not None:
        for item in row.items("responses"):
            assessor = item.optional_id("user_id")
            if item.get("status") == "discarded":
                row.source.warn(item.path, "was discarded by its annotator, so it is not read", code="not-accepted")
                continue
            for question, value in item.optional_entries("values"):
                value = value.get("value") if isinstance(value, dict) else value
                yield _SpanAnswer(f"{item.path}.values.{question}.value", question, value, assessor)
    if isinstance(suggestions, dict):
        for question in suggestions:
            item = row.inside("suggestions", suggestions).child(question)
            agent = item.optional_id("agent") or ""
            yield _SpanAnswer(f"{item.path}.value", question, item.get("value"), None, agent)
    elif suggestions is not None:
        for item in row.items("suggestions"):
            question, agent = item.id("question_name"), item.optional_id("agent") or ""
            yield _SpanAnswer(f"{item.path}.value", question, item.get("value"), None, agent)
    yield from _flat_answers(row)


def _flat_answers(row: Fields) -> Iterator[_SpanAnswer]:
    for name in list(row.data):
        if name.endswith(_RESPONSES):
            users = row.optional_members(f"{name}.users")
            for index, value in enumerate(row.optional_members(name)):
                user = users[index] if index < len(users) else None
                assessor = None if user is None else str(user)
                yield _SpanAnswer(join(row.path, f"{name}[{index}]"), name.removesuffix(_RESPONSES), value, assessor)
        elif name.endswith(_SUGGESTION) and row.has(name):
            agent = row.optional_id(f"{name}.agent") or ""
            yield _SpanAnswer(join(row.path, name), name.removesuffix(_SUGGESTION), row.get(name), None, agent)
