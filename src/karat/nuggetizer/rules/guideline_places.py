"""The rules for places that only people who annotate follow (Babko-Malaya 2008)."""

from __future__ import annotations

from dataclasses import replace

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.drafts import Draft, in_order
from karat.nuggetizer.english.grammar import trimmed
from karat.nuggetizer.english.places import name_head, phrase_of_place, preposition_of
from karat.nuggetizer.english.word_lists import PLACE_PREPOSITIONS
from karat.nuggetizer.rules.places import merge_adjacent_places

GOALS = frozenset({"to", "into", "onto", "from", "toward", "towards"})
"""Prepositions of arguments: what somebody goes to or comes from."""


def place_inside_noun_phrase(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A place after a preposition makes a nugget, whether it modifies a verb or a noun."""
    return [
        replace(draft, type="LOC", tokens=frozenset(phrase_of_place(sentence, draft)), rule="place-inside-noun-phrase")
        if draft.type in {"GPE", "LOC"} and draft.rule.startswith("entity-")
        and preposition_of(sentence, name_head(sentence, draft)) is not None
        else draft
        for draft in drafts
    ]  # fmt: skip


def no_place_from_unnamed_argument(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """An argument without the name of a place is part of the event: 'flew to the headquarters of ...'."""
    return [draft for draft in drafts if not _is_unnamed_goal(sentence, draft)]


def merge_places_but_distances(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """LOC nuggets next to each other become one, but a place said by a distance stays apart."""
    apart = [draft for draft in drafts if draft.rule == "distance"]
    joined = merge_adjacent_places(sentence, [draft for draft in drafts if draft.rule != "distance"])
    return in_order([*apart, *joined])


def purpose_with_its_event(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A purpose that is only 'for' and a bare noun stays with the event: 'invited them to Moscow for talks'."""
    return [draft for draft in drafts if draft.type != "MOD" or not _is_bare_purpose(sentence, draft)]


def distance_apart(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A place said by a distance is a nugget of its own: 'on the motorway between X and Y' and '55 kilometers north of
    Z' can have different sources (section 3.2.4)."""
    distances = [draft for draft in drafts if draft.rule == "distance"]
    result = []
    for draft in drafts:
        for other in distances:
            if draft.type == "LOC" and draft.rule != "distance" and other.overlaps(draft):
                rest = trimmed(sentence, draft.tokens - other.tokens)
                draft = replace(draft, tokens=frozenset(rest), rule="distance-apart")
        if draft.tokens:
            result.append(draft)
    return result


def split_conjoined_places(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Each of conjoined places makes a nugget: 'to Cairo', 'to ... Amman'; the two ends of 'between' do not."""
    result: list[Draft] = []
    for draft in drafts:
        if draft.type == "LOC" and sentence.tokens[draft.start].text.lower() in {"also", "then", "both"}:
            # 'and also in Seville'
            draft = replace(draft, tokens=draft.tokens - {draft.start})
        repeated = _repeated(sentence, draft) if draft.type == "LOC" else []
        if repeated:
            result += [
                replace(draft, tokens=frozenset(part), rule="split-repeated-prepositions")
                for whole in repeated
                for part in _each(sentence, replace(draft, tokens=frozenset(whole)))
            ]
            continue
        parts = _conjoined(sentence, draft) if draft.type == "LOC" else []
        if len(parts) < 2:
            result.append(draft)
            continue
        shared = draft.tokens - set(range(min(map(min, parts)), max(map(max, parts)) + 1))
        result += [replace(draft, tokens=frozenset(shared | part), rule="split-conjoined-places") for part in parts]
    return result


def _each(sentence: ParsedSentence, draft: Draft) -> list[set[int]]:
    """The conjoined places of one phrase with its preposition: 'in Oslo', 'in ... Rome'."""
    parts = _conjoined(sentence, draft)
    if len(parts) < 2:
        return [set(draft.tokens)]
    shared = draft.tokens - set(range(min(map(min, parts)), max(map(max, parts)) + 1))
    return [set(shared | part) for part in parts]


def _repeated(sentence: ParsedSentence, draft: Draft) -> list[set[int]]:
    """The parts of a phrase that says its preposition again: 'in Rome', 'in Naples'; empty if there is only one."""
    order = sorted(draft.tokens)
    starts = [at for at in order if _opens_again(sentence, draft, at)]
    if len(starts) < 2 or not any(sentence.tokens[at].text.lower() in {"and", "or"} for at in order):
        return []
    last = sentence.tokens[max(at for at in range(starts[-1]) if sentence.tokens[at].dep != "advmod")]
    if last.text.lower() not in {"and", "or", "but"}:
        # 'in Lyon, in France': a place in another.
        return []
    ends = [*starts[1:], order[-1] + 1]
    parts = []
    for start, end in zip(starts, ends, strict=True):
        part = [at for at in order if start <= at < end]
        while part and sentence.tokens[part[-1]].text.lower() in {",", "and", "or", "but", "also", "then"}:
            part.pop()
        parts.append(set(part))
    return parts


def _opens_again(sentence: ParsedSentence, draft: Draft, at: int) -> bool:
    token = sentence.tokens[at]
    if token.pos not in {"ADP", "SCONJ"} or token.text.lower() not in PLACE_PREPOSITIONS:
        return False
    before = sentence.tokens[at - 1].text.lower() if at else ""
    return at == draft.start or before in {",", "and", "or", "but", "also", "then", "both", "either"}


def _is_bare_purpose(sentence: ParsedSentence, draft: Draft) -> bool:
    first, last = sentence.tokens[draft.start], sentence.tokens[draft.end - 1]
    return len(draft.tokens) == 2 and first.text.lower() == "for" and last.pos == "NOUN"


def _is_unnamed_goal(sentence: ParsedSentence, draft: Draft) -> bool:
    if draft.type != "LOC" or not draft.rule.startswith(("grammar-", "role-")):
        return False
    first = sentence.tokens[draft.start]
    goal = draft.rule == "grammar-argument" or first.text.lower() in GOALS
    named = any(_is_named(noun) for noun in sentence.children(first.index, "pobj"))
    of_name = any(
        _is_named(name)
        for noun in sentence.children(first.index, "pobj")
        for of in sentence.children(noun.index, "prep")
        if of.text.lower() == "of"
        for name in sentence.children(of.index, "pobj")
    )
    return goal and first.dep == "prep" and not named and not of_name


def _is_named(noun: Token) -> bool:
    return noun.ent_type in {"GPE", "LOC", "FAC"}


def _conjoined(sentence: ParsedSentence, draft: Draft) -> list[set[int]]:
    """The tokens of each of the conjoined places of a phrase; nothing if a preposition needs all of them."""
    first = sentence.tokens[draft.start]
    if first.text.lower() in {"between", "among"}:
        return []
    # In 'from Oslo to Rome and Athens' the conjoined places are those of the second preposition.
    inside = [sentence.tokens[at] for at in sorted(draft.tokens) if sentence.tokens[at].dep == "prep"]
    nouns = [
        noun
        for preposition in inside
        if preposition.text.lower() not in {"between", "among"}
        for noun in sentence.children(preposition.index, "pobj")
    ]
    for noun in nouns if first.dep == "prep" else [first]:
        heads = [noun.index]
        for at in heads:
            heads += [child.index for child in sentence.children(at, "conj") if child.index in draft.tokens]
        if len(heads) < 2 or not all(sentence.tokens[head].pos == "PROPN" for head in heads):
            continue
        trees = [set(sentence.subtree(head)) & draft.tokens for head in sorted(heads)]
        parts = []
        for number, tree in enumerate(trees):
            later = set().union(*trees[number + 1 :]) if number + 1 < len(trees) else set()
            own = {at for at in tree - later if sentence.tokens[at].dep != "cc"}
            parts.append(trimmed(sentence, own))
        return [part for part in parts if part]
    return []
