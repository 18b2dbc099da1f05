"""The same as rows of a JSONL file: small collections for tests of judging, scoring and comparing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]
Matrix = Mapping[str, Sequence[float | None]]
"""The values of each run, query by query; None is undefined."""


def query(query_id: str = "q", text: str | None = None, **conditions: str) -> Row:
    text = f"What of {query_id}?" if text is None else text
    return {"kind": "query", "query_id": query_id, "text": text, "conditions": conditions}


def run(run_id: str, *, human: bool = False) -> Row:
    return {"kind": "run", "run_id": run_id, "human": human}


def response(query_id: str = "q", run_id: str = "r", *texts: str, **fields: Any) -> Row:
    """A response with the snippets 1, 2, ...; one about a fox if no text is given."""
    snippets = [{"snippet_id": str(at), "text": text} for at, text in enumerate(texts or ["A red fox."], 1)]
    return {"kind": "response", "query_id": query_id, "run_id": run_id, "snippets": snippets} | fields


def nug(query_id: str = "q", nug_id: str = "1", importance: str | None = "vital", **fields: Any) -> Row:
    row: Row = {"kind": "nug", "query_id": query_id, "nug_id": nug_id, "descriptions": [f"the {nug_id} of {query_id}"]}
    return row | ({"importance": importance} if importance else {}) | fields


def nugget(nugget_id: str, **fields: Any) -> Row:
    place = {"query_id": "q", "run_id": "r", "snippet_id": "1", "spans": [[0, 3]]}
    return {"kind": "nugget", "nugget_id": nugget_id, **place, "source": "person"} | fields


def vote(nug_id: str, value: Any = "vital", assessor: str = "ann", **fields: Any) -> Row:
    return {"kind": "vote", "query_id": "q", "nug_id": nug_id, "assessor": assessor, "value": value} | fields


def judgement(
    query_id: str = "q", run_id: str = "r", degree: float | None = 1.0, nug_id: str = "1", **fields: Any
) -> Row:
    """A judgement of a whole response; without a degree it failed."""
    row = {"kind": "judgement", "query_id": query_id, "run_id": run_id, "nug_id": nug_id, "judge": "j"}
    return row | ({"status": "failed"} if degree is None else {"degree": degree}) | fields


def judged_rows(matrix: Matrix) -> list[Row]:
    """A key of one vital nug per query (q0, q1, ...), judged to these degrees: lenient_vital is the matrix."""
    queries = range(max(map(len, matrix.values())))
    judgements = [
        judgement(f"q{at}", run_id, value) for run_id, values in matrix.items() for at, value in enumerate(values)
    ]
    return [*(nug(f"q{at}") for at in queries), *judgements]


def score_rows(matrix: Matrix, *, measure: str = "M") -> list[Row]:
    """The same as scores per query that somebody else computed."""
    return [
        {"kind": "score", "run_id": run_id, "query_id": f"q{at}", "measure": measure, "value": value}
        for run_id, values in matrix.items()
        for at, value in enumerate(values)
    ]


def total_rows(values: Mapping[str, float], *, measure: str = "M") -> list[Row]:
    """Only scores over all queries."""
    return [
        {"kind": "score", "run_id": run_id, "query_id": "all", "measure": measure, "value": value}
        for run_id, value in values.items()
    ]


def lines(*rows: Row) -> str:
    """The rows as a JSONL file."""
    return "".join(json.dumps({"v": 1} | row) + "\n" for row in rows)
