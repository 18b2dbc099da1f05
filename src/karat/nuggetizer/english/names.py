"""Names that the entity tagger gets wrong: persons taken for organisations, and parts of the names of products."""

from __future__ import annotations

import re

import msgspec

from karat.language.analysis import Entity, ParsedSentence, Token
from karat.nuggetizer.english.grammar import head_of, is_code
from karat.nuggetizer.english.place_words import CELESTIAL
from karat.nuggetizer.english.word_lists import OFFICES

NUMBERED_GROUPS = frozenset(
    "army battalion brigade channel corps division group formula local radio regiment squadron team union".split()
)
"""First words of names of organisations that have a number: 'Channel 4', 'Group of 20'."""
FIRM = re.compile(
    r"inc|corp|ltd|llc|plc|group|holdings?|bank|company|co|party|union|university|institute|ministry", re.IGNORECASE
)
"""Words that are in no person's name."""
DIGITS = re.compile(r"\d")
MAYBE_PEOPLE = frozenset({"ORG", "GPE", "NORP", "PRODUCT", "WORK_OF_ART", "FAC", "LOC", "EVENT"})


def named_entities(sentence: ParsedSentence) -> list[Entity]:
    """The entities of a sentence, with corrected labels: persons by their titles, and no parts of names of products."""
    corrected = []
    for entity in sentence.entities:
        if entity.label in MAYBE_PEOPLE and _is_person(sentence, entity):
            entity = msgspec.structs.replace(entity, label="PERSON")
        elif entity.label in {"ORG", "PERSON"} and _is_product(sentence, entity):
            entity = msgspec.structs.replace(entity, label="PRODUCT")
        elif entity.label in {"PERSON", "ORG"} and _is_celestial(sentence, entity):
            entity = msgspec.structs.replace(entity, label="LOC")
        corrected.append(entity)
    return corrected


def title_noun_of(sentence: ParsedSentence, head: int) -> int | None:
    """The noun of an office that a name is in apposition to; in 'the mayor of Bergen, Ana Ruiz' the parse often hangs
    the name on the place."""
    token = sentence.tokens[head]
    if token.dep != "appos":
        return None
    above = sentence.tokens[token.head]
    if above.dep == "pobj" and sentence.tokens[above.head].text.lower() in {"of", "for", "to"}:
        noun = sentence.tokens[sentence.tokens[above.head].head]
        return noun.index if _is_office(noun) and noun.index < above.index else None
    return above.index if _is_office(above) else None


def _is_person(sentence: ParsedSentence, entity: Entity) -> bool:
    """Whether a name of two or more words stands in apposition to an office: 'Nokia's chief executive, Pekka Lundmark'.

    What the words say is stronger evidence than the tagger.
    """
    tokens = [token for token in sentence.tokens[entity.start_token : entity.end_token] if token.pos != "PUNCT"]
    if not 2 <= len(tokens) <= 4 or not all(_is_name(token) for token in tokens):
        return False
    head = head_of(sentence, entity.start_token, entity.end_token)
    if any(_is_office(child) and _is_set_off(sentence, child) for child in sentence.children(head, "appos")):
        return True
    return title_noun_of(sentence, head) is not None and sentence.tokens[entity.start_token - 1].text == ","


def _is_set_off(sentence: ParsedSentence, noun: Token) -> bool:
    """Whether a comma stands before the phrase of a noun."""
    first = min(sentence.subtree(noun.index))
    return first > 0 and "," in {sentence.tokens[first - 1].text, sentence.tokens[first].text}


def _is_name(token: Token) -> bool:
    word = token.text
    particle = word.islower() and len(word) <= 3
    return particle or (token.pos == "PROPN" and word[0].isupper() and not word.isupper() and not FIRM.fullmatch(word))


def _is_office(token: Token) -> bool:
    return token.pos in {"NOUN", "PROPN"} and token.tag in {"NN", "NNP"} and token.lemma.lower() in OFFICES


def _is_product(sentence: ParsedSentence, entity: Entity) -> bool:
    """Whether a name is (part of) that of a product, vehicle or flight: its last word has a digit, or a number that
    belongs to it follows: 'Flight MH370', 'Boeing 747', 'Apollo 8'."""
    first, last = sentence.tokens[entity.start_token], sentence.tokens[entity.end_token - 1]
    if first.text.lower() in NUMBERED_GROUPS or DIGITS.search(first.text):
        return False
    if entity.end_token - entity.start_token > 1 and DIGITS.search(last.text):
        return True
    after = sentence.tokens[entity.end_token] if entity.end_token < len(sentence.tokens) else None
    if after is None or not DIGITS.search(after.text) or last.tag == "POS" or after.ent_type in {"MONEY", "PERCENT"}:
        return False
    code = is_code(sentence, after.index) and after.pos in {"PROPN", "NOUN", "NUM"}
    joined = after.head == last.index or (last.head == after.index and last.dep in {"compound", "nmod", "amod"})
    beside = last.dep == "compound" and after.dep in {"nummod", "compound"} and last.head == after.head
    return joined or beside or (code and last.dep == "compound")


def _is_celestial(sentence: ParsedSentence, entity: Entity) -> bool:
    words = [token.text for token in sentence.tokens[entity.start_token : entity.end_token] if token.tag != "DT"]
    before = sentence.tokens[entity.start_token - 1] if entity.start_token else None
    if len(words) != 1 or words[0].lower() not in CELESTIAL:
        return False
    article = entity.end_token - entity.start_token > 1 or (before is not None and before.text.lower() == "the")
    return article or (before is not None and before.pos == "ADP")
