"""The threshold model: the noisy-threshold model of Marton & Radul (2006), and which of its forms the labels favour.

A pair with score s is contained with probability 1 - fn if s >= t, and with probability fp otherwise. There is one
threshold t for the data set, or one per query or per nug; and likewise one pair of error rates (fp, fn) for the data
set, or one per query or per nug. `fit_bayesian` makes a calibration of it, `compare_models` the paper's Table 4, and
`best_model` names the model with the highest evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from karat.judges.calibration.calibration import Calibration, Scored
from karat.judges.calibration.labelled import Floats, Ints, Labelled
from karat.judges.calibration.threshold_posterior import (
    Counts,
    PooledPrior,
    error_grid,
    log_sum_exp,
    pooled_prior,
    posterior,
    score_bins,
)
from karat.model import UsageError

Level = Literal["dataset", "query", "nug"]
"""What has a threshold, or a pair of error rates, of its own."""
LEVELS: tuple[Level, ...] = get_args(Level)
_MODELS: tuple[tuple[str, Level, Level], ...] = (
    ("global threshold", "dataset", "dataset"),
    ("per-question thresholds", "query", "dataset"),
    ("per-nug thresholds", "nug", "dataset"),
    ("global threshold, per-question errors", "dataset", "query"),
    ("per-question errors and thresholds", "query", "query"),
    ("per-nug thresholds, per-question errors", "nug", "query"),
    ("per-nug errors and thresholds", "nug", "nug"),
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NoisyThreshold:
    """P(contained | score) for each unit: a mixture of steps, smooth where many thresholds are plausible."""

    by: Level
    """Whether a pair belongs to a unit by its query, by its nug, or all pairs belong to one."""
    units: Ints
    scores: Floats
    """The mean score of each bin; between them the probability is interpolated."""
    table: Floats
    """Shape (units + 1, bins); the last row is for units that were not fitted."""
    log10_evidence: float
    """log10 P(labels | model), thresholds a priori independent and uniform over the candidates, as in Table 4."""
    log10_pooled: float
    """The same with the pooled prior, which the probabilities use: a threshold leans on those of the other units."""
    pooling: float

    def probability(self, pairs: Scored) -> Floats:
        given = {"dataset": None, "query": pairs.question, "nug": pairs.nug}[self.by]
        row = np.full(len(pairs.scores), 0 if self.by == "dataset" else len(self.units))
        if given is not None:
            place = np.minimum(np.searchsorted(self.units, given), len(self.units) - 1)
            row = np.where(self.units[place] == given, place, row)
        left = np.clip(np.searchsorted(self.scores, pairs.scores, side="right") - 1, 0, len(self.scores) - 1)
        right = np.minimum(left + 1, len(self.scores) - 1)
        gap = np.where(right > left, self.scores[right] - self.scores[left], 1.0)
        share = np.clip((pairs.scores - self.scores[left]) / gap, 0, 1)
        chances: Floats = (1 - share) * self.table[row, left] + share * self.table[row, right]
        return chances


def fit_noisy_threshold(labelled: Labelled, positive: Floats, *, thresholds: Level, errors: Level) -> NoisyThreshold:
    """Fit one cut to known pairs; `positive` is 1 where the label reaches the cut.

    Given a threshold, four counts are all that the error rates depend on. Where every threshold has its own rates (or
    several), the rates are integrated out by Beta functions; rates that several thresholds share are summed over
    `error_grid`, one grid for the data set or one per query.
    """
    low = score_bins(labelled.scores)
    place = np.searchsorted(low, labelled.scores, side="right") - 1
    bins = len(low)
    has_own_errors = LEVELS.index(errors) >= LEVELS.index(thresholds)
    by = errors if has_own_errors else thresholds
    owner, unit = _units(labelled, by)
    counts = Counts.of(unit, place, positive, units=len(owner), bins=bins)
    uniform = np.full(bins + 1, -np.log(bins + 1))
    if has_own_errors:
        owner_of_thresholds, threshold_unit = _units(labelled, thresholds)
        threshold_of = _coarser(unit, threshold_unit, len(owner))
        likelihood = np.zeros((len(owner_of_thresholds), bins + 1))
        np.add.at(likelihood, threshold_of, counts.log_marginal())
        evidence = float(log_sum_exp(likelihood + uniform, axis=1).sum())
        prior = pooled_prior(likelihood)
        owned = posterior(likelihood, prior.log_weights)
        # With one threshold for all, a new nug has that one.
        new = owned if len(owner_of_thresholds) == 1 else np.exp(prior.log_weights)[None]
        table = _table_of_own_errors(counts, owned[threshold_of], new)
    else:
        error_of = _coarser(unit, _units(labelled, errors)[1], len(owner))
        parts = [np.flatnonzero(error_of == at) for at in range(int(error_of.max()) + 1)]
        flats = [error_grid(counts.only(part), uniform) for part in parts]
        evidence = sum(flat.log_evidence for flat in flats)
        likelihood = np.zeros((len(owner), bins + 1))
        for part, flat in zip(parts, flats, strict=True):
            likelihood[part] = counts.only(part).log_likelihood(*flat.mode)
        prior = pooled_prior(likelihood)
        table = _table_of_shared_errors(counts, parts, prior, positive.mean())
    return NoisyThreshold(
        by=by,
        units=owner,
        scores=np.bincount(place, labelled.scores, minlength=bins) / np.bincount(place, minlength=bins),
        table=table,
        log10_evidence=float(evidence / np.log(10)),
        log10_pooled=float((evidence + prior.log_gain) / np.log(10)),
        pooling=prior.pooling,
    )


def _table_of_shared_errors(counts: Counts, parts: list[Ints], prior: PooledPrior, rate: float) -> Floats:
    """parts: the units that share a pair of error rates; a new unit gets the rates of all units together."""
    of_all = _mean_steps(counts, prior, rate)
    if len(parts) == 1:
        return of_all
    table = np.empty_like(of_all)
    table[-1] = of_all[-1]
    for part in parts:
        table[part] = _mean_steps(counts.only(part), prior, rate)[:-1]
    return table


def _mean_steps(counts: Counts, prior: PooledPrior, rate: float) -> Floats:
    """P(contained) by unit and bin, the mean over the posterior of thresholds and error rates; the last row: new."""
    grid = error_grid(counts, prior.log_weights)
    likely = np.flatnonzero(grid.weights > 1e-4 * grid.weights.max())
    weights = grid.weights[likely] / grid.weights[likely].sum()
    table = np.zeros((len(counts.hits) + 1, counts.hits.shape[1] - 1))
    for fp, fn, weight in zip(grid.fp[likely], grid.fn[likely], weights, strict=True):
        owned = posterior(counts.log_likelihood(fp, fn), prior.log_weights)
        reached = np.cumsum(np.vstack([owned, np.exp(prior.log_weights)]), axis=1)[:, :-1]
        # Where a higher score would speak against a nug, the score is taken to say nothing.
        below, above = (fp, 1 - fn) if fp <= 1 - fn else (rate, rate)
        table += weight * (below + (above - below) * np.minimum(reached, 1))
    return table


def _table_of_own_errors(counts: Counts, owned: Floats, new: Floats) -> Floats:
    """From the posterior of each unit's threshold; a new unit gets the error rates of all units together."""
    total = counts.total()
    below = np.vstack([counts.expected_below(), total.expected_below()])
    above = np.vstack([counts.expected_above(), total.expected_above()])
    contained = np.vstack([counts.strays + counts.hits, total.strays + total.hits])
    absent = np.vstack([counts.rest + counts.alarms, total.rest + total.alarms])
    says_nothing = (contained + 1) / (contained + absent + 2)
    against = below > above
    below, above = np.where(against, says_nothing, below), np.where(against, says_nothing, above)
    weights = np.vstack([owned, new])
    reached = np.cumsum(weights * above, axis=1)[:, :-1]
    missed = (weights * below).sum(axis=1, keepdims=True) - np.cumsum(weights * below, axis=1)[:, :-1]
    chances: Floats = np.clip(reached + missed, 0, 1)
    return chances


