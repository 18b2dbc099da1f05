"""What an LLM or a judge says about the pairs that people labelled, and figures that compare the two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from karat.evaluate.validate.cross_validation import try_judge
from karat.evaluate.validate.figures import JudgedPairs, compact
from karat.judges.calibration.best_threshold import best_threshold
from karat.model import Collection, Judgement

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[str, str, str]
PERSON = "person"
LEVELS = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Rated:
    """What one rater says about the pairs, beside people's labels; vectors of one length."""

    people: Floats
    """Degrees."""
    scores: Floats
    decisions: Floats
    """1: contained in full."""
    partial: Floats
    """1: contained at least in part."""
    degrees: Floats
    """As they are added up to scores of responses; of a judge, expected ones."""
    query: Ints
    response: Ints

    def figures(self, times: Floats | None = None) -> dict[str, float]:
        full = self._pairs(self.people == 1, self.decisions).figures(times)
        partial = self._pairs(self.people > 0, self.partial).figures(times)
        # Where a judge says "full" it says "at least partial", too.
        levels = (self.decisions + np.maximum(self.decisions, self.partial)) / 2
        return {
            "auc": full["auc"],
            "kappa": full["kappa"],
            "kappa_partial": partial["kappa"],
            "kappa_three": kappa_of_levels(self.people, levels, self.query, times),
            "f1": full["f1"],
        } | score_figures(*self.cells(), times)

    def _pairs(self, contained: NDArray[np.bool_], decisions: Floats) -> JudgedPairs:
        return JudgedPairs(contained.astype(float), self.scores, decisions, self.degrees, self.query)

    def cells(self) -> tuple[Floats, Floats, Ints]:
        """Scores of responses by people and by the rater, and the query of each response."""
        count = np.bincount(self.response)
        people, rated = (np.bincount(self.response, own) / count for own in (self.people, self.degrees))
        query = np.zeros(len(count), int)
        query[self.response] = self.query
        return people, rated, query


def kappa_of_levels(people: Floats, rated: Floats, query: Ints, times: Floats | None = None) -> float:
    """Cohen's kappa of the degrees 0, 1/2 and 1 with linear weights: 1 - observed / expected mean difference."""
    weight = np.ones(len(query)) if times is None else times[query]
    shares = [[weight[one == level].sum() / weight.sum() for level in LEVELS] for one in (people, rated)]
    observed = weight @ np.abs(people - rated) / weight.sum()
    apart = np.abs(np.subtract.outer(LEVELS, LEVELS))
    expected = float(np.outer(*shares).ravel() @ apart.ravel())
    return float(1 - observed / expected) if expected else np.nan


def score_figures(people: Floats, rated: Floats, query: Ints, times: Floats | None = None) -> dict[str, float]:
    """Pearson of scores over all responses and within queries, tau within queries; queries may count several times."""
    times = np.ones(query.max() + 1) if times is None else times
    of_query = [np.flatnonzero(query == code) for code in range(len(times))]
    drawn = np.concatenate([rows for rows, count in zip(of_query, times, strict=True) for _ in range(int(count))])
    within, taus = [], []
    for rows, count in zip(of_query, times, strict=True):
        # Where all responses are level there is no order to find.
        if count and np.ptp(people[rows]) > 0 and np.ptp(rated[rows]) > 0:
            within += [np.corrcoef(people[rows], rated[rows])[0, 1]] * int(count)
            taus += [kendalltau(people[rows], rated[rows]).statistic] * int(count)
    level = np.ptp(people[drawn]) == 0 or np.ptp(rated[drawn]) == 0
    return {
        "pearson": np.nan if level else float(np.corrcoef(people[drawn], rated[drawn])[0, 1]),
        "pearson_within": float(np.mean(within)) if within else np.nan,
        "tau_within": float(np.mean(taus)) if taus else np.nan,
    }


def by_llm(collection: Collection, judge: str) -> Rated:
    """The labels of an LLM on the pairs that people labelled; a pair that it left out is not contained."""
    people, llm = degrees_by(collection, PERSON), degrees_by(collection, judge)
    degrees = np.array([llm.get(pair, 0.0) for pair in people])
    full, partial = (degrees == 1).astype(float), (degrees > 0).astype(float)
    return Rated(np.array(list(people.values())), degrees, full, partial, degrees, *codes(people))


def by_judge(collection: Collection, judge: str) -> Rated:
    """What a judge says about the same pairs by the protocol of `karat validate`."""
    trial = try_judge(collection, judge=judge, labels=PERSON)
    assert trial.labels is not None
    people = degrees_by(collection, PERSON)
    judged = list(trial.labels.judged.judgements)
    pairs = [pair_of(one) for one in judged]
    degrees = np.array([people[pair] for pair in pairs])
    assert ((degrees == 1) == (trial.pairs.labels == 1)).all()
    query, response = codes(pairs)
    partial = np.zeros(len(pairs))
    for code in np.unique(query):
        own = query == code
        threshold = best_threshold(trial.pairs.scores[~own], degrees[~own] > 0).threshold
        partial[own] = trial.pairs.scores[own] >= threshold
    return Rated(degrees, trial.pairs.scores, trial.pairs.decisions, partial, expected(judged), query, response)


def degrees_by(collection: Collection, judge: str) -> dict[Pair, float]:
    return {pair_of(one): one.degree or 0.0 for one in collection.judgements if one.judge == judge}


def expected(judgements: Sequence[Judgement]) -> Floats:
    """P(full) + P(partial) / 2."""
    levels = [one.probabilities or {"1": one.degree or 0.0} for one in judgements]
    return np.array([level.get("1", 0.0) + level.get("0.5", 0.0) / 2 for level in levels])


def pair_of(judgement: Judgement) -> Pair:
    return judgement.query_id, judgement.run_id, judgement.nug_id


def codes(pairs: Iterable[Pair]) -> tuple[Ints, Ints]:
    """The query and the response of each pair, as numbers."""
    pairs = list(pairs)
    queries = np.array([query for query, _, _ in pairs])
    cells = np.array([f"{query}\t{run}" for query, run, _ in pairs])
    return compact(queries), compact(cells)
