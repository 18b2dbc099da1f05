"""Hypothesis strategies for the records of every kind, and the settings that properties run under."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from karat.model import (
    AnyRecord,
    Citation,
    CitationJudgement,
    Document,
    Evidence,
    Judgement,
    Member,
    Nug,
    Nugget,
    Part,
    Query,
    Record,
    Relevance,
    Response,
    Reviewed,
    Run,
    Score,
    Snippet,
    SpanSet,
    Template,
    Vote,
)
from karat.model.records import EXTRA_KEY

moderately = settings(max_examples=60, deadline=None)
"""Decorates a property: enough examples to find a mistake, few enough to run at every change."""

TRICKY_CHARACTERS = (
    "a", "Z", "7", " ", "-", "\n", "é", "e\u0301", "中", "\uffff", "\U00010000", "𝒳", "🐝", "👍🏽",
    "👩\u200d👩\u200d👧", "❤\ufe0f", "\u200d",
)  # fmt: skip
"""Plain, combining, joined and astral characters; some are several code points."""

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.lists(
    st.sampled_from(TRICKY_CHARACTERS), max_size=8
).map("".join)
"""Texts that a file can hold: no lone surrogates."""
ids = st.sampled_from(["q1", "n-2", "0", ""]) | texts
run_ids = ids.filter(bool)
"""A run has a name."""
units = st.floats(0.0, 1.0)
finite = st.floats(allow_nan=False, allow_infinity=False)
flags = st.none() | st.booleans()
maybe_texts = st.none() | texts
text_dicts = st.dictionaries(texts, texts, max_size=3)

json_values: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
"""Whatever JSON can say."""


def span_sets(max_position: int = 40) -> SearchStrategy[SpanSet]:
    """Span sets of up to five pieces before `max_position`."""
    return st.lists(span_pairs(max_position), max_size=5).map(SpanSet)


def span_pairs(max_position: int = 40) -> SearchStrategy[tuple[int, int]]:
    """One `(start, end)` pair that is not empty."""
    return st.lists(st.integers(0, max_position), min_size=2, max_size=2, unique=True).map(
        lambda bounds: (min(bounds), max(bounds))
    )


def unknown_fields(kind: type[Record | Part]) -> SearchStrategy[dict[str, Any]]:
    """What a file may say about a `kind` that Karat does not know."""
    taken = {field.encode_name for field in msgspec.structs.fields(kind)} | {EXTRA_KEY}
    if issubclass(kind, Record):
        taken.add("kind")
    names = (st.sampled_from(["extra", "note", "kind", "kinds", "v", "text"]) | texts).filter(
        lambda name: name not in taken
    )
    return st.just({}) | st.dictionaries(names, json_values, max_size=3)


def _built(kind: type[Any], fields: Mapping[str, SearchStrategy[Any]]) -> SearchStrategy[Any]:
    return st.builds(kind, extra=unknown_fields(kind), **fields)


maybe_spans = st.none() | span_sets()
supports = st.sampled_from(["full", "partial", "none", "missing"])
importances = st.sampled_from(["vital", "okay"])

citations: SearchStrategy[Citation] = _built(
    Citation,
    {
        "doc_id": ids,
        "citation_id": st.none() | ids,
        "chunk": maybe_spans,
        "excerpt": maybe_texts,
        "time": maybe_texts,
        "language": maybe_texts,
        "support": st.none() | supports,
    },
)
snippets: SearchStrategy[Snippet] = _built(
    Snippet,
    {
        "snippet_id": ids,
        "text": texts,
        "origin": st.none() | st.sampled_from(["extract", "translation", "paraphrase", "summary"]),
        "citations": st.lists(citations, max_size=2).map(tuple),
    },
)
members: SearchStrategy[Member] = _built(Member, {"nugget_id": ids, "degree": units})
evidences: SearchStrategy[Evidence] = _built(
    Evidence, {"spans": maybe_spans, "words": st.lists(texts, max_size=2).map(tuple)}
)

templates: SearchStrategy[Template] = _built(
    Template,
    {
        "template_id": ids,
        "description": texts,
        "categories": text_dicts,
        "types": st.lists(texts, max_size=2).map(tuple),
        "slots": st.lists(texts, max_size=2).map(tuple),
    },
)
queries: SearchStrategy[Query] = _built(
    Query,
    {"query_id": ids, "text": texts, "template": maybe_texts, "slots": text_dicts, "conditions": text_dicts},
)
runs: SearchStrategy[Run] = _built(Run, {"run_id": run_ids, "group": maybe_texts, "human": st.booleans()})
documents: SearchStrategy[Document] = _built(
    Document,
    {"doc_id": ids} | dict.fromkeys(["text", "language", "medium", "time", "title"], maybe_texts),
)
responses: SearchStrategy[Response] = _built(
    Response,
    {
        "query_id": ids,
        "run_id": run_ids,
        "snippets": st.lists(snippets, max_size=2).map(tuple),
        "unnuggetized_chars": st.none() | st.integers(0, 10**6),
    },
)
relevances: SearchStrategy[Relevance] = _built(
    Relevance,
    {
        "query_id": ids,
        "run_id": run_ids,
        "snippet_id": ids,
        "assessor": ids,
        "label": st.sampled_from(["relevant", "irrelevant", "redundant"]),
        "text_spans": maybe_spans,
        "redundant_with": st.none() | ids,
        "reason": maybe_texts,
        "note": maybe_texts,
    },
)
nuggets: SearchStrategy[Nugget] = _built(
    Nugget,
    {
        "nugget_id": ids,
        "query_id": ids,
        "run_id": run_ids,
        "snippet_id": ids,
        "spans": span_sets(),
        "type": maybe_texts,
        "category": maybe_texts,
        "secondary": maybe_texts,
        "anchor": maybe_spans,
        "world_knowledge": flags,
        "paraphrase": maybe_texts,
        "source": st.sampled_from(["person", "auto", "corrected"]),
        "rule": maybe_texts,
        "assessor": maybe_texts,
        "revises": st.lists(ids, max_size=2).map(tuple),
        "revision": st.none() | st.sampled_from(["joined", "split", "extended", "shrunk", "retyped"]),
        "reason": maybe_texts,
        "note": maybe_texts,
    },
)
nugs: SearchStrategy[Nug] = _built(
    Nug,
    {
        "query_id": ids,
        "nug_id": ids,
        "descriptions": st.lists(texts, max_size=3).map(tuple),
        "importance": st.none() | importances,
        "weight": st.none() | finite,
        "relevance": st.none() | units,
        "members": st.lists(members, max_size=3).map(tuple),
        "aggregator": st.none() | st.sampled_from(["and", "or"]),
        "parent": maybe_texts,
        "world_knowledge": flags,
    },
)
votes: SearchStrategy[Vote] = _built(
    Vote,
    {
        "query_id": ids,
        "nug_id": ids,
        "assessor": ids,
        "occasion": maybe_texts,
        "value": importances | units,
        "primary": flags,
    },
)
judgements: SearchStrategy[Judgement] = _built(
    Judgement,
    {
        "query_id": ids,
        "run_id": run_ids,
        "snippet_id": st.none() | ids,
        "nug_id": ids,
        "degree": st.none() | units,
        "probabilities": st.dictionaries(st.sampled_from(["0", "0.5", "1"]), units),
        "judge": ids,
        "assessor": maybe_texts,
        "evidence": st.none() | evidences,
        "status": st.sampled_from(["ok", "failed", "unknown"]),
    },
)
citation_judgements: SearchStrategy[CitationJudgement] = _built(
    CitationJudgement,
    {
        "query_id": ids,
        "run_id": run_ids,
        "snippet_id": ids,
        "nugget_id": st.none() | ids,
        "doc_id": ids,
        "citation_id": st.none() | ids,
        "support": supports,
        "spans": maybe_spans,
        "assessor": ids,
        "adjudicated": st.none() | st.booleans(),
    },
)
reviews: SearchStrategy[Reviewed] = _built(
    Reviewed,
    {
        "query_id": ids,
        "run_id": st.none() | ids,
        "snippet_id": st.none() | ids,
        "step": st.sampled_from(["relevance", "nuggets", "nugs", "citations", "votes", "judging"]),
        "assessor": ids,
        "adjudicated": st.none() | st.booleans(),
    },
)
scores: SearchStrategy[Score] = _built(
    Score,
    {
        "run_id": run_ids,
        "query_id": ids,
        "measure": texts,
        "value": st.none() | finite,
        "low": st.none() | finite,
        "high": st.none() | finite,
        "judge_low": st.none() | finite,
        "judge_high": st.none() | finite,
        "n": st.none() | st.integers(0, 10**6),
        "undefined": st.none() | st.integers(0, 10**6),
        "signature": maybe_texts,
    },
)

RECORDS_BY_KIND: dict[type[Record], SearchStrategy[Any]] = {
    Template: templates,
    Query: queries,
    Run: runs,
    Document: documents,
    Response: responses,
    Relevance: relevances,
    Nugget: nuggets,
    Nug: nugs,
    Vote: votes,
    Judgement: judgements,
    CitationJudgement: citation_judgements,
    Reviewed: reviews,
    Score: scores,
}
"""The strategy of each kind of record."""
records: SearchStrategy[AnyRecord] = st.one_of(*RECORDS_BY_KIND.values())
pairs_of_a_kind: SearchStrategy[tuple[AnyRecord, AnyRecord]] = st.sampled_from(list(RECORDS_BY_KIND.values())).flatmap(
    lambda kind: st.tuples(kind, kind)
)
