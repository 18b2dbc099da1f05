"""The measures of TREC Temporal Summarization: gain, comprehensiveness, verbosity, timeliness.

What they add up is in `updates.py`, with the definitions and how far they agree with the official scores.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from karat.measures.base import Array, Measure, Need, changed, f_score, ratio
from karat.measures.cases.case import Case
from karat.measures.temporal.updates import Importance, account

Per = Literal["verbosity", "update"]


class _Ratio(Measure, frozen=True):
    """A ratio of two sums; over several queries the sums are added first."""

    COUNTS: ClassVar[tuple[str, ...]] = ("sum", "over")

    def undefined(self) -> str:
        return _UNDEFINED

    def values(self, counts: Array) -> Array:
        return ratio(counts[..., 0], counts[..., 1])


class Gain(_Ratio, frozen=True):
    """Expected gain: what updates bring for what they cost to read.

    gain = sum of gain(u) / sum of verbosity(u), or with per=update / number of updates

    normalized: a query's gain is divided by its ideal. latency: with latency gains. Undefined without updates.
    """

    normalized: bool = False
    latency: bool = False
    importance: Importance = "graded"
    per: Per = "verbosity"

    @property
    def base(self) -> str:
        return f"{'normalized_' if self.normalized else ''}{'latency_' if self.latency else ''}gain"

    def is_share(self) -> bool:
        return False

    def settings(self) -> dict[str, str]:
        return changed(self, "importance", "per")

    def needs(self) -> tuple[Need, ...]:
        return _needs(lengths=self.per == "verbosity", times=self.latency)

    def counts(self, case: Case) -> tuple[float, ...]:
        sums = account(case, self.importance)
        if sums is None:
            return 0.0, 0.0
        gain = sums.latency_gain if self.latency else sums.gain
        cost = sums.verbosity if self.per == "verbosity" else sums.updates
        if gain is None or not cost or not sums.ideal:
            return 0.0, 0.0
        return gain / (sums.ideal if self.normalized else 1.0), float(cost)


class Comprehensiveness(_Ratio, frozen=True):
    """Share of the importance of all nugs that the updates say: sum of gain(u) / sum of R(n). latency: discounted."""

    latency: bool = False
    importance: Importance = "graded"

    @property
    def base(self) -> str:
        return "latency_comprehensiveness" if self.latency else "comprehensiveness"

    def is_share(self) -> bool:
        return not self.latency  # early updates may score above 1

    def settings(self) -> dict[str, str]:
        return changed(self, "importance")

    def needs(self) -> tuple[Need, ...]:
        return _needs(lengths=False, times=self.latency)

    def counts(self, case: Case) -> tuple[float, ...]:
        sums = account(case, self.importance)
        gain = None if sums is None else sums.latency_gain if self.latency else sums.gain
        return (0.0, 0.0) if sums is None or gain is None else (gain, sums.importance)


class PerUpdate(_Ratio, frozen=True):
    """verbosity: its mean over the updates (less is better). timeliness: sum of latency(n, u) / number of updates."""

    part: Literal["verbosity", "timeliness"]

    @property
    def base(self) -> str:
        return self.part

    def less_is_better(self) -> bool:
        return self.part == "verbosity"

    def is_share(self) -> bool:
        return False

    def needs(self) -> tuple[Need, ...]:
        return _needs(lengths=self.part == "verbosity", times=self.part == "timeliness")

    def counts(self, case: Case) -> tuple[float, ...]:
        sums = account(case)
        total = None if sums is None else sums.verbosity if self.part == "verbosity" else sums.latencies
        return (0.0, 0.0) if sums is None or total is None or not sums.updates else (total, float(sums.updates))


class TemporalHM(Measure, frozen=True):
    """The harmonic mean of normalized_latency_gain and latency_comprehensiveness; 0 for a run that sent nothing."""

    importance: Importance = "graded"
    per: Per = "verbosity"

    COUNTS: ClassVar[tuple[str, ...]] = ("normalized_latency_gain", "cost", "latency_gain", "importance")

    @property
    def base(self) -> str:
        return "temporal_HM"

    def is_share(self) -> bool:
        return False

    def settings(self) -> dict[str, str]:
        return changed(self, "importance", "per")

    def needs(self) -> tuple[Need, ...]:
        return _needs(lengths=self.per == "verbosity", times=True)

    def undefined(self) -> str:
        return _UNDEFINED

    def counts(self, case: Case) -> tuple[float, ...]:
        gain = Gain(normalized=True, latency=True, importance=self.importance, per=self.per).counts(case)
        share = Comprehensiveness(latency=True, importance=self.importance).counts(case)
        return (*gain, *share) if gain[1] or not share[0] else (0.0,) * len(self.COUNTS)

    def values(self, counts: Array) -> Array:
        return f_score(ratio(counts[..., 0], counts[..., 1]), ratio(counts[..., 2], counts[..., 3]))


_UNDEFINED = "no update, no nug that counts, or the time or text of a find is not known"


def _needs(*, lengths: bool, times: bool) -> tuple[Need, ...]:
    return ("nugs", "judgements", *(("lengths",) if lengths else ()), *(("times",) if times else ()))
