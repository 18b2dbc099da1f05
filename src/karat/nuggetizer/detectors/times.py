"""Times: dates, times of day, relative times such as "yesterday", and combinations of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.language.analysis import Entity, ParsedSentence
from karat.nuggetizer.detectors.numbers import FRACTION
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import is_code, trimmed
from karat.nuggetizer.english.places import is_event_noun
from karat.nuggetizer.english.word_lists import RELATIVE_TIMES, TIME_PREPOSITIONS

TIME_ENTITIES = frozenset({"DATE", "TIME"})
AGE = re.compile(r"years?[- ]old\b|\baged\b", re.IGNORECASE)
LONGEST = 120
"""The greatest length of a date, in characters; longer ones are mistakes of the entity tagger."""
YEAR = re.compile(r"(1[0-9]|20)\d\d")
ERAS = frozenset({"BC", "BCE", "AD", "CE"})
JOINED = frozenset({"late", "early", "earlier", "later", "shortly", "just", "about", "around", "mid", "since", "only"})
"""Adverbs before a time that belong to it."""


def detect_times(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per date or time, with the preposition before it."""
    for entity in sentence.entities:
        if entity.label in TIME_ENTITIES and _is_time(sentence, entity):
            yield new_draft("TMP", _joined(sentence, set(range(entity.start_token, entity.end_token))), "date")
    for token in sentence.tokens:
        word = token.text.lower()
        if token.ent_type in TIME_ENTITIES:
            continue
        if token.text in ERAS and token.index and sentence.tokens[token.index - 1].tag == "CD":
            yield new_draft("TMP", _joined(sentence, {token.index - 1, token.index}), "date")
            continue
        if (
            word in RELATIVE_TIMES
            and (token.dep in {"advmod", "npadvmod", "tmod", "pobj"} or (word == "once" and token.dep == "conj"))
            and not _opens_turn(sentence, token.index)
            # 'Ana Ruiz, then mayor of Lima': no time, but what she was.
            and not (word == "then" and sentence.tokens[token.head].pos in {"NOUN", "PROPN"})
        ):
            yield new_draft("TMP", _joined(sentence, {token.index}), "relative-time")
        elif word in {"time", "times"} and token.dep == "npadvmod" and sentence.children(token.index, "nummod"):
            yield new_draft("TMP", trimmed(sentence, sentence.subtree(token.index)), "how-often")


def _is_time(sentence: ParsedSentence, entity: Entity) -> bool:
    """Whether an entity is a time: not an age, and not a date inside a noun phrase ('the 2014 model'), unless the noun
    is an event."""
    text = sentence.text_of(entity.start_token, entity.end_token)
    last = sentence.tokens[entity.end_token - 1]
    if (
        AGE.search(text)
        or FRACTION.fullmatch(text)
        or len(text) > LONGEST
        or (text.isdigit() and not YEAR.fullmatch(text))
        or _is_bare_number(sentence, entity)
        or is_code(sentence, entity.end_token - 1)
    ):
        return False
    inside = range(entity.start_token, entity.end_token)
    if last.text.lower() == "quarter" and entity.start_token and sentence.tokens[entity.start_token - 1].text == "by":
        return False
    tops = [sentence.tokens[at] for at in inside if sentence.tokens[at].head not in inside]
    for top in tops:
        head = sentence.tokens[top.head]
        if (
            top.dep in {"compound", "amod", "nummod", "nmod"}
            and head.pos in {"NOUN", "PROPN"}
            and head.index not in inside
        ):
            return False
        if top.dep == "poss" and not is_event_noun(sentence, head):
            return False
    return last.text != "-"


def _is_bare_number(sentence: ParsedSentence, entity: Entity) -> bool:
    """Whether a date is only a number, and so an age ('Ana Ruiz, 34'; 'she was nineteen')."""
    tokens = sentence.tokens[entity.start_token : entity.end_token]
    return all(token.tag == "CD" or token.text == "-" for token in tokens) and not YEAR.search(tokens[0].text)


def _opens_turn(sentence: ParsedSentence, at: int) -> bool:
    """Whether a word only begins a sentence and says no time: 'Now, ...', 'Then, ...'."""
    return (
        at == 0
        and sentence.tokens[at].text.lower() in {"now", "then"}
        and len(sentence.tokens) > 1
        and (sentence.tokens[1].text == ",")
    )


def _joined(sentence: ParsedSentence, tokens: set[int]) -> set[int]:
    """A time with the preposition and adverbs before it: 'in January', 'late on Sunday', 'shortly before midnight'."""
    tokens = trimmed(sentence, tokens)
    while tokens and min(tokens) > 0:
        before = sentence.tokens[min(tokens) - 1]
        word = before.text.lower()
        below = any(child.index in tokens for child in sentence.children(before.index))
        # In 'for 40 minutes late on Monday' the parse often gives the minutes to 'late', and nothing to 'for'.
        alone = not sentence.children(before.index, "pobj", "pcomp")
        preposition = before.dep == "prep" and word in TIME_PREPOSITIONS and (below or alone)
        above = {sentence.tokens[at].head for at in tokens} - tokens
        beside = before.head in tokens or below or (word in {"late", "early"} and before.head in above)
        adverb = word in JOINED and before.dep in {"advmod", "amod", "quantmod", "prep"} and beside
        if not preposition and not adverb:
            break
        tokens.add(before.index)
    return tokens
