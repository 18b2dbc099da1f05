"""Write a nugget as a sentence; every nugget is a fact, so it can be (Babko-Malaya 2008, section 3.2.2).

A title becomes "PERSON is TITLE". A time, place, number or other modifier is written with the core of its event, and a
name with the event that it takes part in. In a statement the speaker comes before what was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.grammar import (
    SUBJECTS,
    is_main_verb,
    trimmed,
    verb_group,
    what_was_said,
)
from karat.nuggetizer.extents import arguments_of, proposition

RELATIVE = frozenset({"who", "which", "that", "whom"})


def paraphrase(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> str:
    """A sentence that says what a nugget says, in the words of its text."""
    if draft.type == "TITLE":
        person = _words(sentence, _person_of(sentence, draft))
        words = _words(sentence, draft.tokens - _person_of(sentence, draft))
        return _sentence(f"{person} is {_article(sentence, draft, words)}{words}" if person and words else words)
    verb = verb_of(sentence, draft)
    tokens = said_with(sentence, draft, others)
    return _sentence(_words(sentence, tokens) if verb is None else _clause(sentence, tokens, verb))


def _article(sentence: ParsedSentence, draft: Draft, words: str) -> str:
    """The article of the text; otherwise "the" before a title in capitals (there is one of it), "a" before others."""
    before = sentence.tokens[draft.start - 1].text.lower() if draft.start else ""
    if before in {"a", "an", "the"}:
        return f"{before} "
    if "'" in words or "’" in words:
        return ""
    return "the " if words[:1].isupper() else "an " if words[:1] in "aeiou" else "a "


def said_with(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> set[int]:
    """The tokens of the smallest proposition that contains a nugget."""
    if draft.type == "TITLE":
        return set(draft.tokens) | _person_of(sentence, draft)
    if draft.type == "EVT":
        return set(draft.tokens)
    verb = verb_of(sentence, draft)
    if verb is None:
        return _noun_phrase(sentence, draft)
    if draft.type == "STM":
        verb_tokens = set(sentence.subtree(verb))
        said = [set(sentence.subtree(clause.index)) for clause in what_was_said(sentence, verb)]
        clauses = [clause - verb_tokens if verb in clause else clause for clause in said]
        return verb_group(sentence, verb).union(*arguments_of(sentence, verb), *clauses)
    core = proposition(sentence, verb, [other for other in others if other.type in {"TMP", "LOC", "MOD"}])
    return core | draft.tokens


def verb_of(sentence: ParsedSentence, draft: Draft) -> int | None:
    """The verb of a nugget: its anchor, or the verb that its phrase depends on, directly or through other phrases."""
    if draft.anchor:
        return min(draft.anchor)
    top = next((at for at in sorted(draft.tokens) if sentence.tokens[at].head not in draft.tokens), draft.start)
    above = (
        token.index for token in sentence.ancestors(top) if is_main_verb(token) and token.index not in draft.tokens
    )
    return next(above, None)


def _person_of(sentence: ParsedSentence, draft: Draft) -> set[int]:
    """The person who has a title: the nearest name of a person."""
    people = [
        set(range(entity.start_token, entity.end_token)) for entity in sentence.entities if entity.label == "PERSON"
    ]
    people = [person for person in people if person.isdisjoint(draft.tokens)] or people
    return min(
        people, key=lambda person: min(abs(min(person) - draft.end), abs(draft.start - max(person) - 1)), default=set()
    )


def _noun_phrase(sentence: ParsedSentence, draft: Draft) -> set[int]:
    top = next((at for at in sorted(draft.tokens) if sentence.tokens[at].head not in draft.tokens), draft.start)
    return trimmed(sentence, set(sentence.subtree(sentence.tokens[top].head)) | draft.tokens)


def _clause(sentence: ParsedSentence, tokens: Iterable[int], verb: int) -> str:
    """The words of a clause, the subject first, without a relative pronoun if its noun is there."""
    kept = set(tokens)
    for at in tuple(kept):
        token = sentence.tokens[at]
        relative = token.head == verb and token.lemma.lower() in RELATIVE and token.dep in {*SUBJECTS, "dobj", "pobj"}
        # The noun is before the pronoun, and the verb of the relative clause depends on the noun.
        if relative and any(other < at and sentence.tokens[verb].head == other for other in kept):
            kept.discard(at)
    subject: set[int] = set()
    for child in sentence.children(verb, "nsubj", "nsubjpass"):
        if child.index > verb and sentence.tokens[verb].tag in {"VBD", "VBZ", "VBP"}:
            # 'said the mayor': write the subject before the verb, and what was said after both.
            subject = set(sentence.subtree(child.index)) & kept
    if not subject:
        return _words(sentence, kept)
    group = verb_group(sentence, verb)
    parts = [subject, group, kept - subject - group]
    return " ".join(_words(sentence, trimmed(sentence, part)) for part in parts if part)


def _words(sentence: ParsedSentence, tokens: Iterable[int]) -> str:
    """The words of some tokens, with blanks as in the text; a gap between tokens becomes one blank."""
    order = sorted(tokens)
    text = ""
    for position, at in enumerate(order):
        token = sentence.tokens[at]
        if position:
            before = sentence.tokens[order[position - 1]]
            touching = order[position - 1] == at - 1 and before.end == token.start
            text += "" if touching or token.text in {",", "."} else " "
        text += token.text
    return " ".join(text.split())


def _sentence(words: str) -> str:
    words = words.strip(" ,;:-")
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}" if words else ""
