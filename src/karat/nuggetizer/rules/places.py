"""The post-processing rules for places (Babko-Malaya et al. 2012, section 4), one function a rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from karat.language.analysis import Sentence
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.grammar import head_of
from karat.nuggetizer.english.places import (
    PLACE_ROLES,
    event_noun_of,
    is_visited,
    name_head,
    phrase_of_place,
    preposition_of,
    role_of_name,
)
from karat.nuggetizer.english.word_lists import TIME_NOUNS
from karat.nuggetizer.rules.joining import merged


def is_time_phrase(sentence: Sentence, tokens: Iterable[int]) -> bool:
    """Whether the noun of a phrase, or its preposition's, is a date, a time or a noun of time."""
    own = sorted(tokens)
    inside = set(own)
    tops = [at for at in own if sentence.tokens[at].head not in inside or sentence.tokens[at].head == at]
    for top in tops:
        nouns = [sentence.tokens[top], *sentence.children(top, "pobj")]
        for noun in nouns:
            if noun.ent_type in {"DATE", "TIME"} or (noun.pos == "NOUN" and noun.lemma.lower() in TIME_NOUNS):
                return True
    return False


PLACES = frozenset({"GPE", "LOC"})
OTHER_ARGUMENTS = frozenset({"ARG2", "ARG3", "ARG4", "ARG5"})


def place_as_agent_or_patient(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A place by the entity tagger that is Arg0 or Arg1 is a GPE; one that is visited, entered or left stays a LOC."""
    found = []
    for one in drafts:
        if _is_named_place(one):
            role = role_of_name(sentence, one)
            if role is not None and role[0] in {"ARG0", "ARG1"}:
                kind = "LOC" if is_visited(role[1], role[0]) else "GPE"
                found.append(
                    replace(one, type=kind, rule="place-as-agent-or-patient" if kind == "GPE" else "place-visited")
                )
                continue
        found.append(one)
    return found


def place_as_other_argument(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A place by the entity tagger that is Arg2-Arg5 or ArgM-LOC/DIR is a LOC, with the whole phrase."""
    found = []
    for one in drafts:
        if _is_named_place(one):
            role = role_of_name(sentence, one)
            if role is not None and role[0] not in {"ARG0", "ARG1"}:
                phrase = phrase_of_place(sentence, one)
                located = role[0] in OTHER_ARGUMENTS | PLACE_ROLES or preposition_of(sentence, name_head(sentence, one))
                if located:
                    found.append(replace(one, type="LOC", tokens=frozenset(phrase), rule="place-as-other-argument"))
                    continue
        found.append(one)
    return found


def place_of_event_noun(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A directional or locative phrase of an event noun is a LOC: 'a visit to ...', 'an attack in ...'."""
    return [
        replace(one, type="LOC", tokens=frozenset(phrase_of_place(sentence, one)), rule="place-of-event-noun")
        if _is_named_place(one) and event_noun_of(sentence, one) is not None
        else one
        for one in drafts
    ]


def no_place_inside_noun_phrase(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A place inside a noun phrase makes no nugget: 'the US president', 'the mayor of ...', a possessive."""
    return [one for one in drafts if not _is_named_place(one)]


def place_overrides_role(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """Where the entity tagger sees a place and the roles another modifier, the place stands and the modifier goes."""
    places = [one for one in drafts if one.type == "LOC" and not one.rule.startswith("role-")]
    return [
        one
        for one in drafts
        if not (
            one.rule.startswith("role-")
            and one.type in {"MOD", "TMP", "NUM"}
            and any(_same_phrase(sentence, one, place) for place in places)
        )
    ]


def place_over_time_of_event(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """'during a visit to ...': an event with its place says where, and the event's name alone is no time."""
    places = [one for one in drafts if one.rule in {"place-of-event-noun", "grammar-event-noun"}]
    return [
        one
        for one in drafts
        if not (one.rule == "role-ARGM-TMP" and any(_is_event_at(sentence, one, place) for place in places))
    ]


def extent_of_role(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """Where a place by the entity tagger and a LOC by its role overlap, the extent is that of the role."""
    by_role = [one for one in drafts if one.type == "LOC" and one.rule.startswith("role-")]
    return [
        one
        for one in drafts
        if not (one.type == "LOC" and one not in by_role and any(one.tokens <= other.tokens for other in by_role))
    ]


def merge_adjacent_places(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """LOC nuggets that touch, or have a comma between them, are one: 'in Paris, France', 'from X to Y'."""
    return merged(sentence, drafts, "LOC", "merge-adjacent-places")


def time_over_place(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A phrase whose roles say where, but whose noun is a date or a time, says when."""
    return [
        replace(one, type="TMP", rule="time-over-place")
        if one.rule in {"role-ARGM-LOC", "role-ARGM-DIR", "role-ARGM-EXT", "role-ARGM-ADV", "role-ARGM-MNR"}
        and is_time_phrase(sentence, one.tokens)
        else one
        for one in drafts
    ]


def _is_named_place(one: Draft) -> bool:
    """A place that only the entity tagger has spoken of."""
    return one.type in PLACES and one.rule.startswith("entity-")


def _same_phrase(sentence: Sentence, one: Draft, place: Draft) -> bool:
    """Whether a modifier is the phrase of a place, and not a clause that has the place in it."""
    return place.tokens <= one.tokens and len(one.tokens) - len(place.tokens) <= 2


def _is_event_at(sentence: Sentence, time: Draft, place: Draft) -> bool:
    """Whether a time phrase is a preposition, an event noun and its place, with nothing that tells a time."""
    if not place.tokens < time.tokens or is_time_phrase(sentence, time.tokens):
        return False
    top = sentence.tokens[head_of(sentence, time.start, time.end)]
    return top.dep == "prep" and top.text.lower() == "during"
