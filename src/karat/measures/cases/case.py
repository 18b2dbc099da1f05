"""Case: all records about one run's response to one query. Pool: what the runs together say about the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from karat.measures.cases.credits import CaseCredits, NugCredits, lenient, nug_credits, plain_credits, strict
from karat.model import CitationJudgement, Judgement, Nug, Nugget, Query, Relevance, Response, Vote
from karat.model.records import Importance


@dataclass(frozen=True)
class Pool:
    """What is known about one query for all runs: its nugs with votes, and the records of all runs together."""

    query_id: str
    query: Query | None = None
    nugs: Sequence[Nug] = ()
    votes: Mapping[str, Sequence[Vote]] = field(default_factory=dict)
    """The votes on each nug, by nug_id."""
    nuggets: Sequence[Nugget] = ()
    relevances: Sequence[Relevance] = ()
    citation_judgements: Sequence[CitationJudgement] = ()
    responses: Sequence[Response] = ()

    @cached_property
    def whole_nugs(self) -> list[Nug]:
        """The nugs that are not a part of another nug: plain ones, and AND/OR nugs without their parts."""
        return [nug for nug in self.nugs if nug.parent is None]

    @cached_property
    def importance(self) -> dict[str, Importance | None]:
        """Vital or okay by nug_id: as the key says, else as the primary assessor voted."""
        return {nug.nug_id: nug.importance or self._primary_vote(nug.nug_id) for nug in self.whole_nugs}

    @cached_property
    def nugget_by_id(self) -> dict[str, Nugget]:
        return {nugget.nugget_id: nugget for nugget in self.nuggets}

    def _primary_vote(self, nug_id: str) -> Importance | None:
        for vote in self.votes.get(nug_id, ()):
            if vote.primary and isinstance(vote.value, str):
                return vote.value
        return None


@dataclass(frozen=True)
class Case:
    """One run's response to one query, and everything that was said about it. `silent`: known to be empty."""

    pool: Pool
    run_id: str
    judgements: Sequence[Judgement] = ()
    response: Response | None = None
    silent: bool = False
    unjudged_is_zero: bool = False
    """Whether a nug that nobody judged, or whose judgement failed, counts as not contained."""
    nuggets: Sequence[Nugget] = ()
    relevances: Sequence[Relevance] = ()
    citation_judgements: Sequence[CitationJudgement] = ()
    given_credits: CaseCredits | None = None
    """Credits that count instead of those that follow from the judgements."""
    views: tuple[Case, ...] = ()
    """Where several assessors annotated the query: one case for each of them, this one among them."""

    @property
    def query_id(self) -> str:
        return self.pool.query_id

    @cached_property
    def strict(self) -> NugCredits:
        """Credit 1 for a nug that is contained in full, else 0."""
        return self._credits(strict=True)

    @cached_property
    def lenient(self) -> NugCredits:
        """Credit by degree."""
        return self._credits(strict=False)

    @cached_property
    def length(self) -> int:
        """How many characters the response has, white space not counted."""
        if self.response is None:
            return 0
        return sum(len("".join(snippet.text.split())) for snippet in self.response.snippets)

    def with_degrees(self, degrees: Mapping[str, float]) -> Case:
        """The case as if these nugs were contained to these degrees; a nug that has no credit keeps none."""
        full = {nug_id: strict(degree) for nug_id, degree in degrees.items()}
        credits = CaseCredits(strict=self.strict.replaced(full), lenient=self.lenient.replaced(degrees))
        return replace(self, given_credits=credits)

    def _credits(self, *, strict: bool) -> NugCredits:
        if self.given_credits is not None:
            return self.given_credits.strict if strict else self.given_credits.lenient
        judged = self._judged(strict=strict)
        if self.unjudged_is_zero and (judged.failed or judged.unjudged):
            credits = {nug.nug_id: judged.credits.get(nug.nug_id, 0.0) for nug in self.pool.whole_nugs}
            return NugCredits(credits, judged.failed, judged.unjudged)
        return judged

    def _judged(self, *, strict: bool) -> NugCredits:
        if self.silent and not self.judgements:
            # Silence is not undefined: an empty response contains nothing.
            return NugCredits({nug.nug_id: 0.0 for nug in self.pool.whole_nugs})
        if (plain := self._plain) is None:
            return nug_credits(self.pool.nugs, self.judgements, _CREDIT[strict])
        if not strict:
            return plain
        full = {nug_id: 1.0 if degree >= 1.0 else 0.0 for nug_id, degree in plain.credits.items()}
        return NugCredits(full, plain.failed, plain.unjudged)

    @cached_property
    def _plain(self) -> NugCredits | None:
        return plain_credits(self.pool.nugs, self.judgements)


_CREDIT = {True: strict, False: lenient}
