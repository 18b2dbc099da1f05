"""What a labelled collection holds: its statistics, and how many runs found each nug (Marton & Radul 2006)."""

from __future__ import annotations

from collections import Counter

import msgspec

from karat.judges.base import Task
from karat.judges.human.labels import by_people
from karat.judges.pairs import degrees_in, tasks_of
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES
from karat.model import Collection, UsageError


class Statistic(msgspec.Struct, frozen=True):
    """One number of the data set's statistics; None: undefined."""

    statistic: str
    value: int | float | None


class FoundBy(msgspec.Struct, frozen=True, kw_only=True):
    """The nugs that so many runs contain in full."""

    runs: int
    nugs: int
    share: float
    """Of the nugs that people judged in any response."""
    vital: int
    """So many of them are vital."""


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
    degrees = [degree for task in tasks for own in _degrees(task, cases) for degree in own.values()]
    full, partial = sum(one >= 1 for one in degrees), sum(0 < one < 1 for one in degrees)
    pairs = sum(len(task.responses) * len(task.nugs) for task in tasks)
    numbers: dict[str, int | float | None] = {
        "queries": len(tasks),
        "vital nugs": importance["vital"],
        "okay nugs": importance["okay"],
        "nugs of no importance": importance[None],
        "nugs a query": nugs / len(tasks),
        "runs": runs,
        "responses": responses,
        "responses a run": responses / runs,
        "responses a query": responses / len(tasks),
        "snippets a run": snippets / runs,
        "snippets a query": snippets / len(tasks),
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
            said = [own[nug.nug_id] for own in judged if nug.nug_id in own]
            if said:
                runs = sum(degree >= 1 for degree in said)
                nugs[runs] += 1
                vital[runs] += nug.importance == "vital"
    total = sum(nugs.values())
    if not total:
        raise UsageError("people judged no nug of a response that is here")
    return tuple(
        FoundBy(runs=runs, nugs=nugs[runs], share=nugs[runs] / total, vital=vital[runs])
        for runs in range(max(nugs) + 1)
    )


def _judged(collection: Collection, labels: str | None) -> tuple[list[Task], Cases]:
    collection = by_people(collection, labels=labels)
    tasks = tasks_of(collection)
    if not tasks or not collection.judgements:
        raise UsageError("there is nothing to look at: give a key, responses with their texts, and judgements")
    return tasks, Cases(collection, missing="skip", judge=ALL_JUDGES, assessors="majority")


def _degrees(task: Task, cases: Cases) -> list[dict[str, float]]:
    """What people say of each response: the degree of each nug they judged."""
    found = []
    for response in task.responses:
        case = cases.case(response.run_id, task.query_id)
        known = case is not None and (case.judgements or case.silent)
        said = degrees_in(case, task.nugs) if case is not None and known else {}
        found.append({nug.nug_id: said[nug.nug_id] for nug in task.nugs if nug.nug_id in said})
    return found
