"""Cases of records, and the scores of cases, for tests of measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from builders.records import nugget
from karat.measures.base import Measure
from karat.measures.cases.case import Case, Pool
from karat.model import Collection, Nugget, Record, Response, Run

R = TypeVar("R")


@dataclass(frozen=True)
class PoolOfResponses(Pool):
    """A pool that knows every run's response."""

    responses: tuple[Response, ...] = ()


def cases(records: Iterable[Record], *, query_id: str = "q") -> dict[str, Case]:
    """The case of every run that is named in the records, for one query."""
    collection = Collection(records)
    responses = {response.run_id: response for response in collection.responses if response.query_id == query_id}
    of_runs = (*collection.responses, *collection.nuggets, *collection.judgements, *collection.citation_judgements)
    run_ids = dict.fromkeys([*(run.run_id for run in collection.of(Run)), *(record.run_id for record in of_runs)])
    pool = PoolOfResponses(
        query_id,
        nugs=_of(collection.nugs, query_id),
        nuggets=_of(collection.nuggets, query_id),
        relevances=_of(collection.relevances, query_id),
        citation_judgements=_of(collection.citation_judgements, query_id),
        responses=tuple(responses.values()),
    )
    return {
        run_id: Case(
            pool,
            run_id,
            judgements=_of(collection.judgements, query_id, run_id),
            response=responses.get(run_id),
            silent=run_id in responses and not any(snippet.text.strip() for snippet in responses[run_id].snippets),
            nuggets=_of(pool.nuggets, query_id, run_id),
            relevances=_of(pool.relevances, query_id, run_id),
            citation_judgements=_of(pool.citation_judgements, query_id, run_id),
        )
        for run_id in run_ids
    }


def value(measure: Measure, *of_queries: Case) -> float:
    """The score of one case, or the pooled score of several."""
    return float(measure.values(np.sum([measure.counts(case) for case in of_queries], axis=0)))


def run_nugget(nugget_id: str, *, start: int = 0, end: int = 1, **fields: Any) -> Nugget:
    """A nugget in the snippet s1 of the run with which its id begins."""
    return nugget(nugget_id, (start, end), **{"run_id": nugget_id[0], "snippet_id": "s1"} | fields)


def _of(records: Iterable[R], query_id: str, run_id: str | None = None) -> list[R]:
    return [
        record
        for record in records
        if record.query_id == query_id and run_id in (None, getattr(record, "run_id", None))
    ]
