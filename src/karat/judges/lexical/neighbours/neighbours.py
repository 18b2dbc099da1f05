"""`neighbours`: what people said about similar texts, together with the nug's description.

For a nug that some judged text of the query is known to contain, the log-odds that a response contains it are

    score = intercept + w1 lexical + w2 vote + w3 nearest + w4 marked

with the log-odds of the judge `lexical` (which reads only the description) and three features of nearness to the judged
texts (docs/neighbours.md has the formulas; a response has the value of its best unit). For a nug that no judged text
contains the score is intercept' + w lexical; where nothing of the query was judged, it is the score of `lexical`. The
weights come from TREC Temporal Summarization 2013 (benchmarks/judges/train_neighbours.py) and are in weights.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np

from karat.judges.base import Judge, Matcher, Matches, Scores, Task
from karat.judges.lexical.lexical import Lexical
from karat.judges.lexical.neighbours.features import FEATURES, SPELLING, Nearness, Neighbours
from karat.text.response_units import UnitKind, Units, units_of


class NeighbourWeights(msgspec.Struct, frozen=True, kw_only=True):
    """The learned weights, and what they were learned from."""

    version: str
    trained_on: str
    licence: str
    pairs: int
    contained: int
    intercept: float
    weights: dict[str, float]
    """The weights of lexical, vote, nearest and marked, for nugs that some judged text contains."""
    unseen_intercept: float
    unseen_weight: float
    """The weight of lexical, for nugs that no judged text contains."""


class NeighbourJudge(Judge, frozen=True, kw_only=True):
    """Nearness to judged texts and to the description, with learned weights.

    unit: what is compared with the judged texts. The evidence is the sentence that lexical gives.
    """

    unit: UnitKind = "snippet"

    @property
    def name(self) -> str:
        return "neighbours"

    @property
    def reads_idf(self) -> bool:
        return True

    @property
    def reads_known(self) -> bool:
        return True

    def matcher(self, task: Task) -> NeighbourMatcher:
        return NeighbourMatcher(task)

    def place_units(self, task: Task) -> Units:
        return units_of(task.responses, "sentence")

    def match_all(self, task: Task) -> Matches:
        described = Lexical().match(task)
        matcher = self.matcher(task)
        if matcher.neighbours is None:
            return described
        units = units_of(task.responses, self.unit)
        near = matcher.neighbours.near(units.texts)
        best = Nearness(**{name: units.best(getattr(near, name))[0] for name in FEATURES})
        return Matches(matcher.weigh(described.scores, best), described.best, described.units)


@lru_cache
def load_weights() -> NeighbourWeights:
    """The weights that come with Karat."""
    text = (files("karat.judges.lexical.neighbours") / "weights.json").read_bytes()
    return msgspec.json.decode(text, type=NeighbourWeights)


class NeighbourMatcher(Matcher):
    """`neighbours` made ready for the nugs and the judged texts of one query."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.described = Lexical().matcher(task)
        known = task.known
        self.neighbours = Neighbours(task, known) if known is not None and len(known.texts) else None

    def score(self, texts: Sequence[str]) -> Scores:
        described = self.described.score(texts)
        return described if self.neighbours is None else self.weigh(described, self.neighbours.near(texts))

    def weigh(self, described: Scores, near: Nearness) -> Scores:
        """The log-odds, from those of lexical and the features of nearness."""
        assert self.neighbours is not None
        learned = load_weights()
        scores = np.float32(learned.unseen_intercept) + np.float32(learned.unseen_weight) * described
        seen = self.neighbours.has
        scores[:, seen] = np.float32(learned.intercept) + np.float32(learned.weights["lexical"]) * described[:, seen]
        for name in FEATURES:
            scores[:, seen] += np.float32(learned.weights[name]) * getattr(near, name)[:, seen]
        return scores

    def judged_text(self, text: str, nug: int) -> str | None:
        return None if self.neighbours is None else self.neighbours.nearest_text(text, nug)

    def words(self, text: str, nug: int) -> list[str]:
        """The stems that match the description, then those that were marked in judged texts."""
        described = self.described.words(text, nug)
        if self.neighbours is None:
            return described
        marked = {
            form
            for at in np.flatnonzero(self.neighbours.nug == nug).tolist()
            for form in SPELLING.forms(self.neighbours.parts[at])
        }
        return list(dict.fromkeys([*described, *(form for form in SPELLING.forms(text) if form in marked)]))
