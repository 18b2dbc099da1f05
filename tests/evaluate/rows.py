"""Small collections as rows, for tests of scoring, comparing and correlating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.formats import load
from karat.model import Collection

Row = dict[str, Any]
Matrix = Mapping[str, Sequence[float | None]]
"""The values of each run, query by query; None is undefined."""


def query(query_id: str, **conditions: str) -> Row:
    return {"kind": "query", "query_id": query_id, "text": f"What of {query_id}?", "conditions": conditions}


def run(run_id: str, *, human: bool = False) -> Row:
    return {"kind": "run", "run_id": run_id, "human": human}


def nug(query_id: str, nug_id: str = "1", importance: str | None = "vital", **more: Any) -> Row:
    known = {"importance": importance} if importance else {}
    described = {"descriptions": [f"the {nug_id} of {query_id}"]}
    return {"kind": "nug", "query_id": query_id, "nug_id": nug_id, **described, **known, **more}


def judged(query_id: str, run_id: str, degree: float | None, nug_id: str = "1", **more: Any) -> Row:
    label = {"status": "failed"} if degree is None else {"degree": degree}
    return {"kind": "judgement", "query_id": query_id, "run_id": run_id, "nug_id": nug_id, "judge": "j"} | label | more


def response(query_id: str, run_id: str, text: str = "A red fox.", **more: Any) -> Row:
    snippets = [{"snippet_id": "1", "text": text}]
    return {"kind": "response", "query_id": query_id, "run_id": run_id, "snippets": snippets} | more


def judged_rows(matrix: Matrix) -> list[Row]:
    """A key of one vital nug a query (q0, q1, ...), judged to these degrees: lenient_vital is the matrix."""
    queries = range(max(map(len, matrix.values())))
    marks = [judged(f"q{at}", run_id, value) for run_id, values in matrix.items() for at, value in enumerate(values)]
    return [*(nug(f"q{at}") for at in queries), *marks]


def score_rows(matrix: Matrix, *, measure: str = "M") -> list[Row]:
    """The same as scores by query that somebody else computed."""
    return [
        {"kind": "score", "run_id": run_id, "query_id": f"q{at}", "measure": measure, "value": value}
        for run_id, values in matrix.items()
        for at, value in enumerate(values)
    ]


def total_rows(values: Mapping[str, float], *, measure: str = "M") -> list[Row]:
    """Scores over all queries alone."""
    return [
        {"kind": "score", "run_id": run_id, "query_id": "all", "measure": measure, "value": value}
        for run_id, value in values.items()
    ]


def collection(rows: Sequence[Row]) -> Collection:
    return load(list(rows))
