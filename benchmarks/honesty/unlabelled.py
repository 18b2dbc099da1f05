"""Scores where nobody labelled: does the interval hold people's score, and is a claimed difference right?

KARAT_DATA=... python benchmarks/honesty/unlabelled.py [--judge lexical] [--weights FILE] [--cache FOLDER] [--count N]
    [--set NAME ...] [--as-before]

Every labelled set is judged without labels, by the prior of the other kinds of set (`between_sets.py`) and, where the
judge was learned from these sets, with weights that were learned without it (`--weights`, see `fit_priors.py`). Test
collections of 5, 15 and 30 queries and up to 8 runs are drawn from each set, because that is what users have; answers
that were put together become six runs by their length. TREC RAG 2024 (`--set trec-rag-2024`) is for the end.

Printed is how often people's score is in {judge_low, judge_high} and in [low, high], with mean widths; the same of
differences; how often `compare` separates two runs, and how often people's difference then has the other sign.
`made_up` collections need no data: their calibrations differ as the prior says. What labels buy is in `labelling.py`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from scipy.special import ndtr

sys.path.append(str(Path(__file__).parents[1] / "judges"))

from between_sets import SetPrior, fit_prior, without
from karat.evaluate.compare.judge_differences import JudgeDifferences
from karat.evaluate.compare.pair_tests import compare_pairs
from karat.evaluate.score.errors.judge_error import combined, judge_error
from karat.evaluate.tables.tabulating import tabulated
from karat.judges.calibration.priors import BETWEEN_FREEDOM, PRIORS, RUN_SIGMA, Between
from karat.judges.calibration.uncertainty import unlabelled_sizes
from karat.judges.errors.draws import shares_of
from karat.judges.pairs import Floats
from karat.measures.cases.saved_fields import Sigmas, decided
from karat.model import Collection, Judgement, Nug
from lexical_sets import MADE
from set_scores import NAMES, ScoredSet, score_sets

QUERIES = (5, 15, 30)
MOST_RUNS = 8
MADE_RUNS = 6
TEST = "trec-rag-2024"


@dataclass(frozen=True)
class Found:
    """Of one test collection: shares of runs and of pairs of runs, mean widths, and numbers of pairs."""

    score: float
    width: float
    whole: float
    """People's score in [low, high]."""
    bias: float
    difference: float
    difference_width: float
    pairs: int
    separated: int
    wrong: int
    """Of the separated pairs: people say that the other run is better."""
    in_order: float
    """The share of pairs that differ by people whose order is the same by the judge."""


def sizes_of_prior(prior: SetPrior, judge: str, *, spread: bool = True) -> Sigmas:
    """The judge's errors in a collection without labels; spread=False: as if the curve were right everywhere."""
    sizes = unlabelled_sizes(PRIORS[judge].sigma if judge in PRIORS else 1.3, prior.between, prior.freedom)
    if spread:
        return sizes
    return Sigmas(sizes.sigma, RUN_SIGMA, replace(sizes.common, calibration=(), freedom=math.inf))


def drawn_collections(
    labelled: ScoredSet, name: str, queries: int, count: int, *, seed: int = 0
) -> Iterator[ScoredSet]:
    """Test collections: random queries, random runs; one response per run and query."""
    random, topics = np.random.default_rng((seed, queries)), np.unique(labelled.query)
    _, first, response = np.unique(labelled.response, return_index=True, return_inverse=True)
    of_query, of_run, length = (getattr(labelled, field)[first] for field in ("query", "run", "length"))
    for _ in range(count):
        chosen = random.choice(topics, min(queries, len(topics)), replace=False)
        runs = random.permutation(np.unique(of_run[np.isin(of_query, chosen)]))[:MOST_RUNS]
        taken = np.full(len(first), -1)
        for query in chosen:
            if name in MADE:
                here = np.flatnonzero(of_query == query)
                groups = np.array_split(here[np.argsort(length[here], kind="stable")], MADE_RUNS)
            else:
                groups = [np.flatnonzero((of_query == query) & (of_run == run)) for run in runs]
            for run, responses in enumerate(groups):
                if len(responses):
                    taken[random.choice(responses)] = run
        run = taken[response]
        yield replace(labelled, run=run).only(run >= 0)


def as_collection(labelled: ScoredSet, probabilities: Floats) -> Collection:
    """The key and the judgements of a program with these P(none), P(partial), P(full)."""
    importance = {1.0: "vital", 0.0: "okay"}
    key = {
        nug: Nug(query_id=f"q{query}", nug_id=f"n{nug}", descriptions=("it",), importance=importance.get(vital))
        for nug, query, vital in zip(
            labelled.nug.tolist(), labelled.query.tolist(), labelled.vital.tolist(), strict=True
        )
    }
    judgements = [
        Judgement(
            query_id=f"q{query}", run_id=f"r{run}", nug_id=f"n{nug}", judge="lexical",
            degree=(said := decided(1 - none, full)).degree, probabilities=said.probabilities,
        )
        for query, run, nug, (none, _, full) in zip(
            labelled.query.tolist(), labelled.run.tolist(), labelled.nug.tolist(), probabilities.tolist(), strict=True
        )
    ]  # fmt: skip
    return Collection([*key.values(), *judgements])


