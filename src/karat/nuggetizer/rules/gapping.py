"""The rule for sentences whose later parts leave out the verb."""

from __future__ import annotations

from dataclasses import replace

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft, in_order, new_draft
from karat.nuggetizer.english.gaps import OPENING, WAYS, Gap, gaps, ranges
from karat.nuggetizer.english.grammar import trimmed
from karat.nuggetizer.english.word_lists import PLACE_ADVERBS

PHRASES = frozenset({"LOC", "TMP", "MOD"})
OTHER = frozenset({"for", "with", "against", "by"})
"""Prepositions of phrases that are no places, which end a place before them."""
PLACE_ENTITIES = frozenset({"GPE", "LOC", "FAC"})


def gapped_parts_apart(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """In 'three in Kabul on Monday and two in Herat on Tuesday' each number keeps its own place and time."""
    for first, second in ranges(sentence, drafts):
        # 'from 3 in 2001 to 9': the numbers are no part of a time or a place.
        ends = frozenset(range(first.start - 1, first.end)) | frozenset(range(second.start - 1, second.end))
        drafts = [_without(sentence, draft, ends, second.start - 1) for draft in drafts]
    for gap in gaps(sentence, drafts):
        drafts = [_cut(sentence, draft, gap) for draft in drafts]
        drafts = _own_phrases(sentence, [draft for draft in drafts if draft.tokens], gap)
    return [draft for draft in drafts if draft.tokens]


def _without(sentence: ParsedSentence, draft: Draft, ends: frozenset[int], middle: int) -> Draft:
    """A place or time without the ends of a change, and only on its side of the second one."""
    if draft.type not in PHRASES or draft.tokens.isdisjoint(ends):
        return draft
    kept = draft.tokens - ends
    side = {at for at in kept if at < middle} or kept
    return replace(draft, tokens=frozenset(trimmed(sentence, side)), rule="gapped-parts-apart")


def _cut(sentence: ParsedSentence, draft: Draft, gap: Gap) -> Draft:
    """A place or time only up to the conjunction, or only from the second phrase on."""
    joint = range(gap.joined, gap.preposition)
    if draft.type not in PHRASES or draft.tokens.isdisjoint(joint):
        return draft
    if draft.type == "MOD" and sentence.tokens[draft.start].text.lower() == "compared":
        # 'compared with 40 in May' stays a modifier as a whole.
        return draft
    kept = {at for at in draft.tokens if (at < gap.joined if draft.start < gap.joined else at >= gap.preposition)}
    return replace(draft, tokens=frozenset(trimmed(sentence, kept)), rule="gapped-parts-apart")


def _own_phrases(sentence: ParsedSentence, drafts: list[Draft], gap: Gap) -> list[Draft]:
    """The drafts, with a place or time for each phrase after the second number that has none yet."""
    region = set(range(gap.preposition, gap.end))
    times = [draft for draft in drafts if draft.type == "TMP" and draft.tokens <= region]
    # 'two in Paris for $5 million': the price is no part of the place.
    ends = {at for at in region if at > gap.preposition and sentence.tokens[at].text.lower() in OTHER}
    rest = sorted(region.difference(ends, *(draft.tokens for draft in times)))
    made: list[Draft] = []
    for chunk in _runs(rest):
        tokens = frozenset(trimmed(sentence, chunk))
        kind = _kind(sentence, drafts, gap, tokens) if tokens else None
        if kind is not None:
            made.append(new_draft(kind, tokens, "gapped-parts-apart"))
    kept = [draft for draft in drafts if not any(_replaces(new, draft) for new in made)]
    return in_order([*kept, *made])


def _replaces(new: Draft, old: Draft) -> bool:
    return old.type in {"LOC", "TMP", "GPE"} and old.tokens <= new.tokens


def _runs(order: list[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for at in order:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _kind(sentence: ParsedSentence, drafts: list[Draft], gap: Gap, tokens: frozenset[int]) -> str | None:
    """Whether a phrase is a place or a time: by the names in it, or by the phrase of the first number like it."""
    first = sentence.tokens[min(tokens)]
    if first.pos not in {"ADP", "ADV", "SCONJ", "PART"}:
        return None
    if first.text.lower() not in {"against", "with", "for"} and any(
        sentence.tokens[at].ent_type in PLACE_ENTITIES for at in tokens
    ):
        return "LOC"
    if len(tokens) == 1:
        return "LOC" if first.text.lower() in PLACE_ADVERBS else None
    word = first.text.lower()
    before = range(gap.first.end, gap.first_joined)
    phrases = [draft for draft in drafts if draft.type in {"LOC", "TMP"} and draft.start in before]
    like = [draft.type for draft in phrases if sentence.tokens[draft.start].text.lower() == word]
    # 'before noon ... after lunch': another preposition, but the first number has only a time.
    types = {draft.type for draft in phrases} if word in OPENING - WAYS else set()
    return like[0] if like else types.pop() if len(types) == 1 else None
