"""What a task page gets: one JSON object with everything it shows. Nothing in it names a run or another assessor."""

from __future__ import annotations

import msgspec

from karat.campaign.material.settings import Guideline
from karat.campaign.work.errors import CurrentAnnotation
from karat.campaign.work.payloads import AnyWork
from karat.campaign.work.query_key import KeyNug
from karat.model import SpanSet


class TaskQuery(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    query_id: str
    text: str
    template: str | None
    slots: dict[str, str]
    conditions: dict[str, str]
    language: str | None


class TaskStep(msgspec.Struct, frozen=True, kw_only=True):
    step: str
    done: bool
    waits: bool = False
    """Whether it cannot be done yet."""


class TaskAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer without a name; `passages` are numbers in order."""

    number: int
    label: str
    passages: tuple[int, ...]


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """The text that a translation was made from."""

    text: str
    language: str


class TaskCitation(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    doc_id: str
    citation_id: str
    """c1, c2, ... within the passage: a system's own name for a citation may tell the system."""
    chunk: SpanSet | None
    excerpt: str | None
    time: str | None
    language: str | None
    document: int | None
    """The number of the document, where its record is at hand."""
    title: str | None
    medium: str | None


class TaskPassage(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    text: str
    scope: int
    language: str | None
    origin: str | None
    source: SourceText | None
    citations: tuple[TaskCitation, ...]


class TaskSuggestion(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    kind: str
    record: AnyWork


class TaskPair(msgspec.Struct, frozen=True, kw_only=True):
    """An answer and a nug to judge; uncertainty from 0 (the program is sure) to 1 (it is not, or was not asked)."""

    response: int
    nug: str
    uncertainty: float


class SimilarNuggets(msgspec.Struct, frozen=True, kw_only=True):
    """Two nuggets that may say the same; score 1: the same words."""

    nuggets: tuple[str, str]
    score: float


class TaskTemplate(msgspec.Struct, frozen=True, kw_only=True):
    template_id: str
    description: str
    categories: dict[str, str]
    types: tuple[str, ...]


class TaskData(msgspec.Struct, frozen=True, kw_only=True):
    query: TaskQuery
    step: str
    owner: int
    done: bool
    editable: bool
    waits: str | None
    """Until when the step waits, in words; None: it can be done now."""
    steps: tuple[TaskStep, ...]
    pages: int
    page: int
    answers: tuple[TaskAnswer, ...]
    passages: tuple[TaskPassage, ...]
    annotations: tuple[CurrentAnnotation, ...]
    suggestions: tuple[TaskSuggestion, ...]
    key: tuple[KeyNug, ...]
    pairs: tuple[TaskPair, ...]
    similar: tuple[SimilarNuggets, ...]
    guideline: Guideline
    template: TaskTemplate | None
    types: tuple[str, ...]
    type_meanings: dict[str, str]
    """What the types mean, in plain words, as far as that is known."""
    words_in_scope: int
    vote_scale: str
    show_suggestion: str
