"""The post-processing rules of the automatic nuggetizer (Babko-Malaya et al. 2012, section 4), one function per rule.

A rule takes a sentence and its drafts and returns the new list of drafts. The rules for places are in places.py. Where
the paper contradicts its own examples, docs/nuggetize.md says what Karat does.
"""

from __future__ import annotations

import re
from dataclasses import replace

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.detectors.numbers import counts
from karat.nuggetizer.drafts import Draft, in_order
from karat.nuggetizer.english.grammar import head_of, is_code, is_finite
from karat.nuggetizer.english.places import is_addressed, is_event_noun, role_of_name
from karat.nuggetizer.english.word_lists import NUMBERED, TIME_NOUNS
from karat.nuggetizer.extents import give_extents
from karat.nuggetizer.rules.gapping import gapped_parts_apart
from karat.nuggetizer.rules.joining import merged
from karat.nuggetizer.rules.no_places import (
    no_place_from_affair,
    no_place_from_amount,
    no_place_from_participants,
    no_place_from_person,
    no_place_from_topic,
    state_is_no_place,
)
from karat.nuggetizer.rules.places import (
    extent_of_role,
    merge_adjacent_places,
    no_place_inside_noun_phrase,
    place_after_bare_number,
    place_after_object,
    place_apart_from_modifier,
    place_as_agent_or_patient,
    place_as_other_argument,
    place_of_event_noun,
    place_over_time_of_event,
    place_overrides_role,
    time_over_place,
    way_with_its_end,
)

WITH_SOMEBODY = frozenset({"ARGM-COM", "ARGM-GOL"})
"""Modifiers that name somebody who takes part in the event: with whom, to whom."""


PARTS_OF_TIMES = frozenset("beginning close course end first half last middle outset part rest start".split())
"""Nouns before 'of' and a time that are a time together with it: 'the end of 1911'."""
VERSION = re.compile(r"\d+(?:\.\d+)+")
"""The number of a version: 3.0, 3.12.1."""


