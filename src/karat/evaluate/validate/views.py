"""Other views of a validation: where a judge goes wrong.

After Marton & Radul (2006): tau against the threshold (their Figure 6), models of the threshold (Table 4), and swaps of
runs by the size of the official difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.engines import Track
from karat.evaluate.validate.cross_validation import Trial, labelled_pairs, try_judge
from karat.evaluate.validate.figures import Floats, JudgedPairs, RunScores, compact
from karat.evaluate.validate.label_checks import CrossValidation
from karat.evaluate.validate.label_statistics import found_by_rows, statistic_rows
from karat.evaluate.validate.run_scores import (
    ScoredRuns,
    aligned,
    chosen_measures,
    judged_table,
    official_table,
    run_notes,
    same_pairs,
    score_runs,
)
from karat.judges.base import Judge
from karat.judges.calibration.chosen_model import ThresholdModelName
from karat.judges.calibration.threshold_models import compare_models
from karat.judges.judgements.made import judgements_of
from karat.judges.overlap.idf_file import check_idf, idf_settings
from karat.judges.pairs import Pairs
from karat.judges.registry import AUTO, parse_judge
from karat.model import Collection, Signature, UnfitInput, UsageError
from karat.model.identity import key_setting
from karat.text.idf import IdfTable

ViewName = Literal["runs", "statistics", "systems", "thresholds", "swaps", "calibration", "models"]
OF_DATA = ("statistics", "systems")
"""Views that depend on no judge."""
OF_RUNS = ("runs", "swaps", "thresholds")
"""Views of the scores of runs, for every measure that is named."""
OF_ALL_LABELS = ("thresholds", "models")
"""Views of raw scores and all labels: none is hidden."""


@dataclass(frozen=True)
class View:
    """The rows of a view: records of one kind, one per line of a table."""

    rows: tuple[msgspec.Struct, ...]
    signature: str
    notes: tuple[str, ...] = ()


def view_collection(
    collection: Collection,
    *,
    view: ViewName,
    judge: str = AUTO,
    measures: str | Sequence[str] | None = None,
    cv: CrossValidation | None = None,
    folds: int | None = None,
    labels: str | None = None,
    threshold_model: ThresholdModelName | None = None,
    idf: IdfTable | None = None,
    track: Track | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> View:
    """A view of a labelled collection and, except for statistics and systems, of a judge on it.

    statistics: what the data set contains. systems: nugs by how many runs found them. thresholds: tau and more by the
    threshold. models: the likelihood of models of the threshold. Cross-validated by `try_judge`: runs: scores by people
    and by the judge. swaps: pairs of runs in the wrong order, by the size of the official difference. calibration: the
    share of contained pairs by the probability that the judge gives. measures: see `validate_collection`.

    Raises:
        UsageError: there is no such view, or it cannot obey one of the options.
    """
    if view not in get_args(ViewName):
        raise UsageError(f"there is no view {view!r}; choose from {', '.join(get_args(ViewName))}")
    chosen_measures(collection, measures)
    program = parse_judge(judge)
    _check_options(view, program, measures=measures, cv=cv, folds=folds, threshold_model=threshold_model, idf=idf)
    whose = key_setting(collection.nugs, collection.votes) | ({} if labels is None else {"labels": labels})
    if view in OF_DATA:
        of_data = statistic_rows if view == "statistics" else found_by_rows
        return View(of_data(collection, labels=labels), str(Signature(view, {**whose, "v": __version__})))
    if view in OF_ALL_LABELS:
        pairs, people = labelled_pairs(
            collection, program, cv=cv or "query", labels=labels, idf=idf, track=track, jobs=jobs
        )
        # Where the judge failed there is nothing to compare.
        pairs = replace(pairs, degrees=np.where(np.isnan(pairs.scores), np.nan, pairs.degrees))
        settings = (
            program.settings()
            | idf_settings(program, [query.task for query in pairs.queries])
            | ({} if cv is None else {"cv": cv})
        )
        signature = str(Signature(program.name, {**settings, "view": view, **whose, "v": __version__}))
        if view == "models":
            return View(model_rows(pairs), signature)
        by_measure = (threshold_rows(pairs, people, program, name) for name in chosen_measures(people, measures))
        return View(tuple(row for rows in by_measure for row in rows), signature)
    trial = try_judge(
        collection, judge=judge, cv=cv or "query", folds=folds, labels=labels, threshold_model=threshold_model, idf=idf,
        track=track, seed=seed, jobs=jobs,
    )  # fmt: skip
    if view == "calibration":
        return View(calibration_rows(trial.pairs), trial.signature, trial.notes)
    scored = _scored(trial, measures, seed)
    rows: list[msgspec.Struct] = []
    for runs in scored:
        rows += swap_rows(runs.scores, runs.measure) if view == "swaps" else runs.rows
    return View(tuple(rows), trial.signature, (*trial.notes, *(note for runs in scored for note in run_notes(runs))))


def _check_options(
    view: ViewName, program: Judge, *, measures: str | Sequence[str] | None, cv: CrossValidation | None,
    folds: int | None, threshold_model: ThresholdModelName | None, idf: IdfTable | None,
) -> None:  # fmt: skip
    """Refuse what would change nothing in this view."""
    if view not in OF_DATA:
        check_idf(program, idf)
    elif idf is not None:
        raise UsageError(f"--view {view} depends on no judge: leave out --idf")
    if measures is not None and view not in OF_RUNS:
        raise UsageError(f"--view {view} shows no scores of runs: leave out --measures")
    if view not in (*OF_DATA, *OF_ALL_LABELS):
        return
    if threshold_model is not None:
        raise UsageError(f"--view {view} shows no probabilities: leave out --threshold-model {threshold_model}")
    if folds is not None:
        raise UsageError(f"--view {view} uses all labels at once and hides none: leave out --folds")
    if cv is not None and (view in OF_DATA or cv == "snippet" or not program.reads_known):
        # A judge that reads judged texts sees those of other runs or institutions: there it makes a difference.
        raise UsageError(f"--view {view} uses all labels at once and hides none: leave out --cv {cv}")


def _scored(trial: Trial, measures: str | Sequence[str] | None, seed: int) -> list[ScoredRuns]:
    if trial.labels is None:
        raise UsageError("with --cv snippet there are no scores of runs; choose --cv query|run|group")
    return score_runs(trial.labels, chosen_measures(trial.labels.people, measures), seed=seed)


STEPS = 20
"""Steps of the grid of thresholds."""
DIFFERENCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 1.0)
"""The ends of the bins of official differences; 0.1 is about what two assessors differ by (Voorhees 2003)."""
BINS = 10
"""Bins of equal width for probabilities."""


class AtThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """How good the decisions are when a nug is contained from this raw score on; None: undefined."""

    measure: str
    threshold: float
    contained: float
    """The share of pairs that are then contained."""
    kappa: float | None
    f1: float | None
    tau_runs: float | None
    tau_topic: float | None
    rmse: float | None


class SwappedPairs(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs of runs whose official scores differ by more than `above` and by `up_to` at most."""

    measure: str
    above: float
    up_to: float
    pairs: int
    swapped: int
    """The judge has them in the other order."""
    tied: int
    """The judge gives both the same score."""
    share: float | None
    """swapped / pairs; None without pairs."""


