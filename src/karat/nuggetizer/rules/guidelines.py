"""The rules people follow (Babko-Malaya 2008), as far as a program can: for suggestions to annotators.

They go beyond the automatic system's: a title stands with its person, times, places and numbers inside noun phrases
make nuggets of their own, gerund clauses make events, statements are as large as their clauses, and conjoined objects
are told apart. A nugget must be a fact that the snippet states: an infinitive states none.
"""

from __future__ import annotations

from dataclasses import replace

from karat.language.analysis import Sentence, Token
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.grammar import in_quotes, is_finite, trimmed, verb_group, what_was_said
from karat.nuggetizer.english.places import name_head, phrase_of_place, preposition_of
from karat.nuggetizer.extents import proposition
from karat.nuggetizer.rules import auto, places

INSIDE = frozenset({"LOC", "TMP", "NUM", "MOD"})
TOGETHER = frozenset({"meet", "marry", "agree", "share", "differ", "divorce", "merge", "collide", "combine", "gather"})
"""Verbs whose conjoined subjects act together."""


def title_with_its_person(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A nugget of a title has the person in it, too: that is the fact it states."""
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


def age_with_its_person(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """An age behind a name stands with the name: 'Ana Ruiz, 34'."""
    people = [draft for draft in drafts if draft.rule == "entity-PERSON"]
    result = []
    for draft in drafts:
        if draft.type == "NUM" and len(draft.tokens) == 1:
            before = [person for person in people if person.end == draft.start - 1]
            if before and sentence.tokens[draft.start - 1].text == ",":
                draft = replace(draft, tokens=frozenset(range(before[0].start, draft.end)), rule="age-with-its-person")
        result.append(draft)
    return result


def number_with_its_article(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A number takes the article before it: 'the five'."""
    return [
        replace(draft, tokens=draft.tokens | {draft.start - 1}, rule="number-with-its-article")
        if draft.type == "NUM" and draft.start > 0 and sentence.tokens[draft.start - 1].text.lower() == "the"
        else draft
        for draft in drafts
    ]


def place_inside_noun_phrase(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A place makes a nugget whether it modifies a verb or a noun; not as a possessive or before its noun."""
    return [
        replace(draft, type="LOC", tokens=frozenset(phrase_of_place(sentence, draft)), rule="place-inside-noun-phrase")
        if draft.type in {"GPE", "LOC"} and draft.rule.startswith("entity-")
        and preposition_of(sentence, name_head(sentence, draft)) is not None
        else draft
        for draft in drafts
    ]  # fmt: skip


def no_place_from_unnamed_argument(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """'flew to the headquarters of ...': an argument that names no place is a part of the event."""
    return [draft for draft in drafts if draft.rule != "grammar-argument"]


def no_event_from_infinitive(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """What is asked or hoped for is not stated: infinitives make no event. Gerund clauses of a finite verb do."""
    return [draft for draft in drafts if draft.type != "EVT" or _states(sentence, min(draft.anchor), draft.rule)]


def clause_sized_statement(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A statement is the speaker, the verb and what was said; conjoined clauses of indirect speech make one each."""
    result = []
    for draft in drafts:
        if draft.type != "STM":
            result.append(draft)
            continue
        verb = min(draft.anchor)
        said = what_was_said(sentence, verb)
        if any(child.dep in {"ccomp", "xcomp"} for child in said):
            # Whom something is said to stands with the verb.
            said = [child for child in said if child.dep != "dobj"]
        speaker = set().union(
            *(set(sentence.subtree(child.index)) for child in sentence.children(verb, "nsubj", "dative", "dobj"))
        )
        frame = verb_group(sentence, verb) | speaker
        clauses = _clauses(sentence, said)
        for clause in clauses or [set()]:
            result.append(
                replace(draft, tokens=frozenset(trimmed(sentence, frame | clause)), rule="clause-sized-statement")
            )
    return result


def split_conjoined_objects(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """Conjoined objects make an event each, where they can: 'imports food', 'imports medicines'."""
    result = []
    for draft in drafts:
        parts = _conjuncts(sentence, draft) if draft.type == "EVT" else []
        if len(parts) < 2:
            result.append(draft)
            continue
        # What joins the conjuncts belongs to none of them.
        everything = set(range(min(map(min, parts)), max(map(max, parts)) + 1))
        result += [
            replace(draft, tokens=frozenset((draft.tokens - everything) | part), rule="split-conjoined-objects")
            for part in parts
        ]
    return result


def give_extents(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """A verb with its arguments to their maximal extent, without the times, places, numbers and modifiers in them."""
    nested = [draft for draft in drafts if draft.type in INSIDE]
    result = []
    for draft in drafts:
        if draft.type == "EVT":
            verb = min(draft.anchor)
            tokens = proposition(sentence, verb, nested) | draft.anchor
            for other in nested:
                if other.type == "NUM" and other.rule != "age-with-its-person" and other.tokens < tokens:
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
    places.place_as_agent_or_patient,
    places.place_as_other_argument,
    places.place_of_event_noun,
    place_inside_noun_phrase,
    no_place_from_unnamed_argument,
    places.no_place_inside_noun_phrase,
    places.place_overrides_role,
    places.time_over_place,
    places.extent_of_role,
    places.merge_adjacent_places,
    auto.names_only_as_arguments,
    auto.no_name_that_is_addressed,
    auto.number_over_modifier,
    auto.merge_adjacent_times,
    auto.time_over_number,
    number_with_its_article,
    auto.larger_of_nested,
    give_extents,
    split_conjoined_objects,
    clause_sized_statement,
)
"""In the order they are applied."""


def _beside(sentence: Sentence, title: Draft, person: Draft) -> bool:
    gap = range(min(title.end, person.end), max(title.start, person.start))
    return all(sentence.tokens[at].pos in {"PUNCT", "DET"} or sentence.tokens[at].tag == "POS" for at in gap)


def _states(sentence: Sentence, verb: int, rule: str) -> bool:
    if rule == "verb-after-semi-modal":
        return is_finite(sentence, sentence.tokens[verb].head)
    if is_finite(sentence, verb):
        return True
    token = sentence.tokens[verb]
    governor = sentence.tokens[token.head]
    gerund = token.tag == "VBG" and token.dep in {"advcl", "pcomp"} and not sentence.children(verb, "aux")
    return gerund and any(is_finite(sentence, above.index) for above in (governor, *sentence.ancestors(governor.index)))


def _clauses(sentence: Sentence, said: list[Token]) -> list[set[int]]:
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


def _conjuncts(sentence: Sentence, draft: Draft) -> list[set[int]]:
    """The conjoined objects of an event's verb, each with its own modifiers."""
    for first in sentence.children(min(draft.anchor), "dobj"):
        heads = [first.index]
        for at in heads:
            heads += [child.index for child in sentence.children(at, "conj")]
        if len(heads) > 1:
            trees = [set(sentence.subtree(head)) for head in heads]
            conjuncts = []
            for at, tree in enumerate(trees):
                later = set().union(*trees[at + 1 :]) if at + 1 < len(trees) else set()
                joining = {
                    at
                    for at in tree
                    if sentence.tokens[at].dep in {"cc", "punct"} and sentence.tokens[at].head in heads
                }
                conjuncts.append(trimmed(sentence, (tree - later - joining) & draft.tokens))
            return [part for part in conjuncts if part]
    return []
