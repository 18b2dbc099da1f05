"""Prediction-powered inference: a program judged everything, people a random part, and the interval is people's.

The program's mean over all queries is corrected by how it differs from people where both judged. However wrong the
program is, the interval holds people's mean as often as it says, if the part that people judged was drawn at random;
a good program makes it narrower (Angelopoulos et al. 2023; power-tuned: Angelopoulos, Duchi & Zrnic 2023, "PPI++").

Two ways of drawing are known. "queries": whole queries were drawn, and all their responses labelled. "responses":
single responses were drawn from all queries. Responses to one query are correlated: they are one cluster in both.
("pairs", single judgements with unequal chances, is another estimate: `sampled_pairs`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.arrays import Floats, checked_scores
from karat.stats.intervals.bootstrap import Interval

Design = Literal["queries", "responses"]
Alternative = Literal["two-sided", "less", "greater"]
FEWEST = 3
"""Labelled queries: one degree of freedom goes into the mean, one into the weight of the judge."""
LEAST_FREEDOM = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredMean:
    """People's mean (or difference of means) with the help of a judge."""

    estimate: float
    low: float
    high: float
    """Over other queries like these."""
    same_low: float
    same_high: float
    """Over these queries: what people would have said had they judged them all."""
    labels_estimate: float
    labels_low: float
    labels_high: float
    """From the labels only, over other queries."""
    judge_estimate: float
    """The judge's own mean over everything, uncorrected."""
    judge_bias: float
    """Judge minus people, where both judged."""
    weight: float
    """Of the judge (lambda): 0 is as if there were none."""
    labelled: int
    responses: int
    labelled_queries: int
    queries: int
    effective_labels: float
    """How many labelled queries without a judge would give as small a standard error."""
    error: float
    """The standard error of the estimate, over other queries like these."""
    freedom: float
    """Its degrees of freedom."""
    design: Design | Literal["pairs"]
    least: float = -inf
    most: float = inf
    """What the mean can be: intervals stay within."""

    def interval(self, confidence: float) -> Interval:
        """Over other queries like these, at another confidence than that of `low` and `high`."""
        from scipy.special import stdtrit

        reach = -float(stdtrit(self.freedom, (1 - confidence) / 2)) * self.error
        return Interval(max(self.estimate - reach, self.least), min(self.estimate + reach, self.most))

    def p(self, alternative: Alternative = "two-sided") -> float:
        """Of the hypothesis that the mean is 0: the largest level at which the interval still holds it."""
        from scipy.special import stdtr

        if not self.error:
            p_less = 0.5 if not self.estimate else float(self.estimate > 0)
        else:
            p_less = float(stdtr(self.freedom, self.estimate / self.error))
        return {"less": p_less, "greater": 1 - p_less, "two-sided": 2 * min(p_less, 1 - p_less)}[alternative]

    @property
    def width_ratio(self) -> float:
        """The width against that of labels only; NaN where that is 0."""
        alone = self.labels_high - self.labels_low
        return (self.high - self.low) / alone if alone > 0 else nan

    @property
    def no_error_seen(self) -> bool:
        """The labels are all equal: nothing shows how far the rest may be off."""
        return self.same_high - self.same_low < 1e-9 and self.labelled < self.responses


def ppi_mean(
    judged: ArrayLike,
    people: ArrayLike,
    *,
    queries: Sequence[Any] | NDArray[Any] | None = None,
    design: Design = "queries",
    confidence: float = 0.95,
) -> PoweredMean | None:
    """People's mean over all responses, from the judge's score of each and people's score of some (NaN: not labelled).

    With f the judge's scores, y people's, L the labelled ones, and lambda the weight,

        estimate = mean_L y + lambda (mean f - mean_L f).

    Its deviation is a sum over queries, psi = psi_y + lambda psi_f with psi_y = sum_L (y - mean_L y) / n_L and
    psi_f = sum (f - mean f) / N - sum_L (f - mean_L f) / n_L, each over the responses of a query; lambda is the slope
    of people's part on the judge's over the labelled queries, which makes the variance least where these are some of
    all. The variance is sum psi^2, each labelled query's part as if mean and lambda had been fitted without it (divided
    by 1 - 1/c - its share in the judge's squares; c labelled queries), plus the variance of lambda itself. Two things
    keep few labels honest. The part of the labels is ((c - 1) v + v_alone) / c, as if the judge had told nothing on one
    of the labelled queries (`_doubted`). The quantile is Student's t with c - 2 degrees, or fewer where few queries
    make up most of the variance (`_freedom`). For these queries (`same_low`) only the labelled part counts, times
    1 - c / queries, or 1 - n_L / N where single responses were drawn.

    `queries` names the query of each response; without it each is its own. The part labelled must be a random one: of
    queries or of responses, as `design` says. Labels where they were easy, or where the judge was unsure, are not.

    Of 95 % intervals .99, .98 and .96 held people's mean with 10, 20 and 50 labelled queries of 200 and a judge that is
    0.2 too high, at .62, .58 and .65 of the width of labels alone. Where half of people's scores are 0 and the judge
    invents scores for a third of these, .97, .95 and .96 did; where the judge is right but for a tenth of the queries,
    .99, .99 and .97. A useless judge costs 18, 7 and 3 % of width. With 5 labelled queries and scores that are 0 or 1
    only .83 did (benchmarks/honesty/labels.py).

    None with fewer than three labelled queries.
    """
    return _powered([_term(judged, people, queries)], design=design, confidence=confidence)


