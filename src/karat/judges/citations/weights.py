"""What the features of a citation mean: two logistic curves per judge, learned from texts that people judged.

P(full) and P(at least partial) are 1 / (1 + exp(-(intercept + sum of slope * feature))), each with its own slopes;
P(at least partial) is never below P(full). benchmarks/judges/train_citations.py makes weights.json, and says from what.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import msgspec
from scipy.special import expit

INTERCEPT = "intercept"


class TrainedOn(msgspec.Struct, frozen=True, kw_only=True):
    """A set that the curves were learned from."""

    name: str
    licence: str
    cases: int


class Curves(msgspec.Struct, frozen=True, kw_only=True):
    """The intercept and the slopes of each curve, by the name of the feature."""

    full: dict[str, float]
    partial: dict[str, float]

    def probabilities(self, values: Mapping[str, float]) -> Probabilities:
        full, reached = (
            float(expit(curve[INTERCEPT] + sum(curve[name] * value for name, value in values.items())))
            for curve in (self.full, self.partial)
        )
        reached = max(reached, full)
        return Probabilities(round(1 - reached, 4), round(reached - full, 4), round(full, 4))


class Probabilities(msgspec.Struct, frozen=True):
    """How probable it is that people would say none, partial or full support; they sum to 1."""

    none: float
    partial: float
    full: float

    @property
    def credit(self) -> float:
        """What is expected where full support counts 1 and partial support 1/2."""
        return self.full + self.partial / 2


class CitationWeights(msgspec.Struct, frozen=True, kw_only=True):
    version: str
    trained_on: tuple[TrainedOn, ...]
    judges: dict[str, Curves]


@lru_cache
def load_weights() -> CitationWeights:
    """The weights that come with Karat."""
    text = (files("karat.judges.citations") / "weights.json").read_bytes()
    return msgspec.json.decode(text, type=CitationWeights)
