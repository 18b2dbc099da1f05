"""Which views of a validation there are, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import msgspec

from karat import __version__
from karat.engine.mapping import Track
from karat.evaluate.trying import CrossValidation, labelled_pairs, try_judge
from karat.evaluate.validation_data import found_by_rows, statistic_rows
from karat.evaluate.validation_views import calibration_rows, model_rows, swap_rows, threshold_rows
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
