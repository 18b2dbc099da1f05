"""The post-processing rules for places (Babko-Malaya et al. 2012, section 4), one function per rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.grammar import head_of, trimmed
from karat.nuggetizer.english.places import (
    PLACE_ROLES,
    event_noun_of,
    is_after_object,
    is_visited,
    name_head,
    phrase_below,
    phrase_of_place,
    preposition_of,
    role_of_name,
)
from karat.nuggetizer.english.word_lists import (
    PLACE_NOUNS,
    PLACE_PREPOSITIONS,
    TIME_NOUNS,
)
from karat.nuggetizer.rules.joining import merged


def is_time_phrase(sentence: ParsedSentence, tokens: Iterable[int]) -> bool:
    """Whether the noun of a phrase (also after its preposition) is a date, a time or a noun of time."""
    order = sorted(tokens)
    inside = set(order)
    tops = [at for at in order if sentence.tokens[at].head not in inside or sentence.tokens[at].head == at]
    for top in tops:
        nouns = [sentence.tokens[top], *sentence.children(top, "pobj")]
        for noun in nouns:
            if noun.ent_type in {"DATE", "TIME"} or (noun.pos == "NOUN" and noun.lemma.lower() in TIME_NOUNS):
                return True
    return False


PLACES = frozenset({"GPE", "LOC"})
OTHER_ARGUMENTS = frozenset({"ARG2", "ARG3", "ARG4", "ARG5"})


def place_as_agent_or_patient(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A place (by the entity tagger) as Arg0 or Arg1 is a GPE; if it is visited, entered or left, it stays a LOC."""
    result = []
    for draft in drafts:
        if _is_named_place(draft):
            role = role_of_name(sentence, draft)
            if role is not None and role[0] in {"ARG0", "ARG1"}:
                kind = "LOC" if is_visited(role[1], role[0]) else "GPE"
                result.append(
                    replace(draft, type=kind, rule="place-as-agent-or-patient" if kind == "GPE" else "place-visited")
                )
                continue
        result.append(draft)
    return result


