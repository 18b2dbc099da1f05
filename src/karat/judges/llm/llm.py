"""`llm`: asks a large language model which nugs a response contains.

One call has one response and a batch of nugs of one query, in the order of the key. The model answers with a label for
each nug (support, partial_support, not_support: the raw scores 1, 0.5 and 0), and with the passage that decided; it
becomes evidence where it is really in the response. Every call is in a log, and nothing in the log is asked again.
Where the model is, and what may be spent, is said elsewhere (--llm-url, `karat.llm`): it changes no judgement.
docs/llm.md says how to use it, and what its calibration without labels means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.engines import Track
from karat.judges.base import Judge, Matcher, Matches, Task
from karat.judges.llm.answers import Label
from karat.judges.llm.attempts import Outcome
from karat.judges.llm.batches import Batch, batches_of, check_lengths, names_of
from karat.judges.llm.calls import ask_all
from karat.judges.llm.connection import NO_MODEL, current, named_connection
from karat.judges.llm.prompts import load_prompt
from karat.judges.llm.quotes import evidence_of, shared_words
from karat.model import Evidence, UsageError
from karat.model.wording import number_of
from karat.text.response_units import units_of

NOT_NAMED = "none"
"""The model of a judge whose name has none."""
TOKENS_OF_LABEL = 24
TOKENS_OF_QUOTE = 136
TOKENS_AROUND = 64
Positive = Annotated[int, msgspec.Meta(ge=1)]


class Llm(Judge, frozen=True, kw_only=True):
    """What is asked, and how; everything here is in the signature.

    model: its name at the server (--llm-model gives it, too). prompt: assign (labels and passages), labels (labels
    only, which is cheaper), or a file of your own. batch: the most nugs per call. order: nugs as in the key, or
    shuffled by the seed, to see whether their order matters. sampling: greedy sends temperature 0 and the seed; default
    sends neither, for models that refuse them. form: how JSON is asked for; auto: by its schema, and where the server
    refuses that, as an object, or in words. limit: what the server calls the most tokens of an answer. longest: the
    most characters of a response; long: whether a longer one is refused, or cut (with a note).
    """

    unit: Literal["response"] = "response"
    model: str = NOT_NAMED
    prompt: str = "assign"
    batch: Positive = 10
    order: Literal["key", "shuffled"] = "key"
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    sampling: Literal["greedy", "default"] = "greedy"
    form: Literal["auto", "schema", "object", "text"] = "auto"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    longest: Positive = 40_000
    long: Literal["refuse", "cut"] = "refuse"

    @property
    def name(self) -> str:
        return "llm"

    @property
    def works_together(self) -> bool:
        return True

    def ready(self) -> Llm:
        """With the hash of the prompt, and the model of the connection where the name has none."""
        connection = current()
        named = connection.model if connection is not None else None
        model = named or NOT_NAMED if self.model == NOT_NAMED else self.model
        return msgspec.structs.replace(self, model=model, prompt=load_prompt(self.prompt).signature)

    def parameters(self, nugs: int) -> dict[str, Any]:
        """What is sent besides the messages, for so many nugs."""
        quotes = TOKENS_OF_QUOTE if load_prompt(self.prompt).quotes else 0
        limit: dict[str, Any] = {self.limit: TOKENS_AROUND + nugs * (TOKENS_OF_LABEL + quotes)}
        return limit if self.sampling == "default" else {"temperature": 0, "seed": self.seed, **limit}

    def calls(self, asked: NDArray[np.bool_]) -> int:
        return int(np.ceil(asked.sum(axis=1) / self.batch).sum())

    def matcher(self, task: Task) -> LlmMatcher:
        return LlmMatcher(task)

    def match(self, task: Task) -> Matches:
        return next(iter(self.match_together([task])))

    def match_together(self, tasks: Sequence[Task], *, track: Track | None = None, jobs: int = 1) -> Iterator[Matches]:
        """Ask about all tasks, several calls at a time; the results come in the order of the tasks."""
        connection = named_connection()
        if self.model == NOT_NAMED:
            raise UsageError(NO_MODEL)
        prompt = load_prompt(self.prompt)
        notes = check_lengths(tasks, self)
        batches = [batches_of(task, self, prompt) for task in tasks]
        names = [task.query_id for task in tasks]
        unfound = quotes = 0
        with closing(ask_all([batch.request for of_task in batches for batch in of_task], connection)) as outcomes:
            for at, _ in enumerate(track(names) if track else names):
                found = _Found(tasks[at])
                for batch in batches[at]:
                    found.add(batch, next(outcomes))
                unfound, quotes = unfound + found.unfound, quotes + found.quotes
                if at == len(tasks) - 1:
                    yield found.matches((*notes, *_quote_notes(unfound, quotes)))
                else:
                    yield found.matches()


def _quote_notes(unfound: int, quotes: int) -> tuple[str, ...]:
    if not unfound:
        return ()
    passages = number_of(quotes, "passage")
    return (f"{unfound:,} of {passages} that the model gave are not in the response: they are no evidence",)


class _Found:
    """The scores of one task, filled answer by answer."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._units = units_of(task.responses, "response")
        self._scores = np.full((len(task.responses), len(task.nugs)), np.nan, np.float32)
        # An empty response contains nothing, and nobody has to be asked.
        self._scores[np.diff(self._units.starts) == 0] = 0.0
        self._evidence: dict[tuple[int, int], Evidence] = {}
        self._failures: dict[tuple[int, int], str] = {}
        self.quotes = self.unfound = 0

    def add(self, batch: Batch, outcome: Outcome) -> None:
        for name, column in zip(names_of(len(batch.columns)), batch.columns, strict=True):
            if outcome.failure is not None:
                self._failures[batch.row, column] = outcome.failure
                continue
            label: Label = outcome.value[name]
            self._scores[batch.row, column] = label.degree
            if label.degree > 0 and label.quote.strip():
                self.quotes += 1
                evidence = evidence_of(label.quote, self._task.responses[batch.row], self._task.nugs[column])
                if evidence is None:
                    self.unfound += 1
                else:
                    self._evidence[batch.row, column] = evidence

    def matches(self, notes: tuple[str, ...] = ()) -> Matches:
        best = np.full(self._scores.shape, -1, np.int32)
        return Matches(
            self._scores, best, self._units, evidence=self._evidence, failures=self._failures, notes=notes
        )  # fmt: skip


class LlmMatcher(Matcher):
    """The words that a text shares with a nug; a model does not say which words decided."""

    def __init__(self, task: Task) -> None:
        self._nugs = task.nugs

    def words(self, text: str, nug: int) -> list[str]:
        return shared_words(text, self._nugs[nug])
