"""The rules for people who annotate (Babko-Malaya 2008), as far as a program can follow them: for suggestions.

They go further than the rules of the automatic system: a title includes its person; times, places and numbers inside
noun phrases make nuggets of their own; gerund clauses make events; a statement includes what was said; conjoined
objects make an event each. A nugget must be a fact that the snippet states, and an infinitive states none.
"""

from __future__ import annotations

from dataclasses import replace

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.gaps import ranges
from karat.nuggetizer.english.grammar import (
    direct_quotation,
    in_quotes,
    is_finite,
    speaker_of,
    trimmed,
    verb_group,
    what_was_said,
)
from karat.nuggetizer.extents import proposition
from karat.nuggetizer.rules import auto, no_places, places
from karat.nuggetizer.rules.gapping import gapped_parts_apart
from karat.nuggetizer.rules.guideline_places import (
    distance_apart,
    merge_places_but_distances,
    no_place_from_unnamed_argument,
    place_inside_noun_phrase,
    purpose_with_its_event,
    split_conjoined_places,
)

NAMED_PLACES = frozenset({"place-as-other-argument", "merge-adjacent-places", "way-with-its-end"})
INSIDE = frozenset({"LOC", "TMP", "NUM", "MOD"})


def title_with_its_person(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A title nugget includes the person, because that is the fact it states."""
    people = [draft for draft in drafts if draft.rule == "entity-PERSON"]
    result = []
    for draft in drafts:
        if draft.type == "TITLE":
            near = [person for person in people if _beside(sentence, draft, person)]
            if near:
                between = range(min(draft.start, near[0].start), max(draft.end, near[0].end))
                draft = replace(draft, tokens=frozenset(between), rule="title-with-its-person")
        result.append(draft)
    return result


def age_with_its_person(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A nugget of an age after a name includes the name: 'Ana Ruiz, 34'."""
    people = [draft for draft in drafts if draft.rule == "entity-PERSON"]
    result = []
    for draft in drafts:
        if draft.type == "NUM" and len(draft.tokens) == 1:
            before = [person for person in people if person.end == draft.start - 1]
            if before and sentence.tokens[draft.start - 1].text == ",":
                draft = replace(draft, tokens=frozenset(range(before[0].start, draft.end)), rule="age-with-its-person")
        result.append(draft)
    return result


def number_with_its_article(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A number includes the article before it: 'the five'."""
    return [
        replace(draft, tokens=draft.tokens | {draft.start - 1}, rule="number-with-its-article")
        if draft.type == "NUM" and draft.start > 0 and sentence.tokens[draft.start - 1].text.lower() == "the"
        else draft
        for draft in drafts
    ]


def no_event_from_infinitive(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Infinitives make no event, because they state no fact (something is asked or hoped for). Gerund clauses do."""
    return [draft for draft in drafts if draft.type != "EVT" or _states(sentence, min(draft.anchor), draft.rule)]


def clause_sized_statement(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A statement is the speaker, the verb and what was said; conjoined clauses of indirect speech make one each.

    A direct quotation stays whole, also if the speaker stands in the middle of it.
    """
    result = []
    for draft in drafts:
        if draft.type != "STM":
            result.append(draft)
            continue
        verb = min(draft.anchor)
        said = what_was_said(sentence, verb)
        if any(child.dep in {"ccomp", "xcomp"} for child in said):
            # The object is the person who is told something; it goes with the verb, below.
            said = [child for child in said if child.dep != "dobj"]
        speaker = speaker_of(sentence, verb).union(
            *(set(sentence.subtree(child.index)) for child in sentence.children(verb, "dative", "dobj"))
        )
        frame = verb_group(sentence, verb) | speaker
        quoted = direct_quotation(sentence, verb)
        # Between a quotation and its speaker there is only a comma, which joins them.
        whole = set(range(min(quoted | frame), max(quoted | frame) + 1)) if quoted else set()
        clauses = [whole] if whole else _clauses(sentence, said)
        for clause in clauses or [set()]:
            result.append(
                replace(draft, tokens=frozenset(trimmed(sentence, frame | clause)), rule="clause-sized-statement")
            )
    return result


def split_conjoined_objects(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Each of conjoined objects makes an event: 'imports food', 'imports medicines'."""
    result = []
    for draft in drafts:
        parts = _conjuncts(sentence, draft) if draft.type == "EVT" else []
        if len(parts) < 2:
            result.append(draft)
            continue
        # The words between the conjuncts belong to none of them.
        everything = set(range(min(map(min, parts)), max(map(max, parts)) + 1))
        result += [
            replace(draft, tokens=frozenset((draft.tokens - everything) | part), rule="split-conjoined-objects")
            for part in parts
        ]
    return result


def give_extents(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A verb with the full extent of its arguments, but without the times, places, numbers and modifiers in them."""
    nested = [draft for draft in drafts if draft.type in INSIDE]
    result = []
    for draft in drafts:
        if draft.type == "EVT":
            verb = min(draft.anchor)
            numbers = [other for other in nested if other.type == "NUM"]
            tokens = proposition(sentence, verb, nested, numbers=numbers) | draft.anchor
            for end in {end for ends in ranges(sentence, numbers) for end in ends}:
                # 'rose from 3 in 2001 to 9': without its number a preposition is nothing.
                tokens -= set(range(end.start - 1, end.end))
            for other in nested:
                if other.type == "NUM" and other.rule != "age-with-its-person" and other.tokens < tokens:
                    tokens -= other.tokens
                named = other.type == "LOC" and other.rule in NAMED_PLACES
                if named and verb not in other.tokens and sentence.tokens[other.start].dep == "prep":
                    # A named place is a nugget of its own, also where it is a whole argument.
                    tokens -= other.tokens
            draft = replace(draft, tokens=frozenset(tokens | draft.anchor))
        result.append(draft)
    return result


RULES = (
    auto.no_event_from_saying,
    no_event_from_infinitive,
    auto.no_statement_from_nonfinite,
    title_with_its_person,
    age_with_its_person,
    gapped_parts_apart,
    places.place_as_agent_or_patient,
    places.place_as_other_argument,
    places.place_of_event_noun,
    places.place_after_bare_number,
    places.place_after_object,
    place_inside_noun_phrase,
    no_place_from_unnamed_argument,
    places.no_place_inside_noun_phrase,
    no_places.no_place_from_participants,
    no_places.no_place_from_topic,
    no_places.no_place_from_affair,
    no_places.no_place_from_person,
    no_places.no_place_from_amount,
    no_places.state_is_no_place,
    places.place_overrides_role,
    places.time_over_place,
    distance_apart,
    places.extent_of_role,
    places.way_with_its_end,
    gapped_parts_apart,
    merge_places_but_distances,
    places.place_apart_from_modifier,
    purpose_with_its_event,
    auto.names_only_as_arguments,
    auto.no_name_that_is_addressed,
    auto.number_over_modifier,
    auto.no_number_inside_name,
    auto.cause_over_time,
    auto.merge_adjacent_times,
    auto.time_over_number,
    number_with_its_article,
    auto.larger_of_nested,
    give_extents,
    split_conjoined_places,
    split_conjoined_objects,
    clause_sized_statement,
)
"""All rules, in the order in which they are applied."""


def _beside(sentence: ParsedSentence, title: Draft, person: Draft) -> bool:
    gap = range(min(title.end, person.end), max(title.start, person.start))
    return all(sentence.tokens[at].pos in {"PUNCT", "DET"} or sentence.tokens[at].tag == "POS" for at in gap)


def _states(sentence: ParsedSentence, verb: int, rule: str) -> bool:
    if rule == "verb-after-semi-modal":
        return is_finite(sentence, sentence.tokens[verb].head)
    if is_finite(sentence, verb):
        return True
    token = sentence.tokens[verb]
    governor = sentence.tokens[token.head]
    gerund = token.tag == "VBG" and token.dep in {"advcl", "pcomp"} and not sentence.children(verb, "aux")
    return gerund and any(is_finite(sentence, above.index) for above in (governor, *sentence.ancestors(governor.index)))


def _clauses(sentence: ParsedSentence, said: list[Token]) -> list[set[int]]:
    clauses = []
    for clause in said:
        whole = set(sentence.subtree(clause.index))
        joined = [
            child
            for child in sentence.children(clause.index, "conj")
            if sentence.children(child.index, "nsubj", "nsubjpass", "expl")
        ]
        if not joined or in_quotes(sentence, clause.index):
            clauses.append(whole)
            continue
        others = set().union(*(set(sentence.subtree(child.index)) for child in joined))
        first = {
            at for at in whole - others if sentence.tokens[at].dep != "cc" or sentence.tokens[at].head != clause.index
        }
        clauses.append(first)
        clauses += [set(sentence.subtree(child.index)) for child in joined]
    return clauses


def _conjuncts(sentence: ParsedSentence, draft: Draft) -> list[set[int]]:
    """The conjoined objects of the verb of an event, each with its own modifiers."""
    for first in sentence.children(min(draft.anchor), "dobj"):
        heads = [first.index]
        for at in heads:
            heads += [child.index for child in sentence.children(at, "conj")]
        if len(heads) > 1:
            trees = [set(sentence.subtree(head)) for head in heads]
            conjuncts = []
            for at, tree in enumerate(trees):
                later = set().union(*trees[at + 1 :]) if at + 1 < len(trees) else set()
                if at + 1 < len(trees):
                    # A participle after the last object goes with it, whatever the parse says.
                    later |= {token for token in tree if token > max(heads)}
                joining = {
                    at
                    for at in tree
                    if sentence.tokens[at].dep in {"cc", "punct"} and sentence.tokens[at].head in heads
                }
                own = (tree - later - joining) & draft.tokens
                if heads[at] == max(heads):
                    own |= {token for token in trees[0] if token > max(heads)} & draft.tokens
                conjuncts.append(trimmed(sentence, own))
            return [part for part in conjuncts if part]
    return []
