"""Modifiers found by the parse and their words, for what the role labeller misses.

A place noun after a preposition of place is a place, whatever its role is; the first word of a clause or an adverb
often shows what kind of modifier it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import Argument, ParsedSentence, Predicate, Token
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import governing_verb, is_main_verb, predicates_by_token, trimmed
from karat.nuggetizer.english.places import PLACE_ROLES, is_event_noun, phrase_below
from karat.nuggetizer.english.word_lists import (
    BROADCASTS,
    CAUSES,
    COMPANY,
    DOING,
    KIN,
    MODIFIER_PREPOSITIONS,
    NOT_MANNER,
    PLACE_ADVERBS,
    PLACE_NOUNS,
    PLACE_PREPOSITIONS,
    PURPOSE_NOUNS,
    SPOKEN_PLACES,
    TIME_ADVERBS,
    TIME_CONJUNCTIONS,
    TIME_NOUNS,
    TITLE_WORDS,
)

MODIFIER_ROLES = frozenset({"ARGM-CAU", "ARGM-PRP", "ARGM-PNC", "ARGM-MNR", "ARGM-ADV"})
NEARNESS = frozenset({"near", "outside"})
"""Prepositions that say where, whatever the noun is, except with a time."""
CLEAR_CAUSES = frozenset({"because", "although", "though", "unless"})


def detect_dependents(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per dependent of a verb whose words show that it is a place, a time or another modifier."""
    predicates = predicates_by_token(sentence)
    for verb in sentence.tokens:
        if not is_main_verb(verb):
            continue
        for child in sentence.children(verb.index, "prep", "advcl", "advmod", "npadvmod"):
            role = _role(predicates.get(verb.index), child)
            kind = _kind(sentence, child, verb)
            if kind is None or (role is not None and not _overrides(sentence, kind, role, child)):
                continue
            whole = sentence.subtree(child.index)
            if tokens := phrase_below(sentence, child.index) if child.dep == "prep" else trimmed(sentence, whole):
                numbered = role is not None and not role.label.startswith("ARGM")
                yield new_draft(kind, tokens, "grammar-argument" if numbered else f"grammar-{child.dep}")
    yield from _places_of_events(sentence)
    yield from _places_after_objects(sentence)


def _places_of_events(sentence: ParsedSentence) -> Iterator[Draft]:
    """The place of an event noun: 'the explosion at the plant'."""
    for noun in sentence.tokens:
        if is_event_noun(sentence, noun):
            for preposition in sentence.children(noun.index, "prep"):
                place = [
                    child
                    for child in sentence.children(preposition.index, "pobj")
                    if child.lemma.lower() in PLACE_NOUNS
                ]
                if place and preposition.text.lower() in PLACE_PREPOSITIONS:
                    yield new_draft("LOC", phrase_below(sentence, preposition.index), "grammar-event-noun")


def _places_after_objects(sentence: ParsedSentence) -> Iterator[Draft]:
    """'near' and a place after the last noun of a verb say where it happens: 'hit by a bomb near Kandahar'."""
    for preposition in sentence.tokens:
        noun = sentence.tokens[preposition.head]
        if preposition.dep != "prep" or preposition.text.lower() not in NEARNESS or noun.pos != "NOUN":
            continue
        named = any(
            child.pos == "PROPN" or child.lemma.lower() in PLACE_NOUNS
            for child in sentence.children(preposition.index, "pobj")
        )
        verb = governing_verb(sentence, noun.index)
        if named and verb is not None and verb.index < noun.index:
            yield new_draft("LOC", phrase_below(sentence, preposition.index), "grammar-after-object")


def _role(predicate: Predicate | None, token: Token) -> Argument | None:
    """The smallest argument of the verb that contains a dependent."""
    arguments = () if predicate is None else predicate.arguments
    around = [arg for arg in arguments if arg.start_token <= token.index < arg.end_token]
    return min(around, key=lambda arg: arg.end_token - arg.start_token, default=None)


def _overrides(sentence: ParsedSentence, kind: str, role: Argument, token: Token) -> bool:
    """Whether the words count more than the role that the labeller gave.

    A place stays a place if its role is Arg2-Arg5 or that of another modifier. A clause with 'because' and an adverb of
    manner stay modifiers, whatever their role is. In all other cases the role counts.
    """
    if kind == "LOC":
        return role.label not in PLACE_ROLES | {"ARG0", "ARG1", "ARGM-TMP"}
    if kind == "MOD" and role.label == "ARGM-COM":
        # 'with' and a person is company, 'with' and a thing an instrument.
        return not any(_is_person(noun) for noun in sentence.children(token.index, "pobj"))
    if kind == "MOD" and role.label not in MODIFIER_ROLES:
        clear = {child.text.lower() for child in sentence.children(token.index, "mark")} & CLEAR_CAUSES
        return bool(clear) or (token.dep == "advmod" and role.label.startswith("ARGM"))
    return False


def _is_person(noun: Token) -> bool:
    lemma = noun.lemma.lower()
    return lemma in COMPANY or lemma in KIN or lemma in TITLE_WORDS or lemma.endswith(DOING) or noun.pos != "NOUN"


def _kind(sentence: ParsedSentence, token: Token, verb: Token) -> str | None:
    word = token.text.lower()
    if token.dep == "advmod":
        if word in PLACE_ADVERBS or word.endswith(("ward", "wards")):
            return "LOC"
        if word in TIME_ADVERBS:
            return "TMP"
        return "MOD" if word.endswith("ly") and word not in NOT_MANNER and token.pos == "ADV" else None
    if token.dep == "advcl":
        return _kind_of_clause(sentence, token)
    if token.dep == "prep":
        return _kind_of_phrase(sentence, token, verb)
    return None


def _kind_of_clause(sentence: ParsedSentence, token: Token) -> str | None:
    first = {child.text.lower() for child in sentence.children(token.index, "mark", "advmod", "prep")}
    if first & CAUSES:
        return "MOD"
    if first & TIME_CONJUNCTIONS:
        return "TMP"
    helpers = sentence.children(token.index, "aux", "auxpass")
    purpose = any(child.tag == "TO" for child in helpers) and token.tag == "VB"
    along = token.tag in {"VBG", "VBN"} and not any(child.tag in {"VBD", "VBZ", "VBP", "MD"} for child in helpers)
    return "MOD" if purpose or along else None


def _kind_of_phrase(sentence: ParsedSentence, token: Token, verb: Token) -> str | None:
    word = token.text.lower()
    if word in MODIFIER_PREPOSITIONS or (word in {"by", "without"} and sentence.children(token.index, "pcomp")):
        return "MOD"
    for noun in sentence.children(token.index, "pobj"):
        lemma = noun.lemma.lower()
        if word in PLACE_PREPOSITIONS and noun.pos == "NOUN" and (lemma in PLACE_NOUNS or lemma in SPOKEN_PLACES):
            spoken = word in {"in", "at"} or (word == "on" and lemma in BROADCASTS)
            return "LOC" if lemma in PLACE_NOUNS or spoken else None
        if word in NEARNESS and noun.ent_type not in {"DATE", "TIME"} and lemma not in TIME_NOUNS:
            return "LOC"
        if word == "for" and lemma in PURPOSE_NOUNS:
            return "MOD"
        thing = noun.pos == "NOUN" and not noun.ent_type
        if word == "with" and thing and verb.lemma.lower() not in {"meet", "talk", "deal"}:
            return "MOD"
    return None
