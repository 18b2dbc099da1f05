"""The goal of a plan: the power and level of the planned test, and how many queries that needs."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.measures.base import Array, none_if_nan
from karat.stats.reliability.power import (
    PilotPlan,
    detectable_difference,
    paired_power,
    queries_needed,
    queries_needed_from_pilot,
)


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """The power and level that the planned test should have."""

    power: float = 0.8
    alpha: float = 0.05
    one_sided: bool = False
    comparisons: int = 1

    def __post_init__(self) -> None:
        self.needed(1.0, 1.0)  # reports a wrong power, alpha or number before any file is read

    @property
    def alternative(self) -> str:
        return "greater" if self.one_sided else "two-sided"

    def power_of(self, difference: float, sd: float, queries: int) -> float | None:
        alpha = self.alpha / self.comparisons
        return none_if_nan(paired_power(difference, sd, queries, alpha=alpha, alternative=self.alternative))

    def needed(self, difference: float, sd: float) -> int | None:
        return queries_needed(difference, sd, **self._options)

    def detectable(self, sd: float, queries: int) -> float | None:
        return none_if_nan(detectable_difference(sd, queries, **self._options))

    def from_pilot(self, first: Array, second: Array, difference: float | None, confidence: float) -> PilotPlan | None:
        options = self._options
        return queries_needed_from_pilot(first, second, difference=difference, confidence=confidence, **options)

    @property
    def _options(self) -> dict[str, Any]:
        return {"power": self.power, "alpha": self.alpha, "alternative": self.alternative,
                "comparisons": self.comparisons}  # fmt: skip
