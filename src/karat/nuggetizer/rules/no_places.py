"""The rules for what looks like a place and is none, one function per rule."""

from __future__ import annotations

from dataclasses import replace

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.affairs import are_participants, is_affair, is_state, place_of_affair, topic_of
from karat.nuggetizer.english.word_lists import COMPANY, KIN, TITLE_WORDS

PEOPLE = (COMPANY | KIN | TITLE_WORDS) - {"country", "state", "nation", "union", "general", "head", "class", "lead"}


SUBJECTS_OF_STUDIES = frozenset(
    "adult child girl boy human infant man mouse participant patient people person rat volunteer woman".split()
)
"""Who something is seen in: 'lowers the risk in adults'."""


OTHERS = frozenset("animal cat civilian dog elephant horse monkey protester demonstrator tiger lion bear".split())
"""Further beings that something is done to: 'operated on a tiger', 'fired on protesters'."""


def no_place_from_amount(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """An amount is no place: 'fell below 200 cells', 'rose above two metres'."""
    return [draft for draft in drafts if draft.type != "LOC" or not _is_amount(sentence, draft)]


def no_place_from_participants(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Who takes part in an event is no place: 'talks between Israel and Hamas'; 'a road between ...' is one."""
    return [draft for draft in drafts if draft.type != "LOC" or not are_participants(sentence, draft)]


def no_place_from_topic(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """What a verb is about is no place and no manner: 'to comment on the report', 'spoke on the economy'."""
    return [
        draft
        for draft in drafts
        if draft.type not in {"LOC", "MOD"} or not topic_of(sentence, sentence.tokens[draft.start])
    ]


def no_place_from_affair(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """An event, a relation or a state is no place after 'in': 'mediated in the dispute', 'in talks with Iran'. Where
    it happened is one ('was hurt in a crash in Nevada': in Nevada)."""
    result = []
    for draft in drafts:
        if draft.type == "LOC" and is_affair(sentence, sentence.tokens[draft.start]):
            where = place_of_affair(sentence, sentence.tokens[draft.start]) & draft.tokens
            if not where:
                continue
            draft = replace(draft, tokens=frozenset(where), rule="no-place-from-affair")
        result.append(draft)
    return result


def no_place_from_person(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """A person is no place: 'fired at us', 'ran to him'."""
    return [draft for draft in drafts if draft.type != "LOC" or not _is_person(sentence, draft)]


def state_is_no_place(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """'on' and a bare noun say how, not where: 'on foot', 'on fire', 'on strike'. If it is a modifier, it is a MOD."""
    result = []
    for draft in drafts:
        if draft.type == "LOC" and is_state(sentence, sentence.tokens[draft.start]):
            if draft.rule == "grammar-argument":
                continue
            draft = replace(draft, type="MOD", rule="state-is-no-place")
        result.append(draft)
    return result


def _is_person(sentence: ParsedSentence, draft: Draft) -> bool:
    first, last = sentence.tokens[draft.start], sentence.tokens[draft.end - 1]
    if len(draft.tokens) == 2 and first.dep == "prep" and last.tag == "PRP" and last.lemma.lower() != "it":
        return True
    nouns = sentence.children(first.index, "pobj") if first.text.lower() in {"from", "to", "in", "on"} else []
    wanted = SUBJECTS_OF_STUDIES if first.text.lower() == "in" else PEOPLE | SUBJECTS_OF_STUDIES | OTHERS
    wanted -= {"side", "guard"} if first.text.lower() == "on" else set()
    return any(noun.pos == "NOUN" and noun.lemma.lower() in wanted for noun in nouns)


def _is_amount(sentence: ParsedSentence, draft: Draft) -> bool:
    first = sentence.tokens[draft.start]
    nouns = sentence.children(first.index, "pobj") if first.text.lower() in {"above", "below", "over", "under"} else []
    return any(sentence.children(noun.index, "nummod", "quantmod") or noun.tag == "CD" for noun in nouns)
