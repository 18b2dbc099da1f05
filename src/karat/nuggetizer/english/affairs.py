"""What looks like a place and is none: affairs, participants, topics and states."""

from __future__ import annotations

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.place_words import ALSO_SOMEWHERE, LANDMARKS, STATES, TOPIC_VERBS
from karat.nuggetizer.english.places import has_a_place, is_event_noun, is_place_noun, phrase_below
from karat.nuggetizer.english.word_lists import (
    BROADCASTS,
    EVENT_NOUNS,
    MOTION_NOUNS,
    PLACE_NOUNS,
    PLACE_PREPOSITIONS,
    RELATION_NOUNS,
    SPOKEN_PLACES,
    SURFACES,
    TIME_NOUNS,
)

STANDING = frozenset("draw land live perform settle speak survive talk write".split())
"""Verbs of which 'on the roof' says where; one works on a roof that needs work."""


def are_participants(sentence: ParsedSentence, draft: Draft) -> bool:
    """Whether a phrase with 'between' or 'among' names who takes part in an event or a relation, and not a place.

    The noun or verb that it depends on decides: 'the war between ...'; 'fighting broke out between ...', where the
    subject is the event. A journey between two places is a route.
    """
    preposition = sentence.tokens[draft.start]
    if preposition.text.lower() not in {"between", "among", "amongst"} or preposition.pos not in {"ADP", "SCONJ"}:
        return False
    above = sentence.tokens[preposition.head]
    nouns = [above, *sentence.children(above.index, "nsubj", "nsubjpass", "dobj")]
    return any(_has_parties(sentence, noun) for noun in nouns if noun.index != preposition.index)


def _has_parties(sentence: ParsedSentence, noun: Token) -> bool:
    lemma = noun.lemma.lower()
    if lemma in MOTION_NOUNS or lemma in PLACE_NOUNS or noun.pos != "NOUN":
        return False
    return lemma in RELATION_NOUNS or is_event_noun(sentence, noun)


def is_affair(sentence: ParsedSentence, preposition: Token) -> bool:
    """Whether 'in' and an event, a relation or a state follow, which are no place: 'in the dispute with Peru'.

    'at' an event is a place, and so is what something is said in ('in a letter').
    """
    nouns = sentence.children(preposition.index, "pobj")
    if preposition.text.lower() not in {"in", "amid", "during", "into", "at"} or not nouns:
        return False
    return any(_is_affair(sentence, noun, preposition.text.lower() == "at") for noun in nouns)


def place_of_affair(sentence: ParsedSentence, preposition: Token) -> set[int]:
    """Where the event of a phrase happened: 'on the A5 near Essen' in 'in an accident on the A5 near Essen'."""
    for noun in sentence.children(preposition.index, "pobj"):
        for below in sentence.children(noun.index, "prep"):
            places = sentence.children(below.index, "pobj")
            named = any(
                place.ent_type in {"GPE", "LOC", "FAC"} or place.lemma.lower() in PLACE_NOUNS for place in places
            )
            near = any(
                child.text.lower() in {"near", "outside", "in", "at"}
                for place in places
                for child in sentence.children(place.index, "prep")
            )
            if below.text.lower() == "of" and (deeper := place_of_affair(sentence, below)):
                return deeper
            if below.text.lower() in PLACE_PREPOSITIONS - {"between", "among", "over"} and (named or near):
                return phrase_below(sentence, below.index)
    return set()


def _is_affair(sentence: ParsedSentence, noun: Token, at: bool) -> bool:
    lemma = noun.lemma.lower()
    if lemma in {"middle", "midst", "wake", "course", "aftermath", "heart", "run-up"}:
        below = [of for of in sentence.children(noun.index, "prep") if of.text.lower() in {"of", "to"}]
        return any(_is_affair(sentence, child, False) for of in below for child in sentence.children(of.index, "pobj"))
    if (
        noun.pos not in {"NOUN", "ADJ"}
        or noun.ent_type in {"GPE", "LOC", "FAC", "DATE", "TIME"}
        or lemma in PLACE_NOUNS | SPOKEN_PLACES | LANDMARKS
    ):
        return False
    if at:
        return lemma in RELATION_NOUNS - {"final", "semifinal", "contest", "competition"}
    return lemma in EVENT_NOUNS | RELATION_NOUNS | STATES


def topic_of(sentence: ParsedSentence, preposition: Token) -> bool:
    """Whether a phrase with 'on' says what its verb is about ('comment on the report'); a named place is no topic."""
    verb = sentence.tokens[preposition.head]
    nouns = sentence.children(preposition.index, "pobj")
    if preposition.text.lower() not in {"on", "upon"} or verb.lemma.lower() not in TOPIC_VERBS or not nouns:
        return False
    # 'worked on the farm' says where; one does not focus or vote on a farm in that sense.
    spoken = verb.lemma.lower() in {"speak", "talk", "testify", "report"}
    where = spoken or verb.lemma.lower() in ALSO_SOMEWHERE
    return not any(
        noun.ent_type in {"DATE", "TIME"}
        or (where and noun.ent_type in {"GPE", "LOC", "FAC"})
        or noun.lemma.lower() in TIME_NOUNS
        or (where and (is_place_noun(noun) or (verb.lemma.lower() in STANDING and has_a_place(sentence, noun))))
        or (spoken and noun.lemma.lower() in SURFACES | BROADCASTS | {"phone", "floor", "behalf"})
        for noun in nouns
    )


def is_state(sentence: ParsedSentence, preposition: Token) -> bool:
    """Whether a phrase with 'on' and a bare noun says how or in what state: 'on foot', 'on strike'; not 'on stage'."""
    nouns = sentence.children(preposition.index, "pobj")
    if preposition.text.lower() != "on" or len(nouns) != 1:
        return False
    noun = nouns[0]
    bare = noun.tag == "NN" and not noun.ent_type and len(sentence.subtree(noun.index)) == 1
    return bare and not is_place_noun(noun) and noun.lemma.lower() not in SURFACES
