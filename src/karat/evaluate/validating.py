"""Validation of a judge: labels are hidden, the judge judges, and the two are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.evaluate.calibrating import learn
from karat.evaluate.cases import Cases
from karat.evaluate.pairs import (
    Floats,
    Ints,
    Pairs,
    Track,
    by_people,
    pairs_of,
    run_codes,
    runs_of,
    tasks_of,
)
from karat.evaluate.rules import ALL_JUDGES
from karat.evaluate.validation import FIGURES, Told, figures
from karat.formats import load
from karat.formats.reading import Input, OnError
from karat.judge.cross_validated import best_threshold
from karat.judge.labelled import Labelled
from karat.judge.registry import parse_judge
from karat.judge.run_error import draw_with_runs, fit_run_effect
from karat.judge.shared_error import fit_cell_effect
from karat.measure.base import ratio
from karat.model import Collection, Signature, UsageError

CrossValidation = Literal["query", "run", "group"]
DRAWS = 400
RESAMPLES = 200
FOLDS = 5
BELOW_ZERO = ("kappa", "tau_runs", "tau_topic", "tau_cells", "pearson")
"""Figures that go down to -1; the others end at 0."""


class Figure(msgspec.Struct, frozen=True):
    """A figure and its 95 % interval over queries; None: undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """How one judge did on one labelled collection."""

    judge: str
    figures: dict[str, Figure]
    signature: str
    notes: tuple[str, ...] = ()


def validate(
    *inputs: Input,
    judge: str = "lexical",
    cv: CrossValidation = "query",
    on_error: OnError = "stop",
    seed: int = 0,
) -> Validation:
    """Hide the labels of the inputs, judge, and compare; thresholds come from other queries, runs or groups."""
    return validate_collection(load(*inputs, on_error=on_error), judge=judge, cv=cv, seed=seed)


def validate_collection(
    collection: Collection,
    *,
    judge: str = "lexical",
    cv: CrossValidation = "query",
    track: Track | None = None,
    seed: int = 0,
) -> Validation:
    """The figures of a judge on the labelled pairs of a collection.

    A pair is any nug and any response that people judged; it is contained where they say in full. What a group
    (query, run, or institution) is scored with, the threshold of best kappa and the calibration of scores, comes from
    the other groups; with other runs of the same queries at hand, nugs have thresholds of their own. A run's score is
    its mean strict_vital (strict_all where nothing is called vital) by the calibrated probabilities; runs that lack
    more than one query are left out of figures of runs.
    """
    scorer = parse_judge(judge)
    collection = by_people(collection)
    tasks = tasks_of(collection)
    if not tasks or not collection.judgements:
        raise UsageError("there is nothing to validate on: give a key, responses with their texts, and judgements")
    labels = Cases(collection, missing="skip", judge=ALL_JUDGES, assessors="majority")
    pairs = pairs_of(tasks, scorer, labels, track=track)
    known = ~np.isnan(pairs.degrees)
    if not 0 < (pairs.degrees[known] >= 1).sum() < known.sum():
        raise UsageError("people say the same of every pair: a judge cannot be told good from bad")
    groups = _groups(pairs, collection, cv)
    _check_groups(groups[known], cv)
    told, sigma = _told(pairs, known, groups, seed)
    point = figures(told)
    drawn = _resampled(told, seed)
    found = {name: _figure(name, point.get(name, np.nan), drawn.get(name, [])) for name in FIGURES}
    settings = scorer.settings() | {"cv": cv, "sigma": f"{sigma:.2f}", "seed": str(seed)}
    return Validation(
        judge=judge, figures=found, signature=str(Signature(scorer.name, settings | {"v": __version__}))
    )  # fmt: skip


def _groups(pairs: Pairs, collection: Collection, cv: CrossValidation) -> Ints:
    if cv == "query":
        groups = pairs.question
    else:
        institution = {run.run_id: run.group or run.run_id for run in collection.runs}
        runs = [one.run_id for query in pairs.queries for one in query.task.responses]
        names = runs if cv == "run" else [institution.get(run_id, run_id) for run_id in runs]
        codes = {name: at for at, name in enumerate(dict.fromkeys(names))}
        groups = np.array([codes[name] for name in names])[pairs.cell]
    return groups


def _check_groups(groups: Ints, cv: CrossValidation) -> None:
    if len(np.unique(groups)) < 2:
        raise UsageError(f"people judged one {cv} alone; thresholds need others to come from (--cv query|run|group)")


