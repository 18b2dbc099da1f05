"""Named persons, organisations and places, found by the entity tagger."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import Entity, ParsedSentence
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import trimmed
from karat.nuggetizer.english.names import named_entities
from karat.nuggetizer.english.word_lists import FORMS_OF_ADDRESS, TITLE_WORDS

NUGGET_TYPE = {"PERSON": "PER", "ORG": "ORG", "GPE": "GPE", "LOC": "LOC", "FAC": "LOC"}
"""Entities that are candidates for nuggets. Whether a place is an agent (GPE) or a location, its role decides later."""
PLACE_WORDS = frozenset("lake mount mt river cape bay fort port gulf isle island valley camp".split())
"""First words of place names that the entity tagger often takes for persons."""


def detect_entities(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per named entity, without an article or title before it and without a possessive 's."""
    for entity in _joined_places(sentence):
        kind = NUGGET_TYPE.get(entity.label)
        tokens = name_tokens(sentence, entity)
        if kind is None or not tokens:
            continue
        if kind == "PER" and sentence.tokens[min(tokens)].text.lower().strip(".") in PLACE_WORDS:
            kind = "LOC"
        yield new_draft(kind, tokens, f"entity-{entity.label}")


def _joined_places(sentence: ParsedSentence) -> Iterator[Entity]:
    """The entities. A place and the larger place around it ('Tampa, Florida') become one; a list of places does not."""
    last: Entity | None = None
    entities = named_entities(sentence)
    for number, entity in enumerate(entities):
        after = entities[number + 1] if number + 1 < len(entities) else None
        in_list = after is not None and _comma_between(sentence, entity, after)
        listed = entity.end_token < len(sentence.tokens) and sentence.tokens[entity.end_token].text.lower() in {
            "and",
            "or",
        }
        if last is not None and _comma_between(sentence, last, entity) and not in_list and not listed:
            last = Entity(last.start_token, entity.end_token, last.label)
            continue
        if last is not None:
            yield last
        last = entity
    if last is not None:
        yield last


def _comma_between(sentence: ParsedSentence, left: Entity, right: Entity) -> bool:
    """Whether a place is followed by a comma and then directly by a country, state or city."""
    near = left.label in {"GPE", "LOC", "FAC"} and right.label == "GPE" and right.start_token == left.end_token + 1
    # 'Lagos, Nigeria's largest city' names one place and says something about it.
    after = sentence.tokens[right.end_token] if right.end_token < len(sentence.tokens) else None
    owns = sentence.tokens[right.end_token - 1].tag == "POS" or (after is not None and after.tag == "POS")
    return near and sentence.tokens[left.end_token].text == "," and not owns


def name_tokens(sentence: ParsedSentence, entity: Entity) -> set[int]:
    """The tokens of a name, without article, title, possessive 's and punctuation at its ends."""
    named = [at for at in range(entity.start_token, entity.end_token) if sentence.tokens[at].tag != "POS"]
    while len(named) > 1 and _is_before_name(sentence, named[0], entity.label):
        named.pop(0)
    if named and sentence.tokens[named[0]].tag in {"DT", "PRP$"}:
        return set()
    return trimmed(sentence, named)


def _is_before_name(sentence: ParsedSentence, at: int, label: str) -> bool:
    token = sentence.tokens[at]
    word = token.text.lower().strip(".")
    return token.tag in {"DT", "PRP$"} or (label == "PERSON" and word in TITLE_WORDS | FORMS_OF_ADDRESS)
