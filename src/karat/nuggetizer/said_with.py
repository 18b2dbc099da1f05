"""Which words of a sentence say a nugget: the smallest proposition that contains it.

A time, place, number or other modifier is said with the core of its event, a title with its person, and what somebody
said with the verb that reports it.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.detectors.entities import name_tokens
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.affairs import topic_of
from karat.nuggetizer.english.gaps import Gap, gaps, ranges
from karat.nuggetizer.english.grammar import (
    SUBJECTS,
    is_finite,
    is_main_verb,
    lexical_verb,
    trimmed,
    verb_group,
    what_was_said,
)
from karat.nuggetizer.english.names import named_entities
from karat.nuggetizer.english.places import phrase_below
from karat.nuggetizer.extents import arguments_of, proposition

INSIDE = frozenset({"xcomp", "acl", "amod", "dobj", "pobj", *SUBJECTS})
"""Relations of infinitives, participles and gerunds that are (part of) an argument of another verb."""


def said_with(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> set[int]:
    """The tokens of the smallest proposition that contains a nugget."""
    if draft.type == "TITLE":
        return set(draft.tokens) | person_of(sentence, draft)
    if draft.type == "EVT" or draft.rule == "clause-sized-statement":
        return set(draft.tokens)
    if (gap := gap_of(sentence, draft, others)) and draft != gap.first:
        return (said_with(sentence, gap.first, others) - gap.first.tokens) | gap.second.tokens | draft.tokens
    verb = verb_of(sentence, draft)
    if verb is None:
        return _noun_phrase(sentence, draft)
    if draft.type == "STM":
        clauses = reported_clauses(sentence, verb)
        # 'reported on the war'
        clauses += [
            phrase_below(sentence, at.index) for at in sentence.children(verb, "prep") if topic_of(sentence, at)
        ]
        return verb_group(sentence, verb).union(*arguments_of(sentence, verb), *clauses)
    phrases = [other for other in others if other.type in {"TMP", "LOC", "MOD"}]
    around = [other for other in phrases if draft.tokens < other.tokens and verb not in other.tokens]
    core = proposition(sentence, verb, phrases, numbers=numbers_of(others))
    for first, second in ranges(sentence, others):
        if draft.type in {"LOC", "TMP"} and draft.start >= second.end and second.tokens <= core:
            # 'from 3 in 2001 to 9 in 2005': in 2005 it was 9, and nothing else.
            core -= set(range(first.start - 1, first.end))
    if draft.rule == "split-repeated-prepositions":
        core -= {at for other in others if other.rule == draft.rule for at in other.tokens}
    if draft.rule == "split-conjoined-places":
        beside = [other for other in others if other.rule == draft.rule and other.overlaps(draft)]
        core -= set(range(draft.start, max(other.end for other in beside)))
    # A number inside a place or time makes sense only with the rest of that phrase.
    return core | min(around, key=lambda other: len(other.tokens), default=draft).tokens


def verb_of(sentence: ParsedSentence, draft: Draft) -> int | None:
    """The verb of a nugget: its anchor, or the verb that its phrase depends on, directly or through other phrases.

    An infinitive or a participle that is part of an argument states nothing by itself: the verb above it is taken.
    """
    if draft.anchor:
        return min(draft.anchor)
    top = next((at for at in sorted(draft.tokens) if sentence.tokens[at].head not in draft.tokens), draft.start)
    above = (
        token.index for token in sentence.ancestors(top) if is_main_verb(token) and token.index not in draft.tokens
    )
    verb = next(above, None)
    while verb is not None and sentence.tokens[verb].dep in INSIDE and not _states(sentence, verb):
        higher = next((token.index for token in sentence.ancestors(verb) if is_main_verb(token)), None)
        if higher is None:
            break
        verb = higher
    return verb


def _states(sentence: ParsedSentence, verb: int) -> bool:
    head = sentence.tokens[verb].head
    return is_finite(sentence, verb) or (lexical_verb(sentence, head) == verb and is_finite(sentence, head))


def gap_of(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> Gap | None:
    """The gap that a number, place or time belongs to, if the text leaves out its verb."""
    if draft.type not in {"NUM", "LOC", "TMP", "MOD"}:
        return None
    for gap in gaps(sentence, others):
        if draft == gap.second or gap.preposition <= draft.start < gap.end:
            return gap if verb_of(sentence, gap.first) is not None else None
    return None


def person_of(sentence: ParsedSentence, draft: Draft) -> set[int]:
    """The person who has a title: the one at an end of the nugget if it includes the person (but not 'X's adviser');
    otherwise the nearest name."""
    people = [name_tokens(sentence, entity) for entity in named_entities(sentence) if entity.label == "PERSON"]
    people = [person for person in people if person]
    for person in people:
        after = sentence.tokens[max(person) + 1].tag if max(person) + 1 < len(sentence.tokens) else ""
        at_end = max(person) == draft.end - 1 or (min(person) == draft.start and after != "POS")
        if draft.rule == "title-with-its-person" and person < draft.tokens and at_end:
            return person
    people = [person for person in people if person.isdisjoint(draft.tokens)] or people
    return min(
        people, key=lambda person: min(abs(min(person) - draft.end), abs(draft.start - max(person) - 1)), default=set()
    )


def reported_clauses(sentence: ParsedSentence, verb: int) -> list[set[int]]:
    """The words of the clauses that a verb of saying reports."""
    own = set(sentence.subtree(verb))
    reported = what_was_said(sentence, verb)
    if any(clause.dep != "dobj" for clause in reported):
        # The object is then the person who is told something.
        reported = [clause for clause in reported if clause.dep != "dobj"]
    said = [set(sentence.subtree(clause.index)) for clause in reported]
    return [clause - own if verb in clause else clause for clause in said]


def numbers_of(drafts: Sequence[Draft]) -> list[Draft]:
    return [draft for draft in drafts if draft.type == "NUM"]


def _noun_phrase(sentence: ParsedSentence, draft: Draft) -> set[int]:
    top = next((at for at in sorted(draft.tokens) if sentence.tokens[at].head not in draft.tokens), draft.start)
    return trimmed(sentence, set(sentence.subtree(sentence.tokens[top].head)) | draft.tokens)
