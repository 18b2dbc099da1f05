"""Small edits of a sentence's text: each function gives a changed sentence that is false, or one that is still true."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from karat.language.train.entailment.pairs import words

_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)")
_ORDINAL = re.compile(r"\b(\d+)(st|nd|rd|th)\b")
_UNIT_WORDS, _TEN_WORDS = "|".join(words.NUMBER_WORDS[1:10]), "|".join(words.TENS)
_WRITTEN = re.compile(rf"\b(?:(?:{_TEN_WORDS})(?:-(?:{_UNIT_WORDS}))?|{'|'.join(words.NUMBER_WORDS[2:])})\b", re.I)
_UNITS = {
    "million": "billion", "billion": "million", "thousand": "million", "hundreds": "thousands",
    "thousands": "millions", "millions": "billions", "percent": "percentage points", "miles": "kilometres",
    "kilometers": "miles", "kilometres": "miles", "days": "weeks", "weeks": "months", "months": "years",
    "years": "months", "hours": "days", "minutes": "hours", "dollars": "euros", "feet": "metres", "meters": "feet",
    "km": "miles", "tons": "pounds", "decades": "years", "centuries": "decades", "century": "decade",
}  # fmt: skip
_FALSE_QUANTIFIERS = {
    "some": ["all", "no"], "all": ["few", "no", "hardly any"], "many": ["few", "no", "all"],
    "most of": ["few of", "all of"], "several": ["all", "no"], "few": ["most", "many"],
    "every": ["no", "hardly any"], "may": ["must", "will", "will never"], "might": ["will"],
    "could": ["could not", "must"], "can": ["cannot", "must"], "must": ["need not", "must not"],
    "should": ["should not", "need not"], "sometimes": ["always", "never"], "often": ["always", "never", "rarely"],
    "usually": ["always", "rarely", "never"], "always": ["never", "rarely"], "never": ["always", "often"],
    "rarely": ["often", "always"], "almost": ["more than", "less than half of"], "nearly": ["far more than"],
    "partly": ["wholly"], "mainly": ["only", "hardly"], "mostly": ["only", "hardly"],
    "at least": ["at most", "fewer than", "only"], "at most": ["at least", "more than"],
    "more than": ["less than", "fewer than"], "less than": ["more than"], "fewer than": ["more than"],
    "up to": ["more than"], "over": ["under"], "likely": ["certain", "unlikely"], "probably": ["certainly not"],
    "possibly": ["certainly"], "one of the": ["the only one of the"],
}  # fmt: skip
_TRUE_QUANTIFIERS = {
    "all": ["some", "many"], "many": ["some", "a lot of"], "most of": ["some of", "many of"], "several": ["some"],
    "every": ["each"], "each": ["every"], "may": ["might", "could"], "might": ["may"], "could": ["might"],
    "must": ["has to"], "always": ["often"], "often": ["sometimes", "frequently"], "usually": ["often", "normally"],
    "rarely": ["seldom"], "almost": ["nearly"], "nearly": ["almost"], "mainly": ["mostly"], "mostly": ["mainly"],
    "at least": ["no fewer than"], "at most": ["no more than"], "more than": ["over"], "over": ["over"],
    "less than": ["under"], "fewer than": ["under"], "up to": ["at most"], "likely": ["probable"],
    "probably": ["most likely"], "about": ["approximately", "around"],
}  # fmt: skip
_PLACE_OF_OVER = re.compile(r"\bover(?= \d)")
Edit = Callable[[str, random.Random], str | None]


def has_number(text: str) -> bool:
    """Whether a number, an ordinal, a month or a weekday stands in the text."""
    return bool(_NUMBER.search(text) or _ORDINAL.search(text) or _WRITTEN.search(text) or _calendar(text))


def other_number(text: str, rng: random.Random, *, near: Sequence[str] = ()) -> str | None:
    """The text with one number, ordinal, month, weekday or unit changed; `near` are numbers of the sentences around."""
    makers: list[Callable[[], str | None]] = []
    if _NUMBER.search(text):
        makers += 4 * [lambda: _replace(_NUMBER, text, rng, lambda number: _changed(number, rng, near))]
    if _ORDINAL.search(text):
        makers += 2 * [
            lambda: _replace(
                _ORDINAL, text, rng, lambda found: _nth(int(re.sub(r"\D", "", found)) + rng.choice([1, 2, 3, 5, -1]))
            )
        ]
    if _WRITTEN.search(text):
        makers += 3 * [
            lambda: _replace(_WRITTEN, text, rng, lambda found: _same_case(found, _other_written(found, rng)))
        ]
    if _calendar(text):
        makers += 2 * [lambda: _other_date(text, rng)]
    if makers and any(re.search(rf"\b{unit}\b", text) for unit in _UNITS):
        makers.append(lambda: swap_words(text, rng, {unit: [other] for unit, other in _UNITS.items()}))
    return rng.choice(makers)() if makers else None


def same_number(text: str, rng: random.Random) -> str | None:
    """The text with a number written in another way."""
    makers: list[Callable[[], str | None]] = []
    small = re.compile(r"(?<![\w.,$])([2-9]|1[0-9])(?![\w.,%:/-])")
    if small.search(text):
        makers.append(lambda: _replace(small, text, rng, lambda found: words.NUMBER_WORDS[int(found)]))
    if _WRITTEN.search(text):
        makers.append(lambda: _replace(_WRITTEN, text, rng, lambda found: str(_value(found))))
    thousands = re.compile(r"\b\d{1,3}(?:,\d{3})+\b")
    if thousands.search(text):
        makers.append(lambda: _replace(thousands, text, rng, lambda found: found.replace(",", "")))
    if re.search(r"\d%", text):
        makers.append(lambda: re.sub(r"(\d)%", r"\1 percent", text))
    if re.search(r"\d per ?cent\b", text):
        makers.append(lambda: re.sub(r"(\d) per ?cent\b", r"\1%", text))
    if re.search(r"\$\d[\d.,]*\d? (million|billion)", text):
        makers.append(lambda: re.sub(r"\$(\d[\d.,]*) (million|billion)", r"\1 \2 dollars", text))
    return rng.choice(makers)() if makers else None


def opposite(text: str, rng: random.Random) -> str | None:
    """The text with one word replaced by its opposite."""
    return swap_words(text, rng, _OPPOSITES)


def synonym(text: str, rng: random.Random) -> str | None:
    """The text with up to three words replaced by words of like meaning."""
    changed: str | None = None
    for _ in range(rng.choice([1, 2, 3])):
        changed = swap_words(changed or text, rng, _SYNONYMS) or changed
    return changed


def false_quantifier(text: str, rng: random.Random) -> str | None:
    """The text with a quantifier, modal or bound that it does not support."""
    return swap_words(text, rng, _FALSE_QUANTIFIERS)


def true_quantifier(text: str, rng: random.Random) -> str | None:
    """The text with a weaker or equal quantifier, modal or bound; None where a negation could turn it round."""
    if re.search(r"\b(not|no|never|n't|none|without|if|only)\b|n't", text, re.I):
        return None
    return swap_words(text, rng, _TRUE_QUANTIFIERS)


def has_any(text: str, table: dict[str, list[str]]) -> bool:
    """Whether a word of the table stands in the text."""
    return any(re.search(rf"\b{re.escape(word)}\b", text, re.I) for word in table)


def swap_words(text: str, rng: random.Random, table: dict[str, list[str]]) -> str | None:
    """The text with one word (or phrase) of the table replaced, keeping its first letter's case."""
    lowered = f" {re.sub(r'[^a-z. -]', ' ', text.lower())} "
    present = [word for word in table if f" {word.lower()} " in lowered or f" {word.lower()}." in lowered]
    if not present:
        return None
    word = rng.choice(present)
    pattern = re.compile(rf"\b{re.escape(word)}(?!\w)" if word != "over" else _PLACE_OF_OVER.pattern, re.I)
    return _replace(pattern, text, rng, lambda found: _same_case(found, rng.choice(table[word])))