def peoples_values(labelled: ScoredSet, run_ids: Sequence[str], query_ids: Sequence[str], vital: bool) -> Floats:
    """People's strict scores (runs x queries); NaN where there is no response."""
    use = labelled.vital == 1 if vital else np.ones(len(labelled.run), bool)
    values = np.full((len(run_ids), len(query_ids)), np.nan)
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (run_ids, query_ids))
    cells: dict[tuple[int, int], list[float]] = {}
    for run, query, degree in zip(
        labelled.run[use].tolist(), labelled.query[use].tolist(), labelled.degrees[use].tolist(), strict=True
    ):
        cells.setdefault((rows[f"r{run}"], columns[f"q{query}"]), []).append(float(degree >= 1))
    for (row, column), contained in cells.items():
        values[row, column] = float(np.mean(contained))
    return values


def found_in(labelled: ScoredSet, probabilities: Floats, sizes: Sigmas, *, seed: int = 0) -> Found:
    """Judge one test collection, score and compare it as `karat score` and `karat compare` do."""
    vital = bool((labelled.vital == 1).any())
    drawn = tabulated(
        as_collection(labelled, probabilities), measures=["strict_vital" if vital else "strict_all"],
        missing="skip", judge="all",
    )  # fmt: skip
    assert drawn.cases is not None
    error = judge_error(
        drawn.cases, drawn.tables, seed=seed, sigma=sizes.sigma, run_sigma=sizes.run_sigma, common=sizes.common
    )
    table = error.tables[0]
    people = peoples_values(labelled, table.run_ids, table.query_ids, vital)
    people = np.where(np.isnan(table.values), np.nan, people)
    # A run with one or two answers says nothing about how runs are scored.
    rows = [row for row in range(len(table.run_ids)) if table.n(row) >= min(3, people.shape[1])]
    table = table.of_runs([table.run_ids[row] for row in rows])
    truth, value = np.nanmean(people[rows], axis=1), table.totals()
    ends = [error.runs[0][row].of_slices["all"] for row in rows]
    low = np.array([min(end.low, at) for end, at in zip(ends, value.tolist(), strict=True) if end])
    high = np.array([max(end.high, at) for end, at in zip(ends, value.tolist(), strict=True) if end])
    whole = [
        combined(queries, end, at)
        for queries, end, at in zip(table.intervals(seed=seed), ends, value.tolist(), strict=True)
    ]
    held = [end is not None and end.low <= at <= end.high for end, at in zip(whole, truth.tolist(), strict=True)]
    shares = {"score": float(((truth >= low) & (truth <= high)).mean()), "width": float((high - low).mean())}
    shares |= {"whole": float(np.mean(held)), "bias": float((value - truth).mean())}
    nothing = dict.fromkeys(("difference", "difference_width", "in_order"), np.nan)
    if len(rows) < 2:
        return Found(**shares, **nothing, pairs=0, separated=0, wrong=0)
    judge = JudgeDifferences.of(error, 0, rows)
    compared = compare_pairs(table, baseline=None, alternative="two-sided", origin={}, seed=seed, judge=judge)
    # Where runs lack queries, the draws are those of the queries that each has: no promise is made about such pairs.
    pairs = [pair for pair in compared.differences if pair.value is not None and pair.n >= 0.6 * people.shape[1]]
    if not pairs:
        return Found(**shares, **nothing, pairs=0, separated=0, wrong=0)
    of_people = dict(zip(table.run_ids, people[rows], strict=True))
    by_people = np.array([np.nanmean(of_people[pair.run_id] - of_people[pair.versus]) for pair in pairs])
    ends_of = np.array([[pair.judge_low, pair.judge_high] for pair in pairs], float)
    inside = (by_people >= ends_of[:, 0]) & (by_people <= ends_of[:, 1])
    by_judge = np.array([pair.value for pair in pairs], float)
    separated = np.array([pair.significant for pair in pairs], bool)
    apart = np.abs(by_people) > 1e-12
    return Found(
        **shares, difference=float(inside.mean()), difference_width=float(np.diff(ends_of, axis=1).mean()),
        pairs=len(pairs), separated=int(separated.sum()), wrong=int((separated & (by_people * by_judge <= 0)).sum()),
        in_order=float((by_people * by_judge > 0)[apart].mean()) if apart.any() else np.nan,
    )  # fmt: skip


