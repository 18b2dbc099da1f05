"""Numerals: the number that begins at a token, in digits or in words."""

from __future__ import annotations

from typing import NamedTuple

ONES = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
}
TENS = {
    word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
MAGNITUDES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
SHORT_MAGNITUDES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}
"""Read only right after digits with a currency before them, except bn, mn and tn."""
ORDINALS = {
    word: value
    for value, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split(),
        1,
    )
}
FRACTIONS = {
    "half": 50.0,
    "third": 100 / 3,
    "thirds": 100 / 3,
    "quarter": 25.0,
    "quarters": 25.0,
    "fifth": 20.0,
    "fifths": 20.0,
}
NUMBER_WORDS = frozenset([*ONES, *TENS, *MAGNITUDES, *ORDINALS, *FRACTIONS])
CURRENCIES = {
    "$": "$", "dollar": "$", "dollars": "$", "usd": "$", "€": "€", "euro": "€", "euros": "€", "eur": "€", "£": "£",
    "gbp": "£", "¥": "¥", "yen": "¥", "₹": "₹", "rupees": "₹", "rupee": "₹", "yuan": "yuan", "rmb": "yuan",
}  # fmt: skip


class Parsed(NamedTuple):
    value: float
    step: float
    end: int
    ordinal: bool = False


def _digits(token: str) -> Parsed | None:
    if not token[0].isdigit() or ":" in token or token.count("-"):
        return None
    ordinal = token[-2:] in ("st", "nd", "rd", "th")
    number = token[:-2] if ordinal else token.rstrip("s")
    if number != token and not ordinal:
        return None  # 1990s
    number = number.replace(" ", "").replace(",", "")
    if len(number) > 15 or not number.replace(".", "", 1).isdecimal():
        return None
    return Parsed(float(number), 10.0 ** -(len(number.partition(".")[2])), 0, ordinal)


def read_number(lower: tuple[str, ...], place: int) -> Parsed | None:
    """The number that begins at a place: digits or words, and the magnitudes after them."""
    token, count = lower[place], len(lower)
    if digits := _digits(token):
        value, step, end = digits.value, digits.step, place + 1
        if digits.ordinal:
            return Parsed(value, 1.0, end, True)
    elif token in ORDINALS:
        return Parsed(float(ORDINALS[token]), 1.0, place + 1, True)
    elif token in ("a", "an") and place + 1 < count and lower[place + 1] in MAGNITUDES:
        value, step, end = 1.0, 1.0, place + 1
    elif token in ONES or token in TENS:
        return _written_out(lower, place)
    elif token == "half" and lower[place + 1 : place + 3] in (("a", "million"), ("a", "billion"), ("a", "dozen")):
        size = MAGNITUDES[lower[place + 2]]
        return Parsed(size / 2, size / 10, place + 3)
    elif token in ("hundred", "thousand", "million", "billion", "dozen"):
        value, step, end = 1.0, 1.0, place
    else:
        return None
    while end < count and lower[end] in MAGNITUDES:
        value, step, end = value * MAGNITUDES[lower[end]], step * MAGNITUDES[lower[end]], end + 1
    if end == place + 1 and end < count and lower[end] in SHORT_MAGNITUDES:
        size = SHORT_MAGNITUDES[lower[end]]
        if lower[end] in ("bn", "mn", "tn") or (place and lower[place - 1] in CURRENCIES):
            value, step, end = value * size, step * size, end + 1
    return Parsed(value, step, end)


def _written_out(lower: tuple[str, ...], place: int) -> Parsed | None:
    """Words such as "two hundred and forty-one thousand"."""
    total, part, step, end = 0.0, 0.0, 1.0, place
    while end < len(lower):
        token = lower[end]
        joined = token in ("and", "-") and end > place and end + 1 < len(lower)
        if (
            joined
            and (lower[end + 1] in ONES or lower[end + 1] in TENS)
            and (token == "-" or lower[end - 1] in MAGNITUDES)
        ):
            end += 1
            continue
        if token in TENS:
            if part % 100:
                break
            part += TENS[token]
        elif token in ONES:
            if part % 10 or (part % 100 and ONES[token] > 9):
                break
            part += ONES[token]
        elif token in ("hundred", "dozen"):
            part *= MAGNITUDES[token]
        elif token in MAGNITUDES:
            total, part, step = total + part * MAGNITUDES[token], 0.0, MAGNITUDES[token]
        else:
            if token in ORDINALS and end > place and lower[end - 1] in TENS:
                return Parsed(total + part + ORDINALS[token], 1.0, end + 1, True)
            if token == "-" and end + 1 < len(lower) and lower[end - 1] in TENS and lower[end + 1] in ORDINALS:
                return Parsed(total + part + ORDINALS[lower[end + 1]], 1.0, end + 2, True)
            break
        end += 1
    return Parsed(total + part, step if not part else 1.0, end)


def read_share(lower: tuple[str, ...], place: int) -> Parsed | None:
    """Fractions in words as a percentage, marked by a negative step: half of, two thirds, one in four."""
    token, following = lower[place], lower[place + 1 : place + 5]
    if token == "half" and following[:1] in (("of",), ("the",)):
        return Parsed(50.0, -1.0, place + 1)
    if len(following) < 2:
        return None
    top = (
        1 if token in ("a", "an") else ONES.get(token) or (int(token) if token.isdecimal() and len(token) < 4 else None)
    )
    if not top:
        return None
    at = 1 if following[0] == "-" else 0
    if following[at] in FRACTIONS and top < 10 and (token not in ("a", "an") or following[at + 1 : at + 2] == ("of",)):
        if following[at] == "half" and token in ("a", "an"):
            return None
        return Parsed(top * FRACTIONS[following[at]], -1.0, place + 2 + at)
    at = 2 if following[:2] == ("out", "of") else 1 if following[0] == "in" else 0
    if at and len(following) > at and token not in ("a", "an"):
        bottom = ONES.get(following[at]) or (int(following[at]) if following[at].isdecimal() else 0)
        if top < bottom <= 1000:
            return Parsed(100 * top / bottom, -1.0, place + 2 + at)
    return None
