"""Questions about the grammar of a sentence that several rules ask."""

from __future__ import annotations

from collections.abc import Iterable

from karat.language.analysis import Argument, Predicate, Sentence, Token

FINITE_TAGS = frozenset({"VBD", "VBP", "VBZ", "MD"})
CORE = frozenset({"ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5"})
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
OBJECTS = ("dobj", "dative", "attr", "oprd")
SEMI_MODALS = frozenset({"have", "use", "go", "ought"})
OUTER_MARKS = frozenset("PUNCT SPACE SYM".split())


def is_main_verb(token: Token) -> bool:
    """A verb that is no auxiliary or modal of another; a copula is one."""
    return token.pos in {"VERB", "AUX"} and token.dep not in {"aux", "auxpass"} and token.tag.startswith("VB")


def is_finite(sentence: Sentence, index: int) -> bool:
    """Whether a verb is the lexical verb of a finite group (modal, perfect and passive groups included).

    A conjunct shares the auxiliaries of its fellow: "was arrested and charged".
    """
    token = sentence.tokens[index]
    helpers = sentence.children(index, "aux", "auxpass")
    if any(helper.tag == "TO" for helper in helpers):
        return False
    if any(helper.tag in FINITE_TAGS for helper in helpers):
        return True
    if token.tag in {"VBP", "VB"} and token.dep == "ROOT" and not sentence.children(index, *SUBJECTS):
        # An imperative, or a formula: "Take the left turn", "Thank you".
        return False
    if token.tag in FINITE_TAGS:
        # A participle after its noun is often tagged as a past tense.
        return token.tag != "VBD" or token.dep not in {"acl", "amod"} or bool(sentence.children(index, "nsubj"))
    if token.tag == "VBN" and token.dep not in {"acl", "amod"} and not helpers and sentence.children(index, "nsubj"):
        # A past tense that is tagged as a participle has a subject of its own.
        return True
    if token.dep == "conj" and not sentence.children(index, "mark"):
        head = sentence.tokens[token.head]
        return head.tag == token.tag and head.index != index and is_main_verb(head) and is_finite(sentence, head.index)
    return False


def lexical_verb(sentence: Sentence, index: int) -> int:
    """The verb that a semi-modal stands before: "has to leave", "used to smoke", "is going to resign"; else itself."""
    token = sentence.tokens[index]
    if token.lemma.lower() in SEMI_MODALS:
        for child in sentence.children(index, "xcomp"):
            joined = any(helper.tag == "TO" for helper in sentence.children(child.index, "aux"))
            going = token.lemma != "go" or (token.tag == "VBG" and bool(sentence.children(index, "aux")))
            near = all(sentence.tokens[at].pos in {"PART", "ADV", "AUX"} for at in range(index + 1, child.index))
            if joined and going and near and child.index > index:
                return child.index
    return index


def verb_group(sentence: Sentence, index: int) -> set[int]:
    """A verb with its auxiliaries and semi-modals, negation and particle."""
    group = {index} | {child.index for child in sentence.children(index, "aux", "auxpass", "neg", "prt")}
    token = sentence.tokens[index]
    if token.dep == "xcomp" and lexical_verb(sentence, token.head) == index:
        group |= verb_group(sentence, token.head)
    return group


def anchor_of(sentence: Sentence, index: int) -> set[int]:
    """A verb and, where it stands next to it, its particle."""
    return {index} | {child.index for child in sentence.children(index, "prt") if child.index == index + 1}


def predicates_by_token(sentence: Sentence) -> dict[int, Predicate]:
    return {predicate.token: predicate for predicate in sentence.predicates}


def head_of(sentence: Sentence, start: int, end: int) -> int:
    """The token of a range that hangs outside it; of several the one with most below it."""
    outside = [at for at in range(start, end) if not start <= sentence.tokens[at].head < end]
    outside = outside or [at for at in range(start, end) if sentence.tokens[at].head == at] or [start]
    return max(outside, key=lambda at: (len(sentence.subtree(at)), -at))


def chain_head(sentence: Sentence, index: int, *deps: str) -> int:
    """The first of a row of conjuncts (or of what else `deps` names) that a token belongs to."""
    while sentence.tokens[index].dep in deps and sentence.tokens[index].head != index:
        index = sentence.tokens[index].head
    return index


def trimmed(sentence: Sentence, tokens: Iterable[int]) -> set[int]:
    """Without marks at its ends, nor a conjunction at its beginning."""
    kept = sorted(tokens)
    while kept and _is_outer(sentence.tokens[kept[-1]]):
        kept.pop()
    while kept and (_is_outer(sentence.tokens[kept[0]]) or (sentence.tokens[kept[0]].dep == "cc" and len(kept) > 1)):
        kept.pop(0)
    return set(kept)


def _is_outer(token: Token) -> bool:
    # A currency sign or a sign of percent belongs to its number.
    return token.pos in OUTER_MARKS and token.text not in {"$", "€", "£", "¥", "%", "#"}


def span_tokens(sentence: Sentence, argument: Argument) -> set[int]:
    """The tokens of an argument, without marks at its ends."""
    return trimmed(sentence, range(argument.start_token, argument.end_token))


def argument_at(sentence: Sentence, predicate: Predicate, index: int) -> Argument | None:
    """The smallest argument of a predicate that a token lies in."""
    around = [argument for argument in predicate.arguments if argument.start_token <= index < argument.end_token]
    return min(around, key=lambda argument: argument.end_token - argument.start_token, default=None)


def governing_verb(sentence: Sentence, index: int) -> Token | None:
    """The verb that a noun is subject, object or object of a preposition of; None: it stands inside another phrase."""
    token = sentence.tokens[chain_head(sentence, index, "conj", "appos")]
    if token.dep == "pobj":
        token = sentence.tokens[token.head]
        while token.dep in {"prep", "pcomp"} and sentence.tokens[token.head].dep in {"prep", "agent"}:
            token = sentence.tokens[token.head]
        if token.dep not in {"prep", "agent", "dative"}:
            return None
    elif token.dep not in {*SUBJECTS, *OBJECTS}:
        return None
    head = sentence.tokens[token.head]
    return head if head.pos in {"VERB", "AUX"} else None


def in_quotes(sentence: Sentence, index: int) -> bool:
    """Whether a quotation mark stands before and after a token in its sentence."""
    marks = [
        token.index
        for token in sentence.tokens
        if token.text in {'"', "“", "”", "``", "''", "‘", "’"} and token.pos == "PUNCT"
    ]
    return any(at < index for at in marks) and any(at > index for at in marks)


def what_was_said(sentence: Sentence, verb: int) -> list[Token]:
    """The clauses or objects of a verb of saying; of one that hangs on what was said ('..., she added'), that."""
    said = sentence.children(verb, "ccomp", "dobj", "xcomp")
    token = sentence.tokens[verb]
    if not said and token.dep in {"ccomp", "parataxis"} and token.head != verb:
        said = [sentence.tokens[token.head]]
    return said