def ppi_difference(
    judged: tuple[ArrayLike, ArrayLike],
    people: tuple[ArrayLike, ArrayLike],
    *,
    queries: tuple[Sequence[Any], Sequence[Any]] | None = None,
    design: Design = "queries",
    confidence: float = 0.95,
) -> PoweredMean | None:
    """The first run's mean less the second's, as `ppi_mean`; responses of both to one query are one cluster.

    Without `queries`, the places of the two vectors are the queries. One weight serves both runs. With the design
    "queries" both runs were labelled on the same queries; with "responses" each has labels of its own.
    """
    (judged_a, judged_b), (people_a, people_b) = judged, people
    queries_a, queries_b = queries if queries is not None else (None, None)
    first, second = _term(judged_a, people_a, queries_a), _term(judged_b, people_b, queries_b, sign=-1.0)
    return _powered([first, second], design=design, confidence=confidence)


@dataclass(frozen=True, slots=True)
class _Term:
    """The responses of one run."""

    judged: Floats
    people: Floats
    queries: NDArray[Any]
    sign: float

    @property
    def labelled(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.people)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The deviations by query: of people's labels, of the judge where labelled, and of the judge everywhere."""

    people: Floats
    judge_labelled: Floats
    judge_all: Floats
    gap: float
    """The judge's mean over everything less that over the labelled part."""


def _powered(terms: list[_Term], *, design: Design, confidence: float) -> PoweredMean | None:
    from scipy.special import stdtrit

    if design not in get_args(Design):
        raise UsageError(f"design {design!r} is not one of {', '.join(get_args(Design))}")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    names, numbers = np.unique(np.concatenate([term.queries for term in terms]), return_inverse=True)
    ends = np.cumsum([len(term.judged) for term in terms])[:-1]
    places = np.split(numbers.reshape(-1).astype(np.int64), ends)
    marked = [np.unique(place[term.labelled]) for term, place in zip(terms, places, strict=True)]
    count, labelled = len(names), len(np.unique(np.concatenate(marked)))
    if labelled < FEWEST or any(len(part) < 2 for part in marked):
        return None
    parts = _deviations(terms, places, count)
    weight = _weight(parts)
    used = 2 if weight else 1  # degrees of freedom
    rest = _left_out(parts, weight, marked)
    alone = sqrt(labelled / (labelled - 1) * float((parts.people**2).sum()))
    of_labels = (labelled - 1) / labelled * float((rest**2).sum())
    of_labels = _doubted(of_labels, alone**2, labelled) if weight else of_labels
    leverage = float((parts.judge_labelled**2).sum())
    of_weight = parts.gap**2 * float((rest**2).sum()) / (labelled - used) / leverage if weight else 0.0
    joint = 2 * weight * float((rest * parts.judge_all).sum())
    of_judge = weight**2 * float((parts.judge_all**2).sum()) * count / max(1, count - 1)
    error = sqrt(max(of_labels + of_weight + joint + of_judge, 0.0))
    same = sqrt(_same_queries(terms, weight, used, of_labels * (1 - labelled / count), design) + of_weight)
    freedom = _freedom(parts, weight, labelled - used)
    reach = -float(stdtrit(freedom, (1 - confidence) / 2))
    reach_alone = -float(stdtrit(labelled - 1, (1 - confidence) / 2))
    of_people = sum(term.sign * float(term.people[term.labelled].mean()) for term in terms)
    estimate = of_people + weight * parts.gap
    return PoweredMean(
        estimate=estimate,
        low=estimate - reach * error,
        high=estimate + reach * error,
        same_low=estimate - reach * same,
        same_high=estimate + reach * same,
        labels_estimate=of_people,
        labels_low=of_people - reach_alone * alone,
        labels_high=of_people + reach_alone * alone,
        judge_estimate=sum(term.sign * float(term.judged.mean()) for term in terms),
        judge_bias=sum(term.sign * float((term.judged - term.people)[term.labelled].mean()) for term in terms),
        weight=weight,
        labelled=sum(int(term.labelled.sum()) for term in terms),
        responses=sum(len(term.judged) for term in terms),
        labelled_queries=labelled,
        queries=count,
        effective_labels=labelled * (alone / error) ** 2 if error > 0 else nan,
        error=error,
        freedom=freedom,
        design=design,
    )