def _units(labelled: Labelled, by: Level) -> tuple[Ints, Ints]:
    if by == "dataset":
        return np.zeros(1, dtype=np.int64), np.zeros(len(labelled.scores), dtype=np.int64)
    owners, unit = np.unique(labelled.nug if by == "nug" else labelled.question, return_inverse=True)
    return owners, unit


def _coarser(fine: Ints, coarse: Ints, units: int) -> Ints:
    """Which unit of the coarse level each unit of the fine level belongs to, given both for every pair."""
    coarse_of = np.full(units, -1, dtype=np.int64)
    coarse_of[fine] = coarse
    if (coarse_of[fine] != coarse).any():
        raise UsageError("a nug's code appears in two questions; give every nug of the data set its own code")
    return coarse_of


@dataclass(frozen=True, slots=True)
class ModelEvidence:
    """One row of Table 4 of Marton & Radul (2006)."""

    name: str
    log10_evidence: float
    """log10 P(labels | model); the model with the highest is the most probable."""
    log10_pooled: float
    """The same with the pooled prior; equal where pooling does not help."""
    thresholds: Level | None = None
    errors: Level | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.log10_evidence:.0f}"


def fit_bayesian(labelled: Labelled, *, thresholds: Level = "nug", errors: Level = "dataset") -> Calibration:
    """A calibration by the noisy-threshold model: posterior-predictive probabilities of both cuts of the scale.

    P(contained | s) = sum over thresholds t and errors of P(t, fp, fn | labels) (1 - fn if s >= t else fp). A query
    or nug with few labels leans on the thresholds of the others (`pooled_prior`); one without labels gets theirs.
    Without a partial label both cuts are the same, and P(partial) is 0.

    Raises:
        UsageError: there is no labelled pair, or there is no such model.
    """
    for setting, level in (("thresholds", thresholds), ("errors", errors)):
        if level not in LEVELS:
            raise UsageError(f"{setting}={level!r} is not one of {', '.join(LEVELS)}")
    known = labelled.to_fit()
    full = _fit(known, 1.0, thresholds, errors)
    partial = _fit(known, 0.5, thresholds, errors) if known.three_way else full
    return Calibration(partial=partial, full=full, described=(("thr", thresholds), ("err", errors)))


