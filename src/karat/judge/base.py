"""What a scorer is: it gives every response and nug of a query a raw score, and says by which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.judge.units import UnitKind, Units, units_of
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

    def texts(self) -> TextPool:
        """The pool, or one of the responses."""
        return self.pool or TextPool([" ".join(snippet.text for snippet in one.snippets) for one in self.responses])

    def pool_texts(self) -> Sequence[str]:
        return self.texts().texts


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


class Scorer(msgspec.Struct, frozen=True, kw_only=True):
    """A way to score; its fields are its settings, all of which stand in the signature."""

    unit: UnitKind = "snippet"

    @property
    def name(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        """Its name with all its settings: what parses back to it."""
        return f"{self.name}({','.join(f'{key}={value}' for key, value in self.settings().items())})"

    def settings(self) -> dict[str, str]:
        """Everything that changes its result."""
        return {field: _text(getattr(self, field)) for field in self.__struct_fields__}

    def matcher(self, task: Task) -> Matcher:
        """Made ready for the nugs of a task."""
        raise NotImplementedError

    def match(self, task: Task) -> Matches:
        """Scores of all responses of a task: of a response, that of its best unit."""
        units = units_of(task.responses, self.unit)
        matcher, nugs = self.matcher(task), len(task.nugs)
        step = max(1, CELLS // max(1, nugs))
        blocks = (matcher.score(units.texts[start : start + step]) for start in range(0, len(units.texts), step))
        values, best = units.best_of_blocks(blocks, nugs)
        return Matches(values, best, units)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
