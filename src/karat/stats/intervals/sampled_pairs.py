"""People labelled some pairs of a response and a nug, drawn with known chances; a judge predicted all of them.

The pairs are drawn with unequal chances (`inclusion_chances`): those about which the judge is unsure and that change a
score most are drawn more often, and every pair may be drawn. What the judge is wrong by is then known without bias
(active statistical inference, Zrnic & Candès 2024; Horvitz & Thompson 1952). With pi the chance of a pair, w its
weight in the run's score, f the judge's credit and y people's, a run's score is

    sum over labelled w y + sum over the others w f + d,       d = sum over labelled w (y - f) (1 - pi) / pi,

and d estimates what the judge is wrong by on the pairs that were not labelled. With few labels per run d is mostly
chance. So the runs borrow from each other (a random-effects model for small areas, Fay & Herriot 1979): what the
judge is wrong by in run r is (mu + b_r) W_r, plus what the pairs of each response share, plus the chance of single
pairs, W_r being the weight that is not labelled and b_r normal with variance t^2. d estimates the first two with the
variance sum w^2 v (1 - pi)^2 / pi, v being the variance of y - f; t is integrated over (`_posterior`). With many labels
per run this is the plain correction, with few it is the correction that all runs share.

Borrowing holds for runs as a whole, and fails for a run that the judge favours as it favours no other. So differences
of two runs, which are claims about these two, use the plain correction (`alone`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from karat.stats.arrays import Floats

RUN_BIAS = 0.03
"""A judge's bias for single runs where widths are expected before there are labels. On REALSumm the biases of `lexical`
and `semantic` for 25 runs have an sd of .024 and .030."""
_GRID = np.concatenate([[0.0], np.geomspace(0.002, 1.0, 90)])
RESPONSE_SHARE = 0.14
"""The correlation of a judge's errors on two nugs of one response, beyond what all runs share. Other collections: .21
less .07 (judges/calibration/priors.py)."""
LEAST_SPREAD = 0.01
"""A judge that calls itself certain is wrong at times: the least variance of a credit."""
MOST_RUNS = 2000
"""With more runs the errors are taken as independent, because a matrix of all pairs of runs would be too large."""
PRIOR_LABELS = 10.0
"""How many labels the judge's own word about its variances counts as; and what all runs say, for a single run."""


@dataclass(frozen=True)
class SampledScores:
    """People's score of each run, had they labelled every pair; and how far it may be off."""

    estimates: Floats
    covariance: Floats
    """Of the errors (runs x runs), for these queries and pairs."""
    alone: Floats
    """Each run's score from its own answers, without borrowing from other runs: the plain correction by d."""
    alone_variance: Floats
    common_bias: float
    """People minus judge, on average over runs, per weight that is not labelled."""
    run_bias: float
    """By how much the judge's bias differs from run to run (sd)."""
    spread_ratio: float
    """How many times larger the variance of the judge's errors is than the judge says, where it was not asked."""

    @property
    def errors(self) -> Floats:
        return np.sqrt(np.diag(self.covariance))


