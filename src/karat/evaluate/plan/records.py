"""What a plan says: the goal, the pilot, and what each number of queries is good for."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from karat.measures.base import Array
from karat.model.result import Result
from karat.stats.reliability.power import (
    PilotPlan,
    detectable_difference,
    paired_power,
    queries_needed,
    queries_needed_from_pilot,
)
from karat.stats.reliability.variance import VarianceComponents

Mark = Literal["at hand", "needed"]


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """What the test to come should be able to do."""

    power: float = 0.8
    alpha: float = 0.05
    one_sided: bool = False
    comparisons: int = 1

    def __post_init__(self) -> None:
        self.needed(1.0, 1.0)  # what is no power, alpha or number is told before any file is read

    @property
    def alternative(self) -> str:
        return "greater" if self.one_sided else "two-sided"

    def power_of(self, difference: float, sd: float, queries: int) -> float | None:
        alpha = self.alpha / self.comparisons
        return known(paired_power(difference, sd, queries, alpha=alpha, alternative=self.alternative))

    def needed(self, difference: float, sd: float) -> int | None:
        return queries_needed(difference, sd, **self._options)

    def detectable(self, sd: float, queries: int) -> float | None:
        return known(detectable_difference(sd, queries, **self._options))

    def from_pilot(self, first: Array, second: Array, difference: float | None, confidence: float) -> PilotPlan | None:
        options = self._options
        return queries_needed_from_pilot(first, second, difference=difference, confidence=confidence, **options)

    @property
    def _options(self) -> dict[str, Any]:
        return {"power": self.power, "alpha": self.alpha, "alternative": self.alternative,
                "comparisons": self.comparisons}  # fmt: skip


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A standard deviation of the differences, and how many queries are needed if it is the true one."""

    sd: float
    queries_needed: int | None
    """None: more than a million, or no difference in the direction asked for."""


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs at hand say."""

    run_id: str | None
    """None: all pairs of runs; then `observed` is the median size of their differences and the sd their median sd."""
    versus: str | None
    pairs: int
    queries: int
    """On how many queries both runs are defined."""
    left_out: int
    observed: float
    low: float | None
    """95 % interval of the observed difference of two runs, by the t distribution."""
    high: float | None
    least: Spread
    """The ends of the 95 % interval of the sd, where differences are normally distributed."""
    most: Spread
    safe: Spread
    """With the upper limit of the sd that holds with 80 % confidence."""
    power: float | None
    """Of a test with the queries at hand; None where it is undefined."""
    detectable: float | None
    """The difference that the queries at hand show with the power asked for."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What a number of queries is good for."""

    queries: int
    power: float | None
    detectable: float | None
    reliability: float | None
    """E rho^2, of the differences between runs; None without a pilot of two runs and two queries."""
    dependability: float | None
    """Phi, of the scores themselves."""
    mark: Mark | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How many queries show a difference of one measure."""

    measure: str | None
    goal: Goal
    difference: float
    """The difference planned for."""
    sd: float
    """Standard deviation of the differences a query."""
    queries_needed: int | None
    pilot: Pilot | None
    steps: tuple[Step, ...]
    components: VarianceComponents | None
    """What the scores of all runs of the pilot vary with."""
    signature: str


class Planning(Result, msgspec.Struct, frozen=True, kw_only=True):
    """A plan a measure, and what is to be said of them."""

    plans: tuple[Plan, ...]
    notes: tuple[str, ...]


def known(value: float) -> float | None:
    """None for what is undefined."""
    return None if math.isnan(value) else value