def _replace(
    pattern: re.Pattern[str], text: str, rng: random.Random, change: Callable[[str], str | None]
) -> str | None:
    places = list(pattern.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    new = change(place.group())
    return None if new is None or new == place.group() else text[: place.start()] + new + text[place.end() :]


def _changed(number: str, rng: random.Random, near: Sequence[str]) -> str:
    others = [other for other in near if other != number and _year(other) == _year(number)]
    if others and rng.random() < 0.5:
        return rng.choice(others)
    value = float(number.replace(",", ""))
    if _year(number):
        return str(int(value) + rng.choice([-1, 1]) * rng.choice([1, 1, 2, 3, 5, 10, 10, 20, 30, 100]))
    if "." in number:
        digits = len(number.split(".")[1])
        return f"{max(0.1, value * rng.choice([0.1, 0.5, 0.8, 1.25, 1.5, 2, 10])) + 10**-digits:,.{digits}f}"
    if value < 20:
        choices = [other for other in (*range(1, 21), int(value) * 10) if other != value]
        return str(rng.choice(choices))
    if rng.random() < 0.35:
        place = rng.choice([index for index, digit in enumerate(number) if digit.isdigit()])
        digit = rng.choice([other for other in "123456789" if other != number[place]])
        return number[:place] + digit + number[place + 1 :]
    new = int(value * rng.choice([0.1, 0.25, 0.5, 0.8, 1.2, 1.5, 2, 10])) + (1 if value < 50 else 0)
    new += new == int(value)
    return f"{new:,}" if "," in number else str(new)


def _year(number: str) -> bool:
    return bool(re.fullmatch(r"1[0-9]{3}|20[0-4][0-9]", number))


def _value(written: str) -> int:
    parts = written.lower().split("-")
    if parts[0] in words.TENS:
        return 10 * (words.TENS.index(parts[0]) + 2) + (words.NUMBER_WORDS.index(parts[1]) if len(parts) > 1 else 0)
    return words.NUMBER_WORDS.index(parts[0])


def _other_written(written: str, rng: random.Random) -> str:
    value = _value(written)
    if value < 10 and rng.random() < 0.4:
        return words.TENS[value - 2]
    pool = words.NUMBER_WORDS[2:13] if value < 20 else words.TENS
    return rng.choice([word for word in pool if word != written.lower()])


def _nth(number: int) -> str:
    number = max(1, number)
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _calendar(text: str) -> list[str]:
    return [name for name in (*words.MONTHS, *words.DAYS) if name != "May" and re.search(rf"\b{name}\b", text)]


def _other_date(text: str, rng: random.Random) -> str:
    name = rng.choice(_calendar(text))
    pool = words.MONTHS if name in words.MONTHS else words.DAYS
    return re.sub(rf"\b{name}\b", rng.choice([other for other in pool if other != name]), text, count=1)


def _same_case(old: str, new: str) -> str:
    return new[0].upper() + new[1:] if old[:1].isupper() and new else new


def _table(pairs: Sequence[tuple[str, str]], *, both: bool) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for first, second in pairs:
        table.setdefault(first, []).append(second)
        if both:
            table.setdefault(second, []).append(first)
    return table


_OPPOSITES = _table(words.couples(words.OPPOSITES), both=True)
_SYNONYMS = _table(words.couples(words.SYNONYMS), both=False)
