"""The result of a comparison of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from karat.evaluate.compare.nug_changes import NugChange
from karat.evaluate.tables.corrected_tests import ALPHA
from karat.evaluate.tables.score_table import ScoreTable
from karat.model.result import Result
from karat.model.wording import number_of
from karat.stats.intervals.bounded import FEW_QUERIES
from karat.stats.significance.anova import MOST_PAIRED_RUNS, TwoWay
from karat.stats.significance.t_test import Alternative
from karat.stats.significance.tukey import SideBySide, Tukey

MarginVerdict = Literal["not worse", "worse", "not shown", "equivalent", "different", "undecided"]
"""What is shown of a pair; "not shown" and "undecided" say nothing about the runs."""


NO_LIMITS = (
    "intervals are for one pair each, p (all pairs) is for all together: permutation tests with Holm's correction have "
    "no intervals for all pairs together (max-T tests have, of means over 10 queries or more)"
)


NO_FINITE_LIMITS = (
    "no intervals for all pairs together: the differences have so few different values that many resamples do not vary"
)


NO_TUKEY = (
    f"no Tukey's HSD for more than {MOST_PAIRED_RUNS:,} runs, because it tests all pairs of runs; choose runs with "
    "--runs, or compare them with one run (--baseline)"
)


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
    testable: bool = True
    """False: no difference on so few common queries, however large, would be significant after the correction."""
    judge_low: float | None = None
    """judge_low, judge_high: the same queries, only the judge's error; None where no program judged."""
    judge_high: float | None = None
    detectable: float | None = None
    """The smallest true difference that these queries show four times in five, corrected for the number of pairs."""
    all_low: float | None = None
    """all_low, all_high: limits that hold for all pairs together, as p_adjusted does (max-T); None where there are
    none, or for an end that the alternative does not ask for."""
    all_high: float | None = None
    effect: float | None = None
    """The standardised difference, mean / standard deviation over queries, corrected for small samples
    (`paired_effect_size`); None where it does not vary, or for pooled scores."""
    effect_low: float | None = None
    effect_high: float | None = None
    margin_verdict: MarginVerdict | None = None
    """What is shown of a margin (`max_loss`, `equivalent`); None where none was given."""
    margin_low: float | None = None
    """margin_low, margin_high: the limits that show it; None for an end that is not asked for, or not known."""
    margin_high: float | None = None

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

    @property
    def largest_loss(self) -> float | None:
        """The largest loss that is not ruled out, where `max_loss` was given."""
        if self.less_is_better:
            return self.margin_high
        return None if self.margin_low is None else -self.margin_low


def contrary_notes(measure: str, differences: Sequence[PairDifference]) -> list[str]:
    """Why a row may say "worse" beside an interval that holds 0: a reader would take it for an error."""
    contrary = [
        pair for pair in differences
        if pair.significant and pair.low is not None and pair.high is not None and pair.low <= 0 <= pair.high
    ]  # fmt: skip
    if not contrary:
        return []
    first = f"{contrary[0].run_id} and {contrary[0].versus}"
    more = f" (and {number_of(len(contrary) - 1, 'more pair')})" if len(contrary) > 1 else ""
    if min(pair.n for pair in contrary) < FEW_QUERIES:
        why = f"below {FEW_QUERIES} queries the interval assumes nothing and is wider than the test needs"
    else:
        why = "the test is another method than the interval, and the two may disagree where p is close to 0.05"
    return [f"{measure}: {first} differ significantly{more}, though the interval holds 0: {why}"]


class MeasureComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one measure."""

    table: ScoreTable
    differences: tuple[PairDifference, ...]
    tukey: Tukey | None
    """Tukey's HSD on the residual of the two-way model; None for more than MOST_PAIRED_RUNS runs."""
    anova: TwoWay | None
    """The analysis of variance."""
    obstacle: str | None
    """Why there is no analysis of variance."""
    powerless: str | None
    """Where no difference, however large, could be significant: how many queries are needed."""
    alternative: Alternative
    """The alternative tested for each pair, in this measure's direction."""
    test: str
    """The corrected test: max-t, or permutation-holm, which has no intervals for all pairs together."""
    interval_notes: tuple[str, ...]
    """Where intervals are not of the usual kind: why, and how far they can be trusted."""
    signature: str

    @property
    def has_limits(self) -> bool:
        """Whether there are intervals for all pairs together."""
        return any(pair.all_low is not None or pair.all_high is not None for pair in self.differences)


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
    max_loss: float | None = None
    equivalent: float | None = None

    @property
    def interval_notes(self) -> tuple[str, ...]:
        """Where intervals are not of the usual kind, and where there are none for all pairs together."""
        notes = [note for measure in self.measures for note in measure.interval_notes]
        without = [measure for measure in self.measures if len(measure.differences) > 1 and not measure.has_limits]
        if any(measure.test.endswith("holm") for measure in without):
            notes.append(NO_LIMITS)
        if any(measure.test.startswith("max-t") for measure in without):
            notes.append(NO_FINITE_LIMITS)
        return tuple(notes)

    @property
    def regressions(self) -> tuple[PairDifference, ...]:
        """Runs significantly worse than the baseline."""
        return (
            tuple(difference for measure in self.measures for difference in measure.differences if difference.worse)
            if self.baseline
            else ()
        )