def _told(pairs: Pairs, known: NDArray[np.bool_], groups: Ints, seed: int) -> tuple[Told, float]:
    decisions, probabilities = np.zeros(len(pairs.scores)), np.zeros((len(pairs.scores), 3))
    ranked = pairs.scores.copy()
    for group in np.unique(groups):
        own, others = groups == group, (groups != group) & known
        learned = learn(pairs, others)
        probabilities[own] = learned.probabilities(pairs)[own]
        threshold = best_threshold(pairs.scores[others], pairs.degrees[others] >= 1).threshold
        # Where people say the same of all other groups there is no threshold, and nothing is decided.
        decisions[own] = np.nan if np.isnan(threshold) else pairs.scores[own] >= threshold
        # Nugs with thresholds of their own decide by them.
        by_nug = own & learned.knows(pairs)
        decisions[by_nug] = probabilities[by_nug, 2] >= 0.5
        ranked[by_nug] = probabilities[by_nug, 2]
    drawn, sigma = _drawn(pairs, probabilities, groups, seed)
    official = _cells(pairs, np.where(known, pairs.degrees >= 1, np.nan)[None])[0]
    expected = _cells(pairs, np.where(known, probabilities[:, 2], np.nan)[None])[0]
    by_draw = _cells(pairs, np.where(known, drawn >= 1, np.nan))
    means = np.array([_row_means(one) for one in by_draw])
    told = Told(
        labels=(pairs.degrees[known] >= 1).astype(float),
        scores=ranked[known],
        decisions=decisions[known],
        probabilities=probabilities[known, 2],
        question=pairs.question[known],
        official=official,
        expected=expected,
        low=np.quantile(means, 0.025, axis=0),
        high=np.quantile(means, 0.975, axis=0),
    )
    return told, sigma


def _drawn(pairs: Pairs, probabilities: Floats, groups: Ints, seed: int) -> tuple[Floats, float]:
    """Draws of all pairs; how far errors hang together is learned from other groups, too, in a few folds of them."""
    run = run_codes(pairs)
    runs = int(run.max()) + 1
    order = {group: at for at, group in enumerate(np.unique(groups).tolist())}
    fold = np.array([order[group] % FOLDS for group in groups.tolist()])
    drawn = np.zeros((DRAWS, len(pairs.scores)))
    sigmas = []
    for one in np.unique(fold):
        own, others = fold == one, fold != one
        taught = Labelled(pairs.scores[others], pairs.degrees[others], pairs.question[others], pairs.nug[others])
        sigma = fit_cell_effect(taught, probabilities[others], pairs.cell[others])
        sigma = 1.0 if np.isnan(sigma) else sigma
        run_sigma = fit_run_effect(pairs.degrees[others], probabilities[others], pairs.cell[others], run[others])
        # All runs take part, so that the same draw is the same run in every fold.
        drawn[:, own] = draw_with_runs(
            probabilities[own], pairs.cell[own], run[own], runs=runs, sigma=sigma, run_sigma=run_sigma, draws=DRAWS,
            seed=seed + 1000 * int(one), run_seed=seed,
        )  # fmt: skip
        sigmas.append(sigma)
    return drawn, float(np.mean(sigmas))


def _cells(pairs: Pairs, values: Floats) -> Floats:
    """From values of pairs (k x pairs) the share of vital nugs contained (k x runs x queries); NaN: nobody judged."""
    runs = {run_id: at for at, run_id in enumerate(dict.fromkeys(runs_of(pairs)))}
    counted = pairs.vital == 1 if (pairs.vital == 1).any() else np.ones(len(pairs.vital), bool)
    cells = int(pairs.cell.max()) + 1
    result = np.full((len(values), len(runs), len(pairs.queries)), np.nan)
    row = np.array([runs[run_id] for run_id in runs_of(pairs)])
    column = np.array([at for at, query in enumerate(pairs.queries) for _ in query.task.responses])
    use = counted & ~np.isnan(values[0])
    size = np.bincount(pairs.cell[use], minlength=cells)
    for at, own in enumerate(values):
        total = np.bincount(pairs.cell[use], weights=own[use], minlength=cells)
        result[at, row, column] = ratio(total, size)[: len(row)]
    return result


def _row_means(values: Floats) -> Floats:
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    return ratio(np.where(known, values, 0).sum(axis=1), count)


def _resampled(told: Told, seed: int) -> dict[str, list[float]]:
    queries = np.unique(told.question)
    rng = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    if len(queries) < 2:
        return found
    for _ in range(RESAMPLES):
        draw: Sequence[int] = rng.choice(queries, len(queries)).tolist()
        for name, value in figures(told, queries=draw).items():
            found.setdefault(name, []).append(value)
    return found


def _figure(name: str, value: float, drawn: Sequence[float]) -> Figure:
    """The interval is that of the draws, moved so that their median is the value: rank figures of draws run low."""
    if np.isnan(value):
        return Figure(None)
    known = np.array([one for one in drawn if not np.isnan(one)])
    if name == "pairs" or len(known) < RESAMPLES / 2:
        return Figure(float(value))
    low, middle, high = np.quantile(known, [0.025, 0.5, 0.975])
    least, most = -1.0 if name in BELOW_ZERO else 0.0, max(1.0, value)
    return Figure(float(value), float(max(value + low - middle, least)), float(min(value + high - middle, most)))
