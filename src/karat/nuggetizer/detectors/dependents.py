"""Modifiers found by the parse and their words, for what the role labeller misses.

A place noun after a preposition of place is a place, whatever its role is; the first word of a clause or an adverb
often shows what kind of modifier it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import Argument, ParsedSentence, Predicate, Token
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import governing_verb, is_main_verb, predicates_by_token, trimmed
from karat.nuggetizer.english.place_words import CELESTIAL, LANDMARKS, PARTS_OF_PLACES, SPATIAL
from karat.nuggetizer.english.places import PLACE_ROLES, has_a_place, is_event_noun, phrase_below
from karat.nuggetizer.english.word_lists import (
    BROADCASTS,
    CAUSES,
    COMPANY,
    COMPASS,
    DOING,
    DONE_THERE,
    KIN,
    MODIFIER_PREPOSITIONS,
    NOT_MANNER,
    NOT_SOMEWHERE,
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
BEFORE_OF = COMPASS | {"outside", "inside"}
BEFORE_TO = frozenset({"close", "next", "adjacent", "near"})
"""First words of prepositions of two words: 'close to', 'next to', 'north of'."""
PUTTING = frozenset(
    """anchor detect dig discover drop film hide hit intercept lay leave locate moor park photograph place plant put
    recover rescue see set sink spot stop store strike uncover unearth""".split()
)
"""Further verbs that are done where their object is."""
DEFINITE = frozenset("the this that these those".split())
CLEAR_CAUSES = frozenset({"because", "although", "though", "unless"})


def detect_dependents(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per dependent of a verb whose words show that it is a place, a time or another modifier."""
    predicates = predicates_by_token(sentence)
    for verb in sentence.tokens:
        if not is_main_verb(verb):
            continue
        for child in sentence.children(verb.index, "prep", "advcl", "advmod", "npadvmod", "acomp"):
            role = _role(predicates.get(verb.index), child)
            kind = _kind(sentence, child, verb)
            if kind is None or (role is not None and not _overrides(sentence, kind, role, child)):
                continue
            whole = sentence.subtree(child.index)
            of_place = child.dep == "prep" or _is_two_words(sentence, child)
            if tokens := phrase_below(sentence, child.index) if of_place else trimmed(sentence, whole):
                numbered = role is not None and not role.label.startswith("ARGM")
                yield new_draft(kind, tokens, "grammar-argument" if numbered else f"grammar-{child.dep}")
        yield from _places_after_adverbs(sentence, verb)
    yield from _places_of_events(sentence)
    yield from _places_after_objects(sentence)


def _places_after_adverbs(sentence: ParsedSentence, verb: Token) -> Iterator[Draft]:
    """'fell back to Earth', 'went down east of Malta': the place after an adverb of direction."""
    for adverb in sentence.children(verb.index, "advmod", "prt"):
        for child in sentence.children(adverb.index, "prep", "advmod"):
            if adverb.text.lower() not in {"back", "down", "up", "out", "over"} or child.index != adverb.index + 1:
                continue
            place = _is_two_words(sentence, child) or any(
                has_a_place(sentence, noun) for noun in sentence.children(child.index, "pobj")
            )
            if place and (child.text.lower() in PLACE_PREPOSITIONS or child.dep == "advmod"):
                yield new_draft("LOC", phrase_below(sentence, child.index), "grammar-argument")


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
    """A place after the last noun of a verb says where it happens: 'hit by a bomb near Kandahar', 'found the wreck
    beneath the ice'. With 'the', the verb must be one that is done where its object is, except after 'near'."""
    for preposition in sentence.tokens:
        noun = sentence.tokens[preposition.head]
        if noun.pos != "NOUN" or noun.index > preposition.index:
            continue
        verb = governing_verb(sentence, noun.index)
        if verb is None or verb.index > noun.index or sentence.tokens[noun.head].text.lower() in {"to", "for", "about"}:
            continue
        word = preposition.text.lower()
        if preposition.dep == "prep" and word in NEARNESS:
            located = any(
                child.pos == "PROPN" or child.lemma.lower() in PLACE_NOUNS
                for child in sentence.children(preposition.index, "pobj")
            )
        else:
            spatial = preposition.dep == "prep" and (word in SPATIAL or _is_part(sentence, preposition))
            located = _is_two_words(sentence, preposition) or (
                spatial and any(has_a_place(sentence, child) for child in sentence.children(preposition.index, "pobj"))
            )
            located = located and _is_done_there(sentence, verb, noun)
        if located:
            yield new_draft("LOC", phrase_below(sentence, preposition.index), "grammar-after-object")


