"""What a scorer is: it gives every response and nug of a query a raw score, and says by which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.judge.units import UnitKind, Units, units_of
from karat.model import Nug, Response

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Task:
    """The nugs and responses of one query, and what else there is to learn from."""

    query_id: str
    nugs: Sequence[Nug]
    responses: Sequence[Response]
    question: str = ""
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Texts known to contain a nug, by nug_id: further references."""
    pool: Sequence[str] = ()
    """The texts from which rarity of words is learned; the responses themselves where empty."""
    idf: Mapping[str, float] | None = None
    """A table of idf instead."""

    def pool_texts(self) -> Sequence[str]:
        return self.pool or [" ".join(snippet.text for snippet in one.snippets) for one in self.responses]


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

    def settings(self) -> dict[str, str]:
        """Everything that changes its result."""
        return {field: _text(getattr(self, field)) for field in self.__struct_fields__}

    def matcher(self, task: Task) -> Matcher:
        """Made ready for the nugs of a task."""
        raise NotImplementedError

    def match(self, task: Task) -> Matches:
        """Scores of all responses of a task: of a response, that of its best unit."""
        units = units_of(task.responses, self.unit)
        scores = self.matcher(task).score(units.texts)
        values, best = units.best(scores)
        return Matches(values, best, units)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
