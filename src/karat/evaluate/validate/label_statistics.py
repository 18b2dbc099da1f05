"""What is in a labelled collection: its statistics, and how many runs found each nug (Marton & Radul 2006)."""

from __future__ import annotations

from collections import Counter

import msgspec

from karat.judges.base import Task
from karat.judges.human.labels import by_people
from karat.judges.pairs import degrees_in, tasks_of
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES
from karat.model import Collection, UnfitInput


class Statistic(msgspec.Struct, frozen=True):
    """One of the data set's statistics; None: undefined."""

    statistic: str
    value: int | float | None


class FoundBy(msgspec.Struct, frozen=True, kw_only=True):
    """The nugs that this number of runs contain in full."""

    runs: int
    nugs: int
    share: float
    """Of the nugs that people judged in any response."""
    vital: int
    """How many of them are vital."""


def statistic_rows(collection: Collection, *, labels: str | None = None) -> tuple[Statistic, ...]:
    """The data set in numbers: what Table 1 of the paper has, and what people judged.

    A snippet is what the paper calls a response. Queries, nugs, runs and responses are those that belong together:
    queries of the key that have responses.
    """
    tasks, cases = _judged(collection, labels)
    importance = Counter(nug.importance for task in tasks for nug in task.nugs)
    nugs, responses = sum(importance.values()), sum(len(task.responses) for task in tasks)
    runs = len({response.run_id for task in tasks for response in task.responses})
    snippets = sum(len(response.snippets) for task in tasks for response in task.responses)
    degrees = [degree for task in tasks for by_nug in _degrees(task, cases) for degree in by_nug.values()]
    full, partial = sum(degree >= 1 for degree in degrees), sum(0 < degree < 1 for degree in degrees)
    pairs = sum(len(task.responses) * len(task.nugs) for task in tasks)
    numbers: dict[str, int | float | None] = {
        "queries": len(tasks),
        "vital nugs": importance["vital"],
        "okay nugs": importance["okay"],
        "nugs without importance": importance[None],
        "nugs per query": nugs / len(tasks),
        "runs": runs,
        "responses": responses,
        "responses per run": responses / runs,
        "responses per query": responses / len(tasks),
        "snippets per run": snippets / runs,
        "snippets per query": snippets / len(tasks),
        "pairs": pairs,
        "pairs judged": len(degrees),
        "contained in full": full,
        "contained in part": partial,
        "share contained in full": full / len(degrees) if degrees else None,
    }
    return tuple(Statistic(name, value) for name, value in numbers.items())


def found_by_rows(collection: Collection, *, labels: str | None = None) -> tuple[FoundBy, ...]:
    """The nugs by the number of runs that contain them in full, from 0 to all (Figure 4 of the paper)."""
    tasks, cases = _judged(collection, labels)
    nugs: Counter[int] = Counter()
    vital: Counter[int] = Counter()
    for task in tasks:
        judged = _degrees(task, cases)
        for nug in task.nugs:
            degrees = [by_nug[nug.nug_id] for by_nug in judged if nug.nug_id in by_nug]
            if degrees:
                runs = sum(degree >= 1 for degree in degrees)
                nugs[runs] += 1
                vital[runs] += nug.importance == "vital"
    total = sum(nugs.values())
    if not total:
        raise UnfitInput("no nug has a label for a response that is here")
    return tuple(
        FoundBy(runs=runs, nugs=nugs[runs], share=nugs[runs] / total, vital=vital[runs])
        for runs in range(max(nugs) + 1)
    )


def _judged(collection: Collection, labels: str | None) -> tuple[list[Task], Cases]:
    collection = by_people(collection, labels=labels)
    tasks = tasks_of(collection)
    if not tasks or not collection.judgements:
        raise UnfitInput("there is nothing to look at: give a key, responses with their texts, and judgements")
    return tasks, Cases(collection, missing="skip", judge=ALL_JUDGES, assessors="majority")


def _degrees(task: Task, cases: Cases) -> list[dict[str, float]]:
    """What people say about each response: the degree of each nug that they judged."""
    degrees = []
    for response in task.responses:
        case = cases.case(response.run_id, task.query_id)
        known = case is not None and (case.judgements or case.silent)
        by_nug = degrees_in(case, task.nugs) if case is not None and known else {}
        degrees.append({nug.nug_id: by_nug[nug.nug_id] for nug in task.nugs if nug.nug_id in by_nug})
    return degrees
