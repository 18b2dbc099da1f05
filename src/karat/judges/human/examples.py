"""Gives tasks the texts that people judged, so that judges can learn from them (`judged_texts`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from karat.judges.base import Task
from karat.judges.human.judged_texts import NO_GROUP, JudgedTexts, Mark, wording
from karat.judges.human.known_judgements import whole_text
from karat.model import Collection, Judgement, Response

GROUPS = 10
"""Judged runs are hidden from each other in at most so many groups: a judge needs one pass per group."""


class TextBook:
    """Collects the judged texts of one query, one after the other; copies of a text are kept once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.groups: list[int] = []
        self.marks: dict[tuple[str, int], Mark] = {}
        self._place: dict[str, int] = {}

    def add(self, text: str, group: int, judgements: Iterable[Judgement]) -> None:
        """Add a text and what people said about it; it is an example only of the nugs that it contains in full."""
        words = wording(text)
        if not words:
            return
        at = self._place.setdefault(words, len(self.texts))
        if at == len(self.texts):
            self.texts.append(text)
            self.groups.append(group)
        for judgement in judgements:
            if has_degree(judgement) and (judgement.degree or 0.0) >= 1.0:
                mark = Mark(
                    judgement.nug_id,
                    at,
                    _part(text, judgement),
                    judgement.run_id,
                    judgement.assessor or judgement.judge,
                )
                self.marks.setdefault((judgement.nug_id, at), mark)

    def known(self) -> JudgedTexts:
        return JudgedTexts(self.texts, np.array(self.groups, int), list(self.marks.values()))


def with_examples(
    tasks: Sequence[Task], bodies: Iterable[Collection], *, names: Mapping[str, str] | None = None
) -> list[Task]:
    """The tasks with the texts that people judged; texts of its own run, and copies, are hidden from a response.

    bodies: collections of responses with people's judgements about them. names: run -> the name under which runs are
    hidden together, such as an institution; a run without a name is hidden by itself.
    """
    books: dict[str, TextBook] = {}
    codes: dict[str, int] = {}
    names = names or {}
    for body in bodies:
        said: dict[tuple[str, str], list[Judgement]] = {}
        for judgement in body.judgements:
            if has_degree(judgement):
                said.setdefault((judgement.query_id, judgement.run_id), []).append(judgement)
        for response in body.responses:
            if judgements := said.get((response.query_id, response.run_id)):
                code = codes.setdefault(names.get(response.run_id, response.run_id), len(codes) % GROUPS)
                _add_response(books.setdefault(response.query_id, TextBook()), response, judgements, code)
    return [
        replace(
            task,
            known=books[task.query_id].known(),
            groups=[codes.get(names.get(response.run_id, response.run_id), NO_GROUP) for response in task.responses],
        )
        if task.query_id in books
        else task
        for task in tasks
    ]


def _add_response(book: TextBook, response: Response, judgements: Sequence[Judgement], group: int) -> None:
    wholes = [judgement for judgement in judgements if judgement.snippet_id is None]
    if wholes:
        book.add(whole_text(response), group, wholes)
    if len(wholes) < len(judgements):
        for snippet in response.snippets:
            of_snippet = [judgement for judgement in judgements if judgement.snippet_id == snippet.snippet_id]
            book.add(snippet.text, group, of_snippet)


def has_degree(judgement: Judgement) -> bool:
    return judgement.status == "ok" and judgement.degree is not None


def _part(text: str, judgement: Judgement) -> str:
    """The marked words of a text; the whole text where none are marked."""
    spans = judgement.evidence.spans if judgement.evidence is not None and judgement.snippet_id is not None else None
    return " ".join(text[start:end] for start, end in spans or ()).strip() or text
