"""The best next hour of a person: labels until the ranking is that of people, and whether the intervals hold.

KARAT_DATA=... python benchmarks/honesty/questions.py [--set trec|realsumm] [--judge NAME] [--seeds 20] [--step 250]

Labels are taken from people in the order of a plan (`karat plan --review --minutes`), or in a random order of the same
judgements (those that count in the measure). After each number of labels the scores are made as `karat score` makes
them, and compared with people's: tau of runs, RMSE, how often people's score is inside the 95 % interval for these
queries, and its mean width. The judge begins without labels, and learns from those that it has. Runs that lack more
than one query are left out. What the plan does was chosen on REALSumm with simpler code (power and floor of the sizes,
the scale of the judge's bias for runs); TREC RAG 2024 was looked at while the estimate was built.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import karat
from karat.evaluate.plan.pair_population import Population, pair_names, pair_weights, population_of
from karat.evaluate.plan.planned_answers import PlannedAnswers
from karat.evaluate.score.cross_fitted import PairCredits
from karat.evaluate.score.sampled_answers import sampled_table
from karat.evaluate.tables.score_table import ScoreTable, tabulate
from karat.evaluate.validate.cross_validation import labelled_pairs
from karat.judges.base import Judge
from karat.judges.pairs import Pairs
from karat.judges.registry import parse_judge
from karat.measures.cases.cases import Cases
from karat.measures.registry import parse_measures
from karat.model import Collection, Judgement
from karat.stats.correlation.ranks import kendall_tau_b
from karat.stats.intervals.sampled_pairs import drawn_order, inclusion_chances

SETS = {
    "trec": ("trec-rag-2024/nugget_assignment.20241108.jl", "strict_vital"),
    "realsumm": ("realsumm-pyrxsum-labels/REALSumm", "strict_all"),
}


@dataclass(frozen=True)
class World:
    """All labels, all raw scores, and what people's scores are."""

    people: Collection
    unlabelled: Collection
    pairs: Pairs
    program: Judge
    cases: Cases
    table: ScoreTable
    population: Population

    @classmethod
    def of(cls, name: str, judge: str, runs: int | None) -> World:
        file, measure = SETS[name]
        program = parse_judge(judge)
        everything = karat.load(Path(os.environ["KARAT_DATA"]) / file, on_error="skip")
        # The same runs that `karat validate` ranks.
        answered: dict[str, set[str]] = {}
        judged = {(one.query_id, one.run_id) for one in everything.judgements}
        for response in everything.responses:
            if (response.query_id, response.run_id) not in judged:
                continue
            answered.setdefault(response.run_id, set()).add(response.query_id)
        most = max(map(len, answered.values()))
        kept = sorted(run_id for run_id, queries in answered.items() if len(queries) >= most - 1)[:runs]
        body = Collection(one for one in everything if getattr(one, "run_id", kept[0]) in kept)
        pairs, people = labelled_pairs(body, program)
        unlabelled = Collection(one for one in people if not isinstance(one, Judgement))
        population = population_of(unlabelled, pairs, program, measure=measure, known=set(), runs=None)
        cases = Cases(people, missing="skip", judge="all", assessors="majority")
        table = tabulate(cases, parse_measures(measure)[0])
        return cls(people, unlabelled, pairs, program, cases, table, population)


@dataclass(frozen=True)
class Figures:
    tau: float
    rmse: float
    inside: float
    width: float


def figures(world: World, labels: int, *, planned: bool, seed: int) -> Figures:
    """What the scores are after so many labels."""
    population = world.population
    sizes = population.sizes if planned else np.ones(len(population.names))
    order = drawn_order(sizes, seed=seed, names=["\t".join(name) for name in population.names])[:labels]
    chances = dict(zip(population.names, inclusion_chances(sizes, labels).tolist(), strict=True))
    drawn = {population.names[at] for at in order.tolist()}
    answers = PlannedAnswers({name: chances[name] for name in drawn}, set(), 0, set(), {}, 1.0, labels, None)
    names = pair_names(world.pairs)
    given = np.array([name in drawn for name in names])
    pairs = replace(world.pairs, degrees=np.where(given, world.pairs.degrees, np.nan))
    credits = PairCredits.of(pairs, world.program, answers, chances)
    weights = pair_weights(world.cases, world.table)
    assert weights is not None
    means = sampled_table(world.table, weights, credits).means
    true = world.table.totals()
    found = np.array([mean.estimate for mean in means])
    return Figures(
        tau=kendall_tau_b(found.round(9), true.round(9)).value or np.nan,
        rmse=float(np.sqrt(np.mean((found - true) ** 2))),
        inside=float(np.mean([mean.same_low <= y <= mean.same_high for mean, y in zip(means, true, strict=True)])),
        width=float(np.mean([mean.same_high - mean.same_low for mean in means])),
    )


def reached(labels: list[int], values: list[float], goal: float, *, above: bool = True) -> str:
    """The number of labels from which on the mean stays at the goal, between two steps by a straight line."""
    good = [value >= goal if above else value <= goal for value in values]
    first = next((at for at in range(len(good)) if all(good[at:])), None)
    if first is None:
        return f"more than {labels[-1]:,}"
    if first == 0:
        return f"at most {labels[0]:,}"
    share = (goal - values[first - 1]) / (values[first] - values[first - 1])
    return f"{labels[first - 1] + share * (labels[first] - labels[first - 1]):,.0f}"


def rows(world: World, steps: list[int], seeds: int) -> Iterator[str]:
    yield "| order | labels | tau of runs | RMSE | inside | width |"
    yield "|---|---|---|---|---|---|"
    ends = []
    for name, planned in (("planned", True), ("random", False)):
        taus, errors = [], []
        for labels in steps:
            found = [figures(world, labels, planned=planned, seed=seed) for seed in range(seeds)]
            tau, rmse, inside, width = (
                float(np.mean([getattr(one, what) for one in found])) for what in ("tau", "rmse", "inside", "width")
            )
            taus.append(tau)
            errors.append(rmse)
            yield f"| {name} | {labels:,} | {tau:.3f} | {rmse:.4f} | {inside:.3f} | {width:.3f} |"
        ends.append(
            f"{name}: tau 0.9 after {reached(steps, taus, 0.9)} labels, RMSE 0.02 after "
            f"{reached(steps, errors, 0.02, above=False)}"
        )
    yield ""
    yield from ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=SETS, default="trec", dest="name")
    parser.add_argument("--judge", default="semantic")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--step", type=int, default=250)
    parser.add_argument("--least", type=int, default=60)
    parser.add_argument("--most", type=int, default=4500)
    parser.add_argument("--runs", type=int)
    options = parser.parse_args()
    world = World.of(options.name, options.judge, options.runs)
    runs, count = len(world.table.run_ids), len(world.population.names)
    print(
        f"{options.name}, {options.judge}: {runs} runs, {count:,} judgements count, {options.seeds} seeds\n", flush=True
    )
    steps = [60, 120, 240, *range(options.step, min(options.most, count) + 1, options.step)]
    for row in rows(world, sorted(step for step in set(steps) if step >= options.least), options.seeds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
