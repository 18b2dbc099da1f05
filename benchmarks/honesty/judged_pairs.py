"""Several judged runs at once: false differences among equal runs, and what `karat compare` says of real ones.

Run by judges.py (parts families and compare).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from judges import SIZES, as_judged, lasting_variance, same_quality, share_of
from karat.evaluate.compare.judge_differences import JudgeDifferences
from karat.evaluate.compare.pair_tests import compare_pairs
from karat.evaluate.score.errors.judge_error import judge_error
from karat.evaluate.score.score import score_tabulated
from karat.evaluate.tables.corrected_tests import permutation_pairs
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import tabulated
from karat.evaluate.validate.cross_validation import try_judge
from karat.evaluate.validate.run_scores import Labels
from karat.model import Collection
from karat.stats.significance.holm import holm
from karat.stats.significance.max_t import max_t

WAYS = ("max-T", "Holm", "max-T without the judge")


def family_shares(
    runs: int, queries: int, count: int, *, step: float = 0.0, ways: Sequence[str] = WAYS
) -> dict[str, list[float]]:
    """Of `count` families of judged runs, by test: whether any two equal runs differ; with a step, the share of pairs
    that are separated."""
    pairs = np.array(np.triu_indices(runs, 1)).T
    chances = same_quality(queries, count, runs=runs, step=step, seed=100 * runs + queries)
    variance = np.eye(runs) * lasting_variance(chances[0])
    found: dict[str, list[float]] = {way: [] for way in ways}
    names = tuple(map(str, range(runs))), tuple(map(str, range(queries)))
    for values in chances.mean(axis=-1):
        table = ScoreTable("strict_all", *names, values, np.zeros(values.shape, bool))
        for way, shares in found.items():
            if way == "Holm":
                resolution = 0.05 / len(pairs)
                p = holm(permutation_pairs(table, pairs, seed=0, resolution=resolution, judge_variance=variance).p)
            else:
                p = max_t(values, pairs, covariance=variance if way == "max-T" else None).p
            shares.append(float((p <= 0.05).mean() if step else (p <= 0.05).any()))
    return found


def print_families(queries: Sequence[int], families: Sequence[tuple[int, int]]) -> None:
    """Any false difference among runs of equal quality, and the share of pairs separated where runs differ."""
    print("\nSeveral runs, a judge with a run effect of the default size\n")
    print("| runs | queries | any false: max-T | Holm | without the judge | separated: max-T | Holm | simulations |")
    print("|---|---|---|---|---|---|---|---|")
    for runs, count in families:
        for number in queries:
            equal = family_shares(runs, number, count)
            apart = family_shares(runs, number, count, step=2.0 / (runs - 1), ways=WAYS[:2])
            cells = [share_of(equal[way]) for way in WAYS] + [share_of(shares) for shares in apart.values()]
            print(f"| {runs} | {number} | {' | '.join(cells)} | {count} |", flush=True)


def ratio_shares(queries: int, count: int) -> list[float]:
    """Of `count` pairs of judged runs: how often the judge's interval of their ratio holds what people might say.

    What people might say is drawn as the judge's error is, with other random numbers: with the effects of runs, nugs
    and queries.
    """
    shares = []
    for seed, chances in enumerate(same_quality(queries, count, seed=queries, step=0.5)):
        drawn = tabulated(as_judged(chances), measures=["strict_all"], judge="all")
        sizes = {"sigma": SIZES.sigma, "run_sigma": SIZES.run_sigma, "common": SIZES.common}
        scoring = score_tabulated(drawn, relative_to="r0000", seed=seed, **sizes)
        (found,) = [score for score in scoring.of_all() if score.measure == "strict_all/r0000"]
        assert drawn.cases is not None
        assert found.judge_low is not None
        assert found.judge_high is not None
        people = judge_error(drawn.cases, drawn.tables, seed=1000 + seed, **sizes).draws(0)
        ratios = people[1] / people[0]
        shares.append(float(((found.judge_low <= ratios) & (ratios <= found.judge_high)).mean()))
    return shares


@dataclass(frozen=True, kw_only=True)
class ComparedPairs:
    """What `karat compare` says of all pairs of runs, against people's differences: shares, and numbers of pairs."""

    pairs: int
    untested: int
    """Pairs with too few common queries: they have no interval for all pairs."""
    in_judge: float
    in_interval: float
    in_all_pairs: float
    separated: int
    wrong_sign: int
    """Of the separated pairs: people say that the other run is better."""


def compared_pairs(labels: Labels, measure: str, *, seed: int) -> ComparedPairs:
    """All pairs of runs as `compare` compares them, every judgement with the errors of its own calibration."""
    of_people = tabulated(labels.people, measures=[measure], missing="skip", judge="all", assessors="majority").tables[
        0
    ]
    of_judge = tabulated(labels.judged, measures=[measure], missing="skip", judge="all")
    assert of_judge.cases is not None
    error = judge_error(of_judge.cases, of_judge.tables, sigmas=labels.sigmas, seed=seed)
    table = error.tables[0]
    differences = JudgeDifferences.of(error, 0, range(len(table.run_ids)))
    compared = compare_pairs(
        table, baseline=None, alternative="two-sided", origin={}, seed=seed, judge=differences
    ).differences
    rows = dict(zip(of_people.run_ids, of_people.values, strict=True))
    people = np.array([np.nanmean(rows[pair.run_id] - rows[pair.versus]) for pair in compared])
    separated = np.array([pair.significant for pair in compared])
    signs = np.sign([pair.value or 0.0 for pair in compared])
    return ComparedPairs(
        pairs=len(compared),
        untested=sum(pair.p_adjusted is None for pair in compared),
        in_judge=_share_held(((pair.judge_low, pair.judge_high) for pair in compared), people),
        in_interval=_share_held(((pair.low, pair.high) for pair in compared), people),
        in_all_pairs=_share_held(((pair.all_low, pair.all_high) for pair in compared), people),
        separated=int(separated.sum()),
        wrong_sign=int((separated & (signs * np.sign(people) < 0)).sum()),
    )


def _share_held(ends: Iterable[tuple[float | None, float | None]], truth: np.ndarray) -> float:
    """How many of the intervals hold the true value; pairs without an interval do not count."""
    held = [
        low <= value <= high
        for (low, high), value in zip(ends, truth.tolist(), strict=True)
        if low is not None and high is not None
    ]
    return float(np.mean(held))


def print_compared(collection: Collection, name: str, measure: str, folds: int | None, seeds: Iterable[int]) -> None:
    """One line per seed of the resampling."""
    trial = try_judge(collection, judge="lexical", folds=folds)
    assert trial.labels is not None
    print(f"\n{name}, {measure}, `karat compare --judge lexical`, every topic calibrated on the others\n")
    print("| seed | pairs | not tested | in {judge} | in [low, high] | for all pairs | separated | wrong sign |")
    print("|---|---|---|---|---|---|---|---|")
    for seed in seeds:
        found = compared_pairs(trial.labels, measure, seed=seed)
        shares = " | ".join(f"{share:.3f}" for share in (found.in_judge, found.in_interval, found.in_all_pairs))
        print(
            f"| {seed} | {found.pairs} | {found.untested} | {shares} | {found.separated} | {found.wrong_sign} |",
            flush=True,
        )
