"""Tasks -> requests: one response and a batch of nugs of one query each, in a fixed order."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from karat.judges.base import Task
from karat.judges.llm.answers import label_schema, read_labels
from karat.judges.llm.prompts import Prompt
from karat.judges.llm.request import Message, Request
from karat.model import Nug, Response, UsageError
from karat.model.wording import number_of
from karat.text.sentences import sentence_spans

if TYPE_CHECKING:
    from karat.judges.llm.llm import Llm

LISTED = 3


@dataclass(frozen=True)
class Batch:
    """A request, and the pairs that its answer is about."""

    row: int
    columns: tuple[int, ...]
    request: Request


def batches_of(task: Task, judge: Llm, prompt: Prompt) -> list[Batch]:
    """The requests of a task: only pairs that are asked for, and no empty response."""
    batches = []
    for row, response in enumerate(task.responses):
        text = text_of(response, judge)
        if not text.strip():
            continue
        asked = [at for at in range(len(task.nugs)) if task.asked is None or task.asked[row, at]]
        if judge.order == "shuffled":
            # The same text and seed always have the same order, whatever else is judged.
            random.Random(f"{judge.seed}\t{task.query_id}\t{text}").shuffle(asked)  # noqa: S311
        for start in range(0, len(asked), judge.batch):
            columns = tuple(asked[start : start + judge.batch])
            nugs = [task.nugs[column] for column in columns]
            batches.append(Batch(row, columns, _request(task.question, text, nugs, judge, prompt)))
    return batches


def names_of(count: int) -> list[str]:
    """What nugs are called in a request: their own ids may be long, or say something."""
    return [f"n{number}" for number in range(1, count + 1)]


def text_of(response: Response, judge: Llm) -> str:
    """The text of a response as it is sent: cut at the end of a sentence where it is too long and may be cut."""
    text = "\n".join(snippet.text for snippet in response.snippets)
    if len(text) <= judge.longest or judge.long != "cut":
        return text
    ends = [end for _, end in sentence_spans(text[: judge.longest])][:-1]
    return text[: ends[-1] if ends else judge.longest]


def check_lengths(tasks: Sequence[Task], judge: Llm) -> tuple[str, ...]:
    """A note about responses that are cut.

    Raises:
        UsageError: a response is too long, and long ones are refused.
    """
    long = [
        f"run {response.run_id}, query {task.query_id}"
        for task in tasks
        for response in task.responses
        if sum(len(snippet.text) + 1 for snippet in response.snippets) - 1 > judge.longest
    ]
    if not long:
        return ()
    listed = f"{'; '.join(long[:LISTED])}{'; ...' if len(long) > LISTED else ''}"
    responses = f"{number_of(len(long), 'response')} with more than {judge.longest:,} characters ({listed})"
    if judge.long == "refuse":
        raise UsageError(
            f"{responses}: nothing was sent. Does the model read as much? Then raise the limit with llm(longest=N); "
            "llm(long=cut) sends only the beginning, and what follows counts as not said"
        )
    return (f"{responses} were cut there for the model: what follows counts as not said",)


def _request(question: str, text: str, nugs: Sequence[Nug], judge: Llm, prompt: Prompt) -> Request:
    names = names_of(len(nugs))
    listed = ", ".join(names)
    messages = prompt.messages(
        question=question or "(not given)",
        text=text,
        # A text can hardly contain its own hash, so that it cannot end itself.
        mark=hashlib.sha256(text.encode()).hexdigest()[:8],
        statements="\n".join(f"{name}: {_statement(nug)}" for name, nug in zip(names, nugs, strict=True)),
        names=listed,
    )

    def repair(answer: str, problem: str) -> Sequence[Message]:
        return prompt.repair(answer, problem=problem, names=listed)

    return Request(
        model=judge.model,
        messages=messages,
        parameters=judge.parameters(len(nugs)),
        schema=label_schema(names, quotes=prompt.quotes),
        prompt=prompt.signature,
        form=judge.form,
        read=partial(read_labels, names=names, quotes=prompt.quotes),
        repair=repair,
    )


def _statement(nug: Nug) -> str:
    first, *others = nug.descriptions or ("",)
    said = " ".join(first.split())
    return f"{said} (or: {' / '.join(' '.join(other.split()) for other in others)})" if others else said
