"""One layer of a query as Karat's records.

An annotation of a passage becomes one record per occurrence of the passage that counts. Nuggets are called after their
key, `KEY`, and `KEY.2`, `KEY.3` for further occurrences; a nug has every occurrence of its members.

Redundant is about one run: a passage is redundant where its response also has the passage (or another nugget of the
nug) that it repeats; in other runs it is new, and so relevant. A text that a response repeats is redundant with its
first occurrence.

All nuggets of a person are called so, accepted and corrected automatic ones too (`revises` names the automatic one): of
several sources in a snippet, some measures count only one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec.structs import replace

from karat.campaign.results.places import Occurrence, Places, QueryNames
from karat.campaign.work.annotations import Place, of_type
from karat.campaign.work.errors import CurrentAnnotation
from karat.campaign.work.payloads import (
    CitationWork,
    JudgementWork,
    NuggetWork,
    NugWork,
    RejectionWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
)
from karat.model import (
    AnyRecord,
    CitationJudgement,
    Evidence,
    Judgement,
    Member,
    Nug,
    Nugget,
    Relevance,
    Reviewed,
    Vote,
)
from karat.model.records import Step

JUDGE = "human"
SUGGESTION = "suggestion:"
ROUNDING = 1e-9


class LayerRecords:
    """Makes the records of one layer. `who`: the name for each annotation; `done`: steps that were finished."""

    def __init__(
        self,
        names: QueryNames,
        places: Places,
        owner: int,
        annotations: Sequence[CurrentAnnotation],
        *,
        who: dict[Place, str],
        default_name: str,
        done: Sequence[str] = (),
    ) -> None:
        self.names, self.places, self.owner = names, places, owner
        self.annotations, self.done = annotations, done
        self._who, self._default_name = who, default_name
        self.marks: dict[str, Any] = {"adjudicated": True} if owner == 0 else {}
        self.nuggets = of_type(annotations, NuggetWork)
        self.nugs = of_type(annotations, NugWork)
        self.nugget_ids: dict[str, dict[tuple[int, int], str]] = {}
        """key -> (response, position) -> nugget_id"""
        for key, nugget in self.nuggets.items():
            ids = self.nugget_ids[key] = {}
            for number, place in enumerate(places.in_scope(nugget.passage, nugget.spans), 1):
                ids[place.response, place.position] = names.nugget(key if number == 1 else f"{key}.{number}")
        for key in self.nugs:
            names.nug(owner, key, key)

    def who(self, kind: str, key: str) -> str:
        return self._who.get((kind, key), self._default_name)

    def records(self) -> Iterator[AnyRecord]:
        """Everything but votes and judgements, which may be about nugs of other layers."""
        yield from self._relevances()
        yield from self._nuggets()
        yield from self._nugs()
        yield from self._citations()
        yield from self._reviewed()

    # Relevance --------------------------------------------------------------------------------------------------------

    def _relevances(self) -> Iterator[Relevance]:
        for key, record in of_type(self.annotations, RelevanceWork).items():
            first: dict[int, str] = {}
            for place in self.places.in_scope(record.passage):
                label, target = self._label(record, place, first.get(place.response))
                first.setdefault(place.response, place.snippet_id)
                yield Relevance(
                    query_id=self.names.query_id, run_id=place.run_id, snippet_id=place.snippet_id,
                    assessor=self.who("relevance", key), label=label, text_spans=record.text_spans,
                    redundant_with=target, reason=record.reason, note=record.note, **self.marks,
                )  # fmt: skip

    def _label(
        self, record: RelevanceWork, place: Occurrence, repeated: str | None
    ) -> tuple[Literal["relevant", "irrelevant", "redundant"], str | None]:
        if record.label == "irrelevant":
            return "irrelevant", None
        if repeated is not None:
            return "redundant", repeated
        if record.label == "relevant":
            return "relevant", None
        what, _, rest = (record.redundant_with or "").partition(":")
        if what == "nug":
            nug = self.nugs.get(rest)
            passages = {
                self.nuggets[member.nugget].passage
                for member in (nug.members if nug is not None else ())
                if (place.response in {response for response, _ in self.nugget_ids[member.nugget]})
            }
            if passages - {record.passage}:
                return "redundant", self.names.nugs[self.owner, rest]
            return "relevant", None
        for other in self.places.in_scope(int(rest)):
            if other.response == place.response:
                return "redundant", other.snippet_id
        return "relevant", None

    # Nuggets and nugs -------------------------------------------------------------------------------------------------

    def _nuggets(self) -> Iterator[Nugget]:
        for key, record in self.nuggets.items():
            for place in self.places.in_scope(record.passage, record.spans):
                at = place.response, place.position
                found = (
                    self.names.suggestions.get((int(name.removeprefix(SUGGESTION)), *at))
                    for name in record.revises
                    if name.startswith(SUGGESTION)
                )
                revised = tuple(name for name in found if name is not None)
                yield Nugget(
                    nugget_id=self.nugget_ids[key][at], query_id=self.names.query_id, run_id=place.run_id,
                    snippet_id=place.snippet_id, spans=record.spans, type=record.type, category=record.category,
                    secondary=record.secondary, anchor=record.anchor, world_knowledge=record.world_knowledge,
                    paraphrase=record.paraphrase,
                    source="person",
                    assessor=self.who("nugget", key), revises=revised,
                    # A person's nugget that was joined or split is not exported, so there is nothing to point at.
                    revision=record.revision if revised else None, reason=record.reason, note=record.note, **self.marks,
                )  # fmt: skip

    def _nugs(self) -> Iterator[Nug]:
        for key, record in self.nugs.items():
            counted = [member for member in record.members if self.nugget_ids[member.nugget]]
            if len(counted) == 1 and self._elsewhere(key, counted[0].nugget) < ROUNDING:
                counted = [replace(counted[0], degree=1.0)]
            members = tuple(
                Member(nugget_id=nugget_id, degree=member.degree)
                for member in counted
                for nugget_id in self.nugget_ids[member.nugget].values()
            )
            extra: dict[str, Any] = {} if record.note is None else {"note": record.note}
            if record.best is not None and self.nugget_ids[record.best]:
                extra["best"] = next(iter(self.nugget_ids[record.best].values()))
            yield Nug(
                query_id=self.names.query_id, nug_id=self.names.nugs[self.owner, key],
                descriptions=(self._description(record),), importance=record.importance, relevance=record.relevance,
                members=members, world_knowledge=record.world_knowledge, assessor=self.who("nug", key), extra=extra,
                **self.marks,
            )  # fmt: skip

    def _elsewhere(self, key: str, nugget: str) -> float:
        """The degrees of a nugget in other nugs."""
        return sum(degree for nug, degree in self._memberships[nugget] if nug != key)

    @cached_property
    def _memberships(self) -> dict[str, list[tuple[str, float]]]:
        """The nugs of each nugget, with the degree in each."""
        found: dict[str, list[tuple[str, float]]] = {}
        for key, nug in self.nugs.items():
            for member in nug.members:
                found.setdefault(member.nugget, []).append((key, member.degree))
        return found

    def _description(self, record: NugWork) -> str:
        if record.description.strip() or record.best is None:
            return record.description
        nugget = self.nuggets[record.best]
        return nugget.spans.text(self.places.texts[nugget.passage])

    # Citations and where somebody looked ------------------------------------------------------------------------------

    def _citations(self) -> Iterator[CitationJudgement]:
        for key, record in of_type(self.annotations, CitationWork).items():
            where = self.places.citations[record.citation]
            nugget_id = None
            if record.nugget is not None:
                nugget_id = self.nugget_ids[record.nugget].get((where.response, where.position))
                if nugget_id is None:
                    continue  # The nugget does not count in this response: it is behind the words in scope.
            snippet = self.places.responses[where.response].snippets[where.position]
            yield CitationJudgement(
                query_id=self.names.query_id, run_id=self.places.run_ids[where.response],
                snippet_id=snippet.snippet_id, nugget_id=nugget_id, doc_id=where.citation.doc_id,
                citation_id=where.citation.citation_id, support=record.support, spans=record.spans,
                assessor=self.who("citation", key), extra={} if record.note is None else {"note": record.note},
                **self.marks,
            )  # fmt: skip

    def _reviewed(self) -> Iterator[Reviewed]:
        """What was looked at: places marked so or with rejected suggestions, and whole queries by finished steps."""
        looked: dict[tuple[str, str | None, str | None], str] = {}
        for key, record in of_type(self.annotations, ReviewedWork).items():
            name = self.who("reviewed", key)
            if record.passage is None:
                looked[record.step, None, None] = name
            for place in self.places.in_scope(record.passage) if record.passage is not None else ():
                looked[record.step, place.run_id, place.snippet_id] = name
        for key, rejection in of_type(self.annotations, RejectionWork).items():
            passage = self.places.suggested.get(rejection.suggestion)
            for place in self.places.in_scope(passage) if passage is not None else ():
                looked.setdefault(("nuggets", place.run_id, place.snippet_id), self.who("rejection", key))
        for step in self.done:
            looked.setdefault((step, None, None), self._default_name)
        for (step, run_id, snippet_id), name in looked.items():
            yield Reviewed(
                query_id=self.names.query_id, run_id=run_id, snippet_id=snippet_id, step=_step(step), assessor=name,
                **self.marks,
            )  # fmt: skip

    # Votes and judgements ---------------------------------------------------------------------------------------------

    def _nug_id(self, key: str) -> str | None:
        """Imported nugs, else adjudicated ones, else those of the layer."""
        for owner in (-1, 0, self.owner):
            if (owner, key) in self.names.nugs:
                return self.names.nugs[owner, key]
        return None

    def votes_and_judgements(self) -> Iterator[Vote | Judgement]:
        """What is about a nug that is exported."""
        for key, vote in of_type(self.annotations, VoteWork).items():
            if (nug_id := self._nug_id(vote.nug)) is not None:
                yield Vote(
                    query_id=self.names.query_id, nug_id=nug_id, assessor=self.who("vote", key),
                    occasion=vote.occasion, value=vote.value, **self.marks,
                )  # fmt: skip
            else:
                self.names.skipped["vote"] += 1
        for key, record in of_type(self.annotations, JudgementWork).items():
            if (nug_id := self._nug_id(record.nug)) is not None:
                yield Judgement(
                    query_id=self.names.query_id, run_id=self.places.run_ids[record.response], nug_id=nug_id,
                    degree=record.degree, judge=JUDGE, assessor=self.who("judgement", key),
                    evidence=self._evidence(record), extra={} if record.note is None else {"note": record.note},
                    **self.marks,
                )  # fmt: skip
            else:
                self.names.skipped["judgement"] += 1

    def _evidence(self, record: JudgementWork) -> Evidence | None:
        if record.evidence is None:
            return None
        for place in self.places.of_passage.get(record.evidence_passage or 0, ()):
            if place.response == record.response:
                return Evidence(spans=record.evidence, extra={"snippet_id": place.snippet_id})
        return None

    def revised_suggestions(self) -> set[int]:
        """The automatic nuggets that the layer's nuggets take the place of."""
        return {
            int(name.removeprefix(SUGGESTION))
            for nugget in self.nuggets.values()
            for name in nugget.revises
            if name.startswith(SUGGESTION)
        }


def _step(name: str) -> Step:
    return name  # type: ignore[return-value]
