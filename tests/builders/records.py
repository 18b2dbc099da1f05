"""Small records: one function per noun, with ids such as "q", "r" and "n" where none is given.

Every other field is a keyword.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karat.judges.base import Task
from karat.model import (
    CitationJudgement,
    Judgement,
    Member,
    Nug,
    Nugget,
    Relevance,
    Response,
    Snippet,
    SpanSet,
    Vote,
)
from karat.text.idf import TextPool

QUERY = "q"
"""The query of all records that name no other."""


def response(run_id: str = "r", *texts: str, prefix: str = "s", first: int = 1, **fields: Any) -> Response:
    """A response with the snippets s1, s2, ..."""
    snippets = tuple(Snippet(snippet_id=f"{prefix}{number}", text=text) for number, text in enumerate(texts, first))
    return Response(run_id=run_id, snippets=snippets, **{"query_id": "q"} | fields)


def nugget(nugget_id: str = "n", *spans: tuple[int, int], **fields: Any) -> Nugget:
    """A nugget that a person marked in the snippet "1"; without spans it is the first three characters."""
    place = {"query_id": "q", "run_id": "r", "snippet_id": "1", "source": "person"}
    return Nugget(nugget_id=nugget_id, spans=SpanSet(spans or [(0, 3)]), **place | fields)


def nug(nug_id: str = "n", *descriptions: str, members: Iterable[str] | Mapping[str, float] = (), **fields: Any) -> Nug:
    """A nug that is described by its id, unless descriptions are given. Members: ids of nuggets, or their degrees."""
    degrees = members if isinstance(members, Mapping) else dict.fromkeys(members, 1.0)
    return Nug(
        nug_id=nug_id,
        descriptions=descriptions or (nug_id,),
        members=tuple(Member(nugget_id=nugget_id, degree=degree) for nugget_id, degree in degrees.items()),
        **{"query_id": "q"} | fields,
    )


def vote(nug_id: str, value: Any = "vital", assessor: str = "ann", **fields: Any) -> Vote:
    return Vote(nug_id=nug_id, value=value, assessor=assessor, **{"query_id": "q"} | fields)


def judgement(nug_id: str = "n", degree: float | None = 1.0, **fields: Any) -> Judgement:
    """A judgement of the whole response of "r"; without a degree it failed."""
    ids = {"query_id": "q", "run_id": "r", "judge": "j", "status": "failed" if degree is None else "ok"}
    return Judgement(nug_id=nug_id, degree=degree, **ids | fields)


def relevance(snippet_id: str, label: Any, **fields: Any) -> Relevance:
    return Relevance(snippet_id=snippet_id, label=label, **{"query_id": "q", "run_id": "r", "assessor": "ann"} | fields)


def citation_judgement(doc_id: str, support: Any, **fields: Any) -> CitationJudgement:
    """How well a document supports the snippet "s1"."""
    ids = {"query_id": "q", "run_id": "r", "snippet_id": "s1", "assessor": "ann"}
    return CitationJudgement(doc_id=doc_id, support=support, **ids | fields)


def task(
    descriptions: Sequence[str | Sequence[str]],
    texts: Sequence[str] = (),
    *,
    examples: Mapping[str, Sequence[str]] | None = None,
    pool: Sequence[str] = (),
    idf: Mapping[str, float] | None = None,
) -> Task:
    """What a judge is asked: nugs n0, n1, ... of these descriptions; responses r0, r1, ... of one snippet each."""
    nugs = [
        nug(f"n{at}", *([wording] if isinstance(wording, str) else wording)) for at, wording in enumerate(descriptions)
    ]
    responses = [response(f"r{at}", text, prefix=f"r{at}", first=0) for at, text in enumerate(texts)]
    return Task("q", nugs, responses, examples=examples or {}, pool=TextPool(pool) if pool else None, idf=idf)
