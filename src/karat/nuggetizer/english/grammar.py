"""Functions about the grammar of a sentence that several detectors and rules use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from karat.language.analysis import Argument, ParsedSentence, Predicate, Token
from karat.nuggetizer.english.word_lists import COMPASS

FINITE_TAGS = frozenset({"VBD", "VBP", "VBZ", "MD"})
CORE = frozenset({"ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5"})
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
OBJECTS = ("dobj", "dative", "attr", "oprd")
SEMI_MODALS = frozenset({"have", "use", "go", "ought"})
QUOTES = frozenset({'"', "“", "”", "``", "''", "‘", "’"})
CODE = re.compile(r"^\W*[^\W\d_][\w-]*\d")
"""Digits in one word with letters before them: 'COVID-19', 'H1N1'."""
NO_CODES = (
    "EUR",
    "USD",
    "GBP",
    "CHF",
    "JPY",
    "CNY",
    "INR",
    "US$",
    "RS",
    "C$",
    "A$",
    "HK$",
    "MID",
    "POST",
    "PRE",
    "Q",
    "FY",
)
"""How words for amounts and times begin, which have digits after letters as well: 'US$5', 'mid-1990s', 'Q3'."""
OUTER_MARKS = frozenset("PUNCT SPACE SYM".split())


def is_main_verb(token: Token) -> bool:
    """Whether a token is a verb, but not the auxiliary or modal of another verb; a copula counts."""
    return token.pos in {"VERB", "AUX"} and token.dep not in {"aux", "auxpass"} and token.tag.startswith("VB")


def is_finite(sentence: ParsedSentence, index: int) -> bool:
    """Whether a verb is the main verb of a finite group; groups with a modal, perfect and passive groups count.

    Conjoined verbs share auxiliaries: "was arrested and charged".
    """
    token = sentence.tokens[index]
    helpers = sentence.children(index, "aux", "auxpass")
    if token.tag in {"VBN", "VBD"} and verb_after_apposition(sentence) == index:
        return True
    if any(helper.tag == "TO" for helper in helpers):
        return False
    if any(helper.tag in FINITE_TAGS for helper in helpers):
        return True
    if (
        token.tag in {"VBP", "VB"}
        and token.dep == "ROOT"
        and not sentence.children(index, *SUBJECTS)
        and not interrupted_subject(sentence, index)
    ):
        # An imperative or a fixed phrase: "Take the left turn", "Thank you".
        return False
    if token.tag in FINITE_TAGS:
        # A participle after its noun is often tagged as a past tense.
        return token.tag != "VBD" or token.dep not in {"acl", "amod"} or bool(sentence.children(index, "nsubj"))
    if token.tag == "VBN" and token.dep not in {"acl", "amod"} and not helpers and sentence.children(index, "nsubj"):
        # A past tense that was wrongly tagged as a participle: it has its own subject.
        return True
    if token.tag == "VBN" and token.dep == "acl" and not helpers and sentence.tokens[token.head].dep == "ROOT":
        # 'The troupe performed in Paris.': the only verb of a sentence is no participle.
        return index == token.head + 1 and not any(other.tag in FINITE_TAGS for other in sentence.tokens)
    if token.dep == "conj" and not sentence.children(index, "mark"):
        head = sentence.tokens[token.head]
        return head.tag == token.tag and head.index != index and is_main_verb(head) and is_finite(sentence, head.index)
    return False


def verb_after_apposition(sentence: ParsedSentence) -> int | None:
    """The only verb of 'Ana Ruiz, the director of the clinic, thanked nurse Joy Ade', if it is parsed as a participle.

    Such a sentence has no finite verb; its first noun is the head of all; the verb stands after the comma that closes
    the apposition, and its object follows at once, or it is a whole sentence with a full stop.
    """
    root = next((token for token in sentence.tokens if token.dep == "ROOT"), None)
    if (
        root is None
        or root.pos not in {"NOUN", "PROPN"}
        or any(token.tag in FINITE_TAGS - {"VBD"} for token in sentence.tokens)
    ):
        return None
    commas = [token.index for token in sentence.tokens if token.text == "," and token.index > root.index]
    for comma in commas[1:]:
        if comma + 2 >= len(sentence.tokens):
            break
        verb, after = sentence.tokens[comma + 1], sentence.tokens[comma + 2]
        whole = sentence.tokens[-1].text == "." and after.text not in {"by", "of"}
        objects = after.pos in {"DET", "PROPN", "NOUN", "PRON", "NUM", "ADJ"} or whole
        if verb.tag in {"VBN", "VBD"} and verb.dep in {"amod", "acl", "appos", "relcl"} and objects:
            return verb.index
    return None


def lexical_verb(sentence: ParsedSentence, index: int) -> int:
    """The verb after a semi-modal ("has to leave", "used to smoke", "is going to resign"); otherwise itself."""
    token = sentence.tokens[index]
    if token.lemma.lower() in SEMI_MODALS:
        for child in sentence.children(index, "xcomp"):
            joined = any(helper.tag == "TO" for helper in sentence.children(child.index, "aux"))
            going = token.lemma != "go" or (token.tag == "VBG" and bool(sentence.children(index, "aux")))
            near = all(sentence.tokens[at].pos in {"PART", "ADV", "AUX"} for at in range(index + 1, child.index))
            if joined and going and near and child.index > index:
                return child.index
    return index


def verb_group(sentence: ParsedSentence, index: int) -> set[int]:
    """A verb with its auxiliaries and semi-modals, negation and particle."""
    group = {index} | {child.index for child in sentence.children(index, "aux", "auxpass", "neg", "prt")}
    token = sentence.tokens[index]
    if token.dep == "xcomp" and lexical_verb(sentence, token.head) == index:
        group |= verb_group(sentence, token.head)
    return group


def anchor_of(sentence: ParsedSentence, index: int) -> set[int]:
    """A verb, and its particle if that is the next word."""
    return {index} | {child.index for child in sentence.children(index, "prt") if child.index == index + 1}


def predicates_by_token(sentence: ParsedSentence) -> dict[int, Predicate]:
    return {predicate.token: predicate for predicate in sentence.predicates}


def head_of(sentence: ParsedSentence, start: int, end: int) -> int:
    """The token of a range whose head is outside the range; of several, the one with the largest subtree."""
    outside = [at for at in range(start, end) if not start <= sentence.tokens[at].head < end]
    outside = outside or [at for at in range(start, end) if sentence.tokens[at].head == at] or [start]
    return max(outside, key=lambda at: (len(sentence.subtree(at)), -at))


def chain_head(sentence: ParsedSentence, index: int, *deps: str) -> int:
    """Go up from a token as long as its relation is one of `deps`; with "conj", this finds the first conjunct."""
    while sentence.tokens[index].dep in deps and sentence.tokens[index].head != index:
        index = sentence.tokens[index].head
    return index


def trimmed(sentence: ParsedSentence, tokens: Iterable[int]) -> set[int]:
    """The tokens without punctuation at the ends and without a conjunction at the beginning."""
    kept = sorted(tokens)
    while kept and _is_outer(sentence.tokens[kept[-1]]):
        kept.pop()
    while kept and (_is_outer(sentence.tokens[kept[0]]) or (sentence.tokens[kept[0]].dep == "cc" and len(kept) > 1)):
        kept.pop(0)
    return set(kept)


def _is_outer(token: Token) -> bool:
    # Signs of currency and percent belong to their number.
    return token.pos in OUTER_MARKS and token.text not in {"$", "€", "£", "¥", "%", "#"}


def span_tokens(sentence: ParsedSentence, argument: Argument) -> set[int]:
    """The tokens of an argument, without punctuation at its ends."""
    return trimmed(sentence, range(argument.start_token, argument.end_token))


def argument_at(sentence: ParsedSentence, predicate: Predicate, index: int) -> Argument | None:
    """The smallest argument of a predicate that contains a token."""
    around = [argument for argument in predicate.arguments if argument.start_token <= index < argument.end_token]
    return min(around, key=lambda argument: argument.end_token - argument.start_token, default=None)


def governing_verb(sentence: ParsedSentence, index: int) -> Token | None:
    """The verb whose subject, object or prepositional object a noun is; None if the noun is inside another phrase."""
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
    if head.lemma.lower() in COMPASS and head.dep in {"advmod", "npadvmod"}:
        # 'sailed west from Spain'
        head = sentence.tokens[head.head]
    return head if head.pos in {"VERB", "AUX"} else None


def in_quotes(sentence: ParsedSentence, index: int) -> bool:
    """Whether the sentence has a quotation mark before the token and one after it."""
    marks = [token.index for token in sentence.tokens if token.text in QUOTES and token.pos == "PUNCT"]
    return any(at < index for at in marks) and any(at > index for at in marks)


def what_was_said(sentence: ParsedSentence, verb: int) -> list[Token]:
    """The clauses or objects of a verb of saying; in '..., she added' the clause that the verb depends on."""
    said = sentence.children(verb, "ccomp", "dobj", "xcomp")
    token = sentence.tokens[verb]
    if not said and token.dep in {"ccomp", "parataxis"} and token.head != verb:
        said = [sentence.tokens[token.head]]
    return said


def speaker_of(sentence: ParsedSentence, verb: int) -> set[int]:
    """The subject of a verb of saying; in '"...," said survivor Ana Ruiz' also where it is parsed as a clause."""
    subjects = sentence.children(verb, "nsubj")
    after = sentence.tokens[verb + 1] if verb + 1 < len(sentence.tokens) else None
    if not subjects and after is not None and sentence.tokens[verb].tag == "VBD":
        noun = [
            child for child in sentence.children(verb, "xcomp", "oprd", "npadvmod") if child.pos in {"NOUN", "PROPN"}
        ]
        subjects = [child for child in noun if child.index > verb and verb + 1 in sentence.subtree(child.index)]
    return set().union(*(set(sentence.subtree(child.index)) for child in subjects))


def interrupted_subject(sentence: ParsedSentence, verb: int) -> set[int]:
    """The subject of a clause that its speaker interrupts before the verb: '"The patient," said Ana, "is well."'."""
    marks = [token.index for token in sentence.tokens if token.text in QUOTES and token.pos == "PUNCT"]
    if any(child.dep in SUBJECTS and child.index > marks[-1] for child in sentence.children(verb)) if marks else True:
        return set()
    for first, second in pairwise(zip(marks[::2], marks[1::2], strict=False)):
        if not second[0] < verb < second[1] or _opening(sentence, verb) != second[0] + 1:
            continue
        part = trimmed(sentence, range(first[0] + 1, first[1]))
        nominal = part and not any(sentence.tokens[at].tag in FINITE_TAGS for at in part)
        return part if nominal and sentence.tokens[max(part)].pos in {"NOUN", "PROPN", "PRON", "NUM"} else set()
    return set()


def _opening(sentence: ParsedSentence, verb: int) -> int:
    """The first word of a verb group, with the adverbs right before it."""
    first = min(at for at in verb_group(sentence, verb))
    while first > 0 and sentence.tokens[first - 1].pos == "ADV":
        first -= 1
    return first


def direct_quotation(sentence: ParsedSentence, verb: int) -> set[int]:
    """The words in quotation marks that a verb of saying reports, on both sides of it; empty for indirect speech."""
    marks = [token.index for token in sentence.tokens if token.text in QUOTES and token.pos == "PUNCT"]
    pairs = [(left, right) for left, right in zip(marks[::2], marks[1::2], strict=False) if not left < verb < right]
    quoted = set().union(*(set(range(left, right + 1)) for left, right in pairs)) if pairs else set()
    around = any(right < verb for _, right in pairs) and any(left > verb for left, _ in pairs)
    said = around or any(clause.index in quoted for clause in what_was_said(sentence, verb))
    return quoted if said else set()


def is_code(sentence: ParsedSentence, index: int) -> bool:
    """Whether a token is (part of) a name with digits after letters, which counts nothing: 'COVID-19', 'B-52'."""
    token = sentence.tokens[index]
    start = token.start
    while start > 0 and not sentence.source[start - 1].isspace():
        start -= 1
    word = sentence.source[start : token.end]
    return CODE.search(word) is not None and not word.upper().lstrip("(\"'“‘").startswith(NO_CODES)
