"""Learn the weights of the judge `lexical` (docs/lexical.md), and say how good they are.

KARAT_DATA=... python benchmarks/train_lexical.py [-o src/karat/judges/lexical/weights.json] [--test]

The ridge is chosen by leaving out one set after the other: the mean AUC on the set left out, and on two sets of which
nothing is ever learned. `--test` judges trec-rag-2024 at the end, which has no part in the choice; its topics are taken
out of nuggetizer-rag24.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.special import expit
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from karat.judges.calibration.cross_validated import fit_cross_validated
from karat.judges.calibration.labelled import Labelled
from karat.judges.lexical.features import FEATURES
from karat.judges.lexical.lexical import CLIP, FeatureWeight, Lexical, LexicalWeights, TrainingSet
from lexical_sets import CHECKS, SETS, TEST, Floats, Pairs, pairs_of

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
        found: Floats = self.intercept + np.clip((features - self.mean) / self.sd, -CLIP, CLIP) @ self.weights
        return found


def fit(sets: Sequence[Pairs], ridge: float) -> Fit:
    """Newton's method on the mean loss + ridge / 2 |w|^2; the sets weigh alike, and each has an intercept of its own.

    The intercept that stands in for a new set's is their mean. A ridge makes all log-odds too small: they are
    multiplied by what makes them most likely.
    """
    features = np.concatenate([one.features for one in sets]).astype(float)
    contained = np.concatenate([one.contained for one in sets]).astype(float)
    of_set = np.repeat(np.arange(len(sets)), [len(one.contained) for one in sets])
    share = 1 / (len(sets) * np.bincount(of_set)[of_set])
    mean = share @ features
    sd = np.sqrt(share @ (features - mean) ** 2) + 1e-6
    design = np.hstack([of_set[:, None] == np.arange(len(sets)), np.clip((features - mean) / sd, -CLIP, CLIP)])
    penalty = np.concatenate([np.full(len(sets), ridge * 1e-3), np.full(features.shape[1], ridge)])
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        p = expit(design @ beta)
        gradient = design.T @ (share * (p - contained)) + penalty * beta
        step = np.linalg.solve((design * (share * p * (1 - p))[:, None]).T @ design + np.diag(penalty), gradient)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    found = Fit(mean, sd, beta[len(sets) :], float(beta[: len(sets)].mean()))
    if ridge <= UNSHRUNK:
        return found
    line = fit([replace(one, features=found.scores(one.features)[:, None]) for one in sets], UNSHRUNK)
    slope = float(line.weights[0] / line.sd[0])
    at_mean = line.intercept + slope * (found.intercept - line.mean[0])
    return Fit(mean, sd, found.weights * slope, float(at_mean))


def within_query(pairs: Pairs, scores: Floats) -> Within:
    """How the responses to a query are ordered by the mean probability of their nugs, beside the share contained."""
    # A line through the log-odds is fitted first, as any user of scores would.
    line = fit([replace(pairs, features=scores[:, None])], UNSHRUNK)
    probability = expit(line.scores(scores[:, None]))
    count = np.bincount(pairs.response)
    known = count > 0
    said, so = (np.bincount(pairs.response, one)[known] / count[known] for one in (probability, pairs.contained))
    query = np.zeros(len(count), int)
    query[pairs.response] = pairs.query
    taus, pearsons = [], []
    for one in np.unique(query[known]):
        own = query[known] == one
        # Where all responses are alike there is no order to find.
        if np.ptp(so[own]) > 0 and np.ptp(said[own]) > 0:
            taus.append(kendalltau(said[own], so[own]).statistic)
            pearsons.append(np.corrcoef(said[own], so[own])[0, 1])
    return Within(float(np.mean(taus)), float(np.mean(pearsons))) if taus else Within(np.nan, np.nan)


def tell(what: str, pairs: Pairs, scores: Floats) -> float:
    """Print how good scores are; kappa by a threshold from the other queries. The AUC."""
    labelled = Labelled(scores, pairs.contained.astype(float), pairs.query, np.zeros(len(scores), int))
    kappa = cohen_kappa_score(pairs.contained, fit_cross_validated(labelled, groups=pairs.query).decisions)
    within, found = within_query(pairs, scores), roc_auc_score(pairs.contained, scores)
    print(f"{what}: AUC {found:.4f}, kappa {kappa:.3f}, within a query tau {within.tau:.3f}, r {within.pearson:.3f}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args()
    if "KARAT_DATA" not in os.environ:
        sys.exit("KARAT_DATA must name the folder with the public data sets")
    data = Path(os.environ["KARAT_DATA"])
    sets = {}
    for name in (*SETS, *CHECKS):
        start = time.perf_counter()
        sets[name] = found = pairs_of(data, name)
        seconds = time.perf_counter() - start
        print(f"{name}: {len(found.contained)} pairs, {found.contained.mean():.1%} contained, {seconds:.1f} s")
    mean_auc = {ridge: left_out(sets, ridge) for ridge in RIDGES}
    ridge = max(mean_auc, key=lambda one: mean_auc[one])
    learned = fit([sets[name] for name in SETS], ridge)
    print(f"ridge {ridge:g}, intercept {learned.intercept:.3f}")
    for name, weight in sorted(zip(FEATURES, learned.weights, strict=True), key=lambda one: -abs(one[1])):
        print(f"  {name:18} {weight:+.4f}")
    if options.output:
        options.output.write_bytes(msgspec.json.format(msgspec.json.encode(record(sets, ridge, learned)), indent=1))
    if options.test:
        held = pairs_of(data, TEST)
        tell(TEST, held, learned.scores(held.features))
    return 0


def left_out(sets: dict[str, Pairs], ridge: float) -> float:
    """The mean AUC on each set of what was learned on the others."""
    aucs = []
    for name, held in sets.items():
        learned = fit([sets[other] for other in SETS if other != name], ridge)
        aucs.append(tell(f"ridge {ridge:g}, learned without {name}", held, learned.scores(held.features)))
    print(f"ridge {ridge:g}: mean AUC {np.mean(aucs):.4f}")
    return float(np.mean(aucs))


def record(sets: dict[str, Pairs], ridge: float, learned: Fit) -> LexicalWeights:
    """What is shipped; rounded, so that a file made elsewhere is the same."""
    trained = tuple(
        TrainingSet(name=name, licence=SETS[name].licence, labels=SETS[name].labels, pairs=len(one.contained),
                    contained=round(float(one.contained.mean()), 4))
        for name, one in sets.items()
        if name in SETS
    )  # fmt: skip
    features = tuple(
        FeatureWeight(name=name, mean=round(float(mean), 5), sd=round(float(sd), 5), weight=round(float(weight), 5))
        for name, mean, sd, weight in zip(FEATURES, learned.mean, learned.sd, learned.weights, strict=True)
    )
    return LexicalWeights(
        version=Lexical().version, date=datetime.date.today().isoformat(), ridge=ridge, trained_on=trained,
        intercept=round(learned.intercept, 5), features=features,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
