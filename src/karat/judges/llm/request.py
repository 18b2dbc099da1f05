"""One request to a language model, the hash by which it is known, and the forms in which it can be sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from karat.model import Unfinished

Message = Mapping[str, str]
Form = Literal["schema", "object", "text"]
"""How JSON is asked for: by its schema, as any JSON object, or only in words."""
FORMS: tuple[Form, ...] = ("schema", "object", "text")
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English; the preview says that it is one."""
TOKENS_PER_MESSAGE = 16
"""What a server adds around a message, generously."""


class InvalidAnswer(ValueError):
    """An answer that cannot be used; the text says why, and is told to the model."""


@dataclass(frozen=True)
class Request:
    """What is asked of a model. Everything that can change the answer is in its hash; where it is sent is not."""

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    """temperature, seed, and the most tokens of an answer."""
    schema: Mapping[str, Any]
    """The JSON schema of the answer."""
    prompt: str
    """The signature of the prompt."""
    form: Literal["auto", "schema", "object", "text"]
    read: Callable[[str], Any]
    """What the answer says; raises InvalidAnswer. It does not change what is sent."""
    repair: Callable[[str, str], Sequence[Message]]
    """The messages that follow an invalid answer: from the answer, and what is wrong with it."""

    @property
    def forms(self) -> tuple[Form, ...]:
        return FORMS if self.form == "auto" else (self.form,)

    @cached_property
    def hash(self) -> str:
        """Of model, messages, parameters, schema and prompt."""
        content = [self.model, list(self.messages), dict(self.parameters), self.schema, self.prompt, self.form]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def most_tokens(self) -> int:
        """The most tokens that an answer may have."""
        return int(self.parameters.get("max_tokens") or self.parameters["max_completion_tokens"])

    def body(self, form: Form, more: Sequence[Message] = ()) -> dict[str, Any]:
        """What is sent; more: messages about an earlier answer."""
        body: dict[str, Any] = {"model": self.model, "messages": [*self.messages, *more], **self.parameters}
        if form == "schema":
            schema = {"name": "answer", "strict": True, "schema": self.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form == "object":
            body["response_format"] = {"type": "json_object"}
        return body


def estimated_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens messages have: characters / 4."""
    return sum(len(message["content"]) for message in messages) // CHARACTERS_PER_TOKEN + 1


def token_bound(body: Mapping[str, Any]) -> int:
    """More tokens than a request can have: a token has at least one byte."""
    sent = json.dumps(body, ensure_ascii=False).encode()
    return len(sent) + TOKENS_PER_MESSAGE * len(body["messages"])


class Stopped(Unfinished):
    """The work stopped before its end; what is done is in the log."""
