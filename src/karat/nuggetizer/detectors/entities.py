"""Named persons, organisations and places, as the entity tagger sees them."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import Entity, Sentence
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import trimmed
from karat.nuggetizer.english.word_lists import FORMS_OF_ADDRESS, TITLE_WORDS

NUGGET_TYPE = {"PERSON": "PER", "ORG": "ORG", "GPE": "GPE", "LOC": "LOC", "FAC": "LOC"}
"""Which entities are candidates for nuggets; whether a place is an agent (GPE) or a location, roles decide."""
PLACE_WORDS = frozenset("lake mount mt river cape bay fort port gulf isle island valley camp".split())
"""First words of names that the entity tagger takes for persons and that are places."""


def detect_entities(sentence: Sentence) -> Iterator[Draft]:
    """A draft a named entity, without a leading article, a title or a possessive's s."""
    for entity in _joined_places(sentence):
        kind = NUGGET_TYPE.get(entity.label)
        tokens = name_tokens(sentence, entity)
        if kind is None or not tokens:
            continue
        if kind == "PER" and sentence.tokens[min(tokens)].text.lower().strip(".") in PLACE_WORDS:
            kind = "LOC"
        yield new_draft(kind, tokens, f"entity-{entity.label}")


def _joined_places(sentence: Sentence) -> Iterator[Entity]:
    """The entities; a place and the larger place it is in ('Tampa, Florida') are one, a list of places is not."""
    last: Entity | None = None
    for number, entity in enumerate(sentence.entities):
        after = sentence.entities[number + 1] if number + 1 < len(sentence.entities) else None
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


def _comma_between(sentence: Sentence, left: Entity, right: Entity) -> bool:
    """Whether a place of a country stands right behind a comma after another place."""
    near = left.label in {"GPE", "LOC", "FAC"} and right.label == "GPE" and right.start_token == left.end_token + 1
    return near and sentence.tokens[left.end_token].text == ","


def name_tokens(sentence: Sentence, entity: Entity) -> set[int]:
    """The tokens of a name: no article, no title, no possessive's s, no marks at its ends."""
    named = [at for at in range(entity.start_token, entity.end_token) if sentence.tokens[at].tag != "POS"]
    while len(named) > 1 and _is_before_name(sentence, named[0], entity.label):
        named.pop(0)
    if named and sentence.tokens[named[0]].tag in {"DT", "PRP$"}:
        return set()
    return trimmed(sentence, named)


def _is_before_name(sentence: Sentence, at: int, label: str) -> bool:
    token = sentence.tokens[at]
    word = token.text.lower().strip(".")
    return token.tag in {"DT", "PRP$"} or (label == "PERSON" and word in TITLE_WORDS | FORMS_OF_ADDRESS)
