"""Cases out of records, for tests of measures that look at more than judgements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from karat.measures.base import Measure
from karat.measures.cases.case import Case, Pool
from karat.model import Collection, Nugget, Record, Response, Run, Snippet, SpanSet

R = TypeVar("R")
QUERY = "q"


@dataclass(frozen=True)
class PoolOfResponses(Pool):
    """A pool that knows every run's response."""

    responses: tuple[Response, ...] = ()


def cases(records: Iterable[Record], *, query_id: str = QUERY) -> dict[str, Case]:
    """The case of every run that is named in the records, for one query."""
    collection = Collection(records)
    responses = {one.run_id: one for one in collection.responses if one.query_id == query_id}
    of_runs = (*collection.responses, *collection.nuggets, *collection.judgements, *collection.citation_judgements)
    run_ids = dict.fromkeys([*(run.run_id for run in collection.of(Run)), *(one.run_id for one in of_runs)])
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


def response(run_id: str, *texts: str, unnuggetized_chars: int | None = None) -> Response:
    """A response with the snippets s1, s2, ..."""
    snippets = tuple(Snippet(snippet_id=f"s{number}", text=text) for number, text in enumerate(texts, 1))
    return Response(query_id=QUERY, run_id=run_id, snippets=snippets, unnuggetized_chars=unnuggetized_chars)


def nugget(nugget_id: str, *, start: int = 0, end: int = 1, snippet_id: str = "s1", **fields: object) -> Nugget:
    """A nugget of the run with which its id begins."""
    fields = {"source": "person"} | fields
    return Nugget(
        nugget_id=nugget_id, query_id=QUERY, run_id=nugget_id[0], snippet_id=snippet_id,
        spans=SpanSet([(start, end)]), **fields,
    )  # fmt: skip


def _of(records: Iterable[R], query_id: str, run_id: str | None = None) -> list[R]:
    return [one for one in records if one.query_id == query_id and run_id in (None, getattr(one, "run_id", None))]
