"""What a judge is: it gives every response and nug of a query a raw score, and says which words decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.engines import Track
from karat.judges.human.judged_texts import NO_GROUP, JudgedTexts
from karat.model import Evidence, Nug, Response
from karat.text.idf import IdfTable, TextPool
from karat.text.response_units import UnitKind, Units, units_of

Scores = NDArray[np.float32]
CELLS = 1 << 23
"""The most scores (units x nugs) that are held at once: a long answer has many sentences."""


@dataclass(frozen=True)
class Task:
    """The nugs and responses of one query, and what else a judge may learn from."""

    query_id: str
    nugs: Sequence[Nug]
    responses: Sequence[Response]
    question: str = ""
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Texts that are known to contain a nug, by nug_id: further references."""
    pool: TextPool | None = None
    """The texts from which the rarity of words is learned; where there is none, the responses of the task."""
    idf: Mapping[str, float] | IdfTable | None = None
    """A table of idf, which is used instead of the pool."""
    known: JudgedTexts | None = None
    """The judged texts of the query."""
    groups: Sequence[int] = ()
    """For each response, the group of judged texts that is hidden from it; empty: nothing is hidden."""
    asked: NDArray[np.bool_] | None = None
    """Which pairs (responses x nugs) are wanted from a judge that costs something; None: all. Others may be NaN."""

    def examples_of(self, nug_id: str) -> list[str]:
        """All texts known to contain a nug."""
        return [*self.examples.get(nug_id, ()), *(self.known.examples(nug_id) if self.known is not None else ())]

    def texts(self) -> TextPool:
        """The pool, or a pool of the responses."""
        if self.pool:
            return self.pool
        return TextPool([" ".join(snippet.text for snippet in response.snippets) for response in self.responses])


@dataclass(frozen=True)
class Objection:
    """Why a unit of a response is not counted for a nug that it looks like."""

    unit: int
    kind: str
    """What differs: number, date, name, negation, ...; or reading, where a model does not find the nug in it."""
    nug_words: str
    unit_words: str


@dataclass(frozen=True)
class Matches:
    """Raw scores (responses x nugs), and for each the unit of the response that has it (-1: none).

    A score is NaN where the judge failed, or was not asked.
    """

    scores: Scores
    best: NDArray[np.int32]
    units: Units
    objections: Mapping[tuple[int, int], tuple[Objection, ...]] = field(default_factory=dict)
    """By response and nug, the units that are not counted."""
    evidence: Mapping[tuple[int, int], Evidence] = field(default_factory=dict)
    """By response and nug, the evidence that the judge itself gave, instead of the best unit."""
    failures: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """By response and nug, why there is no score."""
    notes: tuple[str, ...] = ()
    """What a user should know about these scores."""
    levels: NDArray[np.int8] | None = None
    """Of a cascade: the level that judged each pair, from 0 on."""


class Matcher:
    """A judge made ready for the nugs of one query: it scores any texts against them."""

    def score(self, texts: Sequence[str]) -> Scores:
        """Scores of texts (texts x nugs)."""
        raise NotImplementedError

    def words(self, text: str, nug: int) -> list[str]:
        """The words (or n-grams) of a text by which it matches a nug, heaviest first."""
        raise NotImplementedError

    def judged_text(self, text: str, nug: int) -> str | None:
        """The judged text by which a text matches a nug most; None where the description does, or nothing does."""
        return None


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """A way to score; its fields are its settings, and all of them are in the signature."""

    unit: UnitKind = "snippet"

    @property
    def name(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        """Its name with all its settings, which `parse_judge` reads."""
        return f"{self.name}({','.join(f'{key}={value}' for key, value in self.settings().items())})"

    @property
    def reads_known(self) -> bool:
        """Whether judged texts change its scores."""
        return False

    @property
    def reads_idf(self) -> bool:
        """Whether the rarity of words changes its scores."""
        return False

    @property
    def credits_scores(self) -> bool:
        """Whether its raw score, from 0 to 1, is itself the credit of a nug, and no probability is made of it."""
        return False

    @property
    def works_together(self) -> bool:
        """Whether it takes all tasks at once (`match_together`), because it waits more than it computes."""
        return False

    def cached_as(self) -> bytes | None:
        """What its scores depend on besides its settings and the task (code, models), where it is worth to keep them.

        None: scores are made anew, because that is faster than to look them up, or they are kept elsewhere.
        """
        return None

    def calls(self, asked: NDArray[np.bool_]) -> int:
        """How many paid calls it makes about these pairs (responses x nugs) of a query; 0 where it costs nothing."""
        return 0

    def ready(self) -> Judge:
        """The judge with the settings that it takes from elsewhere, where its name does not have them."""
        return self

    def settings(self) -> dict[str, str]:
        """Everything that its result depends on."""
        return {field: _text(getattr(self, field)) for field in self.__struct_fields__}

    def matcher(self, task: Task) -> Matcher:
        """The judge made ready for the nugs of a task."""
        raise NotImplementedError

    def match(self, task: Task) -> Matches:
        """Scores of all responses of a task; a response has the score of its best unit.

        The judged texts of its own group, and copies of the group's texts, are hidden from a response.
        """
        if not self.reads_known or task.known is None or not len(task.groups):
            return self.match_all(task)
        units = self.place_units(task)
        scores = np.zeros((len(task.responses), len(task.nugs)), np.float32)
        best = np.full(scores.shape, -1, np.int32)
        groups = np.asarray(task.groups)
        for group in np.unique(groups).tolist():
            rows = np.flatnonzero(groups == group)
            responses = [task.responses[row] for row in rows.tolist()]
            texts = [text for response in responses for text in texts_of(response)] if group != NO_GROUP else []
            known = task.known.without(group, texts)
            matches = self.match_all(replace(task, responses=responses, groups=(), known=known, pool=task.texts()))
            scores[rows] = matches.scores
            # A unit keeps its place among the units of its response.
            moved = matches.best - matches.units.starts[:-1, None] + units.starts[:-1][rows][:, None]
            best[rows] = np.where(matches.best < 0, -1, moved)
        return Matches(scores, best, units)

    def match_together(self, tasks: Sequence[Task], *, track: Track | None = None, jobs: int = 1) -> Iterator[Matches]:
        """Scores of all tasks, in order, where `works_together` is true."""
        raise NotImplementedError

    def seen_by(self, task: Task, row: int) -> Task:
        """The task as the judge sees it for one response: with the judged texts that are not hidden from it."""
        if task.known is None or not len(task.groups):
            return task
        group = task.groups[row]
        rows = [at for at, other in enumerate(task.groups) if other == group] if group != NO_GROUP else []
        texts = [text for at in rows for text in texts_of(task.responses[at])]
        return replace(task, groups=(), known=task.known.without(group, texts), pool=task.texts())

    def place_units(self, task: Task) -> Units:
        """The units from which `match_all` picks the best."""
        return units_of(task.responses, self.unit)

    def match_all(self, task: Task) -> Matches:
        """The same as `match`, with nothing hidden."""
        units = self.place_units(task)
        matcher, nugs = self.matcher(task), len(task.nugs)
        step = max(1, CELLS // max(1, nugs))
        blocks = (matcher.score(units.texts[start : start + step]) for start in range(0, len(units.texts), step))
        values, best = units.best_of_blocks(blocks, nugs)
        return Matches(values, best, units)


def texts_of(response: Response) -> list[str]:
    """The texts that people may have judged in a response: its snippets, and the whole."""
    snippets = [snippet.text for snippet in response.snippets]
    return [*snippets, "\n".join(snippets)] if len(snippets) > 1 else snippets


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
