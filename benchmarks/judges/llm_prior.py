"""What an LLM's labels mean where nobody labelled: the prior of the judge `llm`, and how far it can be trusted.

KARAT_DATA=... python benchmarks/judges/llm_prior.py [--count N]

SummHay has 892 pairs that people labelled, and six LLMs of 2024 with prompts of their own. The mean curve is the
logistic curve of people's label on the LLM's (0, 0.5, 1), every LLM with the same weight. On the normal scale every LLM
has a line of its own (`between_sets.line_of`); their standard deviation is the spread between LLMs. How far collections
differ is not known for LLMs, because no other set has people's and LLMs' labels of the same pairs: it is taken from
`semantic`. A new user has another LLM and another collection, so the variances are added. A curve of one collection is
steeper than the mean over collections, from which draws are made steeper again (`Between.steeper`). So the curve of
SummHay is made as flat as the mean over such collections is (`over_collections`): otherwise draws would be surer than
SummHay is. The size of the error that a run shares is the mean over the LLMs.

Below it: every LLM in turn is judged by the prior of the other five, with the spread and without it. Test collections
of 5 and 15 queries are drawn as in `benchmarks/honesty/unlabelled.py`. People and collection are the same in all of
them, so this says how well the prior knows another LLM; it says nothing about another collection.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
from scipy.special import logit, ndtr, ndtri

sys.path.append(str(Path(__file__).parents[1] / "honesty"))

import karat
from between_sets import SetPrior, line_of
from fit_priors import _written, error_correlations
from karat.evaluate.validate.figures import compact
from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import LogisticCurve, fit_logistic
from karat.judges.calibration.priors import BETWEEN_FREEDOM, PRIORS, Between
from karat.judges.calibration.uncertainty import unlabelled_sizes
from karat.judges.errors.correlations import quantiles
from karat.model import Collection
from llm_ratings import PERSON, degrees_by
from set_scores import Floats, ScoredSet, run_of
from unlabelled import drawn_collections, found_in, means

QUERIES = (5, 15)
SIGMA = PRIORS["semantic"].sigma
"""Of the error that a response shares; the correlations that are printed are about the same for LLMs."""
ROUNDS = 60
SHOWN = ("score", "width", "whole", "bias", "difference", "difference_width", "in_order", "pairs")


def rated_sets(collection: Collection) -> dict[str, ScoredSet]:
    """The labelled pairs, with the labels of each LLM as scores."""
    people = degrees_by(collection, PERSON)
    query, nug, response, run = (
        compact(np.array(names))
        for names in (
            [query_id for query_id, _, _ in people],
            [f"{query_id}\t{nug_id}" for query_id, _, nug_id in people],
            [f"{query_id}\t{run_id}" for query_id, run_id, _ in people],
            [run_of("summhay", run_id) for _, run_id, _ in people],
        )
    )
    degrees = np.array(list(people.values()))
    unknown, length = np.full(len(degrees), 0.5), np.ones(len(degrees), int)
    names = sorted({judgement.judge for judgement in collection.judgements} - {PERSON})
    return {
        name: ScoredSet(
            np.array([of_llm.get(pair, 0.0) for pair in people]), degrees, query, nug, response, run, unknown, length
        )
        for name, of_llm in ((name, degrees_by(collection, name)) for name in names)
    }


def mean_curve(sets: Mapping[str, ScoredSet]) -> Calibration:
    """One curve for all LLMs."""
    scores, degrees = (
        np.concatenate([getattr(each, name) for each in sets.values()]) for name in ("scores", "degrees")
    )
    source = np.repeat(np.arange(len(sets)), [len(each.scores) for each in sets.values()])
    return fit_logistic(Labelled(scores, degrees, source, source), questions_alike=True)


def llm_prior(sets: Mapping[str, ScoredSet], *, collections: Between) -> SetPrior:
    """The prior of some LLMs; collections: how far collections differ, which is added to how far LLMs do."""
    curves = mean_curve(sets)
    lines = {name: line_of(each, curves) for name, each in sets.items()}
    centre = float(np.mean([quantiles(curves.probabilities(each.scores)[:, 2]).mean() for each in sets.values()]))
    widened = math.sqrt(1 + 1 / len(sets))
    levels = np.array([line[0] + line[1] * centre for line in lines.values()])
    slopes = np.array([line[1] for line in lines.values()])
    # Five of the six are much alike, and one is not: a robust scale would forget the one.
    level, slope = (float(each.std(ddof=1)) * widened for each in (levels, slopes))
    between = Between(
        round(centre, 2), round(math.hypot(level, collections.level), 2), round(math.hypot(slope, collections.slope), 2)
    )
    labels = np.concatenate([each.scores for each in sets.values()])
    for _ in range(ROUNDS):
        flat = over_collections(curves, between, labels)
        centre = float(quantiles(flat.probabilities(labels)[:, 2]).mean())
        between = msgspec.structs.replace(between, centre=round(centre, 2))
    return SetPrior(flat, between, BETWEEN_FREEDOM, lines)


def over_collections(curves: Calibration, between: Between, labels: Floats) -> Calibration:
    """The mean over collections that lie `between`, where `curves` are those of one of them.

    Draws stretch the normal quantile z of P(full) by k(z) = sqrt(1 + the variance of level + slope (z - centre)). So z
    is the one with z k(z) = that of the curve at hand, and the quantile of at least partial is divided by the same k.
    Both curves stay logistic: the line through the three labels, each with its share of the pairs.
    """
    steps = np.array([0.0, 0.5, 1.0])
    share = np.array([float((labels == step).mean()) for step in steps])
    one = curves.probabilities(steps)
    full, partial = ndtri(one[:, 2]), ndtri(1 - one[:, 0])
    z = full.copy()
    stretch = np.ones(3)
    for _ in range(ROUNDS):
        variance = between.level**2 + between.slope**2 * (z - between.centre) ** 2
        stretch = np.sqrt(1 + variance * BETWEEN_FREEDOM / (BETWEEN_FREEDOM - 2))
        z = (z + full / stretch) / 2
    slope, intercept = np.polyfit(steps, logit(ndtr(z)), 1, w=np.sqrt(share))
    at_least = float(share @ (logit(ndtr(partial / stretch)) - slope * steps))
    line = (float(slope),)
    return Calibration(partial=LogisticCurve(at_least, line), full=LogisticCurve(float(intercept), line), described=())


def run_sigma(sets: Mapping[str, ScoredSet]) -> float:
    """The size of the error that a run shares, in log-odds: share = size^2 / (size^2 + pi^2 / 3)."""
    share = max(float(np.mean([error_correlations(each).run for each in sets.values()])), 0.0)
    return math.sqrt(share / (1 - share) * math.pi**2 / 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="test collections per LLM and size")
    given = parser.parse_args()
    if "KARAT_DATA" not in os.environ:
        sys.exit("set KARAT_DATA to the folder with the public data sets")
    sets = rated_sets(karat.load(Path(os.environ["KARAT_DATA"]) / "summhay" / "eval_benchmark_data.json"))
    semantic = PRIORS["semantic"].between
    prior, alone = llm_prior(sets, collections=semantic), llm_prior(sets, collections=Between(0.0, 0.0, 0.0))
    curves = ", ".join(_written(curve) for curve in (prior.curves.full, prior.curves.partial))
    numbers = ", ".join(f"{number:.2f}" for number in (prior.between.centre, prior.between.level, prior.between.slope))
    print(f'"llm": Prior({curves}, {SIGMA}, Between({numbers}), {run_sigma(sets):.2f}),')
    print(f"    between LLMs alone: level {alone.between.level:.2f}, slope {alone.between.slope:.2f}")
    for name, each in sets.items():
        line, found = prior.lines[name], error_correlations(each)
        shares = [float((each.degrees[each.scores == label] >= 1).mean()) for label in (0.0, 0.5, 1.0)]
        print(
            f"    {name}: line {line[0]:+.2f} {line[1]:.2f}; people say full where it says none {shares[0]:.2f}, "
            f"partial {shares[1]:.2f}, full {shares[2]:.2f}; errors: nug {found.nug:.2f}, query "
            f"{found.query:.2f}, response {found.response:.2f}, run {found.run:.3f}"
        )
    print("\n| spread | queries | score in {judge} | width | in [low, high] | judge - people | difference in {judge} "
          "| width | pairs in order | pairs |\n|---|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    for kind, spread in (("LLMs and collections", semantic), ("LLMs only", Between(0.0, 0.0, 0.0))):
        for queries in QUERIES:
            rows = {name: left_out(sets, name, queries, given.count, spread) for name in sets}
            for name, row in rows.items():
                print(f"| {kind}, {name} left out | {queries} | {_cells(row)} |", flush=True)
            mean = {key: float(np.mean([row[key] for row in rows.values()])) for key in SHOWN}
            print(f"| {kind}, mean | {queries} | {_cells(mean)} |", flush=True)
    return 0


def left_out(
    sets: Mapping[str, ScoredSet], name: str, queries: int, count: int, collections: Between
) -> dict[str, float]:
    """One LLM judged by the prior of the others."""
    others = {other: each for other, each in sets.items() if other != name}
    prior = llm_prior(others, collections=collections)
    sizes = unlabelled_sizes(SIGMA, prior.between, prior.freedom, run_sigma=run_sigma(others))
    return means(
        [
            found_in(drawn, prior.curves.probabilities(drawn.scores), sizes)
            for drawn in drawn_collections(sets[name], "summhay", queries, count)
        ]
    )


def _cells(row: Mapping[str, float]) -> str:
    """Runs of SummHay share few queries, so that larger collections have no pairs to compare."""
    forms = {"bias": "+.3f", "pairs": ".0f"}
    return " | ".join("" if np.isnan(row[name]) else format(row[name], forms.get(name, ".3f")) for name in SHOWN)


if __name__ == "__main__":
    sys.exit(main())
