"""Statements that a language model drafts from the texts of a query, and joins to one list without repeats.

    texts -> pieces of at most CHUNK characters -> one list of statements each       prompt draft
    first list + next list -> one list, round by round                               prompt merge

What the model says is checked here only in its form. Whether the texts say it is checked by whoever uses it
(`QueryDraft.traced`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karat.evaluate.nuggets.drafting.sources import SourceText
from karat.judges.llm.answers import plain, read_object
from karat.judges.llm.calls import ask_all
from karat.judges.llm.connection import NO_MODEL, named_connection
from karat.judges.llm.prompts import Prompt, load_prompt
from karat.judges.llm.request import InvalidAnswer, Message, Request
from karat.model import UsageError
from karat.model.wording import number_of
from karat.text.sentences import sentence_spans

CHUNK = 12_000
"""The most characters of texts in one call."""
MOST = 30
"""The most statements that are asked for in one call."""
LONGEST = 400
"""The most characters of a statement: a longer one is not one piece of information."""
PARAMETERS = {"temperature": 0, "seed": 0, "max_tokens": 3_000}
_TEXT = {"type": "string"}


@dataclass(frozen=True)
class Drafted:
    """The statements of each query, and how they were made."""

    statements: dict[str, list[str]]
    settings: dict[str, str]
    notes: list[str] = field(default_factory=list)


def llm_statements(by_query: Mapping[str, Sequence[SourceText]], *, most: int | None = None) -> Drafted:
    """Let a model draft the statements of all queries, several calls at a time.

    most: how many nugs are wanted in the end; a model is asked for a few more.

    Raises:
        UsageError: no server or model is named (`karat.llm`), or the user did not agree to the calls.
    """
    connection = named_connection()
    if not connection.model:
        raise UsageError(NO_MODEL)
    draft, merge = load_prompt("draft"), load_prompt("merge")
    wanted = MOST if most is None else max(MOST, most + most // 2)
    asking = _Asking(connection.model, draft, merge, wanted)
    pieces = [(query_id, piece) for query_id, texts in by_query.items() for piece in pieces_of(texts)]
    questions = {query_id: next((text.question for text in texts), "") for query_id, texts in by_query.items()}
    requests = [asking.draft_request(questions[query_id], piece) for query_id, piece in pieces]
    lists: dict[str, list[list[str]]] = {query_id: [] for query_id in by_query}
    notes: list[str] = []
    for (query_id, piece), outcome in zip(pieces, ask_all(requests, connection), strict=True):
        if outcome.failure is None:
            lists[query_id].append(outcome.value)
        else:
            texts = number_of(len(piece), "text")
            notes.append(f"query {query_id}: nothing was drafted from {texts}: {outcome.failure}")
    there = {query_id: some[0] if some else [] for query_id, some in lists.items()}
    for turn in range(1, max(map(len, lists.values()), default=0)):
        queries = [query_id for query_id, some in lists.items() if len(some) > turn and some[turn]]
        joins = [asking.merge_request(questions[each], there[each], lists[each][turn]) for each in queries]
        for query_id, outcome in zip(queries, ask_all(joins, connection), strict=True):
            if outcome.failure is None:
                there[query_id] = outcome.value
            else:
                # Nothing is lost: nugs that say the same are found again when they are ranked.
                there[query_id] = [*there[query_id], *lists[query_id][turn]]
                notes.append(f"query {query_id}: two lists of statements were not joined: {outcome.failure}")
    statements = {query_id: list(dict.fromkeys(some)) for query_id, some in there.items()}
    return Drafted(statements, asking.settings(), notes)


def pieces_of(texts: Sequence[SourceText]) -> list[list[str]]:
    """The texts in pieces of at most CHUNK characters; a longer text is cut between sentences."""
    pieces: list[list[str]] = []
    room = 0
    for text in texts:
        for part in _parts("\n".join(snippet for _, snippet in text.snippets)):
            if len(part) > room:
                pieces.append([])
                room = CHUNK
            pieces[-1].append(part)
            room -= len(part)
    return pieces


def _parts(text: str) -> list[str]:
    parts, start, end = [], 0, 0
    for _, stop in sentence_spans(text) if len(text) > CHUNK else [(0, len(text))]:
        if stop - start > CHUNK and end > start:
            parts.append(text[start:end])
            start = end
        end = stop
    parts.append(text[start:end])
    # A sentence may itself be longer: text without any full stop.
    cut = [part[at : at + CHUNK] for part in parts for at in range(0, len(part), CHUNK)]
    return [part for part in cut if part.strip()]


@dataclass(frozen=True)
class _Asking:
    """Makes the requests."""

    model: str
    draft: Prompt
    merge: Prompt
    most: int

    def settings(self) -> dict[str, str]:
        return {
            "llm": self.model,
            "prompts": f"{self.draft.signature},{self.merge.signature}",
            "asked": str(self.most),
            "chunk": str(CHUNK),
        }

    def draft_request(self, question: str, texts: Sequence[str]) -> Request:
        marked = []
        for text in texts:
            mark = hashlib.sha256(text.encode()).hexdigest()[:8]
            marked.append(f"=== {mark}\n{text}\n=== {mark}")
        most = str(self.most)
        messages = self.draft.messages(question=question or "(not given)", texts="\n\n".join(marked), most=most)
        schema = {"type": "array", "items": _TEXT}

        def read(answer: str) -> list[str]:
            return _read_drafted(answer, most=2 * self.most)

        def repair(answer: str, problem: str) -> Sequence[Message]:
            return self.draft.repair(answer, problem=problem, most=most)

        return self._request(messages, schema, self.draft, read, repair)

    def merge_request(self, question: str, there: Sequence[str], new: Sequence[str]) -> Request:
        names = {f"a{at}": text for at, text in enumerate(there, 1)}
        fresh = {f"b{at}": text for at, text in enumerate(new, 1)}
        messages = self.merge.messages(question=question or "(not given)", there=_listed(names), new=_listed(fresh))
        entry = {
            "type": "object",
            "properties": {"text": _TEXT, "from": {"type": "array", "items": _TEXT}},
            "required": ["text", "from"],
            "additionalProperties": False,
        }

        def read(answer: str) -> list[str]:
            return _read_merged(answer, names | fresh)

        def repair(answer: str, problem: str) -> Sequence[Message]:
            return self.merge.repair(answer, problem=problem)

        return self._request(messages, {"type": "array", "items": entry}, self.merge, read, repair)

    def _request(self, messages: Any, items: dict[str, Any], prompt: Prompt, read: Any, repair: Any) -> Request:
        schema = {
            "type": "object",
            "properties": {"statements": items},
            "required": ["statements"],
            "additionalProperties": False,
        }
        return Request(self.model, messages, PARAMETERS, schema, prompt.signature, "auto", read, repair)


def _listed(names: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in names.items()) or "(none)"


def _statements(answer: str) -> list[Any]:
    found = plain(read_object(answer))
    statements = found.get("statements") if isinstance(found, dict) else None
    if not isinstance(statements, list):
        raise InvalidAnswer('it has no list "statements"')
    return statements


def _statement(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise InvalidAnswer("a statement is not a text, or empty")
    said = " ".join(text.split())
    if len(said) > LONGEST:
        raise InvalidAnswer(f"a statement has more than {LONGEST} characters: {said[:60]}...")
    return said


def _read_drafted(answer: str, *, most: int) -> list[str]:
    """The statements of a draft.

    Raises:
        InvalidAnswer: it is not a list of texts, one of them is too long, or there are far too many.
    """
    statements = list(dict.fromkeys(_statement(text) for text in _statements(answer)))
    if len(statements) > most:
        raise InvalidAnswer(f"it has {len(statements)} statements")
    return statements


def _read_merged(answer: str, names: Mapping[str, str]) -> list[str]:
    """The joined list. A statement that the model forgot stays as it was; none may be used twice.

    Raises:
        InvalidAnswer: an entry has no text or no origin, names a statement that is not there, or uses one again.
    """
    merged: list[str] = []
    used: set[str] = set()
    for entry in _statements(answer):
        origins = entry.get("from") if isinstance(entry, dict) else None
        if not isinstance(origins, list) or not origins:
            raise InvalidAnswer('a statement has no list "from"')
        for name in origins:
            if not isinstance(name, str) or name not in names:
                raise InvalidAnswer(f"there is no statement {str(name)[:20]!r}")
            if name in used:
                raise InvalidAnswer(f"{name} is used more than once")
            used.add(name)
        merged.append(_statement(entry.get("text")))
    return list(dict.fromkeys([*merged, *(text for name, text in names.items() if name not in used)]))