def place_as_other_argument(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A place (by the entity tagger) that is Arg2-Arg5 or ArgM-LOC/DIR is a LOC, with its whole phrase."""
    result = []
    for draft in drafts:
        if _is_named_place(draft):
            role = role_of_name(sentence, draft)
            if role is not None and role[0] not in {"ARG0", "ARG1"}:
                phrase = phrase_of_place(sentence, draft)
                located = role[0] in OTHER_ARGUMENTS | PLACE_ROLES or preposition_of(
                    sentence, name_head(sentence, draft)
                )
                if located:
                    result.append(replace(draft, type="LOC", tokens=frozenset(phrase), rule="place-as-other-argument"))
                    continue
        result.append(draft)
    return result


def place_of_event_noun(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A phrase of an event noun that says where or where to is a LOC: 'a visit to ...', 'an attack in ...'."""
    return [
        replace(draft, type="LOC", tokens=frozenset(phrase_of_place(sentence, draft)), rule="place-of-event-noun")
        if _is_named_place(draft) and event_noun_of(sentence, draft) is not None
        else draft
        for draft in drafts
    ]


def place_after_object(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A place after an object without 'the' is where the event happens: 'sequenced samples of the virus in Leeds'.

    With 'the' or a possessive ('praised the clinics in Leeds') the place says which one is meant, unless the verb is
    done where its object is ('opened the museum in Oslo').
    """
    return [
        replace(draft, type="LOC", tokens=frozenset(phrase_of_place(sentence, draft)), rule="place-after-object")
        if _is_named_place(draft) and is_after_object(sentence, draft)
        else draft
        for draft in drafts
    ]


def place_apart_from_modifier(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A modifier ends before the place of the event: 'treated them with antibiotics' and 'in Turin'."""
    ends = [draft.tokens for draft in drafts if draft.rule == "place-after-object"]
    result = []
    for draft in drafts:
        for place in ends:
            if draft.type == "MOD" and place < draft.tokens and max(place) == max(draft.tokens):
                draft = replace(draft, tokens=frozenset(trimmed(sentence, draft.tokens - place)))
        result.append(draft)
    return result


def way_with_its_end(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """'from ... to ...' is one place or one time, also if only its beginning was recognised."""
    return [_to_its_end(sentence, draft) if draft.type in {"LOC", "TMP"} else draft for draft in drafts]


def no_place_inside_noun_phrase(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A place inside a noun phrase makes no nugget: 'the US president', 'the mayor of ...', a possessive."""
    return [draft for draft in drafts if not _is_named_place(draft)]


def place_overrides_role(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """If a phrase is a place by the entity tagger and another modifier by its role, only the place stays."""
    places = [draft for draft in drafts if draft.type == "LOC" and not draft.rule.startswith("role-")]
    return [
        draft
        for draft in drafts
        if not (
            draft.rule.startswith("role-")
            and draft.type in {"MOD", "TMP", "NUM"}
            and any(_same_phrase(sentence, draft, place) for place in places)
        )
    ]


def place_over_time_of_event(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """'during a visit to ...' is a place and no time, because the event noun itself names no time."""
    places = [draft for draft in drafts if draft.rule in {"place-of-event-noun", "grammar-event-noun"}]
    return [
        draft
        for draft in drafts
        if not (draft.rule == "role-ARGM-TMP" and any(_is_event_at(sentence, draft, place) for place in places))
    ]


def place_after_bare_number(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A number without a noun has no place, so the place after it is that of the event: 'killed two in Peru'."""
    return [
        replace(draft, type="LOC", tokens=frozenset(phrase_of_place(sentence, draft)), rule="place-after-bare-number")
        if _is_named_place(draft) and _is_after_bare_number(sentence, draft)
        else draft
        for draft in drafts
    ]


def extent_of_role(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """If a place by the entity tagger is inside a LOC by its role, only the one by the role stays."""
    by_role = [draft for draft in drafts if draft.type == "LOC" and draft.rule.startswith("role-")]
    return [
        draft
        for draft in drafts
        if not (draft.type == "LOC" and draft not in by_role and any(draft.tokens <= other.tokens for other in by_role))
    ]


def merge_adjacent_places(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """LOC nuggets next to each other, or with a comma between them, become one: 'in Paris, France', 'from X to Y'."""
    return merged(sentence, drafts, "LOC", "merge-adjacent-places")


def time_over_place(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A phrase that is a place or another modifier by its role is a TMP if its noun is a date or a time."""
    return [
        replace(draft, type="TMP", rule="time-over-place")
        if draft.rule in {"role-ARGM-LOC", "role-ARGM-DIR", "role-ARGM-EXT", "role-ARGM-ADV", "role-ARGM-MNR"}
        and is_time_phrase(sentence, draft.tokens)
        else draft
        for draft in drafts
    ]


def _is_named_place(draft: Draft) -> bool:
    """Whether a draft is a place that comes from the entity tagger and was not changed by a rule yet."""
    return draft.type in PLACES and draft.rule.startswith("entity-")


def _to_its_end(sentence: ParsedSentence, draft: Draft) -> Draft:
    after = sentence.tokens[draft.end] if draft.end < len(sentence.tokens) else None
    first = sentence.tokens[draft.start].text.lower()
    if first != "from" or after is None or after.text.lower() not in {"to", "into", "until", "till"}:
        return draft
    for noun in sentence.children(after.index, "pobj"):
        phrase = phrase_below(sentence, after.index)
        time = noun.ent_type in {"DATE", "TIME"} or noun.lemma.lower() in TIME_NOUNS
        place = noun.pos == "PROPN" or noun.lemma.lower() in PLACE_NOUNS
        if time if draft.type == "TMP" else place and not time:
            return replace(draft, tokens=draft.tokens | phrase, rule="way-with-its-end")
    return draft


def _is_after_bare_number(sentence: ParsedSentence, draft: Draft) -> bool:
    preposition = preposition_of(sentence, name_head(sentence, draft))
    if preposition is None or preposition.text.lower() not in PLACE_PREPOSITIONS:
        return False
    return sentence.tokens[preposition.head].tag == "CD"


def _same_phrase(sentence: ParsedSentence, draft: Draft, place: Draft) -> bool:
    """Whether a modifier is the phrase of a place, and not a longer clause that contains the place."""
    return place.tokens <= draft.tokens and len(draft.tokens) - len(place.tokens) <= 2


def _is_event_at(sentence: ParsedSentence, time: Draft, place: Draft) -> bool:
    """Whether a time phrase is only 'during', an event noun and its place, with no time in it."""
    if not place.tokens < time.tokens or is_time_phrase(sentence, time.tokens):
        return False
    top = sentence.tokens[head_of(sentence, time.start, time.end)]
    return top.dep == "prep" and top.text.lower() == "during"
