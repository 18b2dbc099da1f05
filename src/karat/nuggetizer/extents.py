"""The extent of an event: the core proposition, which is a verb with its arguments but without modifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.gaps import apart, ranges
from karat.nuggetizer.english.grammar import (
    CORE,
    SUBJECTS,
    argument_at,
    in_quotes,
    interrupted_subject,
    is_finite,
    is_main_verb,
    predicates_by_token,
    span_tokens,
    trimmed,
    verb_after_apposition,
    verb_group,
)
from karat.nuggetizer.english.places import is_by_whom, phrase_below
from karat.nuggetizer.english.word_lists import DISCOURSE, NOT_MODIFIERS, RELATIVE_TIMES, TIME_ADVERBS

BY_GRAMMAR = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl", "dobj", "dative", "attr", "acomp", "oprd", "agent",
              "ccomp", "xcomp", "prep")  # fmt: skip
"""Dependents that count as arguments if the role labeller says nothing about the verb."""
CLEAR = ("nsubj", "nsubjpass", "expl", "dobj", "attr", "acomp", "agent")
"""Those that can be nothing else than arguments."""
NO_NUGGET = frozenset({"ARGM-LOC", "ARGM-PRP", "ARGM-PNC", "ARGM-COM", "ARGM-GOL", "ARGM-DIR", "ARGM-MNR"})
"""Roles of phrases that say something about the event; if a rule made no nugget of one, it stays with the event."""
LEFT_OUT = frozenset({"LOC", "TMP", "MOD", "TITLE"})


def give_extents(sentence: ParsedSentence, drafts: list[Draft]) -> list[Draft]:
    """Give the events their extents; other drafts do not change."""
    nested = [draft for draft in drafts if draft.type in LEFT_OUT]
    numbers = [draft for draft in drafts if draft.type == "NUM"]
    return [
        replace(
            draft, tokens=frozenset(proposition(sentence, min(draft.anchor), nested, numbers=numbers) | draft.anchor)
        )
        if draft.type == "EVT"
        else draft
        for draft in drafts
    ]


def proposition(
    sentence: ParsedSentence, verb: int, nested: Iterable[Draft] = (), *, numbers: Sequence[Draft] = ()
) -> set[int]:
    """A verb, its auxiliaries and its core arguments, without the nuggets inside these arguments.

    Of several numbers that share the verb ('two on Monday and three on Friday'), only the first belongs to it; of a
    change ('from 3 in 2001 to 9 in 2005'), both ends do.
    """
    left_out = _asides(sentence, verb) | apart(sentence, numbers)
    nested = list(nested)
    whole = [*arguments_of(sentence, verb), *_unclaimed(sentence, verb, nested)]
    parts = [kept for part in whole if (kept := part - left_out)]
    tokens = verb_group(sentence, verb).union(*parts) if parts else verb_group(sentence, verb)
    before = frozenset(tokens)
    objects = whole[1] if verb_after_apposition(sentence) == verb else set()
    for draft in nested:
        inside = draft.tokens <= before and verb not in draft.tokens
        entire = any(draft.tokens >= part for part in parts)
        # 'took effect at midnight': a time with its preposition is no argument, whatever the role labeller says.
        when = draft.type == "TMP" and sentence.tokens[draft.start].dep in {"prep", "advmod"}
        if inside and (not entire or when) and _can_go(sentence, verb, draft):
            tokens -= draft.tokens
            tokens -= _left_alone(sentence, tokens, draft.tokens) - objects
    for ends in ranges(sentence, numbers):
        both = {at for end in ends for at in range(end.start - 1, end.end)}
        if tokens & both or verb == ends[0].start - 2:
            tokens |= both
    return _tidied(sentence, tokens)


def _unclaimed(sentence: ParsedSentence, verb: int, nested: list[Draft]) -> list[set[int]]:
    """What has no role and made no nugget belongs to the event: phrases with a preposition ('shot to death', 'receiving
    the bill from Congress', 'worked on the program'), and an adverb right after the verb ('ran aground')."""
    predicate = predicates_by_token(sentence).get(verb)
    claimed = set().union(*(draft.tokens for draft in nested if verb not in draft.tokens)) if nested else set()
    phrases = []
    for child in sentence.children(verb, "prep"):
        phrase = (phrase_below(sentence, child.index) or {child.index}) - (claimed - {child.index})
        role = argument_at(sentence, predicate, child.index) if predicate is not None else None
        if (
            child.index > verb
            and child.index not in claimed
            and (role is None or role.label in NO_NUGGET or _is_maker(sentence, child))
            and sentence.text_of(min(phrase), max(phrase) + 1).lower() not in DISCOURSE
        ):
            phrases.append(phrase)
    for noun in sentence.children(verb, "dobj"):
        # 'based her ruling on a law': the parser makes 'on a law' a part of the object.
        for child in sentence.children(noun.index, "prep"):
            phrase = phrase_below(sentence, child.index) - (claimed - {child.index})
            role = argument_at(sentence, predicate, child.index) if predicate is not None else None
            if child.index > noun.index and child.index not in claimed and role is None:
                phrases.append(phrase)
    for child in sentence.children(verb, "xcomp"):
        # 'declined to comment': a complement, whatever its role is.
        role = argument_at(sentence, predicate, child.index) if predicate is not None else None
        if child.index not in claimed and role is not None and role.label in NO_NUGGET:
            phrases.append(trimmed(sentence, set(sentence.subtree(child.index)) - claimed))
    for child in sentence.children(verb, "advmod"):
        word = child.text.lower()
        beside = child.index == verb + 1 and child.index not in claimed and child.pos == "ADV"
        if beside and not word.endswith("ly") and word not in NOT_MODIFIERS | TIME_ADVERBS | RELATIVE_TIMES:
            phrases.append({child.index})
    return phrases


def _is_maker(sentence: ParsedSentence, preposition: Token) -> bool:
    return any(is_by_whom(sentence, noun.index) for noun in sentence.children(preposition.index, "pobj"))


def _can_go(sentence: ParsedSentence, verb: int, draft: Draft) -> bool:
    """Whether a nugget can be left out of an argument. A place that is visited cannot, because it is the argument; and
    what depends on a participle cannot, because the participle makes no sense without it."""
    if draft.rule == "place-visited":
        return False
    top = next((at for at in sorted(draft.tokens) if sentence.tokens[at].head not in draft.tokens), draft.start)
    above = sentence.tokens[sentence.tokens[top].head]
    return above.index == verb or above.pos not in {"VERB", "AUX"} or draft.type == "TITLE"


def _left_alone(sentence: ParsedSentence, tokens: set[int], gone: frozenset[int]) -> set[int]:
    """Articles, punctuation and phrases whose noun was left out; a name in apposition stays."""
    stranded: set[int] = set()
    for at in gone:
        for child in sentence.children(
            at, "det", "poss", "punct", "prep", "amod", "relcl", "acl", "case", "predet", "advmod"
        ):
            if child.index in tokens:
                stranded |= set(sentence.subtree(child.index)) & tokens
    return stranded


def arguments_of(sentence: ParsedSentence, verb: int) -> list[set[int]]:
    """The tokens of each core argument of a verb, by its roles; subjects and objects without a role, by the parse."""
    if sentence.tokens[verb].tag in {"VBN", "VBD"} and verb_after_apposition(sentence) == verb:
        end = next((token.index for token in sentence.tokens[verb:] if token.pos == "PUNCT"), len(sentence.tokens))
        return [trimmed(sentence, range(verb)), set(range(verb + 1, end))]
    predicate = predicates_by_token(sentence).get(verb)
    roles = predicate.arguments if predicate is not None else ()
    arguments = [
        span_tokens(sentence, role) for role in roles if role.label.removeprefix("C-").removeprefix("R-") in CORE
    ]
    labelled = {at for role in roles for at in range(role.start_token, role.end_token)}
    core = set().union(*arguments)
    for child in sentence.children(verb, *(CLEAR if arguments else BY_GRAMMAR)):
        clear = child.dep in CLEAR and child.ent_type not in {"DATE", "TIME"}
        if child.index not in (core if clear else labelled):
            arguments.append(trimmed(sentence, sentence.subtree(child.index)))
    arguments = [argument - {verb} for argument in arguments]
    if (interrupted := interrupted_subject(sentence, verb)) and not any(interrupted & part for part in arguments):
        return [interrupted, *(argument for argument in arguments if argument)]
    return [argument for argument in (*arguments, *_shared_subject(sentence, verb, arguments)) if argument]


def _asides(sentence: ParsedSentence, verb: int) -> set[int]:
    """Side remarks inside the arguments of a verb: relative clauses with a finite verb, and words in brackets."""
    asides: set[int] = set()
    above = {token.index for token in sentence.ancestors(verb)} | {verb}
    for token in sentence.tokens:
        if token.dep == "relcl" and token.index not in above and is_finite(sentence, token.index):
            asides |= set(sentence.subtree(token.index))
    opened = -1
    for token in sentence.tokens:
        if token.text in {"(", "["} and opened < 0:
            opened = token.index
        elif token.text in {")", "]"} and opened >= 0:
            if not opened < verb < token.index:
                asides |= set(range(opened, token.index + 1))
            opened = -1
    return asides


def _shared_subject(sentence: ParsedSentence, verb: int, arguments: list[set[int]]) -> list[set[int]]:
    """The subject that a verb shares: that of the first of conjoined verbs, or of the verb that a gerund depends on."""
    token = sentence.tokens[verb]
    if any(child.dep in SUBJECTS for child in sentence.children(verb)):
        return []
    gerund = token.tag == "VBG" and token.dep in {"advcl", "pcomp"}
    if not gerund and (token.dep != "conj" or any(max(argument) < verb for argument in arguments if argument)):
        return []
    while token.dep in ({"advcl", "pcomp", "prep"} if gerund else {"conj"}) and token.head != token.index:
        token = sentence.tokens[token.head]
    if in_quotes(sentence, token.index) and not in_quotes(sentence, verb) and token.dep == "ccomp":
        # 'The pope said "war is a defeat" and called for peace': the subject is that of 'said'.
        token = sentence.tokens[token.head]
    if not is_main_verb(token):
        return []
    subjects = sentence.children(token.index, "nsubj", "nsubjpass")
    return [trimmed(sentence, set(sentence.subtree(subject.index)) - {verb}) for subject in subjects]


def _tidied(sentence: ParsedSentence, tokens: set[int]) -> set[int]:
    """The tokens without punctuation and conjunctions at the ends of each piece."""
    kept = trimmed(sentence, tokens)
    pieces: list[list[int]] = []
    for at in sorted(kept):
        if pieces and at == pieces[-1][-1] + 1:
            pieces[-1].append(at)
        else:
            pieces.append([at])
    # A conjunction between two pieces that were left out joins nothing.
    pieces = [piece for piece in pieces if any(sentence.tokens[at].dep != "cc" for at in piece)]
    return set().union(*(trimmed(sentence, piece) for piece in pieces)) if pieces else set()
