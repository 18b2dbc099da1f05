"""The nouns as records: what every file becomes when it is read.

One JSON object per line, with `kind` and `v` in each. Fields that are None or empty are absent from the file;
fields that Karat does not know are kept in `extra` and written back to the same place.

`adjudicated` marks what people agreed on in the end: such a record replaces those of single assessors about the same
thing (measures/cases/adjudicated.py).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec

from karat.model.spans import SpanSet

EXTRA_KEY = "karat:extra"
"""The name of `extra` inside msgspec; a name no file uses, so that a field called "extra" stays unknown."""

UnitInterval = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
RunId = Annotated[str, msgspec.Meta(min_length=1)]
"""A run without a name cannot be told from a mistake."""
Importance = Literal["vital", "okay"]
Support = Literal["full", "partial", "none", "missing"]
Revision = Literal["joined", "split", "extended", "shrunk", "retyped"]
RELEVANCE_REASONS = ("off_question", "mistranslated", "garbled", "other")
REVISION_REASONS = ("too_fine", "no_fact", "granularity", "partly_supported")
T = TypeVar("T")


def _always(value: T) -> T:
    """A default value that is still written to files: msgspec leaves out plain defaults, but not those of a factory."""
    return msgspec.field(default_factory=lambda: value)  # type: ignore[no-any-return,unused-ignore]


class Part(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,  # records hold no reference cycles, so the garbage collector need not search millions of them
    rename={"extra": EXTRA_KEY},
):
    """A piece of a record that is itself an object."""

    extra: dict[str, Any] = {}


class Citation(Part, frozen=True, kw_only=True):
    """A document (and excerpt) said to support a chunk of a snippet."""

    doc_id: str
    citation_id: str | None = None
    """Tells two citations of one document in the same snippet apart."""
    chunk: SpanSet | None = None
    excerpt: str | None = None
    time: str | None = None
    language: str | None = None
    support: Support | None = None


class Snippet(Part, frozen=True, kw_only=True):
    """A piece of response text, with its citations."""

    snippet_id: str
    text: str
    origin: Literal["extract", "translation", "paraphrase", "summary"] | None = None
    citations: tuple[Citation, ...] = ()


class Member(Part, frozen=True, kw_only=True):
    """A nugget that expresses a nug, and the degree to which it does."""

    nugget_id: str
    degree: UnitInterval = _always(1.0)


class Evidence(Part, frozen=True, kw_only=True):
    """The place in the text, or the words, that a judgement is based on."""

    spans: SpanSet | None = None
    words: tuple[str, ...] = ()


class Record(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,  # records hold no reference cycles, so the garbage collector need not search millions of them
    tag_field="kind",
    rename={"extra": EXTRA_KEY},
):
    """The base of all records; `v` is the version of the contract."""

    v: Literal[1] = _always(1)
    extra: dict[str, Any] = {}


class Template(Record, frozen=True, kw_only=True, tag="template"):
    """A kind of question, and what is relevant for it. `Query.template` names it, `Nugget.category` one of its own."""

    template_id: str
    description: str
    categories: dict[str, str] = {}
    """The meaning of each category by its name."""
    types: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()


class Query(Record, frozen=True, kw_only=True, tag="query"):
    """A question; may be a filled template."""

    query_id: str
    text: str
    template: str | None = None
    slots: dict[str, str] = {}
    conditions: dict[str, str] = {}


class Run(Record, frozen=True, kw_only=True, tag="run"):
    """One system's (or person's) answers."""

    run_id: RunId
    group: str | None = None
    human: bool = _always(False)


class Document(Record, frozen=True, kw_only=True, tag="document"):
    """What citations point to, where it is at hand."""

    doc_id: str
    text: str | None = None
    language: str | None = None
    medium: str | None = None
    time: str | None = None
    title: str | None = None


class Response(Record, frozen=True, kw_only=True, tag="response"):
    """One run's answer to one query: an ordered list of snippets."""

    query_id: str
    run_id: RunId
    snippets: tuple[Snippet, ...]
    unnuggetized_chars: Annotated[int, msgspec.Meta(ge=0)] | None = None


class Relevance(Record, frozen=True, kw_only=True, tag="relevance"):
    """An assessor calls a snippet (or parts of its text) relevant or not."""

    query_id: str
    run_id: RunId
    snippet_id: str
    assessor: str
    label: Literal["relevant", "irrelevant", "redundant"]
    text_spans: SpanSet | None = None
    redundant_with: str | None = None
    """The snippet or nug that a redundant snippet repeats."""
    reason: str | None = None
    """Why the rest is not relevant: one of RELEVANCE_REASONS; other words are kept."""
    note: str | None = None
    adjudicated: bool | None = None


