"""Modifiers of verbs, by their semantic roles (Babko-Malaya et al. 2012, Table 3)."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.detectors.numbers import counts
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import head_of, span_tokens
from karat.nuggetizer.english.places import is_by_whom
from karat.nuggetizer.english.word_lists import (
    CONTROL,
    DISCOURSE,
    NOT_MANNER,
    NOT_MODIFIERS,
    PLACE_ADVERBS,
    TIME_ADVERBS,
)

NUGGET_TYPE = {
    "ARGM-LOC": "LOC",
    "ARGM-DIR": "LOC",
    "ARGM-TMP": "TMP",
    "ARGM-CAU": "MOD",
    "ARGM-PRP": "MOD",
    "ARGM-PNC": "MOD",
    "ARGM-MNR": "MOD",
    "ARGM-ADV": "MOD",
    "ARGM-EXT": "NUM",
}
"""Table 3 of the paper; ARGM-PNC is the older name of PRP. Its last row (MOD, DIS, REC, PRD, ArgM) makes no nuggets."""


def detect_modifiers(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per modifier of a verb."""
    for predicate in sentence.predicates:
        if predicate.nominal or sentence.tokens[predicate.token].dep in {"amod", "compound"}:
            # 'London-based': a participle before its noun is an adjective.
            continue
        for argument in predicate.arguments:
            kind = NUGGET_TYPE.get(argument.label)
            tokens = span_tokens(sentence, argument) if kind is not None else set()
            if kind == "NUM" and not any(counts(sentence, sentence.tokens[at]) for at in tokens):
                # Words of degree ('slightly', 'much') have no number.
                continue
            if tokens and _is_subject_or_object(sentence, tokens, predicate.token):
                continue
            if tokens and kind is not None and _is_maker(sentence, tokens):
                continue
            if kind in {"MOD", "LOC", "TMP"} and _is_no_modifier(sentence, tokens, kind):
                continue
            if kind is not None and tokens and predicate.token not in tokens:
                yield new_draft(kind, tokens, f"role-{argument.label}")


def _is_maker(sentence: ParsedSentence, tokens: set[int]) -> bool:
    """Whether a phrase with 'by' names who made something: 'two works by Frida Kahlo'."""
    nouns = sentence.children(min(tokens), "pobj") if sentence.tokens[min(tokens)].text.lower() == "by" else []
    return any(noun.pos == "PROPN" and is_by_whom(sentence, noun.index) for noun in nouns)


def _is_no_modifier(sentence: ParsedSentence, tokens: set[int], kind: str) -> bool:
    """Whether a phrase makes no nugget: particles, which belong to their verb, and words of focus, degree, doubt or
    question."""
    if len(tokens) != 1:
        return sentence.text_of(min(tokens), max(tokens) + 1).lower() in DISCOURSE
    token = sentence.tokens[min(tokens)]
    word = token.text.lower()
    if kind == "LOC":
        return token.dep in {"prt", "expl"} or token.pos == "PART" or word in {"where", "back"} or word.endswith("ly")
    if kind == "TMP" and token.ent_type == "ORDINAL":
        # 'finished third'
        return True
    return word in (NOT_MODIFIERS - TIME_ADVERBS if kind == "TMP" else NOT_MODIFIERS | PLACE_ADVERBS | NOT_MANNER)


def _is_subject_or_object(sentence: ParsedSentence, tokens: set[int], verb: int) -> bool:
    """Whether a phrase is a subject or object in the parse, so no modifier; but a time ('lasted a week') is one."""
    head = sentence.tokens[head_of(sentence, min(tokens), max(tokens) + 1)]
    if head.head == verb and head.dep == "xcomp" and sentence.tokens[verb].lemma.lower() in CONTROL:
        # 'declined to comment', 'hopes to win': what is declined or hoped for, no purpose.
        return True
    if head.head != verb or head.dep not in {"nsubj", "nsubjpass", "dobj"}:
        return False
    return head.ent_type not in {"DATE", "TIME", "CARDINAL", "QUANTITY", "PERCENT", "MONEY"}
