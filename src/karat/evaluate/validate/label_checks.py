"""Can these labels validate a judge? Asked before the judge is, because some judges cost something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NoReturn

import numpy as np

from karat.judges.base import Task
from karat.judges.pairs import Floats, Ints
from karat.model import Collection, UnfitInput

CrossValidation = Literal["query", "run", "group", "snippet"]
CHOICES: tuple[CrossValidation, ...] = ("query", "run", "group")


def institutions(people: Collection) -> dict[str, str]:
    """The institution of each run, where it names one; otherwise the run stands for itself."""
    return {run.run_id: run.group or run.run_id for run in people.runs}


def check_labels(degrees: Floats) -> None:
    """Refuse labels that are all equal."""
    if not 0 < (degrees >= 1).sum() < len(degrees):
        raise UnfitInput("all labels are equal: with nothing but yes, or nothing but no, a judge cannot be validated")


def check_before(tasks: Sequence[Task], degrees: Sequence[Floats], people: Collection, cv: CrossValidation) -> None:
    """Refuse what cannot be validated before a judge is asked: some cost something."""
    every = np.concatenate([given.ravel() for given in degrees])
    check_labels(every[~np.isnan(every)])
    institution = institutions(people)
    labelled = [
        {"query": task.query_id, "run": response.run_id, "group": institution.get(response.run_id, response.run_id)}
        for task, given in zip(tasks, degrees, strict=True)
        for response, row in zip(task.responses, given, strict=True)
        if not np.isnan(row).all()
    ]
    possible = [name for name in CHOICES if len({names[name] for names in labelled}) > 1]
    if cv not in possible:
        _refuse_groups(cv, possible)


def check_groups(groups: Ints, cv: CrossValidation, possible: Sequence[CrossValidation] = ()) -> None:
    """Refuse labels of one group only; possible: what else could be left out."""
    if not several(groups):
        _refuse_groups(cv, possible)


def _refuse_groups(cv: CrossValidation, possible: Sequence[CrossValidation]) -> NoReturn:
    hint = f"; try --cv {'|'.join(possible)}" if possible else ""
    raise UnfitInput(f"only one {cv} has labels, and its threshold has to come from others{hint}")


def several(groups: Ints) -> bool:
    """Whether there is more than one group."""
    return len(np.unique(groups)) > 1