class ThresholdModel(msgspec.Struct, frozen=True, kw_only=True):
    """How probable people's labels are under a model of the threshold."""

    model: str
    log10_evidence: float
    log10_pooled: float
    """The same where the thresholds share a prior."""


class CalibrationBin(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs whose probability is from `low` up to, but not including, `high` (the last bin: including)."""

    low: float
    high: float
    pairs: int
    probability: float | None
    """The mean of what the judge says; None in an empty bin."""
    contained: float | None
    """The share that people call contained; None in an empty bin."""


def threshold_rows(pairs: Pairs, people: Collection, program: Judge, measure: str) -> tuple[AtThreshold, ...]:
    """How good hard decisions are at each threshold of a grid, for all labelled pairs.

    The best of them is picked on the data it is reported on, and so looks better than it is.
    """
    known = ~np.isnan(pairs.degrees)
    rows = []
    for threshold in _grid(pairs.scores[known]):
        contained = pairs.scores >= threshold
        figures = decision_figures(pairs, contained, people, program, measure)
        shown = {name: _number(figures[name]) for name in ("kappa", "f1", "tau_runs", "tau_topic", "rmse")}
        share = float(contained[known].mean())
        rows.append(AtThreshold(measure=measure, threshold=threshold, contained=share, **shown))
    return tuple(rows)


def decision_figures(
    pairs: Pairs, contained: NDArray[np.bool_], people: Collection, program: Judge, measure: str
) -> dict[str, float]:
    """All figures of a judge that decides so about the pairs, and is sure; for the labelled ones."""
    known = ~np.isnan(pairs.degrees)
    labels, decisions = (pairs.degrees[known] >= 1).astype(float), contained[known].astype(float)
    of_pairs = JudgedPairs(labels, pairs.scores[known], decisions, decisions, compact(pairs.question[known]))
    probabilities = np.stack([~contained, np.zeros_like(contained), contained], axis=1).astype(float)
    judgements = judgements_of(pairs, probabilities, program, evidence=False)
    labelled = (judgement for judgement, is_known in zip(judgements, known.tolist(), strict=True) if is_known)
    both = same_pairs(people, labelled, {})
    of_runs = aligned(official_table(both.people, measure), judged_table(both.judged, measure))
    return of_pairs.figures() | of_runs.of_judged_queries().figures()


def _grid(scores: Floats) -> list[float]:
    """From 0 to 1 where all scores are between them, else from the lowest to the highest hundredth of the scores."""
    if not len(scores):
        raise UnfitInput("no pair of a nug and a response has a label")
    low, high = (0.0, 1.0) if scores.min() >= 0 and scores.max() <= 1 else np.quantile(scores, [0.01, 0.99])
    grid = [round(float(threshold), 6) for threshold in np.linspace(low, high, STEPS + 1)]
    return list(dict.fromkeys(grid))


def swap_rows(scores: RunScores, measure: str) -> tuple[SwappedPairs, ...]:
    """How often the judge has two runs in the other order than people, by the size of the official difference.

    Pairs of runs whose official scores are equal have no order, and are left out.
    """
    official, judged = scores.of_judged_queries().means()
    first, second = np.triu_indices(len(official), 1)
    by_people, by_judge = official[first] - official[second], judged[first] - judged[second]
    # Sums of the same shares in another order differ by rounding.
    size = np.abs(by_people).round(9)
    rows = []
    for above, up_to in pairwise(DIFFERENCES):
        inside = (size > above) & (size <= up_to)
        swapped, tied = int((by_people * by_judge < 0)[inside].sum()), int((by_judge == 0)[inside].sum())
        pairs = int(inside.sum())
        share = swapped / pairs if pairs else None
        rows.append(
            SwappedPairs(
                measure=measure, above=above, up_to=up_to, pairs=pairs, swapped=swapped, tied=tied, share=share
            )
        )
    return tuple(rows)


def model_rows(pairs: Pairs) -> tuple[ThresholdModel, ...]:
    """The models of the noisy threshold by their marginal likelihood: see `compare_models`."""
    return tuple(
        ThresholdModel(
            model=model.name, log10_evidence=float(model.log10_evidence), log10_pooled=float(model.log10_pooled)
        )
        for model in compare_models(pairs.labelled())
    )


def calibration_rows(pairs: JudgedPairs) -> tuple[CalibrationBin, ...]:
    """What the judge says beside what people say, by tenths of its probability."""
    edges = np.linspace(0, 1, BINS + 1)
    place = np.clip(np.searchsorted(edges, pairs.probabilities, side="right") - 1, 0, BINS - 1)
    number = np.bincount(place, minlength=BINS)
    probability, contained = (np.bincount(place, of, minlength=BINS) for of in (pairs.probabilities, pairs.labels))
    return tuple(
        CalibrationBin(
            low=float(edges[at]),
            high=float(edges[at + 1]),
            pairs=int(number[at]),
            probability=float(probability[at] / number[at]) if number[at] else None,
            contained=float(contained[at] / number[at]) if number[at] else None,
        )
        for at in range(BINS)
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
