"""How far an event reaches: the core proposition, a verb with its arguments, modifiers left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from karat.language.analysis import Sentence
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.grammar import (
    CORE,
    SUBJECTS,
    is_finite,
    is_main_verb,
    predicates_by_token,
    span_tokens,
    trimmed,
    verb_group,
)

BY_GRAMMAR = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl", "dobj", "dative", "attr", "acomp", "oprd", "agent",
              "ccomp", "xcomp", "prep")  # fmt: skip
"""Dependents that are arguments, where the role labeller is silent."""
CLEAR = ("nsubj", "nsubjpass", "expl", "dobj", "attr", "acomp", "agent")
"""Those that nothing else can be."""
LEFT_OUT = frozenset({"LOC", "TMP", "MOD", "TITLE"})


def give_extents(sentence: Sentence, drafts: list[Draft]) -> list[Draft]:
    """The events with their extents; other drafts as they are."""
    nested = [one for one in drafts if one.type in LEFT_OUT]
    return [
        replace(one, tokens=frozenset(proposition(sentence, min(one.anchor), nested) | one.anchor))
        if one.type == "EVT"
        else one
        for one in drafts
    ]


def proposition(sentence: Sentence, verb: int, nested: Iterable[Draft] = ()) -> set[int]:
    """A verb, its auxiliaries and its core arguments, without the nuggets that lie inside these arguments."""
    left_out = _asides(sentence, verb)
    parts = [kept for part in arguments_of(sentence, verb) if (kept := part - left_out)]
    tokens = verb_group(sentence, verb).union(*parts) if parts else verb_group(sentence, verb)
    for one in nested:
        inside = one.tokens <= tokens and verb not in one.tokens
        if inside and not any(one.tokens >= part for part in parts) and _can_go(sentence, verb, one):
            tokens -= one.tokens
            tokens -= _left_alone(sentence, tokens, one.tokens)
    return _tidied(sentence, tokens)


def _can_go(sentence: Sentence, verb: int, one: Draft) -> bool:
    """Whether a nugget can be left out of an argument: a place that is visited is the argument itself, and what hangs
    on a participle inside it would leave the participle hanging."""
    if one.rule == "place-visited":
        return False
    top = next((at for at in sorted(one.tokens) if sentence.tokens[at].head not in one.tokens), one.start)
    above = sentence.tokens[sentence.tokens[top].head]
    return above.index == verb or above.pos not in {"VERB", "AUX"} or one.type == "TITLE"


def _left_alone(sentence: Sentence, tokens: set[int], gone: frozenset[int]) -> set[int]:
    """Articles, marks and phrases whose noun is gone; a name that stands beside it stays."""
    found: set[int] = set()
    for at in gone:
        for child in sentence.children(at, "det", "poss", "punct", "prep", "amod", "relcl", "acl", "case", "predet"):
            if child.index in tokens:
                found |= set(sentence.subtree(child.index)) & tokens
    return found


def arguments_of(sentence: Sentence, verb: int) -> list[set[int]]:
    """The tokens of each core argument of a verb; subjects and objects that the role labeller missed by the grammar."""
    predicate = predicates_by_token(sentence).get(verb)
    roles = predicate.arguments if predicate is not None else ()
    found = [span_tokens(sentence, one) for one in roles if one.label.removeprefix("C-").removeprefix("R-") in CORE]
    labelled = {at for one in roles for at in range(one.start_token, one.end_token)}
    core = set().union(*found)
    for one in sentence.children(verb, *(CLEAR if found else BY_GRAMMAR)):
        clear = one.dep in CLEAR and one.ent_type not in {"DATE", "TIME"}
        if one.index not in (core if clear else labelled):
            found.append(trimmed(sentence, sentence.subtree(one.index)))
    found = [one - {verb} for one in found]
    return [one for one in (*found, *_shared_subject(sentence, verb, found)) if one]


def _asides(sentence: Sentence, verb: int) -> set[int]:
    """What is said in passing inside a verb's arguments: relative clauses with a finite verb, and words in brackets."""
    found: set[int] = set()
    above = {token.index for token in sentence.ancestors(verb)} | {verb}
    for token in sentence.tokens:
        if token.dep == "relcl" and token.index not in above and is_finite(sentence, token.index):
            found |= set(sentence.subtree(token.index))
    opened = -1
    for token in sentence.tokens:
        if token.text in {"(", "["} and opened < 0:
            opened = token.index
        elif token.text in {")", "]"} and opened >= 0:
            if not opened < verb < token.index:
                found |= set(range(opened, token.index + 1))
            opened = -1
    return found


def _shared_subject(sentence: Sentence, verb: int, found: list[set[int]]) -> list[set[int]]:
    """The subject of the first of conjoined verbs, or of the verb that a gerund clause stands with, for the others."""
    token = sentence.tokens[verb]
    if any(child.dep in SUBJECTS for child in sentence.children(verb)):
        return []
    gerund = token.tag == "VBG" and token.dep in {"advcl", "pcomp"}
    if not gerund and (token.dep != "conj" or any(max(one) < verb for one in found if one)):
        return []
    while token.dep in ({"advcl", "pcomp", "prep"} if gerund else {"conj"}) and token.head != token.index:
        token = sentence.tokens[token.head]
    if not is_main_verb(token):
        return []
    subjects = sentence.children(token.index, "nsubj", "nsubjpass")
    return [trimmed(sentence, set(sentence.subtree(one.index)) - {verb}) for one in subjects]


def _tidied(sentence: Sentence, tokens: set[int]) -> set[int]:
    """Without marks and conjunctions that stand alone at an end of a piece."""
    kept = trimmed(sentence, tokens)
    pieces: list[list[int]] = []
    for at in sorted(kept):
        if pieces and at == pieces[-1][-1] + 1:
            pieces[-1].append(at)
        else:
            pieces.append([at])
    return set().union(*(trimmed(sentence, piece) for piece in pieces)) if pieces else set()
