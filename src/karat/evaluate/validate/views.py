"""Other views of a validation: where a judge goes wrong.

After Marton & Radul (2006): tau against the threshold (their Figure 6), models of the threshold (Table 4), and swaps of
runs by the size of the official difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import msgspec
import numpy as np

from karat import __version__
from karat.engine.mapping import Track
from karat.evaluate.validate.cross_validation import CrossValidation, labelled_pairs, try_judge
from karat.evaluate.validate.draws import counted
from karat.evaluate.validate.figures import Told, compare_scores
from karat.evaluate.validate.label_statistics import found_by_rows, statistic_rows
from karat.evaluate.validate.notes import cell_scores
from karat.evaluate.validate.quality import calibration_table, kappa_f1
from karat.judges.calibration.thresholds import compare_models
from karat.judges.pairs import Pairs
from karat.judges.registry import parse_judge
from karat.model import Collection, Signature, UsageError

ViewName = Literal["statistics", "systems", "thresholds", "swaps", "calibration", "models"]
OF_DATA = ("statistics", "systems")
"""Views that hang on no judge."""


@dataclass(frozen=True)
class View:
    """The rows of a view: records of one kind, one a line of a table."""

    rows: tuple[msgspec.Struct, ...]
    signature: str
    notes: tuple[str, ...] = ()


def view_collection(
    collection: Collection,
    *,
    view: ViewName,
    judge: str = "lexical",
    cv: CrossValidation = "query",
    folds: int | None = None,
    labels: str | None = None,
    track: Track | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> View:
    """A view of a labelled collection and, except for statistics and systems, of a judge on it.

    statistics: what the data set holds. systems: nugs by how many runs found them. thresholds: tau and more by the
    threshold. models: the likelihood of models of the threshold. swaps: pairs of runs in the wrong order by how far
    apart people see them, calibration: what is so by what the judge says, both as cross-validated by `try_judge`.
    """
    if view not in get_args(ViewName):
        raise UsageError(f"there is no view {view!r}; choose from {', '.join(get_args(ViewName))}")
    whose = {} if labels is None else {"labels": labels}
    if view in OF_DATA:
        of_data = statistic_rows if view == "statistics" else found_by_rows
        return View(of_data(collection, labels=labels), str(Signature(view, {**whose, "v": __version__})))
    if view in ("thresholds", "models"):
        scorer = parse_judge(judge)
        pairs, _ = labelled_pairs(collection, scorer, labels=labels, track=track, jobs=jobs)
        signature = Signature(scorer.name, {**scorer.settings(), "view": view, **whose, "v": __version__})
        return View(threshold_rows(pairs) if view == "thresholds" else model_rows(pairs), str(signature))
    trial = try_judge(collection, judge=judge, cv=cv, folds=folds, labels=labels, track=track, seed=seed, jobs=jobs)
    rows: tuple[msgspec.Struct, ...] = swap_rows(trial.told) if view == "swaps" else calibration_rows(trial.told)
    return View(rows, trial.signature, trial.notes)


STEPS = 20
"""Of the grid of thresholds."""
DIFFERENCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 1.0)
"""The ends of the bins of official differences; 0.1 is about what two assessors differ by (Voorhees 2003)."""


class AtThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """How a judge does that says contained from a raw score on; None: undefined."""

    threshold: float
    contained: float
    """The share of pairs it calls contained."""
    kappa: float | None
    f1: float | None
    tau_runs: float | None
    tau_topic: float | None
    rmse: float | None


class Swaps(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs of runs whose official scores differ by more than `above` and by `up_to` at most."""

    above: float
    up_to: float
    pairs: int
    swapped: int
    """The judge orders them the other way round."""
    tied: int
    """The judge gives both the same score."""
    share: float | None
    """Of pairs that are swapped; None without pairs."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """How probable people's labels are under a model of the threshold."""

    model: str
    log10_evidence: float
    log10_pooled: float
    """The same where thresholds lean on one another."""


class Calibrated(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs whose probability lies between two ends: what the judge says, and what is so."""

    low: float
    high: float
    pairs: int
    probability: float | None
    contained: float | None


def threshold_rows(pairs: Pairs) -> tuple[AtThreshold, ...]:
    """The quality of hard decisions at each threshold of a grid, for all pairs that people judged.

    Whoever picks the best of them has picked it on the data it is reported on.
    """
    known = ~np.isnan(pairs.degrees)
    use, labels = known & counted(pairs), (pairs.degrees >= 1).astype(float)
    official = cell_scores(pairs, labels, use)
    found = []
    for threshold in _grid(pairs.scores[known]):
        decisions = (pairs.scores >= threshold).astype(float)
        confusion = kappa_f1(decisions[known], labels[known])
        of_runs = compare_scores(official, cell_scores(pairs, decisions, use))
        found.append(
            AtThreshold(
                threshold=threshold,
                contained=float(decisions[known].mean()),
                kappa=_number(confusion.kappa),
                f1=_number(confusion.f1),
                tau_runs=_number(of_runs["tau_runs"]),
                tau_topic=_number(of_runs["tau_topic"]),
                rmse=_number(of_runs["rmse"]),
            )
        )
    return tuple(found)


def _grid(scores: np.typing.NDArray[np.float64]) -> list[float]:
    """0 to 1 where scores lie there, else from the lowest to the highest hundredth of them."""
    if not len(scores):
        raise UsageError("people judged no pair")
    low, high = (0.0, 1.0) if scores.min() >= 0 and scores.max() <= 1 else np.quantile(scores, [0.01, 0.99])
    grid = [round(float(one), 6) for one in np.linspace(low, high, STEPS + 1)]
    return list(dict.fromkeys(grid))


def swap_rows(told: Told) -> tuple[Swaps, ...]:
    """How often the judge orders two runs otherwise than people, by how far apart people see them.

    Pairs of runs whose official scores are equal have no order to be swapped, and are left out.
    """
    people, judge = told.run_means()
    first, second = np.triu_indices(len(people), 1)
    official, expected = people[first] - people[second], judge[first] - judge[second]
    # Sums of the same shares in another order differ by rounding.
    size = np.abs(official).round(9)
    found = []
    for above, up_to in pairwise(DIFFERENCES):
        own = (size > above) & (size <= up_to)
        swapped, tied = int((official * expected < 0)[own].sum()), int((expected == 0)[own].sum())
        pairs = int(own.sum())
        share = swapped / pairs if pairs else None
        found.append(Swaps(above=above, up_to=up_to, pairs=pairs, swapped=swapped, tied=tied, share=share))
    return tuple(found)


def model_rows(pairs: Pairs) -> tuple[Evidence, ...]:
    """The models of the noisy threshold by their marginal likelihood: see `compare_models`."""
    return tuple(
        Evidence(model=one.name, log10_evidence=one.log10_evidence, log10_pooled=one.log10_pooled)
        for one in compare_models(pairs.labelled())
    )


def calibration_rows(told: Told) -> tuple[Calibrated, ...]:
    """What the judge says and what is so, by tenths of its probability."""
    return tuple(
        Calibrated(
            low=one.low, high=one.high, pairs=one.pairs, probability=_number(one.probability),
            contained=_number(one.share),
        )
        for one in calibration_table(told.probabilities, told.labels)
    )  # fmt: skip


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