def _deviations(terms: list[_Term], places: list[NDArray[np.int64]], count: int) -> _Parts:
    people, judge_labelled, judge_all, gap = np.zeros(count), np.zeros(count), np.zeros(count), 0.0
    for term, place in zip(terms, places, strict=True):
        known, size = term.labelled, len(term.judged)
        y, f, number = term.people[known], term.judged[known], int(known.sum())
        np.add.at(people, place[known], term.sign * (y - y.mean()) / number)
        np.add.at(judge_labelled, place[known], term.sign * (f - f.mean()) / number)
        np.add.at(judge_all, place, term.sign * (term.judged - term.judged.mean()) / size)
        gap += term.sign * float(term.judged.mean() - f.mean())
    return _Parts(people, judge_labelled, judge_all, gap)


def _left_out(parts: _Parts, weight: float, marked: list[NDArray[np.int64]]) -> Floats:
    """What is left of people's deviations, each query's as if mean and weight had been fitted without it."""
    rest = parts.people - weight * parts.judge_labelled
    squares = float((parts.judge_labelled**2).sum())
    labelled = np.unique(np.concatenate(marked))
    hold = np.zeros(len(rest))
    hold[labelled] = 1 / len(labelled) + (parts.judge_labelled[labelled] ** 2 / squares if weight and squares else 0.0)
    return np.asarray(rest / np.maximum(1 - hold, 0.2), dtype=np.float64)


def _doubted(variance: float, alone: float, labelled: int) -> float:
    """The variance as if the judge had told nothing on one of the labelled queries: rare errors were not seen."""
    return ((labelled - 1) * variance + alone) / labelled


def _freedom(parts: _Parts, weight: float, most: int) -> float:
    """The degrees of freedom of a variance that is a sum of squares: 2 m - 1, at least 1.5, at most c - 2.

    m = (sum r^2)^2 / sum r^4 is how many queries the sum is made of: c for equal squares, about c / 3 for normal
    deviations, near 1 where one query outweighs all others. Then a judge that was right on all labelled queries but one
    says little about how often it is wrong.
    """
    if not weight:
        return float(most)
    squares = (parts.people - weight * parts.judge_labelled) ** 2
    whole = float(squares.sum())
    if whole <= 1e-20 * float((parts.people**2).sum()):
        return LEAST_FREEDOM
    return float(min(most, max(LEAST_FREEDOM, 2 * whole**2 / float((squares**2).sum()) - 1)))


def _weight(parts: _Parts) -> float:
    """The slope of people's labels on the judge's, by query; 0 for a judge that does not vary or has nothing to add."""
    squares = float((parts.judge_labelled**2).sum())
    adds = float(((parts.judge_all - parts.judge_labelled) ** 2).sum()) > 1e-20 * squares
    return float(parts.people @ parts.judge_labelled) / squares if adds and squares > 1e-200 else 0.0


def _same_queries(terms: list[_Term], weight: float, used: int, of_queries: float, design: Design) -> float:
    """The variance that comes from the choice of what was labelled, of the queries as they are."""
    if design == "queries":
        return max(of_queries, 0.0)
    total = 0.0
    for term in terms:
        rest = (term.people - weight * term.judged)[term.labelled]
        number = len(rest)
        squares = float(((rest - rest.mean()) ** 2).sum())
        variance = squares / (number * max(1, number - used))
        if weight and number > 1:
            variance = _doubted(variance, float(term.people[term.labelled].var(ddof=1)) / number, number)
        total += (1 - number / len(term.judged)) * variance
    return total


def _term(judged: ArrayLike, people: ArrayLike, queries: Any, *, sign: float = 1.0) -> _Term:
    f, y = np.asarray(judged, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if f.ndim != 1 or f.shape != y.shape:
        raise UsageError(
            f"judged and people have a score (or NaN) for the same responses, not shapes {f.shape} and {y.shape}"
        )
    names = np.arange(len(f)) if queries is None else np.asarray(queries)
    if names.shape != f.shape:
        raise UsageError(f"queries names the query of each of the {len(f)} responses, not shape {names.shape}")
    f, y = (checked_scores(scores, infinite="scores are finite, or NaN where there is none") for scores in (f, y))
    known = ~np.isnan(f)
    return _Term(f[known], y[known], names[known], sign)
