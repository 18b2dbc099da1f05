"""What an assessor's page saves: one small record per kind of work, about passages and not about runs.

Export turns them into Karat's records, one per occurrence of the passage (results/export.py). Positions are code
points.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from karat.model import SpanSet

LARGEST = 2**53 - 1
"""The largest whole number that a browser keeps exactly."""
WorkKey = Annotated[str, msgspec.Meta(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9_.:\-]+(?!\n)$")]
"""Made by the page for new nuggets and nugs, and from what they are about for everything else (`Work.key_of`)."""
Whole = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Note = Annotated[str, msgspec.Meta(max_length=2000)]
Text = Annotated[str, msgspec.Meta(max_length=4000)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Degree = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Work(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="kind"):
    """The base of everything that is saved."""


class RelevanceWork(Work, frozen=True, kw_only=True, tag="relevance"):
    """key: the passage."""

    passage: Whole
    label: Literal["relevant", "irrelevant", "redundant"]
    text_spans: SpanSet | None = None
    """The relevant text where it is not the whole passage; the rest is context."""
    redundant_with: Word | None = None
    """`passage:NUMBER` or `nug:KEY`."""
    reason: Literal["off_question", "mistranslated", "garbled", "other"] | None = None
    note: Note | None = None


class NuggetWork(Work, frozen=True, kw_only=True, tag="nugget"):
    """key: made by the page."""

    passage: Whole
    spans: SpanSet
    type: Word | None = None
    category: Word | None = None
    secondary: Word | None = None
    anchor: SpanSet | None = None
    world_knowledge: bool | None = None
    paraphrase: Text | None = None
    source: Literal["person", "auto", "corrected"] = "person"
    """auto: a suggestion that was accepted as it is; corrected: one that was changed."""
    revises: tuple[WorkKey, ...] = ()
    """Keys of the nuggets, or `suggestion:NUMBER`, that this one takes the place of."""
    revision: Literal["joined", "split", "extended", "shrunk", "retyped"] | None = None
    reason: Literal["too_fine", "no_fact", "granularity", "partly_supported"] | None = None
    note: Note | None = None


class RejectionWork(Work, frozen=True, kw_only=True, tag="rejection"):
    """An automatic nugget that is none. key: the suggestion."""

    suggestion: Whole
    reason: Literal["too_fine", "no_fact", "granularity", "partly_supported"] | None = None
    note: Note | None = None


class NugMember(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    nugget: WorkKey
    degree: Degree = 1.0


class NugWork(Work, frozen=True, kw_only=True, tag="nug"):
    """key: made by the page."""

    description: Text
    best: WorkKey | None = None
    """The most precise nugget, which is what the nug means."""
    importance: Literal["vital", "okay"] | None = None
    relevance: Degree | None = None
    members: tuple[NugMember, ...] = ()
    world_knowledge: bool | None = None
    note: Note | None = None


class CitationWork(Work, frozen=True, kw_only=True, tag="citation"):
    """key: CITATION or CITATION:NUGGET."""

    citation: Whole
    nugget: WorkKey | None = None
    support: Literal["full", "partial", "none", "missing"]
    spans: SpanSet | None = None
    """The part of the nugget (in the passage) that the source supports."""
    note: Note | None = None


class VoteWork(Work, frozen=True, kw_only=True, tag="vote"):
    """key: NUG or NUG:OCCASION."""

    nug: WorkKey
    """Of the query's key: `key:NUMBER` of an imported nug, else the key of a nug."""
    occasion: Word | None = None
    value: Literal["vital", "okay"] | Degree


class JudgementWork(Work, frozen=True, kw_only=True, tag="judgement"):
    """key: RESPONSE:NUG."""

    response: Whole
    nug: WorkKey
    degree: Degree
    evidence: SpanSet | None = None
    """In `evidence_passage`."""
    evidence_passage: Whole | None = None
    note: Note | None = None


class ReviewedWork(Work, frozen=True, kw_only=True, tag="reviewed"):
    """Looked here: what is absent was seen to be absent. key: STEP:PASSAGE."""

    step: Literal["relevance", "nuggets", "nugs", "citations", "votes", "judging"]
    passage: Whole | None = None


class DecisionWork(Work, frozen=True, kw_only=True, tag="decision"):
    """What the adjudicator decided of a difference. Only in the adjudicated layer. key: the item of the difference."""

    item: WorkKey
    choice: Literal["taken", "rewritten", "left", "agreed"]
    taken_from: Whole | None = None
    """The account whose version was taken."""
    reason: Note | None = None


AnyWork = (
    RelevanceWork | NuggetWork | RejectionWork | NugWork | CitationWork | VoteWork | JudgementWork | ReviewedWork
    | DecisionWork
)  # fmt: skip