def no_event_from_saying(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A verb of saying makes a statement (STM), not an event (EVT)."""
    said = [draft for draft in drafts if draft.type == "STM"]
    return [draft for draft in drafts if draft.type != "EVT" or not any(draft.anchor & other.anchor for other in said)]


def no_event_from_nonfinite(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Infinitives, gerunds and participles make no event; modal, perfect and passive verb groups are finite."""
    return [draft for draft in drafts if draft.type != "EVT" or _is_finite_event(sentence, draft)]


def no_statement_from_nonfinite(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Infinitives and gerunds make no statement; an adverbial -ing clause with what was said does ('adding that')."""
    return [
        draft
        for draft in drafts
        if draft.type != "STM" or is_finite(sentence, min(draft.anchor)) or _says_along(sentence, min(draft.anchor))
    ]


def no_modifier_from_statement(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """An -ing clause that makes a statement does not make a modifier as well."""
    said = {min(draft.anchor) for draft in drafts if draft.type == "STM"}
    return [draft for draft in drafts if draft.type != "MOD" or head_of(sentence, draft.start, draft.end) not in said]


def cause_over_time(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A clause with 'because' or 'although' says no time, whatever its role is."""
    return [
        draft
        for draft in drafts
        if draft.type != "TMP" or sentence.tokens[draft.start].text.lower() not in {"because", "although", "though"}
    ]


def no_time_of_thing(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A date after 'of' says which thing is meant, not when something happened: 'a law of 1911'; but 'the riots of
    1911' and 'the summer of 1911' are times."""
    return [draft for draft in drafts if draft.type != "TMP" or not _is_of_thing(sentence, draft)]


def merge_adjacent_times(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """TMP nuggets next to each other, or with a comma between them, become one: 'on Monday, at noon'."""
    return merged(sentence, drafts, "TMP", "merge-adjacent-times")


def number_over_modifier(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """An extent ('by thirty points') and a price ('for $89') are numbers, whatever their role is."""
    numbers = [draft for draft in drafts if draft.type == "NUM"]
    return [
        draft
        for draft in drafts
        if not (_is_modifier_by_role(draft) and any(_measures(draft, other) for other in numbers))
    ]


def no_number_inside_name(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Digits after letters or after a proper noun are part of a name: 'COVID-19', 'H1N1', 'B-52', 'Apollo 11'."""
    result = []
    for draft in drafts:
        if draft.type == "NUM":
            # 'Three C-130 planes': what is left beside the name is a number, if it has one.
            left = frozenset(at for at in draft.tokens if not is_code(sentence, at))
            counted = any(counts(sentence, sentence.tokens[at]) for at in left)
            if _is_in_name(sentence, draft) or (left != draft.tokens and not counted):
                continue
            if left != draft.tokens:
                draft = replace(draft, tokens=left, rule="no-number-inside-name")
        result.append(draft)
    return result


def time_over_number(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """If a TMP and a NUM overlap, only the TMP stays."""
    times = [draft for draft in drafts if draft.type == "TMP"]
    return [draft for draft in drafts if draft.type != "NUM" or not any(draft.overlaps(time) for time in times)]


def names_only_as_arguments(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A person or organisation makes a nugget only as an argument of a verb, not as a possessive or a modifier."""
    return [draft for draft in drafts if draft.type not in {"PER", "ORG"} or _is_argument(sentence, draft)]


def no_name_that_is_addressed(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """The name of somebody who is spoken to makes no nugget: 'Frank, did they ...', 'And that, Karen, is why ...'."""
    return [draft for draft in drafts if draft.type != "PER" or not is_addressed(sentence, draft)]


def no_name_inside_title(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A person, organisation, place or number inside a title makes no nugget of its own."""
    titles = [draft for draft in drafts if draft.type == "TITLE"]
    return [
        draft
        for draft in drafts
        if draft.type not in {"ORG", "GPE", "LOC", "NUM", "PER"}
        or not any(draft.tokens <= title.tokens for title in titles)
    ]


def larger_of_nested(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """If a nugget is inside another of the same type, only the larger stays; of two equal ones, the first."""
    kept: list[Draft] = []
    for draft in in_order(drafts):
        if draft.type == "EVT" or draft.type == "STM":
            kept.append(draft)
        elif not any(draft.type == other.type and draft.tokens <= other.tokens for other in kept):
            kept = [other for other in kept if other.type != draft.type or not other.tokens < draft.tokens]
            kept.append(draft)
    return in_order(kept)


RULES = (
    no_event_from_saying,
    no_event_from_nonfinite,
    no_statement_from_nonfinite,
    no_modifier_from_statement,
    gapped_parts_apart,
    place_as_agent_or_patient,
    place_as_other_argument,
    place_of_event_noun,
    place_after_bare_number,
    place_after_object,
    no_place_inside_noun_phrase,
    no_place_from_participants,
    no_place_from_topic,
    no_place_from_affair,
    no_place_from_person,
    no_place_from_amount,
    state_is_no_place,
    place_overrides_role,
    place_over_time_of_event,
    time_over_place,
    extent_of_role,
    way_with_its_end,
    gapped_parts_apart,
    merge_adjacent_places,
    place_apart_from_modifier,
    names_only_as_arguments,
    no_name_that_is_addressed,
    no_name_inside_title,
    number_over_modifier,
    no_number_inside_name,
    cause_over_time,
    no_time_of_thing,
    merge_adjacent_times,
    time_over_number,
    larger_of_nested,
    give_extents,
)
"""All rules, in the order in which they are applied."""


def _is_of_thing(sentence: ParsedSentence, draft: Draft) -> bool:
    first = sentence.tokens[draft.start]
    noun = sentence.tokens[first.head]
    if first.text.lower() != "of" or first.dep != "prep" or noun.pos != "NOUN" or noun.index > first.index:
        return False
    return not is_event_noun(sentence, noun) and noun.lemma.lower() not in TIME_NOUNS | PARTS_OF_TIMES


def _is_in_name(sentence: ParsedSentence, draft: Draft) -> bool:
    """Whether a number follows what it names: the noun that it belongs to ('Apollo 11'), a product, if it is a version
    ('Python 3.12'), or a noun that is numbered ('type 2 diabetes', 'phase III', 'the Group of 20')."""
    first = sentence.tokens[draft.start]
    if len(draft.tokens) != 1 or not draft.start:
        return False
    before = sentence.tokens[draft.start - 1]
    if before.tag == "NN" and before.lemma.lower() in NUMBERED:
        return True
    if before.text == "of" and draft.start > 1 and sentence.tokens[draft.start - 2].text == "Group":
        return True
    named = before.pos == "PROPN" and first.text[0].isdigit()
    after = sentence.tokens[draft.end] if draft.end < len(sentence.tokens) else None
    version = VERSION.fullmatch(first.text) is not None and before.ent_type not in {"GPE", "LOC", "DATE", "TIME"}
    measured = after is not None and (after.tag in {"NNS", "CD"} or after.text in {"%", "percent"})
    return named and (first.head == before.index or (version and (not measured or first.head != draft.end)))


def _is_finite_event(sentence: ParsedSentence, draft: Draft) -> bool:
    verb = min(draft.anchor)
    if draft.rule == "verb-after-semi-modal":
        return is_finite(sentence, sentence.tokens[verb].head)
    return is_finite(sentence, verb)


def _says_along(sentence: ParsedSentence, verb: int) -> bool:
    token = sentence.tokens[verb]
    return token.tag == "VBG" and token.dep == "advcl" and bool(sentence.children(verb, "ccomp"))


def _is_modifier_by_role(draft: Draft) -> bool:
    return draft.rule.startswith("role-") and draft.type in {"MOD", "TMP"}


def _measures(draft: Draft, number: Draft) -> bool:
    """Whether a phrase is only the number, or a price with its preposition."""
    extent = draft.tokens == number.tokens
    price = (
        number.rule == "number-MONEY" and number.tokens <= draft.tokens and len(draft.tokens) - len(number.tokens) <= 1
    )
    return extent or price


def _is_argument(sentence: ParsedSentence, draft: Draft) -> bool:
    role = role_of_name(sentence, draft)
    return role is not None and (not role[0].startswith("ARGM") or role[0] in WITH_SOMEBODY)
