"""The result of a comparison of runs."""

from __future__ import annotations

import msgspec

from karat.evaluate.compare.nug_changes import NugChange
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.ties import ALPHA
from karat.model.result import Result
from karat.stats.significance.anova import TwoWay
from karat.stats.significance.t_test import Alternative
from karat.stats.significance.tukey import SideBySide, Tukey


class PairDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One run's score minus another's."""

    measure: str
    run_id: str
    versus: str
    value: float | None
    low: float | None
    """low, high: for other queries; where a program judged, its error is in them, too."""
    high: float | None
    n: int
    """Queries on which both are defined."""
    p: float | None
    """Paired permutation test; where a program judged, not below a t test that has its error, too."""
    p_adjusted: float | None
    """Corrected for the number of pairs (see `corrected_pairs`); None where the pair was not tested."""
    p_t: float | None
    """Paired t test, uncorrected."""
    less_is_better: bool = False
    judge_low: float | None = None
    """judge_low, judge_high: the same queries, only the judge's error; None where no program judged."""
    judge_high: float | None = None
    detectable: float | None = None
    """The smallest true difference that these queries show four times in five, corrected for the number of pairs."""

    @property
    def significant(self) -> bool:
        return self.p_adjusted is not None and self.p_adjusted <= ALPHA

    @property
    def loss(self) -> float:
        """By how much the run is the worse of the two; negative where it is the better."""
        value = self.value or 0.0
        return value if self.less_is_better else -value

    @property
    def worse(self) -> bool:
        return self.significant and self.loss > 0


class MeasureComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one measure."""

    table: ScoreTable
    differences: tuple[PairDifference, ...]
    tukey: Tukey | None
    """Tukey's HSD on the residual of the two-way model, with the analysis of variance in `tukey.model`."""
    obstacle: str | None
    """Why there is no analysis of variance."""
    powerless: str | None
    """Where no difference, however large, could be significant: how many queries are needed."""
    alternative: Alternative
    """The alternative tested for each pair, in this measure's direction."""
    signature: str

    @property
    def anova(self) -> TwoWay | None:
        return self.tukey.model if self.tukey else None


class Comparison(Result, msgspec.Struct, frozen=True, kw_only=True):
    """Differences of runs, by measure, and the nugs behind them."""

    measures: tuple[MeasureComparison, ...]
    baseline: str | None
    changes: tuple[NugChange, ...]
    versus: str | None
    """The run that `changes` are against: the baseline, else the best."""
    side_by_side: SideBySide | None
    """Where two measures are compared: how many pairs each of them separates."""
    notes: tuple[str, ...]

    @property
    def regressions(self) -> tuple[PairDifference, ...]:
        """Runs significantly worse than the baseline."""
        return (
            tuple(difference for measure in self.measures for difference in measure.differences if difference.worse)
            if self.baseline
            else ()
        )
