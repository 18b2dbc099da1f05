"""The rules of annotation: one function per rule. Each gives a sentence for everything that breaks it.

A rule sees the layer as it would be after the changes (`ChangeBatch`), and asks only about what is changed: what the
store already has was checked when it was saved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from karat.campaign.work.annotations import key_of, kind_of_work
from karat.campaign.work.errors import Broken
from karat.campaign.work.payloads import (
    CitationWork,
    DecisionWork,
    JudgementWork,
    NuggetWork,
    NugWork,
    RejectionWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
)
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.rules.batch import ChangeBatch, broken
from karat.campaign.work.rules.kept_rules import KEPT_RULES, Rule
from karat.model import SpanSet

ROUNDING = 1e-9
OUT_OF_QUERY = "the passage is not one of this query"


def keys_match(batch: ChangeBatch) -> Iterator[Broken]:
    """The key says what the annotation is about; a place is changed once in a batch."""
    for place, times in Counter(change.place for change in batch.changes).items():
        if times > 1:
            yield Broken(where=" ".join(place), what="is changed more than once in the same save")
    for change in batch.changes:
        if change.record is None:
            standing = batch.current.get(change.place)
            if standing is None or standing.record is None:
                yield broken(change, "there is nothing to delete")
        elif change.kind != kind_of_work(change.record):
            yield broken(change, f"the record is a {kind_of_work(change.record)}")
        elif (wanted := key_of(change.record)) is not None and wanted != change.key:
            yield broken(change, f"the key of this record is {wanted}")


def passages_belong(batch: ChangeBatch) -> Iterator[Broken]:
    """What is annotated is a passage of the query."""
    for change in batch.changes:
        record = change.record
        if isinstance(record, RelevanceWork | NuggetWork) and batch.passage(record.passage) is None:
            yield broken(change, OUT_OF_QUERY)
        if isinstance(record, ReviewedWork) and record.passage is not None and batch.passage(record.passage) is None:
            yield broken(change, OUT_OF_QUERY)


def spans_fit(batch: ChangeBatch) -> Iterator[Broken]:
    """Marked text is not empty and inside the passage."""
    for change in batch.changes:
        record = change.record
        marked: list[tuple[str, SpanSet | None, int | None]] = []
        if isinstance(record, RelevanceWork):
            marked = [("relevant text", record.text_spans, record.passage)]
        elif isinstance(record, NuggetWork):
            marked = [("nugget", record.spans, record.passage), ("anchor", record.anchor, record.passage)]
        elif isinstance(record, JudgementWork):
            marked = [("evidence", record.evidence, record.evidence_passage)]
        elif isinstance(record, CitationWork):
            marked = [("supported text", record.spans, batch.citation_passage(record.citation))]
        for name, spans, number in marked:
            if spans is None:
                continue
            passage = None if number is None else batch.passage(number)
            if not spans:
                yield broken(change, f"the {name} is empty; mark at least one character")
            elif number is None:
                yield broken(change, f"the {name} needs the passage that it is in")
            elif passage is not None and not spans.fits(passage.text):
                yield broken(
                    change, f"the {name} ends at {spans[-1][1]}, but the passage has {len(passage.text)} characters"
                )


def nuggets_in_scope(batch: ChangeBatch) -> Iterator[Broken]:
    """A nugget may reach over the end of what counts, but not lie wholly behind it."""
    for change, record in batch.records(NuggetWork):
        passage = batch.passage(record.passage)
        if passage is not None and record.spans and record.spans[0][0] >= passage.scope:
            yield broken(change, "the nugget is behind the words that count in every answer that has the passage")


def redundant_points(batch: ChangeBatch) -> Iterator[Broken]:
    """Redundant says what is repeated: another passage of the query, or a nug of the layer."""
    for change, record in batch.records(RelevanceWork):
        target = record.redundant_with
        if record.label != "redundant":
            if target is not None:
                yield broken(change, "only a redundant passage points at what it repeats")
            continue
        what, _, rest = (target or "").partition(":")
        if target is None:
            yield broken(change, "redundant with what? Point at the passage or nug that it repeats")
        elif what == "passage" and rest.isdecimal() and len(rest) < 19:
            if int(rest) == record.passage:
                yield broken(change, "a passage cannot repeat itself; point at another one")
            elif batch.passage(int(rest)) is None:
                yield broken(change, f"passage {rest} is not one of this query")
        elif what == "nug":
            if rest not in batch.live(NugWork):
                yield broken(change, f"there is no nug {rest}")
        else:
            yield broken(change, f"redundant_with is passage:NUMBER or nug:KEY, not {target}")


def redundant_keeps_pointing(batch: ChangeBatch) -> Iterator[Broken]:
    """A nug that a redundant passage points at is not deleted."""
    deleted = set(batch.deleted(NugWork))
    if not deleted:
        return
    for key, record in batch.live(RelevanceWork).items():
        if (target := record.redundant_with) is not None and target.removeprefix("nug:") in deleted:
            yield Broken(
                where=f"nug {target.removeprefix('nug:')}",
                what=f"passage {key} is called redundant with it; change that first",
            )


def members_exist(batch: ChangeBatch) -> Iterator[Broken]:
    """The members of nugs are nuggets of the layer, each once; the best nugget is one of them.

    Where a nugget is deleted, the nugs that have it must be changed in the same save.
    """
    for change, record in batch.records(NugWork):
        counts = Counter(member.nugget for member in record.members)
        for nugget, times in counts.items():
            if times > 1:
                yield broken(change, f"nugget {nugget} is a member {times} times")
            if nugget not in batch.live(NuggetWork):
                yield broken(change, f"member {nugget} is not one of your nuggets of this query")
        if record.best is not None and record.best not in counts:
            yield broken(change, f"the best nugget {record.best} is not a member of the nug")
    deleted = set(batch.deleted(NuggetWork))
    if not deleted:
        return
    changed = {change.key for change in batch.changes if change.kind == "nug"}
    for key, nug in batch.live(NugWork).items():
        for member in nug.members if key not in changed else ():
            if member.nugget in deleted:
                yield Broken(
                    where=f"nugget {member.nugget}",
                    what=f"is a member of nug {key}; take it out of the nug in the same save",
                )


def degrees_sum_to_one(batch: ChangeBatch) -> Iterator[Broken]:
    """The degrees of one nugget, over all nugs of the layer, sum to at most 1 (Babko-Malaya 2012)."""
    touched = {member.nugget for _, record in batch.records(NugWork) for member in record.members}
    if not touched:
        return
    sums: dict[str, float] = dict.fromkeys(touched, 0.0)
    for nug in batch.live(NugWork).values():
        for member in nug.members:
            if member.nugget in sums:
                sums[member.nugget] += member.degree
    for nugget, total in sorted(sums.items()):
        if total > 1 + ROUNDING:
            yield Broken(where=f"nugget {nugget}", what=f"its degrees sum to {total:g}; at most 1 is possible")


def lone_member_is_whole(batch: ChangeBatch) -> Iterator[Broken]:
    """A nug with one member means what that nugget says: its degree is 1."""
    for change, record in batch.records(NugWork):
        if len(record.members) == 1 and abs(record.members[0].degree - 1) > ROUNDING:
            yield broken(change, f"its only member has degree {record.members[0].degree:g}; it must be 1")


def nugs_say_something(batch: ChangeBatch) -> Iterator[Broken]:
    """A nug has words, its own or those of its best nugget."""
    for change, record in batch.records(NugWork):
        if not record.description.strip() and record.best is None:
            yield broken(change, "needs a description or a best nugget")


def revisions_are_known(batch: ChangeBatch) -> Iterator[Broken]:
    """What a nugget takes the place of was a nugget of the query, or a suggestion for it."""
    for change, record in batch.records(NuggetWork):
        for revised in record.revises:
            number = revised.removeprefix("suggestion:")
            if revised == change.key:
                yield broken(change, "a nugget cannot take the place of itself")
            elif number != revised:
                suggested = batch.suggested_nugget(int(number)) if number.isdecimal() and len(number) < 19 else None
                if suggested is None:
                    yield broken(change, f"there is no suggested nugget {number} for this query")
                elif suggested.passage != record.passage:
                    yield broken(change, f"the suggested nugget {number} is in another passage")
            elif not batch.was_nugget(revised):
                yield broken(change, f"it takes the place of {revised}, but there was no such nugget")
        if record.source == "corrected" and not record.revises:
            yield broken(change, "a corrected nugget names the suggestion that it corrects")


def rejections_are_of_suggestions(batch: ChangeBatch) -> Iterator[Broken]:
    """What is rejected is an automatic nugget of the query."""
    for change, record in batch.records(RejectionWork):
        if batch.suggested_nugget(record.suggestion) is None:
            yield broken(change, "there is no such suggested nugget for this query")


def citations_belong(batch: ChangeBatch) -> Iterator[Broken]:
    """The citation is in a passage of the query, and the nugget it is checked for in the same passage."""
    for change, record in batch.records(CitationWork):
        passage = batch.citation_passage(record.citation)
        if passage is None:
            yield broken(change, "the citation is not one of this query")
        elif record.nugget is not None:
            nugget = batch.live(NuggetWork).get(record.nugget)
            if nugget is None:
                yield broken(change, f"there is no nugget {record.nugget}")
            elif nugget.passage != passage:
                yield broken(change, f"nugget {record.nugget} is in another passage than the citation")


def votes_belong(batch: ChangeBatch) -> Iterator[Broken]:
    """Votes are about nugs of the query's key, on the campaign's scale."""
    for change, record in batch.records(VoteWork):
        if record.nug not in batch.key:
            yield broken(change, f"there is no nug {record.nug} in the key of this query")
        if isinstance(record.value, str) != (batch.settings.vote_scale == "vital"):
            wanted = "vital or okay" if batch.settings.vote_scale == "vital" else "a number from 0 to 1"
            yield broken(change, f"a vote is {wanted} in this campaign")


def judgements_belong(batch: ChangeBatch) -> Iterator[Broken]:
    """Judgements are about answers to the query and nugs of its key; evidence is in the same answer."""
    for change, record in batch.records(JudgementWork):
        passages = batch.response_passages(record.response)
        if passages is None:
            yield broken(change, "the answer is not one of this query")
        elif record.evidence_passage is not None and record.evidence_passage not in passages:
            yield broken(change, "the evidence is in a passage that the answer does not have")
        if record.nug not in batch.key:
            yield broken(change, f"there is no nug {record.nug} in the key of this query")


def decisions_are_adjudicated(batch: ChangeBatch) -> Iterator[Broken]:
    """Only the adjudicated layer has decisions, and they take the version of an assessor of the query."""
    for change, record in batch.records(DecisionWork):
        if batch.owner != ADJUDICATED:
            yield broken(change, "only adjudicators decide")
        elif record.choice == "taken" and record.taken_from not in batch.assessors:
            yield broken(change, "taken from whom? Name an assessor of this query")


RULES: tuple[Rule, ...] = (
    keys_match, passages_belong, spans_fit, nuggets_in_scope, redundant_points, redundant_keeps_pointing,
    members_exist, degrees_sum_to_one, lone_member_is_whole, nugs_say_something, revisions_are_known,
    rejections_are_of_suggestions, citations_belong, votes_belong, judgements_belong, decisions_are_adjudicated,
    *KEPT_RULES,
)  # fmt: skip


def broken_rules(batch: ChangeBatch, rules: Iterable[Rule] = RULES) -> list[Broken]:
    """Everything that is wrong with the changes."""
    return [problem for rule in rules for problem in rule(batch)]
