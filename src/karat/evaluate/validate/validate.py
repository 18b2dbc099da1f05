"""Validation of a judge: labels are hidden, the judge judges, and the two are compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from karat.engines import Track
from karat.evaluate.validate.cross_validation import try_judge
from karat.evaluate.validate.figures import PAIR_FIGURES, RUN_FIGURES, draw_figures
from karat.evaluate.validate.label_checks import CrossValidation
from karat.evaluate.validate.run_scores import ScoredRuns, ValidatedRun, chosen_measures, run_notes, score_runs
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.judges.calibration.chosen_model import ThresholdModelName
from karat.judges.overlap.idf_file import idf_of
from karat.judges.registry import AUTO
from karat.model import Collection
from karat.model.result import Result
from karat.model.wording import number_of
from karat.text.idf import IdfTable

RESAMPLES = 200
BELOW_ZERO = ("kappa", "tau_runs", "tau_topic", "tau_cells", "pearson", "pearson_topic")
"""Figures that go down to -1; the others end at 0."""


class Figure(msgspec.Struct, frozen=True):
    """A figure and its 95 % interval over queries; None: undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


class ValidatedMeasure(msgspec.Struct, frozen=True, kw_only=True):
    """How far the scores of runs by a judge are from those by people, for one measure."""

    measure: str
    figures: dict[str, Figure]
    runs: tuple[ValidatedRun, ...]


class Validation(Result, msgspec.Struct, frozen=True, kw_only=True):
    """How good one judge is on one labelled collection."""

    judge: str
    pairs: dict[str, Figure]
    """Figures of pairs of a nug and a response (with cv="snippet": a snippet)."""
    measures: tuple[ValidatedMeasure, ...]
    """Figures of runs, for each measure; none with cv="snippet"."""
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures of pairs, and those of runs by the first measure."""
        return self.pairs | (self.measures[0].figures if self.measures else dict.fromkeys(RUN_FIGURES, Figure(None)))


def validate(
    *inputs: Input,
    judge: str = AUTO,
    measures: str | Sequence[str] | None = None,
    cv: CrossValidation = "query",
    folds: int | None = None,
    labels: str | None = None,
    threshold_model: ThresholdModelName | None = None,
    idf: str | Path | IdfTable | None = None,
    on_error: OnError = "stop",
    runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None,
    seed: int = 0,
) -> Validation:
    """Hide the labels of the inputs, judge, and compare; thresholds come from other queries, runs or groups.

    runs, queries: only these, as if the inputs held no others; patterns work.
    """
    collection = load(*inputs, on_error=on_error, runs=runs, queries=queries)
    return validate_collection(
        collection, judge=judge, measures=measures, cv=cv, folds=folds, labels=labels,
        threshold_model=threshold_model, idf=idf_of(collection, idf), seed=seed,
    )  # fmt: skip


def validate_collection(
    collection: Collection,
    *,
    judge: str = AUTO,
    measures: str | Sequence[str] | None = None,
    cv: CrossValidation = "query",
    folds: int | None = None,
    labels: str | None = None,
    threshold_model: ThresholdModelName | None = None,
    idf: IdfTable | None = None,
    track: Track | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> Validation:
    """The figures of a judge on the labelled pairs of a collection: see `try_judge`.

    Scores of runs, by people and by the judge, are made by the code of `karat score`. measures: names such as "F3";
    strict_vital where none is named (strict_all where nothing is called vital). A run that lacks more than one query
    is left out of the figures of runs.
    """
    chosen_measures(collection, measures)
    trial = try_judge(
        collection, judge=judge, cv=cv, folds=folds, labels=labels, threshold_model=threshold_model, idf=idf,
        track=track, seed=seed, jobs=jobs,
    )  # fmt: skip
    drawn = draw_figures(trial.pairs.figures, queries=trial.pairs.queries, draws=RESAMPLES, seed=seed)
    pairs = trial.pairs.figures()
    scored = []
    if trial.labels is not None:
        scored = score_runs(trial.labels, chosen_measures(trial.labels.people, measures), seed=seed)
    notes = list(trial.notes)
    if trial.unjudged:
        compared = f"{len(trial.pairs.labels):,} compared"
        notes.append(f"{number_of(trial.unjudged, 'pair')} without a label left out, {compared}")
    notes += [note for runs in scored for note in run_notes(runs)]
    return Validation(
        judge=judge,
        pairs={name: _figure(name, pairs[name], drawn.get(name, [])) for name in PAIR_FIGURES},
        measures=tuple(_validated(runs, seed) for runs in scored),
        signature=trial.signature,
        notes=tuple(dict.fromkeys(notes)),
    )


def _validated(runs: ScoredRuns, seed: int) -> ValidatedMeasure:
    judged = runs.scores.of_judged_queries()
    values = judged.figures()
    drawn = draw_figures(judged.figures, queries=len(judged.query_ids), draws=RESAMPLES, seed=seed)
    figures = {name: _figure(name, values.get(name, np.nan), drawn.get(name, [])) for name in RUN_FIGURES}
    return ValidatedMeasure(measure=runs.measure, figures=figures, runs=runs.rows)


def _figure(name: str, value: float, drawn: Sequence[float]) -> Figure:
    """The interval is that of the draws, moved so that their median is the value: rank figures of draws run low."""
    if np.isnan(value):
        return Figure(None)
    known = np.array([figure for figure in drawn if not np.isnan(figure)])
    if name == "pairs" or len(known) < RESAMPLES / 2:
        return Figure(float(value))
    low, middle, high = np.quantile(known, [0.025, 0.5, 0.975])
    least, most = -1.0 if name in BELOW_ZERO else 0.0, max(1.0, value)
    return Figure(float(value), float(max(value + low - middle, least)), float(min(value + high - middle, most)))
