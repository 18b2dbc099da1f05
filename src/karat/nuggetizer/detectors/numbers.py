"""Numbers: exact numbers and words for quantities, with the words that make them approximate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import trimmed
from karat.nuggetizer.english.word_lists import APPROXIMATORS, QUANTITIES

NUMBER_ENTITIES = frozenset({"CARDINAL", "MONEY", "PERCENT", "QUANTITY"})
CURRENCY = frozenset("$ € £ ¥ US$ A$ C$ HK$".split())
YEAR = re.compile(r"(1[0-9]|20)\d\d")
AGE = re.compile(r"\S+[- ]years?[- ]old", re.IGNORECASE)
FRACTION = re.compile(
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|\d+)[- ]"
    r"(?:half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?)",
    re.IGNORECASE,
)
NOT_COUNTED = frozenset({"one", "ones"})
BEFORE_PRONOUN = frozenset("this that no any some every each which the another".split())
"""After these words 'one' is a pronoun, not a number."""


def detect_numbers(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per number: an entity that counts or measures, an age, a plain number, or a word for a quantity."""
    taken: set[int] = set()
    for tokens, rule in _numbers(sentence):
        number = _completed(sentence, tokens - taken)
        if (
            number
            and not number & taken
            and (
                rule in {"number-age", "number-fraction"} or any(counts(sentence, sentence.tokens[at]) for at in number)
            )
        ):
            taken |= number
            yield new_draft("NUM", number, rule)


def _numbers(sentence: ParsedSentence) -> Iterator[tuple[set[int], str]]:
    for entity in sentence.entities:
        tokens = set(range(entity.start_token, _score_from(sentence, entity.end_token - 1) + 1))
        if AGE.fullmatch(sentence.text_of(entity.start_token, entity.end_token)):
            yield tokens, "number-age"
        elif FRACTION.fullmatch(sentence.text_of(entity.start_token, entity.end_token)):
            yield tokens, "number-fraction"
        elif entity.label in NUMBER_ENTITIES and not _is_hyphenated(sentence, tokens):
            yield tokens, f"number-{entity.label}"
    for token in sentence.tokens:
        if counts(sentence, token) and not _is_part_of_name(sentence, token):
            parts = sentence.children(token.index, "nummod", "compound")
            before = {part.index for part in parts if counts(sentence, part) and part.index < token.index}
            yield before | set(range(token.index, _score_from(sentence, token.index) + 1)), "number-word"


def counts(sentence: ParsedSentence, token: Token) -> bool:
    """Whether a word is a number, an age or a word for a quantity."""
    word = token.text.lower()
    if word in NOT_COUNTED:
        before = sentence.tokens[token.index - 1].text.lower() if token.index else ""
        return word == "one" and before not in BEFORE_PRONOUN and token.pos in {"NUM", "NOUN", "PRON"}
    if AGE.fullmatch(token.text):
        return True
    if token.tag == "CD" or (token.pos == "NUM" and token.tag not in {"JJ", "RB"}):
        return not _is_hyphenated(sentence, {token.index})
    quantity = word in QUANTITIES and token.pos in {"ADJ", "NOUN", "DET", "PRON", "NUM"}
    # 'half a million', but not 'half-life', 'quarter-final'.
    return quantity and not _is_hyphenated(sentence, {token.index})


def _is_hyphenated(sentence: ParsedSentence, tokens: set[int]) -> bool:
    """Whether a number is part of another word: 'a two-year inquiry', 'a 6.1-inch display'."""
    text = sentence.text_of(min(tokens), max(tokens) + 1)
    after = sentence.tokens[max(tokens) + 1] if max(tokens) + 1 < len(sentence.tokens) else None
    inside = re.search(r"\w-[A-Za-z]", text) is not None and not re.fullmatch(r"[a-z]+-[a-z]+", text.lower())
    if _score_from(sentence, max(tokens)) > max(tokens):
        return False
    return inside or (after is not None and after.text == "-" and after.start == sentence.tokens[max(tokens)].end)


def _score_from(sentence: ParsedSentence, at: int) -> int:
    """The last token of a score or range that begins at a number: 2-1, 61–38, 15-20."""
    tokens = sentence.tokens
    while (
        at + 2 < len(tokens)
        and tokens[at + 1].text in {"-", "–"}
        and tokens[at].tag == tokens[at + 2].tag == "CD"
        and tokens[at].end == tokens[at + 1].start
        and tokens[at + 1].end == tokens[at + 2].start
    ):
        at += 2
    return at


def _completed(sentence: ParsedSentence, tokens: set[int]) -> set[int]:
    """A number with its currency, the approximators before it and a 'by' of extent, but without an article."""
    tokens = trimmed(sentence, tokens)
    while tokens and min(tokens) > 0:
        before = sentence.tokens[min(tokens) - 1]
        if before.text in CURRENCY or _approximates(sentence, before, tokens):
            tokens.add(before.index)
        else:
            break
    if extent := _extent(sentence, tokens):
        return extent
    while tokens and sentence.tokens[min(tokens)].tag in {"DT", "PRP$"} and not _is_some(sentence, min(tokens)):
        tokens.discard(min(tokens))
    return tokens


def _is_some(sentence: ParsedSentence, at: int) -> bool:
    """Whether 'some' makes a number approximate: 'some 55 kilometers'."""
    following = sentence.tokens[at + 1] if at + 1 < len(sentence.tokens) else None
    return sentence.tokens[at].text.lower() == "some" and following is not None and following.tag == "CD"


def _extent(sentence: ParsedSentence, tokens: set[int]) -> set[int]:
    """The whole phrase of a number with 'by': 'by 15 percent', 'by a quarter'; empty if there is no 'by'."""
    first = min(tokens, default=0)
    while first > 0 and sentence.tokens[first - 1].dep in {"det", "quantmod", "advmod"}:
        first -= 1
    before = sentence.tokens[first - 1] if first > 0 else None
    if before is None or before.text.lower() != "by" or before.dep not in {"prep", "agent"}:
        return set()
    for noun in sentence.children(before.index, "pobj"):
        counted = any(child.index in tokens for child in sentence.children(noun.index, "nummod"))
        if noun.index in tokens or (counted and before.dep == "prep"):
            return set(range(before.index, max(*tokens, noun.index) + 1))
    return set()


def _approximates(sentence: ParsedSentence, before: Token, tokens: set[int]) -> bool:
    """Whether a word before a number makes it approximate: 'about 40', but not 'talked about 40 cases'."""
    if before.text.lower() not in APPROXIMATORS or before.dep not in {
        "quantmod",
        "advmod",
        "nummod",
        "amod",
        "npadvmod",
    }:
        return False
    heads = {token.index for token in (before, *sentence.ancestors(before.index))}
    beside = before.head in {sentence.tokens[at].head for at in tokens}
    return before.dep == "quantmod" or not heads.isdisjoint(tokens) or beside


def _is_part_of_name(sentence: ParsedSentence, token: Token) -> bool:
    if token.ent_type == "DATE" and YEAR.fullmatch(token.text):
        return True
    if token.ent_type == "PRODUCT" and token.dep == "nummod" and sentence.tokens[token.head].tag == "NNS":
        # 'Three C-130 planes': the tagger counts the number to the name, but it counts the planes.
        return token.index > 0 and sentence.tokens[token.index - 1].ent_type == "PRODUCT"
    return token.ent_type not in {"", *NUMBER_ENTITIES, "DATE", "TIME", "NORP"}