def compare_models(labelled: Labelled, *, cut: float = 1.0) -> tuple[ModelEvidence, ...]:
    """How probable the labels are under each model, as in Table 4; contained = a degree of at least `cut`.

    The optimally biased coin has the share of contained pairs as its bias: P = p^k (1 - p)^(n - k) with p = k / n.
    A priori, thresholds are independent and uniform over the candidates, and error rates are Beta(1, 2): a model pays
    for each of them. The paper compares `log10_evidence`.
    """
    if cut not in (0.5, 1.0):
        raise UsageError(f"cut={cut:g} is not one of 0.5, 1")
    known = labelled.to_fit()
    positive = _reaches(known, cut)
    share = float(positive.mean())
    entropy = sum(part * np.log10(part) for part in (share, 1 - share) if part > 0)
    coin = float(len(positive) * entropy)
    rows = [ModelEvidence("optimally biased coin", coin, coin)]
    for name, thresholds, errors in _MODELS:
        model = _fit(known, cut, thresholds, errors)
        rows.append(ModelEvidence(name, model.log10_evidence, model.log10_pooled, thresholds, errors))
    return tuple(rows)


def best_model(labelled: Labelled) -> ModelEvidence:
    """The threshold model with the highest evidence on the labels, as the paper selects it; the coin is none.

    On equal evidence the model with fewer parameters is taken.
    """
    return max(compare_models(labelled)[1:], key=lambda model: model.log10_evidence)


def _fit(known: Labelled, cut: float, thresholds: Level, errors: Level) -> NoisyThreshold:
    return fit_noisy_threshold(known, _reaches(known, cut), thresholds=thresholds, errors=errors)


def _reaches(known: Labelled, cut: float) -> Floats:
    return (known.degrees >= cut).astype(np.float64)