def made_up(between: Between, freedom: float, queries: int, *, runs: int = 5, nugs: int = 8, seed: int) -> ScoredSet:
    """A collection whose calibration is off by what `between` says; `scores` are z, so that P(full) = Phi(z)."""
    random = np.random.default_rng((seed, queries))
    shape = (runs, queries, nugs)
    z = between.centre + random.normal(0.0, 0.2, (runs, 1, 1)) + random.normal(0.0, 0.3, (1, queries, 1))
    z = z + random.normal(0.0, 0.3, (runs, queries, 1)) + random.normal(0.0, 0.8, shape)
    sizes = unlabelled_sizes(PRIORS["lexical"].sigma, between, freedom)
    shares = shares_of(sizes)
    tails = math.sqrt(freedom / random.chisquare(freedom))
    level, slope = (scale * tails * random.standard_normal() for scale in (between.level, between.slope))
    spread = (between.level**2 + between.slope**2 * (z - between.centre) ** 2) * freedom / (freedom - 2)
    error = sum(
        math.sqrt(share) * random.standard_normal(size)
        for share, size in (
            (shares.run, (runs, 1, 1)), (shares.query, (1, queries, 1)), (shares.nug, (1, queries, nugs)),
            (shares.response, (runs, queries, 1)), (shares.own, shape),
        )
    )  # fmt: skip
    contained = error < z * np.sqrt(1 + spread) + level + slope * (z - between.centre)
    run, query, nug = np.indices(shape)
    of_nug, response = query * nugs + nug, run * queries + query
    columns = (z, contained.astype(float), query, of_nug, response, run, np.full(shape, 0.5), np.ones(shape, int))
    return ScoredSet(*(column.ravel() for column in columns))


def of_made_up(queries: int, count: int) -> list[Found]:
    """Made-up collections, judged by the prior of `lexical`."""
    prior = PRIORS["lexical"]
    sizes = unlabelled_sizes(prior.sigma, prior.between, BETWEEN_FREEDOM)
    found = []
    for seed in range(count):
        drawn = made_up(prior.between, BETWEEN_FREEDOM, queries, seed=seed)
        full = ndtr(drawn.scores)
        found.append(found_in(drawn, np.column_stack([1 - full, np.zeros(len(full)), full]), sizes, seed=seed))
    return found


def of_set(
    sets: dict[str, ScoredSet], name: str, queries: int, count: int, *, judge: str, spread: bool = True
) -> list[Found]:
    """Test collections of one set, judged by the prior of the other kinds."""
    prior = fit_prior(without({each: sets[each] for each in sets if each != TEST}, name))
    sizes = sizes_of_prior(prior, judge, spread=spread)
    return [
        found_in(drawn, prior.curves.probabilities(drawn.scores), sizes)
        for drawn in drawn_collections(sets[name], name, queries, count)
    ]


def means(found: Sequence[Found]) -> dict[str, float]:
    """Over test collections; pairs are added up."""
    sums = {"pairs", "separated", "wrong"}
    return {
        field.name: float(
            (np.nansum if field.name in sums else np.nanmean)([getattr(each, field.name) for each in found])
            if any(not np.isnan(getattr(each, field.name)) for each in found)
            else np.nan
        )
        for field in fields(Found)
    }


def print_intervals(sets: dict[str, ScoredSet], names: Sequence[str], judge: str, count: int, spread: bool) -> None:
    print(f"\n{judge}, {'with' if spread else 'without'} the spread between collections, {count} collections each\n")
    print(
        "| set | queries | score in {judge} | width | in [low, high] | judge - people | difference in {judge} | width "
        "| pairs | separated | wrong sign | pairs in order |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    every: dict[int, list[dict[str, float]]] = {}
    for name in names:
        for queries in QUERIES:
            if len(np.unique(sets[name].query)) < 0.6 * queries:
                continue
            row = means(of_set(sets, name, queries, count, judge=judge, spread=spread))
            every.setdefault(queries, []).append(row)
            print(f"| {name} | {queries} | {_cells(row)} |", flush=True)
    for queries, rows in every.items():
        together = {key: float(np.nanmean([row[key] for row in rows])) for key in rows[0]}
        print(f"| mean over sets | {queries} | {_cells(together)} |", flush=True)


def _cells(row: dict[str, float]) -> str:
    return " | ".join(
        f"{value:.0f}"
        if key in ("pairs", "separated", "wrong")
        else f"{value:+.3f}"
        if key == "bias"
        else f"{value:.3f}"
        for key, value in row.items()
    )


def load_sets(
    judge: str, weights: Path | None, cache: Path | None, names: tuple[str, ...] = NAMES
) -> dict[str, ScoredSet]:
    given = None if weights is None else json.loads(weights.read_text())
    return score_sets(Path(os.environ["KARAT_DATA"]), judge, names=names, weights=given, cache=cache)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="lexical")
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--set", action="append")
    parser.add_argument("--as-before", action="store_true", help="without the spread between collections")
    chosen = parser.parse_args()
    names = tuple(chosen.set or NAMES)
    sets = load_sets(chosen.judge, chosen.weights, chosen.cache, tuple(dict.fromkeys((*NAMES, *names))))
    print_intervals(sets, names, chosen.judge, chosen.count, not chosen.as_before)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
