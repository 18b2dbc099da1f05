"""True statements in the words of the sentence: the sentence itself, or a shorter one that follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import ParsedSentence, Token
from makers.sentence import BOUNDS, Edit, text_of, tidy, words_of

DROPPED_CLAUSES = ("because", "although", "though", "whereas", "while")
LEAST_WORDS = 5


def copied(sentence: ParsedSentence) -> Iterator[Edit]:
    yield Edit("exact", text_of(sentence))


def shortened(sentence: ParsedSentence) -> Iterator[Edit]:
    """The sentence without its last clause or phrase, where nothing before it depends on it."""
    if words_of(sentence) & BOUNDS or any(token.tag in ("JJS", "RBS", "JJR", "RBR") for token in sentence.tokens):
        return
    for token in sentence.tokens:
        below = sentence.subtree(token.index)
        last = len(sentence.tokens) - 1
        if token.dep == "ROOT" or below[-1] != last - 1 or len(below) != last - below[0]:
            continue
        form = _form(sentence, token, below[0])
        if form is None:
            continue
        end = below[0]
        if sentence.tokens[end - 1].text == "," or sentence.tokens[end - 1].dep == "cc":
            end -= 1
        if sentence.tokens[end - 1].text == ",":
            end -= 1
        kept = sentence.tokens[:end]
        has_verb = any(one.dep == "ROOT" and one.pos in ("VERB", "AUX") for one in kept)
        if (
            len(kept) < LEAST_WORDS
            or not has_verb
            or kept[-1].pos == "PUNCT"
            or sum(one.text == "," for one in kept) % 2
        ):
            continue
        yield Edit(form, tidy(sentence.text_of(0, end) + "."))


def _form(sentence: ParsedSentence, token: Token, first: int) -> str | None:
    opening, before = sentence.tokens[first].text.lower(), sentence.tokens[first - 1].text if first else ""
    head = sentence.tokens[token.head]
    if token.dep == "advcl" and opening in DROPPED_CLAUSES:
        return "without subordinate clause"
    if token.dep == "relcl" and before == "," and opening in ("which", "who"):
        return "without relative clause"
    if (
        token.dep == "conj"
        and head.dep == "ROOT"
        and sentence.children(token.index, "nsubj", "nsubjpass")
        and before in ("and", "but")
    ):
        return "without second clause"
    if token.dep == "prep" and head.dep == "ROOT" and opening in ("in", "on", "during") and head.tag == "VBD":
        # What is said of now, or of a place, may not hold at other times and places.
        return "without time" if {one.ent_type for one in sentence.tokens[first:]} & {"DATE", "TIME"} else None
    return None
