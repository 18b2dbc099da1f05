"""A clause of a parsed sentence, and how it is written down as a sentence of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from karat.language.analysis import ParsedSentence, Token

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
_FINITE_TAGS = frozenset({"VBD", "VBZ", "VBP", "MD"})
_SUBORDINATING = frozenset("when where if because although while since unless whether though whereas until".split())
_POINTING = frozenset({"this", "these", "those", "such", "here", "then"})
_CLOSING = re.compile(r"[.!?]['\"”’)]*$")


@dataclass(frozen=True)
class Clause:
    """Some tokens of a sentence that are a sentence by themselves, perhaps with words in place of others."""

    sentence: ParsedSentence
    tokens: tuple[int, ...]
    """In the order in which they are written; a subject that is copied from another clause comes first."""
    verb: int
    """The finite verb of the clause, or the auxiliary's main verb."""
    is_parsed: bool = True
    """Whether the parse can be relied on; a sentence that was parsed wrongly is only used whole."""
    put: Mapping[int, str] = field(default_factory=dict)
    """The words that are written instead of a token; an empty text leaves it out."""

    def at(self, index: int) -> Token:
        return self.sentence.tokens[index]

    def with_put(self, put: Mapping[int, str]) -> Clause:
        """The same clause with more words replaced."""
        return replace(self, put={**self.put, **put})

    def without(self, tokens: Iterable[int]) -> Clause:
        """The clause without some of its tokens."""
        gone = set(tokens)
        return replace(self, tokens=tuple(at for at in self.tokens if at not in gone))

    def spans(self) -> list[tuple[int, int]]:
        """The ranges of the text that the clause is made of."""
        ranges: list[tuple[int, int]] = []
        last = -2
        for at in sorted(set(self.tokens)):
            token = self.at(at)
            if at == last + 1:
                ranges[-1] = (ranges[-1][0], token.end)
            else:
                ranges.append((token.start, token.end))
            last = at
        return ranges

    def subject(self) -> int | None:
        """The head of the subject of the clause's verb."""
        return subject_of(self.sentence, self.verb)

    def text(self) -> str:
        """The clause as a sentence: with a capital letter and a full stop."""
        return as_sentence(self.words(self.tokens))

    def words(self, tokens: Iterable[int]) -> str:
        """The words of tokens with blanks as in the text; between tokens that were apart there is one blank."""
        text = ""
        last: int | None = None
        for at in tokens:
            token = self.at(at)
            words = self.put.get(at, token.text)
            if not words:
                continue
            if last is not None:
                before = self.at(last)
                touching = last == at - 1 and before.end == token.start
                glued = touching or token.text in {",", ".", ";", ":", "!", "?", ")", "%", "’s", "'s", "n't", "n’t"}
                text += "" if glued else " "
            text += words
            last = at
        return " ".join(text.split())


def as_sentence(words: str) -> str:
    """Words as a sentence.

    >>> as_sentence("the dam burst,")
    'The dam burst.'
    """
    words = re.sub(r"[\s,;:–—-]+\.?$", "", words).strip(" ,;:–—-")
    if not words:
        return ""
    first = words[0]
    # "iPhone" and "pH" stay as they are.
    if first.islower() and not re.match(r"[a-z]+[A-Z]", words):
        words = first.upper() + words[1:]
    return words if _CLOSING.search(words) else f"{words}."


def whole_clause(sentence: ParsedSentence) -> Clause | None:
    """The whole sentence as a clause; None if it is no statement and no order, so far as the parse shows."""
    roots = [token for token in sentence.tokens if token.head == token.index]
    if len(roots) != 1:
        return None
    root = roots[0]
    clause = Clause(sentence, tuple(range(len(sentence.tokens))), root.index)
    if root.pos in {"VERB", "AUX"} and _is_stated(sentence, root):
        return clause
    return replace(clause, is_parsed=False) if _looks_complete(sentence) else None


def _is_stated(sentence: ParsedSentence, root: Token) -> bool:
    if is_imperative(sentence, root.index):
        return True
    subject = subject_of(sentence, root.index)
    first = sentence.tokens[0]
    if subject is None or (first.head == root.index and first.text.lower() in _SUBORDINATING and first.dep != "nsubj"):
        return False
    # A verb that is tagged as an infinitive or a participle is finite if nothing but its subject goes with it.
    alone = root.tag in {"VB", "VBN"} and not sentence.children(root.index, "aux", "auxpass")
    return is_finite(sentence, root.index) or (alone and subject < root.index)


def _looks_complete(sentence: ParsedSentence) -> bool:
    """Whether a sentence that was parsed wrongly has a finite verb more than words that open a subordinate clause."""
    tokens = sentence.tokens
    if tokens[0].pos in {"VERB", "AUX"} or tokens[0].tag in {"WDT", "WP"}:
        return False
    if any(token.tag in {"PRP", "PRP$"} or token.text.lower() in _POINTING for token in tokens):
        return False
    if not tokens[-1].text.endswith(".") or tokens[0].pos == "CCONJ":
        return False
    groups = sum(
        token.tag in _FINITE_TAGS and not (at and tokens[at - 1].tag in _FINITE_TAGS) for at, token in enumerate(tokens)
    )
    openers = sum(token.tag in {"WDT", "WP", "WRB", "WP$"} or token.dep == "mark" for token in tokens)
    return groups > openers


def subject_of(sentence: ParsedSentence, verb: int) -> int | None:
    """The head of a verb's own subject."""
    subjects = sentence.children(verb, *SUBJECTS)
    return subjects[0].index if subjects else None


def is_finite(sentence: ParsedSentence, verb: int) -> bool:
    """Whether a verb is finite by itself or by its auxiliaries."""
    if sentence.tokens[verb].tag in _FINITE_TAGS:
        return True
    return any(child.tag in _FINITE_TAGS for child in sentence.children(verb, "aux", "auxpass"))


def is_imperative(sentence: ParsedSentence, verb: int) -> bool:
    """Whether a verb without a subject gives an order ("Wash your hands")."""
    token = sentence.tokens[verb]
    if subject_of(sentence, verb) is not None or token.tag not in {"VB", "VBP"}:
        return False
    return not any(child.tag == "TO" or child.dep == "mark" for child in sentence.children(verb))
