"""Another number: digits, years, percent, written-out numbers, and units."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from karat.language.analysis import ParsedSentence, Token
from makers.sentence import Edit, rewritten, words_of

WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen",
         "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")  # fmt: skip
UNITS = (
    ("million", "billion"), ("billion", "million"), ("thousand", "million"), ("hundred", "thousand"), ("days", "weeks"),
    ("weeks", "months"), ("months", "years"), ("hours", "days"), ("minutes", "hours"), ("seconds", "minutes"),
    ("years", "months"), ("decades", "centuries"), ("centuries", "decades"), ("kilometers", "miles"),
    ("miles", "kilometers"), ("meters", "feet"), ("feet", "meters"), ("grams", "kilograms"),
    ("kg", "g"), ("mg", "g"), ("km", "m"), ("cm", "mm"),
)  # fmt: skip
MONTHS = "january february march april may june july august september october november december".split()
MORE = frozenset("least over above exceeding beyond minimum".split())
"""After "at least" only a larger number says something else; after "at most" only a smaller one."""
LESS = frozenset("most under below within maximum".split())
LABELS = ("CARDINAL", "PERCENT", "MONEY", "QUANTITY", "DATE", "TIME")


def renumbered(sentence: ParsedSentence, rng: random.Random) -> Iterator[Edit]:
    """Every number that can be changed, once, and every unit."""
    for token in sentence.tokens:
        if token.ent_type not in LABELS or token.pos not in ("NUM", "NOUN") or _in_name(sentence, token):
            continue
        head = sentence.tokens[token.head]
        # "Enzyme 2" is a name, and "1 person" cannot become "2 person".
        if token.text == "1" or (
            token.dep == "nummod" and head.index < token.index and head.text.lower() not in MONTHS
        ):
            continue
        if (new := _other(sentence, token, rng)) is not None:
            yield Edit(new.form, rewritten(sentence, [(token.index, token.index + 1, new.statement)]))
        unit = dict(UNITS).get(token.text)
        # "At least two years" says "at least two months", too.
        if (
            unit is not None
            and token.index
            and _is_count(sentence.tokens[token.index - 1])
            and not _direction(sentence, token)
        ):
            yield Edit("unit", rewritten(sentence, [(token.index, token.index + 1, unit)]))


def _is_count(token: Token) -> bool:
    return token.pos == "NUM" and token.text.lower() != "one"


def _in_name(sentence: ParsedSentence, token: Token) -> bool:
    """Whether a number is part of a name ("Boeing 747"), of a range ("5-10") or of a day ("May 5, 2006")."""
    before = sentence.tokens[token.index - 1] if token.index else None
    behind = sentence.tokens[token.index + 1] if token.index + 1 < len(sentence.tokens) else None
    if before is not None and (before.text in "-–/+:" or (before.end == token.start and before.text not in "$€£(")):
        return True
    if before is not None and before.pos == "PROPN" and before.text.lower() not in MONTHS:
        return True
    if behind is not None and (
        behind.text in "-–/+:" or (behind.start == token.end and behind.text not in "%.,)") or behind.pos == "PROPN"
    ):
        return True
    # Of "between 5 and 10" and "5 to 10" the order must stay right.
    near = {one.text.lower() for one in (before, behind) if one is not None}
    return bool(near & {"between", "to"}) or {"(", ")"} <= near or "between" in words_of(sentence)


def _other(sentence: ParsedSentence, token: Token, rng: random.Random) -> Edit | None:
    text, direction = token.text, _direction(sentence, token)
    if re.fullmatch(r"1[0-9]\d\d|20[0-2]\d", text):
        years = [year for year in range(int(text) - 40, min(2024, int(text) + 40)) if abs(year - int(text)) >= 3]
        return Edit("year", str(rng.choice(years)))
    if text.lower() in WORDS and not text[:1].isupper():
        at = WORDS.index(text)
        others = [word for place, word in enumerate(WORDS[:13]) if place != at and _fits(place - at, direction)]
        return Edit("word", rng.choice(others)) if others and at < 13 else None
    if not re.fullmatch(r"\d{1,3}(,\d{3})*(\.\d+)?|\d+(\.\d+)?", text) or float(text.replace(",", "")) == 0:
        return None
    if token.index and sentence.tokens[token.index - 1].text.lower() in MONTHS:
        days = [str(day) for day in range(1, 29) if abs(day - float(text)) >= 3]
        return Edit("day", rng.choice(days))
    new = _other_digits(text, direction, rng, percent=_is_percent(sentence, token))
    if new is None or any(new == other.text for other in sentence.tokens):
        return None
    return Edit("percent" if _is_percent(sentence, token) else "digits", new)


def _is_percent(sentence: ParsedSentence, token: Token) -> bool:
    behind = sentence.tokens[token.index + 1].text if token.index + 1 < len(sentence.tokens) else ""
    return behind in ("%", "percent")


def _direction(sentence: ParsedSentence, token: Token) -> int:
    """1: only a larger number says something else, -1: only a smaller one, 0: any other one."""
    before = [one.text.lower() for one in sentence.tokens[max(0, token.index - 3) : token.index]]
    if set(before) & MORE or (
        "than" in before and {"more", "greater", "higher", "larger", "longer", "older"} & set(before)
    ):
        return 1
    if set(before) & LESS or "than" in before or before[-2:] == ["up", "to"]:
        return -1
    return 0


def _fits(change: int, direction: int) -> bool:
    return change * direction > 0 if direction else change != 0


def _other_digits(text: str, direction: int, rng: random.Random, *, percent: bool) -> str | None:
    """A number of the same shape that is at least a fifth larger or smaller."""
    value = float(text.replace(",", ""))
    for _ in range(40):
        factor = rng.choice((0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 1.3, 1.5, 1.8, 2, 2.5, 3, 4))
        if direction and (factor - 1) * direction < 0:
            continue
        new = value * factor
        decimals = len(text.partition(".")[2])
        zeros = len(text) - len(text.rstrip("0")) if not decimals and "," not in text else 0
        rounded = round(new / 10**zeros) * 10**zeros if not decimals and "," not in text else round(new, decimals)
        if "," in text:
            rounded = round(new, -max(0, len(re.search(r"[0,]*$", text).group().replace(",", ""))))
        if abs(rounded - value) < 0.2 * value or rounded <= 0 or (percent and rounded > 99):
            continue
        return f"{rounded:,.{decimals}f}" if "," in text else f"{rounded:.{decimals}f}"
    return None