class Nugget(Record, frozen=True, kw_only=True, tag="nugget"):
    """A piece of information as it occurs in a snippet."""

    nugget_id: str
    query_id: str
    run_id: RunId
    snippet_id: str
    spans: SpanSet
    type: str | None = None
    category: str | None = None
    secondary: str | None = None
    anchor: SpanSet | None = None
    world_knowledge: bool | None = None
    paraphrase: str | None = None
    source: Literal["person", "auto", "corrected"]
    rule: str | None = None
    assessor: str | None = None
    revises: tuple[str, ...] = ()
    """The nuggets that this one replaces."""
    revision: Revision | None = None
    reason: str | None = None
    """Why it was revised: one of REVISION_REASONS; other words are kept."""
    note: str | None = None
    adjudicated: bool | None = None


class Nug(Record, frozen=True, kw_only=True, tag="nug"):
    """The piece of information itself: an entry of the key."""

    query_id: str
    nug_id: str
    descriptions: tuple[str, ...]
    importance: Importance | None = None
    weight: float | None = None
    relevance: UnitInterval | None = None
    members: tuple[Member, ...] = ()
    aggregator: Literal["and", "or"] | None = None
    parent: str | None = None
    world_knowledge: bool | None = None
    assessor: str | None = None
    """Whose nug it is, where several people made nugs of the same nuggets."""
    adjudicated: bool | None = None


class Vote(Record, frozen=True, kw_only=True, tag="vote"):
    """An assessor calls a nug vital or okay, or grades it from 0 to 1."""

    query_id: str
    nug_id: str
    assessor: str
    occasion: str | None = None
    value: Importance | UnitInterval
    primary: bool | None = None
    adjudicated: bool | None = None


class Judgement(Record, frozen=True, kw_only=True, tag="judgement"):
    """A judge says to what degree a response (or one of its snippets) contains a nug."""

    query_id: str
    run_id: RunId
    snippet_id: str | None = None
    nug_id: str
    degree: UnitInterval | None = None
    probabilities: dict[Literal["0", "0.5", "1"], UnitInterval] = {}
    judge: str
    assessor: str | None = None
    evidence: Evidence | None = None
    status: Literal["ok", "failed", "unknown"] = _always("ok")
    adjudicated: bool | None = None


class CitationJudgement(Record, frozen=True, kw_only=True, tag="citation_judgement"):
    """An assessor says how well a cited document supports a snippet or nugget."""

    query_id: str
    run_id: RunId
    snippet_id: str
    nugget_id: str | None = None
    doc_id: str
    citation_id: str | None = None
    """Which citation of the document, where the snippet has several."""
    support: Support
    spans: SpanSet | None = None
    """The part of the snippet's text that the document supports."""
    assessor: str
    adjudicated: bool | None = None


Step = Literal["relevance", "nuggets", "nugs", "citations", "votes", "judging"]


class Reviewed(Record, frozen=True, kw_only=True, tag="reviewed"):
    """An assessor looked here: what is absent was seen to be absent. Without a snippet or run: at all of them."""

    query_id: str
    run_id: str | None = None
    snippet_id: str | None = None
    step: Step
    assessor: str
    adjudicated: bool | None = None


class Score(Record, frozen=True, kw_only=True, tag="score"):
    """A measure's value for one run on one query, or on "all". Tables of other tools have no interval."""

    run_id: RunId
    query_id: str
    measure: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    judge_low: float | None = None
    judge_high: float | None = None
    n: int | None = None
    undefined: int | None = None
    signature: str | None = None


AnyRecord = (
    Template | Query | Run | Document | Response | Relevance | Nugget | Nug | Vote | Judgement | CitationJudgement
    | Reviewed | Score
)  # fmt: skip
RECORD_TYPES: tuple[type[Record], ...] = (
    Template, Query, Run, Document, Response, Relevance, Nugget, Nug, Vote, Judgement, CitationJudgement, Reviewed,
    Score,
)  # fmt: skip
"""Every kind of record, in the order in which Karat writes them: definitions before what refers to them."""
RECORD_TYPE_BY_KIND: dict[str, type[Record]] = {str(kind.__struct_config__.tag): kind for kind in RECORD_TYPES}


def kind_of(record: Record | type[Record]) -> str:
    """The noun of a record: `query`, `nug`, `judgement`, ..."""
    return str(record.__struct_config__.tag)
