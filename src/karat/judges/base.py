"""What a scorer is: it gives every response and nug of a query a raw score, and says by which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.judges.human.known_texts import NO_GROUP, KnownTexts
from karat.judges.units import UnitKind, Units, units_of
from karat.model import Nug, Response
from karat.text.idf import TextPool

Scores = NDArray[np.float32]
CELLS = 1 << 23
"""Scores of units and nugs held at once: a long answer has many sentences."""


@dataclass(frozen=True)
class Task:
    """The nugs and responses of one query, and what else there is to learn from."""

    query_id: str
    nugs: Sequence[Nug]
    responses: Sequence[Response]
    question: str = ""
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Texts known to contain a nug, by nug_id: further references."""
    pool: TextPool | None = None
    """The texts from which rarity of words is learned; the responses themselves where there is none."""
    idf: Mapping[str, float] | None = None
    """A table of idf instead."""
    known: KnownTexts | None = None
    """Judged texts of the query."""
    groups: Sequence[int] = ()
    """For each response the group of judged texts that is hidden from it; nothing is hidden where there are none."""

    def examples_of(self, nug_id: str) -> list[str]:
        """All texts known to contain a nug."""
        return [*self.examples.get(nug_id, ()), *(self.known.examples(nug_id) if self.known is not None else ())]

    def texts(self) -> TextPool:
        """The pool, or one of the responses."""
        return self.pool or TextPool([" ".join(snippet.text for snippet in one.snippets) for one in self.responses])


@dataclass(frozen=True)
class Matches:
    """Raw scores (responses x nugs), and the unit of the response that has it (-1: none)."""

    scores: Scores
    best: NDArray[np.int32]
    units: Units


class Matcher:
    """A scorer made ready for the nugs of one query: scores any texts against them."""

    def score(self, texts: Sequence[str]) -> Scores:
        """Scores of texts (texts x nugs)."""
        raise NotImplementedError

    def words(self, text: str, nug: int) -> list[str]:
        """The words (or n-grams) of a text by which it matches a nug, heaviest first."""
        raise NotImplementedError


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """A way to score; its fields are its settings, all of which stand in the signature."""

    unit: UnitKind = "snippet"

    @property
    def name(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        """Its name with all its settings: what parses back to it."""
        return f"{self.name}({','.join(f'{key}={value}' for key, value in self.settings().items())})"

    @property
    def reads_known(self) -> bool:
        """Whether judged texts change its scores."""
        return False

    def settings(self) -> dict[str, str]:
        """Everything that changes its result."""
        return {field: _text(getattr(self, field)) for field in self.__struct_fields__}

    def matcher(self, task: Task) -> Matcher:
        """Made ready for the nugs of a task."""
        raise NotImplementedError

    def match(self, task: Task) -> Matches:
        """Scores of all responses of a task: of a response, that of its best unit.

        Judged texts of a response's own group, and copies of the group's texts, are hidden from it.
        """
        if not self.reads_known or task.known is None or not len(task.groups):
            return self.match_all(task)
        units = self.place_units(task)
        scores = np.zeros((len(task.responses), len(task.nugs)), np.float32)
        best = np.full(scores.shape, -1, np.int32)
        groups = np.asarray(task.groups)
        for group in np.unique(groups).tolist():
            rows = np.flatnonzero(groups == group)
            own = [task.responses[row] for row in rows.tolist()]
            texts = [text for one in own for text in texts_of(one)] if group != NO_GROUP else []
            found = self.match_all(
                replace(task, responses=own, groups=(), known=task.known.without(group, texts), pool=task.texts())
            )
            scores[rows] = found.scores
            # A unit keeps its place among those of its response.
            moved = found.best - found.units.starts[:-1, None] + units.starts[:-1][rows][:, None]
            best[rows] = np.where(found.best < 0, -1, moved)
        return Matches(scores, best, units)

    def place_units(self, task: Task) -> Units:
        """The units among which `match_all` names the best."""
        return units_of(task.responses, self.unit)

    def match_all(self, task: Task) -> Matches:
        """The same with nothing hidden."""
        units = self.place_units(task)
        matcher, nugs = self.matcher(task), len(task.nugs)
        step = max(1, CELLS // max(1, nugs))
        blocks = (matcher.score(units.texts[start : start + step]) for start in range(0, len(units.texts), step))
        values, best = units.best_of_blocks(blocks, nugs)
        return Matches(values, best, units)


def texts_of(response: Response) -> list[str]:
    """The texts by which people may have judged a response: its snippets, and all of it."""
    snippets = [snippet.text for snippet in response.snippets]
    return [*snippets, "\n".join(snippets)] if len(snippets) > 1 else snippets


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
