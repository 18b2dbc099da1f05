"""The goal of a plan: the power and level of the planned test."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.measures.base import Array
from karat.stats.reliability.permutation_power import PermutationTest, check_goal
from karat.stats.reliability.safe_plan import SafePlan, plan_queries


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """The power and level that the planned test should have."""

    power: float = 0.8
    alpha: float = 0.05
    one_sided: bool = False
    comparisons: int = 1

    def __post_init__(self) -> None:
        check_goal(power=self.power, **self._options)  # reports what is wrong before any file is read

    @property
    def alternative(self) -> str:
        return "greater" if self.one_sided else "two-sided"

    @property
    def test_name(self) -> str:
        """The name of the test; several comparisons share alpha, on the safe side of Holm's correction and max-T."""
        return "permutation" if self.comparisons == 1 else "permutation-bonferroni"

    def test(self) -> PermutationTest:
        """The test, for normal differences."""
        return PermutationTest(**self._options)

    def from_pilot(
        self, first: Array, second: Array, difference: float | None, *, judge_variance: float, seed: int
    ) -> SafePlan | None:
        return plan_queries(
            first, second, difference=difference, power=self.power, judge_variance=judge_variance, seed=seed,
            **self._options,
        )  # fmt: skip

    @property
    def _options(self) -> dict[str, Any]:
        return {"alpha": self.alpha, "alternative": self.alternative, "comparisons": self.comparisons}
