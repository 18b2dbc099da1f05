"""Events and statements, found by their verbs."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import SUBJECTS, anchor_of, in_quotes, is_main_verb, lexical_verb
from karat.nuggetizer.english.word_lists import ADMITTED, QUOTATIVE, SAYING, SAYING_WITH_CLAUSE

CLAUSE = ("ccomp", "parataxis")
FAULTS = frozenset(
    "attack burglary charge count crime error fault killing mistake murder offence offense robbery theft".split()
)
"""What somebody can admit several of, so that it is said: 'admitted two murders'."""
FILLERS = frozenset({("you", "know"), ("i", "mean"), ("you", "see"), ("i", "guess")})
"""Subject and verb of phrases that mean nothing in speech ("you know")."""


def detect_events(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per verb, finite or not. The extent is set later, when the other nuggets are known."""
    for token in sentence.tokens:
        if is_main_verb(token) and not is_filler(sentence, token):
            verb = lexical_verb(sentence, token.index)
            anchor = anchor_of(sentence, verb)
            yield new_draft("EVT", anchor, "verb" if verb == token.index else "verb-after-semi-modal", anchor)


def detect_statements(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per verb of saying, in direct and indirect speech."""
    for token in sentence.tokens:
        if is_main_verb(token) and is_saying(sentence, token):
            anchor = anchor_of(sentence, token.index)
            yield new_draft("STM", anchor, "verb-of-saying", anchor)


def is_saying(sentence: ParsedSentence, token: Token) -> bool:
    """Whether a verb reports speech: some always do, others only together with what was said."""
    lemma = token.lemma.lower()
    if lemma == "admit" and _lets_in(sentence, token):
        return False
    if lemma in SAYING:
        return True
    if lemma not in SAYING_WITH_CLAUSE:
        return False
    said = sentence.children(token.index, *CLAUSE)
    quoted = any(in_quotes(sentence, clause.index) for clause in said) or _is_parenthetic(sentence, token)
    if lemma in QUOTATIVE:
        return quoted or any(_is_question(sentence, clause) for clause in said)
    return bool(said) or quoted


def _lets_in(sentence: ParsedSentence, token: Token) -> bool:
    """Whether somebody is admitted to a place or a group, so that nothing is said."""
    if sentence.children(token.index, "ccomp", "xcomp", "parataxis"):
        return False
    passive = bool(sentence.children(token.index, "nsubjpass"))
    into = any(
        child.text.lower() in {"to", "into"} and sentence.children(child.index, "pobj")
        for child in sentence.children(token.index, "prep")
    )
    who = sentence.children(token.index, "dobj", "nsubjpass")
    counted = any(sentence.children(child.index, "nummod") and child.lemma.lower() not in FAULTS for child in who)
    return (
        (passive and into)
        or counted
        or any(
            child.lemma.lower() in ADMITTED or child.ent_type in {"PERSON", "GPE", "ORG"} or child.tag in {"CD", "PRP"}
            for child in who
        )
    )


def is_filler(sentence: ParsedSentence, token: Token) -> bool:
    """Whether a verb is part of an empty phrase: 'you know' and 'I mean' without an object; 'thank you'."""
    subjects = sentence.children(token.index, "nsubj")
    if token.lemma.lower() == "thank" and any(
        child.text.lower() == "you" for child in sentence.children(token.index, "dobj")
    ):
        return token.tag in {"VB", "VBP"} and not any(subject.text.lower() in {"i", "we"} for subject in subjects)
    if len(subjects) != 1 or (subjects[0].text.lower(), token.lemma.lower()) not in FILLERS:
        return False
    return not sentence.children(token.index, "ccomp", "dobj", "prep", "xcomp", "neg", "aux")


def _is_parenthetic(sentence: ParsedSentence, token: Token) -> bool:
    """Whether a verb depends on what was said: '..., she added'."""
    subjects = sentence.children(token.index, *SUBJECTS)
    other = sentence.children(token.index, "mark", "dobj", "xcomp", "acomp", "attr", "prep", "neg", "aux")
    above = sentence.tokens[token.head]
    return token.dep in CLAUSE and bool(subjects) and not other and above.lemma.lower() not in SAYING


def _is_question(sentence: ParsedSentence, clause: Token) -> bool:
    words = {"whether", "if", "what", "why", "how", "when", "where", "who"}
    return any(child.lemma.lower() in words for child in sentence.children(clause.index))
