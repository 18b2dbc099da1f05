"""People answered the questions of a plan, a judge judged all: intervals of scores, and false differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from karat.evaluate.plan.pair_population import Population
from karat.stats.intervals.sampled_pairs import SampledScores, inclusion_chances, sampled_scores
from promises import Row, promise, trials

NUGS = 6
SETTINGS = ((3, 15, 90), (10, 25, 180), (40, 15, 360))
"""Runs, queries, answers."""
KINDS = ("as good as semantic", "too kind everywhere", "kind to one run", "kinder to worse runs", "too sure", "useless")


@dataclass(frozen=True)
class World:
    """Pairs of runs, queries and nugs: what people say, and what a judge says without labels."""

    run: np.ndarray
    response: np.ndarray
    people: np.ndarray
    judged: np.ndarray
    weight: np.ndarray

    def true(self, runs: int) -> np.ndarray:
        return np.bincount(self.run, self.weight * self.people, minlength=runs)


def world(kind: str, rng: np.random.Generator, runs: int, queries: int, *, equal: bool = False) -> World:
    """Runs of different quality (or of the same), queries and nugs of different difficulty."""
    shape = (runs, queries, NUGS)
    quality = np.zeros(runs) if equal else rng.normal(0, 0.6, runs)
    latent = (
        quality[:, None, None]
        + rng.normal(0, 0.5, (1, queries, 1))
        + rng.normal(0, 1.0, (1, queries, NUGS))
        + rng.normal(0, 0.4, (runs, queries, 1))
        - 0.5
    )
    people = rng.random(shape) < expit(latent)
    # What the judge sees is people's word with noise; its own errors go together in a response.
    seen = 2.2 * people - 1.4 + rng.normal(0, 1.1, shape) + rng.normal(0, 0.4, (runs, queries, 1))
    if kind == "useless":
        seen = rng.normal(-0.4, 0.8, shape)
    odds = {
        "too kind everywhere": seen + 1.2,
        "kind to one run": seen + 1.5 * (np.arange(runs) == 0)[:, None, None],
        "kinder to worse runs": seen - 0.8 * quality[:, None, None],
        "too sure": 2.5 * seen,
    }.get(kind, seen)
    run = np.broadcast_to(np.arange(runs)[:, None, None], shape).ravel()
    response = np.broadcast_to((np.arange(runs * queries)).reshape(runs, queries, 1), shape).ravel()
    weight = np.full(run.shape, 1 / (queries * NUGS))
    return World(run, response, people.astype(float).ravel(), expit(odds).ravel(), weight)


def answered(made: World, runs: int, answers: int, rng: np.random.Generator) -> SampledScores:
    """The scores after so many answers to a plan; the judge learns a level and a slope from the other fold."""
    spread = made.judged * (1 - made.judged)
    sizes = Population("", [("", "", "")] * len(spread), made.run, made.response, made.weight, spread).sizes
    chance = inclusion_chances(sizes, answers)
    drawn = np.zeros(len(sizes), bool)
    drawn[np.argsort(rng.random(len(sizes)) / sizes)[:answers]] = True
    fold = rng.integers(2, size=len(sizes))
    odds = logit(np.clip(made.judged, 1e-3, 1 - 1e-3))
    judged = made.judged.copy()
    for number in (0, 1):
        use = drawn & (fold != number)
        level, slope = _logistic(odds[use], made.people[use])
        judged[fold == number] = expit(level + slope * odds[fold == number])
    return sampled_scores(
        made.run, made.response, runs=runs, weight=made.weight, judged=judged, spread=judged * (1 - judged),
        people=np.where(drawn, made.people, np.nan), chance=chance,
    )  # fmt: skip


def _logistic(odds: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Level and slope, drawn a little towards 0 and 1."""
    found = np.array([0.0, 1.0])
    columns = np.column_stack([np.ones(len(odds)), odds])
    for _ in range(20):
        fitted = expit(columns @ found)
        slope = columns.T @ (labels - fitted) - np.array([0.1, 2.0]) * (found - [0.0, 1.0])
        curve = (columns * (fitted * (1 - fitted))[:, None]).T @ columns + np.diag([0.1, 2.0])
        found = found + np.clip(np.linalg.solve(curve, slope), -1, 1)
    return float(found[0]), float(found[1])


@promise("People answered a plan of questions, a biased judge judged all: scores")
def scores(scale: float) -> Iterator[Row]:
    count = trials(scale, 200)
    for kind in KINDS:
        for runs, queries, answers in SETTINGS:
            rng = np.random.default_rng(21)
            shares = []
            for _ in range(count):
                made = world(kind, rng, runs, queries)
                found = answered(made, runs, answers, rng)
                shares.append(np.mean(np.abs(found.estimates - made.true(runs)) <= 1.96 * found.errors))
            yield Row(
                setting=f"{kind}, {runs} runs, {queries} queries, {answers} answers", measured=float(np.mean(shares)),
                trials=count * runs, at_least=0.93, error=float(np.std(shares) / np.sqrt(count)),
            )  # fmt: skip


@promise("People answered a plan of questions, a biased judge judged all: differences on these queries")
def differences(scale: float) -> Iterator[Row]:
    count = trials(scale, 200)
    for kind in KINDS:
        for runs, queries, answers in SETTINGS:
            rng = np.random.default_rng(22)
            shares = []
            for _ in range(count):
                made = world(kind, rng, runs, queries)
                found = answered(made, runs, answers, rng)
                true, other = made.true(runs), np.arange(1, runs)
                difference = found.alone[0] - found.alone[other] - (true[0] - true[other])
                error = np.sqrt(found.alone_variance[0] + found.alone_variance[other])
                shares.append(np.mean(np.abs(difference) <= 1.96 * error))
            yield Row(
                setting=f"{kind}, {runs} runs, {queries} queries, {answers} answers", measured=float(np.mean(shares)),
                trials=count * (runs - 1), at_least=0.91, error=float(np.std(shares) / np.sqrt(count)),
            )  # fmt: skip
