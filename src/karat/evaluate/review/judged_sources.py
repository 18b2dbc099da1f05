"""Which judged text is behind a judgement (Marton & Radul 2006, Figure 7).

Two ways lead from a judged text to another one: it is the same text, and people's judgement is reused; or a judge that
reads judged texts (`nuggeteer(references=both)`, `neighbours`) finds it similar. Then it helps to see the text, its run
and who judged it: the similarity may be spurious, because assessors do not mark which part of a text contains the nug.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from karat.judges.base import Judge, Matcher, Task
from karat.judges.human.examples import with_examples
from karat.judges.human.known_judgements import KnownJudgements
from karat.judges.human.labels import People
from karat.judges.pairs import tasks_of
from karat.model import Collection, Response
from karat.text.idf import IdfTable


class JudgedSource(msgspec.Struct, frozen=True, kw_only=True):
    """A judged text that says what a nug looks like, who judged it, and how it was used."""

    use: Literal["same", "similar"]
    """same: people's judgement of this text is reused. similar: the judge found the nug by its similarity to it."""
    run_id: str
    assessors: tuple[str, ...]
    text: str


class JudgedSources:
    """Finds the judged texts behind the judgements of one query."""

    def __init__(
        self, collection: Collection, people: People, program: Judge, *, query_id: str, idf: IdfTable | None = None
    ) -> None:
        self.known: KnownJudgements = people.known()
        self.program = program
        self.task: Task | None = None
        if program.reads_known:
            tasks = [task for task in tasks_of(collection, pool=people.pool, idf=idf) if task.query_id == query_id]
            self.task = next(iter(with_examples(tasks, [people.here, people.apart])), None)
        self._matchers: dict[int, tuple[Task, Matcher]] = {}

    def of(self, response: Response, nug_id: str, piece: str) -> JudgedSource | None:
        """The source of what is known about a response and nug; otherwise what is similar to a piece of it."""
        if (source := self.known.source_of(response, nug_id)) is not None:
            return JudgedSource(use="same", run_id=source.run_id, assessors=source.assessors, text=source.text)
        if self.task is None or not piece:
            return None
        task, matcher = self._matcher(self.task, response)
        column = [nug.nug_id for nug in task.nugs].index(nug_id)
        text = matcher.judged_text(piece, column)
        return None if text is None or task.known is None else _marked(task, nug_id, text)

    def _matcher(self, task: Task, response: Response) -> tuple[Task, Matcher]:
        row = [each.run_id for each in task.responses].index(response.run_id)
        group = task.groups[row] if len(task.groups) else 0
        if group not in self._matchers:
            seen = self.program.seen_by(task, row)
            self._matchers[group] = seen, self.program.matcher(seen)
        return self._matchers[group]


def _marked(task: Task, nug_id: str, text: str) -> JudgedSource | None:
    assert task.known is not None
    texts: Sequence[str] = task.known.texts
    for mark in task.known.marks:
        if mark.nug_id == nug_id and texts[mark.text] == text:
            assessors = (mark.assessor,) if mark.assessor else ()
            return JudgedSource(use="similar", run_id=mark.run_id, assessors=assessors, text=mark.part)
    return None
