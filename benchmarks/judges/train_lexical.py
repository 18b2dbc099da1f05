"""Learn the weights of the judge `lexical` (docs/lexical.md), and say how good they are.

KARAT_DATA=... python benchmarks/judges/train_lexical.py [-o src/karat/judges/lexical/weights.json] [--test]

The ridge is chosen by leaving out one set after the other: it has the best mean AUC on the sets left out and on two
sets from which nothing is ever learned. `--test` judges trec-rag-2024 at the end, which is not used for the choice; its
topics are taken out of nuggetizer-rag24.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.special import expit
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from karat.judges.lexical.features import FEATURES
from karat.judges.lexical.lexical import CLIP, FeatureWeight, LexicalWeights, TrainingSet
from lexical_sets import CHECKS, SETS, TEST, Floats, Pairs, decide_by_other_queries, pairs_of

UNSHRUNK = 1e-6
RIDGES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


class Within(NamedTuple):
    """Means over queries; NaN where no query has two responses."""

    tau: float
    pearson: float


@dataclass(frozen=True)
class Fit:
    """Logistic regression on standardised features."""

    mean: Floats
    sd: Floats
    weights: Floats
    intercept: float

    def scores(self, features: Floats) -> Floats:
        log_odds: Floats = self.intercept + np.clip((features - self.mean) / self.sd, -CLIP, CLIP) @ self.weights
        return log_odds


def fit(sets: Sequence[Pairs], ridge: float, *, stiff: Floats | float = 1.0) -> Fit:
    """Newton's method on the mean loss + ridge / 2 |w|^2; every set has the same weight, and its own intercept.

    stiff: by how much the ridge of each feature is multiplied.

    A new set gets the mean of the intercepts. A ridge makes all log-odds too small, so they are multiplied by the
    factor that makes them most likely.
    """
    features = np.concatenate([pairs.features for pairs in sets]).astype(float)
    contained = np.concatenate([pairs.contained for pairs in sets]).astype(float)
    of_set = np.repeat(np.arange(len(sets)), [len(pairs.contained) for pairs in sets])
    share = 1 / (len(sets) * np.bincount(of_set)[of_set])
    mean = share @ features
    sd = np.sqrt(share @ (features - mean) ** 2) + 1e-6
    design = np.hstack([of_set[:, None] == np.arange(len(sets)), np.clip((features - mean) / sd, -CLIP, CLIP)])
    penalty = np.concatenate([np.full(len(sets), ridge * 1e-3), ridge * stiff * np.ones(features.shape[1])])
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        p = expit(design @ beta)
        gradient = design.T @ (share * (p - contained)) + penalty * beta
        step = np.linalg.solve((design * (share * p * (1 - p))[:, None]).T @ design + np.diag(penalty), gradient)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    shrunk = Fit(mean, sd, beta[len(sets) :], float(beta[: len(sets)].mean()))
    if ridge <= UNSHRUNK:
        return shrunk
    line = fit([replace(pairs, features=shrunk.scores(pairs.features)[:, None]) for pairs in sets], UNSHRUNK)
    slope = float(line.weights[0] / line.sd[0])
    at_mean = line.intercept + slope * (shrunk.intercept - line.mean[0])
    return Fit(mean, sd, shrunk.weights * slope, float(at_mean))


def within_query(pairs: Pairs, scores: Floats) -> Within:
    """How well the mean probability of its nugs orders the responses to a query, against the share contained."""
    # A line through the log-odds is fitted first, as every user of the scores would do.
    line = fit([replace(pairs, features=scores[:, None])], UNSHRUNK)
    probability = expit(line.scores(scores[:, None]))
    count = np.bincount(pairs.response)
    known = count > 0
    expected, contained = (
        np.bincount(pairs.response, values)[known] / count[known] for values in (probability, pairs.contained)
    )
    query = np.zeros(len(count), int)
    query[pairs.response] = pairs.query
    taus, pearsons = [], []
    for code in np.unique(query[known]):
        here = query[known] == code
        # Where all responses are equal there is no order to find.
        if np.ptp(contained[here]) > 0 and np.ptp(expected[here]) > 0:
            taus.append(kendalltau(expected[here], contained[here]).statistic)
            pearsons.append(np.corrcoef(expected[here], contained[here])[0, 1])
    return Within(float(np.mean(taus)), float(np.mean(pearsons))) if taus else Within(np.nan, np.nan)


def report(what: str, pairs: Pairs, scores: Floats) -> float:
    """Print how good scores are, kappa with a threshold from the other queries; returns the AUC."""
    decisions = decide_by_other_queries(scores, pairs.contained.astype(float), pairs.query)
    kappa = cohen_kappa_score(pairs.contained, decisions)
    within, area = within_query(pairs, scores), roc_auc_score(pairs.contained, scores)
    print(f"{what}: AUC {area:.4f}, kappa {kappa:.3f}, within a query tau {within.tau:.3f}, r {within.pearson:.3f}")
    return area


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args()
    if "KARAT_DATA" not in os.environ:
        sys.exit("set KARAT_DATA to the folder with the public data sets")
    data = Path(os.environ["KARAT_DATA"])
    sets = {}
    for name in (*SETS, *CHECKS):
        start = time.perf_counter()
        sets[name] = pairs = pairs_of(data, name)
        seconds = time.perf_counter() - start
        print(f"{name}: {len(pairs.contained)} pairs, {pairs.contained.mean():.1%} contained, {seconds:.1f} s")
    mean_auc = {ridge: left_out(sets, ridge) for ridge in RIDGES}
    ridge = max(mean_auc, key=mean_auc.__getitem__)
    learned = fit([sets[name] for name in SETS], ridge)
    print(f"ridge {ridge:g}, intercept {learned.intercept:.3f}")
    for name, weight in sorted(zip(FEATURES, learned.weights, strict=True), key=lambda pair: -abs(pair[1])):
        print(f"  {name:18} {weight:+.4f}")
    if options.output:
        options.output.write_bytes(msgspec.json.format(msgspec.json.encode(record(sets, ridge, learned)), indent=1))
    if options.test:
        held = pairs_of(data, TEST)
        report(TEST, held, learned.scores(held.features))
    return 0


def left_out(sets: dict[str, Pairs], ridge: float, *, stiff: Floats | float = 1.0) -> float:
    """The mean AUC over the sets; each is scored by what was learned on the others."""
    aucs = []
    for name, held in sets.items():
        learned = fit([sets[other] for other in SETS if other != name], ridge, stiff=stiff)
        aucs.append(report(f"ridge {ridge:g}, learned without {name}", held, learned.scores(held.features)))
    print(f"ridge {ridge:g}: mean AUC {np.mean(aucs):.4f}")
    return float(np.mean(aucs))


def record(
    sets: dict[str, Pairs], ridge: float, learned: Fit, *, names: Iterable[str] = FEATURES, version: str = "2"
) -> LexicalWeights:
    """What comes with Karat; rounded, so that a file made on another machine is the same."""
    trained = tuple(
        TrainingSet(name=name, licence=SETS[name].licence, labels=SETS[name].labels, pairs=len(pairs.contained),
                    contained=round(float(pairs.contained.mean()), 4))
        for name, pairs in sets.items()
        if name in SETS
    )  # fmt: skip
    features = tuple(
        FeatureWeight(name=name, mean=round(float(mean), 5), sd=round(float(sd), 5), weight=round(float(weight), 5))
        for name, mean, sd, weight in zip(names, learned.mean, learned.sd, learned.weights, strict=True)
    )
    return LexicalWeights(
        version=version, date=datetime.date.today().isoformat(), ridge=ridge, trained_on=trained,
        intercept=round(learned.intercept, 5), features=features,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