def inclusion_chances(sizes: Floats, count: int) -> Floats:
    """The chance of each pair to be among `count` drawn ones: min(1, c size), with c so that they sum to the count.

    >>> inclusion_chances(np.array([8.0, 1.0, 1.0, 0.0]), 2).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    possible = sizes > 0
    if count >= possible.sum():
        return possible.astype(np.float64)
    chances = chance_scale(sizes, count) * sizes
    # What is drawn surely has 1, also where the product is less in its last digit.
    return np.where(chances > 1 - 1e-12, 1.0, chances)


def chance_scale(sizes: Floats, count: int) -> float:
    """The number c with which these chances are min(1, c size), after so many draws."""
    return chance_scales(sizes)(count)


def chance_scales(sizes: Floats) -> Callable[[int], float]:
    """The same for any number of draws: the sizes are put in order only once.

    The k largest pairs are drawn surely and the others in proportion to their sizes, with c = (count - k) / their sum.
    k is the least one with which none of the others has a chance of 1 or more; a larger k has that property, too.
    """
    falling = np.sort(sizes[sizes > 0])[::-1]
    rest = np.cumsum(falling[::-1])[::-1]

    def scale(count: int) -> float:
        if count >= len(falling):
            return float(1 / falling[-1])
        sure = bisect_left(range(max(count - 1, 0)), True, key=lambda k: bool(falling[k] * (count - k) < rest[k]))
        return float((count - sure) / rest[sure])

    return scale


def drawn_order(sizes: Floats, *, seed: int, names: Sequence[str]) -> NDArray[np.intp]:
    """The pairs in the order in which they are drawn: by u / size with u uniform (sequential Poisson sampling).

    The first n are a sample with nearly the chances of `inclusion_chances(sizes, n)`, whatever n is (Ohlsson 1998).
    u is made from the seed and the pair's name, so that it does not depend on the other pairs. Pairs of size 0 are
    left out.
    """
    keys = np.array([_uniform(f"{seed}\t{name}") for name in names])
    possible = np.flatnonzero(sizes > 0)
    order: NDArray[np.intp] = possible[np.argsort(keys[possible] / sizes[possible], kind="stable")]
    return order


def _uniform(text: str) -> float:
    """A number in (0, 1) that is the same for the same text."""
    return (int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) + 0.5) / 2**64


@dataclass(frozen=True)
class _Open:
    """What is not labelled, per run: sums over pairs."""

    weight: Floats
    own: Floats
    """The variance of d that comes from the draw."""
    responses: Floats
    """The variance of what the pairs of each response share."""
    rest: Floats
    """The variance of single pairs."""

    @classmethod
    def of(
        cls, run: NDArray[np.int64], response: NDArray[np.int64], runs: int, weight: Floats, spread: Floats,
        chance: Floats, ratio: float,
    ) -> _Open:  # fmt: skip
        left = np.clip(1 - chance, 0.0, 1.0)
        shared = np.bincount(response, weight * left * np.sqrt(spread * ratio)).astype(np.float64)
        run_of = np.zeros(len(shared), int)
        run_of[response] = run
        return cls(
            _total(run, weight * left, runs),
            _total(run, weight**2 * spread * left**2 / np.maximum(chance, 1e-12), runs),
            _total(run_of, RESPONSE_SHARE * shared**2, runs),
            _total(run, (1 - RESPONSE_SHARE) * weight**2 * spread * left * ratio, runs),
        )


def _total(run: NDArray[np.int64], values: Floats, runs: int) -> Floats:
    return np.bincount(run, values, minlength=runs).astype(np.float64)


def expected_errors(
    run: NDArray[np.int64], response: NDArray[np.int64], *, weight: Floats, spread: Floats, chance: Floats
) -> Floats:
    """The standard error that each run's score is expected to have after labels with these chances.

    As if the judge were as unsure as it says, and t, its bias for single runs, were RUN_BIAS. What all runs share is
    left out. response: the code of each pair's response.
    """
    runs = int(run.max(initial=-1)) + 1
    of_runs = _Open.of(run, response, runs, weight, np.maximum(spread, LEAST_SPREAD), chance, 1.0)
    prior = (RUN_BIAS * of_runs.weight) ** 2 + of_runs.responses
    lasting = np.where(prior > 0, prior * of_runs.own / np.maximum(of_runs.own + prior, 1e-300), 0.0)
    errors: Floats = np.sqrt(lasting + of_runs.rest)
    return errors


def sampled_scores(
    run: NDArray[np.int64], response: NDArray[np.int64], *, runs: int, weight: Floats, judged: Floats, spread: Floats,
    people: Floats, chance: Floats,
) -> SampledScores:  # fmt: skip
    """People's score of each run: vectors with an entry per pair.

    run: codes below `runs`; response: codes of the responses. judged: the judge's expected credit, which must not
    depend on people's label of that pair. spread: the variance of the credit, by the judge. people: the credit that
    people gave, NaN where they did not. chance: of being drawn; 1 where the label was known anyway, and where people
    were asked and could not decide: the judge's word stands there, with its spread.
    """
    labelled = ~np.isnan(people)
    residual = np.where(labelled, people - judged, 0.0)
    known = np.where(labelled, people, judged)
    left = np.clip(1 - chance, 0.0, 1.0)
    odds = left / np.maximum(chance, 1e-12)
    spread = np.maximum(spread, LEAST_SPREAD)
    drawn = np.where(labelled & (chance < 1), weight**2 * left / np.maximum(chance, 1e-12), 0.0)
    of_own, of_rest = (_measured_ratio(residual, spread, share) for share in (drawn * odds, drawn))
    seen = _total(run, weight * np.where(labelled, residual * odds, 0.0), runs)
    of_runs = _Open.of(run, response, runs, weight, spread, chance, of_rest)
    mean, covariance, common, between = _posterior(seen, of_runs.own * of_own, of_runs.weight, of_runs.responses)
    undecided = _total(run, np.where(~labelled & (chance >= 1), weight**2 * spread * of_rest, 0.0), runs)
    covariance = covariance + np.diag(of_runs.rest + undecided)
    plain = _total(run, weight * known, runs)
    # A run's own answers say how wrong the judge is there, with what all runs say as PRIOR_LABELS labels.
    own_ratio = np.array(
        [_measured_ratio(residual, spread, np.where(run == at, drawn * odds, 0.0), said=of_own) for at in range(runs)]
    )
    alone_variance = of_runs.own * own_ratio + of_runs.rest / (1 - RESPONSE_SHARE) + undecided
    return SampledScores(plain + mean, covariance, plain + seen, alone_variance, common, between, of_rest)


def _measured_ratio(residual: Floats, spread: Floats, weight: Floats, *, said: float = 1.0) -> float:
    """How much larger the variance of the errors is than the judge says: sum weight residual^2 / sum weight spread.

    The weights are those with which the variances are added up, over the labelled pairs: a judge that is too sure of
    itself in one place is not measured in another. `said`, by default the judge's own word, counts as PRIOR_LABELS
    labels.
    """
    if not weight.sum() > 0:
        return said
    share = weight / weight.sum()
    labels = 1 / float((share**2).sum())
    found = float(share @ residual**2) / float(share @ spread)
    return (labels * found + PRIOR_LABELS * said) / (labels + PRIOR_LABELS)


def _posterior(seen: Floats, own: Floats, weight: Floats, responses: Floats) -> tuple[Floats, Floats, float, float]:
    """What the judge is wrong by in each run, its covariance, the common part, and the sd between runs.

    seen ~ N((mu + b) weight + c, own), b ~ N(0, t^2), c ~ N(0, responses), t and mu flat.
    Given t all is normal; the mixture over a grid of t has the mean of the means, and the covariance within plus
    between.
    """
    if not (weight > 0).any():
        return np.zeros(len(seen)), np.zeros((len(seen), len(seen))), 0.0, 0.0
    prior = (_GRID[:, None] * weight) ** 2 + responses
    whole = np.maximum(own + prior, 1e-300)
    precision = (weight**2 / whole).sum(axis=1)
    common = (seen * weight / whole).sum(axis=1) / precision
    apart = seen - common[:, None] * weight
    has = weight > 0
    log = -0.5 * (np.log(whole) + apart**2 / whole)[:, has].sum(axis=1) - 0.5 * np.log(precision)
    log += np.log(np.gradient(_GRID))
    shares = np.exp(log - log.max())
    shares /= shares.sum()
    kept = np.where(has, prior / whole, 0.0)
    means = common[:, None] * weight + kept * apart
    mean = shares @ means
    lent = (1 - kept) * weight
    if len(seen) > MOST_RUNS:
        own_parts = (shares / precision) @ lent**2 + shares @ (means - mean) ** 2 + shares @ (prior * (1 - kept))
        return mean, np.diag(own_parts), float(shares @ common), float(shares @ _GRID)
    covariance = np.einsum("t,ti,tj->ij", shares / precision, lent, lent, optimize=True)
    moved = means - mean
    covariance += np.einsum("t,ti,tj->ij", shares, moved, moved, optimize=True)
    covariance += np.diag(shares @ (prior * (1 - kept)))
    return mean, covariance, float(shares @ common), float(shares @ _GRID)
