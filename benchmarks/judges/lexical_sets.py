"""The judged sets that the judge `lexical` is trained and tested on, as features and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import karat
from karat import Collection
from karat.judges.base import Task
from karat.judges.calibration.best_threshold import best_threshold
from karat.judges.human.known_judgements import whole_text
from karat.judges.lexical.lexical import feature_table
from karat.judges.pairs import tasks_of
from karat.text.idf import TextPool
from lexical_made_sets import Judged, made

Floats = NDArray[np.float64]
TEST = "trec-rag-2024"


class Source(NamedTuple):
    licence: str
    labels: str


SETS = {
    "nuggetizer-rag24": Source("Apache-2.0", "an LLM's; the topics of trec-rag-2024 left out"),
    "realsumm": Source("CC-BY-4.0", "people's"),
    "summhay": Source("Apache-2.0", "people's"),
    "argkp-kpa2021": Source("CDLA-Sharing-1.0", "people's; answers put together from judged arguments"),
    "wice": Source("see the publisher", "people's"),
}
CHECKS = ("trec-tempsumm-2013", "trec-tempsumm-2014")
"""Sets that were used to choose the features, but from which nothing is learned."""
MADE = ("argkp-kpa2021", "wice", *CHECKS)


@dataclass(frozen=True)
class Pairs:
    """The judged pairs of a set: features, whether contained in full, and the query and response of each."""

    features: Floats
    contained: NDArray[np.bool_]
    query: NDArray[np.int64]
    response: NDArray[np.int64]


def judged(data: Path, name: str) -> Iterator[tuple[Task, Collection, str | None]]:
    """The tasks of a set, each with the collection that has its labels, and the judge whose labels count."""
    if name == TEST:
        collections = [karat.load(data / name / "nugget_assignment.20241108.jl")]
    elif name == "summhay":
        collections = [karat.load(data / name / "eval_benchmark_data.json")]
    elif name == "realsumm":
        collections = [karat.load(data / "realsumm-pyrxsum-labels" / "REALSumm")]
    else:
        # A few of its labels are not valid.
        files = sorted((data / name / "assignments").glob("*.gz"))
        collections = [karat.load(file, on_error="skip") for file in files]
    tasks = [(task, collection) for collection in collections for task in tasks_of(collection)]
    pool = TextPool([whole_text(response) for collection in collections for response in collection.responses])
    held_out = set() if name == TEST else asked(data)
    for task, collection in tasks:
        if task.query_id in held_out or task.question.strip().lower() in held_out:
            continue
        # The reference that the units were made from is not a system.
        responses = [response for response in task.responses if response.run_id != "reference"]
        yield replace(task, responses=responses, pool=pool), collection, "person" if name == "summhay" else None


def asked(data: Path) -> set[str]:
    """The topics of the test set, by id and by question."""
    queries = karat.load(data / TEST / "nugget_assignment.20241108.jl").queries
    return {query.query_id for query in queries} | {(query.text or "").strip().lower() for query in queries} - {""}


def pairs_of(data: Path, name: str, *, table: Callable[[Task], NDArray[np.float32]] = feature_table) -> Pairs:
    """All judged pairs of a set with their features, which `table` computes (responses x nugs x features)."""
    features, contained, queries, responses = [], [], [], []
    number: dict[str, int] = {}
    count = 0
    for judged_task in made(data, name) if name in MADE else labelled(data, name):
        task, known = judged_task.task, np.isfinite(judged_task.degrees)
        features.append(table(task)[known])
        contained.append(judged_task.degrees[known] == 1)
        queries.append(np.full(known.sum(), number.setdefault(task.query_id, len(number))))
        responses.append(count + np.nonzero(known)[0])
        count += len(task.responses)
    return Pairs(*(np.concatenate(column) for column in (features, contained, queries, responses)))


def decide_by_other_queries(scores: Floats, contained: Floats, query: NDArray[np.int64]) -> Floats:
    """1 where a score reaches the threshold with the best kappa on all other queries, else 0; NaN is no label."""
    decisions = np.zeros(len(scores))
    for code in np.unique(query):
        here = query == code
        decisions[here] = scores[here] >= best_threshold(scores[~here], contained[~here]).threshold
    return decisions


def labelled(data: Path, name: str) -> Iterator[Judged]:
    """The tasks of a set whose responses have labels."""
    labels: dict[int, dict[tuple[str, str, str], float]] = {}
    for task, collection, judge in judged(data, name):
        if id(collection) not in labels:
            labels[id(collection)] = {
                (judgement.query_id, judgement.run_id, judgement.nug_id): judgement.degree
                for judgement in collection.judgements
                if judgement.degree is not None
                and judgement.status == "ok"
                and judgement.snippet_id is None
                and judge in (None, judgement.judge)
            }
        degree_of = labels[id(collection)]
        yield Judged(
            task,
            np.array(
                [
                    [degree_of.get((task.query_id, response.run_id, nug.nug_id), np.nan) for nug in task.nugs]
                    for response in task.responses
                ]
            ),
        )
