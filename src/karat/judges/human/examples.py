"""What judges may learn from: the texts that people judged, with what they contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from karat.judges.base import Task
from karat.judges.human.known import whole_text
from karat.judges.human.known_texts import NO_GROUP, KnownTexts, Mark, wording
from karat.model import Collection, Judgement, Response

GROUPS = 10
"""Judged runs are hidden from each other in so many groups at most: each costs a judge a pass of its own."""


class TextBook:
    """Judged texts of one query as they come; copies of a text are one."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.groups: list[int] = []
        self.marks: dict[tuple[str, int], Mark] = {}
        self._place: dict[str, int] = {}

    def add(self, text: str, group: int, judgements: Iterable[Judgement]) -> None:
        """A text, and what people said of it; only what it contains in full is an example of a nug."""
        words = wording(text)
        if not words:
            return
        at = self._place.setdefault(words, len(self.texts))
        if at == len(self.texts):
            self.texts.append(text)
            self.groups.append(group)
        for one in judgements:
            if has_degree(one) and (one.degree or 0.0) >= 1.0:
                self.marks.setdefault((one.nug_id, at), Mark(one.nug_id, at, _part(text, one)))

    def known(self) -> KnownTexts:
        return KnownTexts(self.texts, np.array(self.groups, int), list(self.marks.values()))


def with_examples(
    tasks: Sequence[Task], bodies: Iterable[Collection], *, names: Mapping[str, str] | None = None
) -> list[Task]:
    """The tasks with the texts that people judged; from a response the texts of its own run are hidden, and copies.

    bodies: collections of responses and people's judgements of them. names: of what runs are hidden together (an
    institution, say); each run by itself where it has none.
    """
    books: dict[str, TextBook] = {}
    codes: dict[str, int] = {}
    names = names or {}
    for body in bodies:
        said: dict[tuple[str, str], list[Judgement]] = {}
        for one in body.judgements:
            if has_degree(one):
                said.setdefault((one.query_id, one.run_id), []).append(one)
        for response in body.responses:
            if own := said.get((response.query_id, response.run_id)):
                code = codes.setdefault(names.get(response.run_id, response.run_id), len(codes) % GROUPS)
                _add_response(books.setdefault(response.query_id, TextBook()), response, own, code)
    return [
        replace(
            task,
            known=books[task.query_id].known(),
            groups=[codes.get(names.get(one.run_id, one.run_id), NO_GROUP) for one in task.responses],
        )
        if task.query_id in books
        else task
        for task in tasks
    ]


def _add_response(book: TextBook, response: Response, judgements: Sequence[Judgement], group: int) -> None:
    wholes = [one for one in judgements if one.snippet_id is None]
    if wholes:
        book.add(whole_text(response), group, wholes)
    if len(wholes) < len(judgements):
        for snippet in response.snippets:
            book.add(snippet.text, group, [one for one in judgements if one.snippet_id == snippet.snippet_id])


def has_degree(judgement: Judgement) -> bool:
    return judgement.status == "ok" and judgement.degree is not None


def _part(text: str, judgement: Judgement) -> str:
    """The marked words of a text; all of it where none are marked."""
    spans = judgement.evidence.spans if judgement.evidence is not None and judgement.snippet_id is not None else None
    return " ".join(text[start:end] for start, end in spans or ()).strip() or text
