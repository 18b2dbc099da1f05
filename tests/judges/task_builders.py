"""Builders of small tasks, nugs and responses for the tests of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.judges.base import Task
from karat.model import Nug, Response, Snippet
from karat.text.idf import TextPool


def nug(nug_id: str, *descriptions: str, query_id: str = "q") -> Nug:
    return Nug(query_id=query_id, nug_id=nug_id, descriptions=descriptions)


def response(run_id: str, *texts: str, query_id: str = "q") -> Response:
    snippets = tuple(Snippet(snippet_id=f"{run_id}{at}", text=text) for at, text in enumerate(texts))
    return Response(query_id=query_id, run_id=run_id, snippets=snippets)


def task(
    descriptions: Sequence[str | Sequence[str]],
    texts: Sequence[str] = (),
    *,
    examples: Mapping[str, Sequence[str]] | None = None,
    pool: Sequence[str] = (),
    idf: Mapping[str, float] | None = None,
) -> Task:
    """Nugs n0, n1, ... of these descriptions; responses r0, r1, ... of one snippet each."""
    nugs = [
        nug(f"n{at}", *([wording] if isinstance(wording, str) else wording)) for at, wording in enumerate(descriptions)
    ]
    responses = [response(f"r{at}", text) for at, text in enumerate(texts)]
    return Task("q", nugs, responses, examples=examples or {}, pool=TextPool(pool) if pool else None, idf=idf)
