"""Chats with a model, as OpenAI's interface writes them: `{"messages": [{"role": "user", "content": "..."}, ...]}`.

{"query_id": "1", "messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because [1]."}]}

The last message of the assistant is the answer, the user's message before it the query. Rows of a batch
(`{"custom_id", "response": {"body": {"choices": [{"message": {...}}]}}}`) have only the answer; the custom_id is the id
of the query. Marks of citations in answers are read as citations (see inline_citations).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import QUERY_IDS, Answers, run_of_file
from karat.formats.eval_tools.inline_citations import snippet_of
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord
from karat.model.default_names import REFERENCE

TITLE = "chats with a model (OpenAI messages)"
_SOURCES = ("sources", "references", "citations")


def sniff_chat(head: Head) -> bool:
    return {"role", "content"} <= head.first("messages").keys() or _choice(head.row) is not None


def read_chat(source: Source) -> Iterator[AnyRecord]:
    """One query and one response per chat; the run is `run_id`, or else named like the file.

    The other messages and unknown fields are kept in the response's `extra`.
    """
    answers, of_file = Answers(source), run_of_file(source, avoid=REFERENCE)
    for row in json_rows(source):
        with row.unit():
            yield from _read_chat(row, answers, of_file)


def _read_chat(row: Fields, answers: Answers, of_file: str) -> Iterator[AnyRecord]:
    query_id, run_id = row.optional_id(*QUERY_IDS, "custom_id"), row.optional_id("run_id") or of_file
    choice = _choice(row.data)
    messages = row.optional_items("messages") if choice is None else []
    if choice is not None:
        row.get("response", "choices")
        messages = [row.inside("message", choice)]
    said = [(message.data.get("role"), _content(message)) for message in messages]
    at = next((at for at in range(len(said) - 1, -1, -1) if said[at][0] == "assistant"), None)
    if at is None:
        roles = ", ".join(dict.fromkeys(str(role) for role, _ in said)) or "none"
        row.bad(
            "messages", f"no message is the assistant's (roles: {roles}), so there is no answer", code="missing-field"
        )
    asked = next((text for role, text in reversed(said[:at]) if role == "user"), None)
    if query_id is None:
        if not asked:
            row.bad("query_id", "is missing, and there is no message of the user to make it from", code="missing-field")
        query_id = answers.query_id(asked, run_id)
    row.source.query_id = query_id
    others = [messages[n].data for n in range(len(said)) if n != at and said[n] != ("user", asked)]
    sources = next((row.data[name] for name in _SOURCES if isinstance(row.data.get(name), list)), None)
    extra = {name: value for name, value in row.rest().items() if value is not None}
    if others:
        extra["messages"] = others
    if asked:
        yield from answers.query(query_id, asked)
    text = said[at][1]
    snippet = snippet_of(row, text, sources=sources, question=asked or "")
    yield from answers.response(row, "messages", query_id, run_id, text, extra, snippet=snippet)


def _choice(row: dict[str, Any]) -> dict[str, Any] | None:
    """The message of the first choice of a completion, or of a row of a batch; None where it is neither."""
    response = row.get("response") if "custom_id" in row else row
    body = response.get("body", response) if isinstance(response, dict) else None
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) and "role" in message else None


def _content(message: Fields) -> str:
    """The text of a message: a string, or the text parts of a list."""
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        message.bad("content", f"must be a string or a list of parts, not {type_name(content)}", code="wrong-type")
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(part for part in parts if isinstance(part, str))