def _is_done_there(sentence: ParsedSentence, verb: Token, noun: Token) -> bool:
    lemma = verb.lemma.lower()
    which = any(child.lemma.lower() in DEFINITE for child in sentence.children(noun.index, "det"))
    if which or sentence.children(noun.index, "poss"):
        return lemma in DONE_THERE or lemma in PUTTING
    return lemma not in NOT_SOMEWHERE


def _is_part(sentence: ParsedSentence, preposition: Token) -> bool:
    """Whether a phrase is like 'in front of', 'on top of', 'at the foot of'."""
    return preposition.text.lower() in {"in", "on", "at", "to"} and any(
        noun.lemma.lower() in PARTS_OF_PLACES for noun in sentence.children(preposition.index, "pobj")
    )


def _is_two_words(sentence: ParsedSentence, token: Token) -> bool:
    """Whether a word begins a preposition of two words before a place: 'close to the village', 'north of Mosul'."""
    word = token.text.lower()
    joined = {"of"} if word in BEFORE_OF else {"to"} if word in BEFORE_TO else set()
    if not joined or sentence.children(token.index, "npadvmod", "nummod"):
        return False
    return any(
        has_a_place(sentence, noun)
        for preposition in sentence.children(token.index, "prep")
        if preposition.text.lower() in joined and preposition.index == token.index + 1
        for noun in sentence.children(preposition.index, "pobj")
    )


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
        spatial = _is_two_words(sentence, token) or (
            token.text.lower() in SPATIAL
            and any(has_a_place(sentence, noun) for noun in sentence.children(token.index, "pobj"))
        )
        if spatial and role.label in {"ARG1", "ARGM-TMP"}:
            # 'built a plant next to the river', whatever the role labeller says.
            return True
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
    if word in COMPASS and sentence.children(token.index, "npadvmod", "nummod"):
        # '40 miles north of Kabul' is a distance.
        return None
    if token.dep in {"advmod", "acomp", "npadvmod"} and _is_two_words(sentence, token):
        return "LOC" if verb.lemma.lower() != "be" or word in BEFORE_OF else None
    if token.dep == "advmod":
        if word in PLACE_ADVERBS or word.endswith(("ward", "wards")):
            return "LOC"
        if word in TIME_ADVERBS:
            return "TMP"
        return "MOD" if word.endswith("ly") and word not in NOT_MANNER and token.pos == "ADV" else None
    if token.dep == "npadvmod" and word in COMPASS:
        return "LOC"
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
    for below in sentence.children(token.index, "prep", "pcomp"):
        # 'from beneath the rubble'
        under = below.index == token.index + 1 and below.text.lower() in SPATIAL
        if under and any(has_a_place(sentence, noun) for noun in sentence.children(below.index, "pobj")):
            return "LOC"
    for noun in sentence.children(token.index, "pobj"):
        lemma = noun.lemma.lower()
        if word in PLACE_PREPOSITIONS and lemma in CELESTIAL and verb.lemma.lower() not in {"refer", "belong"}:
            return "LOC"
        if (word in SPATIAL or _is_part(sentence, token)) and has_a_place(sentence, noun):
            return "LOC"
        if word in {"on", "in", "at"} and lemma in LANDMARKS and noun.pos == "NOUN" and not noun.ent_type:
            return "LOC"
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
