"""Validation of a judge: labels are hidden, the judge judges, and the two are compared."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from karat.engine.mapping import Track
from karat.evaluate.validate.cross_validation import CrossValidation, try_judge
from karat.evaluate.validate.figures import FIGURES, Told, figures
from karat.evaluate.validate.snippets import draw_snippet_figures
from karat.formats import load
from karat.formats.reading import Input, OnError
from karat.model import Collection

RESAMPLES = 200
BELOW_ZERO = ("kappa", "tau_runs", "tau_topic", "tau_cells", "pearson", "pearson_topic")
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
    folds: int | None = None,
    labels: str | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
) -> Validation:
    """Hide the labels of the inputs, judge, and compare; thresholds come from other queries, runs or groups."""
    return validate_collection(
        load(*inputs, on_error=on_error), judge=judge, cv=cv, folds=folds, labels=labels, seed=seed
    )


def validate_collection(
    collection: Collection,
    *,
    judge: str = "lexical",
    cv: CrossValidation = "query",
    folds: int | None = None,
    labels: str | None = None,
    track: Track | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> Validation:
    """The figures of a judge on the labelled pairs of a collection: see `try_judge`."""
    trial = try_judge(collection, judge=judge, cv=cv, folds=folds, labels=labels, track=track, seed=seed, jobs=jobs)
    point = figures(trial.told)
    if cv == "snippet":
        drawn = draw_snippet_figures(trial.told, draws=RESAMPLES, seed=seed)
    else:
        drawn = _resampled(trial.told, seed)
    found = {name: _figure(name, point.get(name, np.nan), drawn.get(name, [])) for name in FIGURES}
    return Validation(judge=judge, figures=found, signature=trial.signature, notes=trial.notes)


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
