"""Numbers: how many, how much, which one; digits or words, with their unit and with "at least", "about" and the like.

A number allows an interval: "more than 4" from 4 upwards, "5 to 10" from 5 to 10, "40" only itself. The evidence agrees
if the two values are the same after rounding (within 2.6 % if one of them is said to be approximate), if what it allows
is within what the nug allows, or if it is a range around the nug's value.
"""

from __future__ import annotations

from math import inf

import msgspec

from karat.judges.semantic.checks.conflict import Conflict, unmatched
from karat.judges.semantic.checks.numerals import CURRENCIES, NUMBER_WORDS, Parsed, read_number, read_share
from karat.judges.semantic.checks.words import Words, same_neighbour, same_surroundings

UNITS = {
    word: unit
    for unit, forms in {
        "km": "km kilometer kilometers kilometre kilometres", "mile": "mile miles mi",
        "metre": "metre metres meter meters",
        "foot": "foot feet ft", "inch": "inch inches", "cm": "cm centimeter centimeters centimetre centimetres",
        "mm": "mm millimeter millimeters millimetre millimetres", "kg": "kg kilogram kilograms kilo kilos",
        "g": "gram grams", "mg": "mg milligram milligrams", "pound": "lb lbs", "ton": "ton tons tonne tonnes",
        "litre": "litre litres liter liters", "hour": "hour hours hr hrs", "minute": "minute minutes min mins",
        "second": "seconds sec secs", "day": "day days", "week": "week weeks", "month": "month months",
        "year": "year years yr yrs", "degree": "degree degrees °", "acre": "acre acres", "hectare": "hectare hectares",
        "person": "people persons person individuals individual", "mph": "mph", "kph": "kph", "watt": "watt watts",
        "kw": "kw kilowatt kilowatts", "mw": "mw megawatt megawatts", "gw": "gw gigawatt gigawatts",
    }.items()
    for word in forms.split()
}  # fmt: skip
STARTS = NUMBER_WORDS | {"a", "an"}
LABELLED = frozenset(
    """type phase stage section article chapter level grade class number version part volume page season
    episode group category resolution amendment covid route highway flight room title item figure
    table step protocol war no act""".split()
)
ABOUT = frozenset("about around approximately roughly nearly almost some estimated circa ~ ≈ c approx close".split())
OVER = frozenset("over above exceeding exceeds exceeded exceed beyond > ≥ topped minimum".split())
UNDER = frozenset("under below < ≤ maximum".split())
TWO_WORDS = {
    ("at", "least"): ">", ("more", "than"): ">", ("greater", "than"): ">", ("higher", "than"): ">",
    ("less", "than"): "<", ("fewer", "than"): "<", ("lower", "than"): "<", ("up", "to"): "<", ("at", "most"): "<",
}  # fmt: skip
TOLERANCE = 0.026
NEAR_BOUND = 0.2
"""How far the nug's number may be above "more than": 45 is no conflict with "more than 40"."""
MOST_POINTS = 1000
SURE = 4
"""So many of the three tokens before and the three after must be the same to see what takes a number's place."""


class Quantity(msgspec.Struct, frozen=True, gc=False):
    """A number with everything that belongs to it, at the tokens from `first` to `last`."""

    value: float
    low: float
    high: float
    step: float
    """What the last digit counts: 0.1 for 3.2, a million for "3 million"."""
    kind: str
    """count, percent, money, ordinal, label ("type 2") or result ("3-1")."""
    unit: frozenset[str]
    """The words that say of what; empty where none stands beside the number."""
    first: int
    last: int
    loose: bool


def find_numbers(words: Words, taken: frozenset[int]) -> tuple[Quantity, ...]:
    """The numbers of a text, but not at the places that are taken (years, days of a month)."""
    lower = words.lower
    quantities = []
    place = 0
    while place < len(lower):
        token, parsed = lower[place], None
        if (token[0].isdigit() or token in STARTS) and place not in taken:
            parsed = read_share(lower, place) or read_number(lower, place)
        if parsed is None or _is_mark(words, place, parsed.end):
            place += 1
            continue
        quantity = _quantity(words, place, parsed, taken)
        if quantity is None:
            place = parsed.end
            continue
        quantities.append(quantity)
        place = max(parsed.end, quantity.last + 1 if quantity.kind != "count" else parsed.end)
    return tuple(quantities)


def _is_mark(words: Words, place: int, end: int) -> bool:
    """Whether a number only marks something: a list item, a citation, a part of a name such as COVID-19."""
    before, after = words.before(place), words.lower[end] if end < len(words.lower) else ""
    if words.lower[place][0].isdigit():
        if after in (".", ")") and (not before or before in "\n•*-(") and words.lower[place].isdecimal():
            return place <= 1 and end < len(words.lower) - 1
        if before == "[" or after == "]" or (before == "(" and after == ")" and len(words.lower[place]) < 4):
            return True
        is_part = before == "-" and place > 1 and words.written[place - 2][-1].isalpha()
        return is_part or (after == ":" and place == 0)
    if words.lower[place] == "one":
        return before in ("no", "any", "this", "that", "the", "each", "every", "another") or not (
            end < len(words.stems) and (words.stems[end] or end > place + 1 or words.lower[end] in ("-", "or"))
        )
    # "a second", "the third": no unit, or an adverb.
    return words.lower[place] in ("second", "seconds") and before in ("a", "per", "every", "-")


def _quantity(words: Words, place: int, parsed: Parsed, taken: frozenset[int]) -> Quantity | None:
    lower, end = words.lower, parsed.end
    value, step, low, high, loose = parsed.value, parsed.step, parsed.value, parsed.value, False
    if words.before(place) == "between" and (end == len(lower) or lower[end] not in ("and", "-", "–")):
        return None
    kind = "ordinal" if parsed.ordinal else "count"
    unit: frozenset[str] = frozenset()
    if step < 0:
        kind, step, loose = "percent", 1.0, value % 1 > 0
    if before_money := words.before(place) in CURRENCIES:
        kind, unit = "money", frozenset([CURRENCIES[lower[place - 1]]])
    # A range: 5-10, 5 to 10, between 5 and 10.
    joint = lower[end] if end < len(lower) else ""
    if kind != "ordinal" and (joint in ("-", "–", "—", "to") or (joint == "and" and words.before(place) == "between")):
        skip = end + 1 + (end + 1 < len(lower) and lower[end + 1] in CURRENCIES)
        upper = read_number(lower, skip) if skip < len(lower) and skip not in taken else None
        if upper and not upper.ordinal and words.before(place) != "from":
            if upper.value < value and upper.step > step and joint != "to":
                value, low = value * upper.step, low * upper.step  # 2-3 million
            if upper.value > value:
                high, end = upper.value, upper.end
            elif joint != "to":
                return _result(place, value, upper)
    after = lower[end] if end < len(lower) else ""
    if after in ("%", "percent", "percentage", "pct"):
        kind, end = "percent", end + 1
    elif after == "per" and words.after(end) == "cent":
        kind, end = "percent", end + 2
    elif after in CURRENCIES and not before_money:
        kind, unit, end = "money", frozenset([CURRENCIES[after]]), end + 1
    if kind in ("count", "ordinal"):
        kind, unit = _unit(words, place, end, kind)
    first, low, high, about = _bounds(words, place - before_money, end, low, high)
    return Quantity(value, low, high, step, kind, unit, first, _last(words, end, unit), loose or about)


def _result(place: int, value: float, other: Parsed) -> Quantity | None:
    """The result of a game, such as 3-1."""
    if max(value, other.value) >= MOST_POINTS:
        return None
    both = value + other.value / MOST_POINTS
    return Quantity(both, both, both, 1 / MOST_POINTS, "result", frozenset(), place, other.end - 1, False)


def _unit(words: Words, place: int, end: int, kind: str) -> tuple[str, frozenset[str]]:
    lower = words.lower
    before = words.before(place)
    if (kind == "count" and before in LABELLED) or (before == "-" and place > 1 and lower[place - 2] in LABELLED):
        return "label", frozenset([before if before != "-" else lower[place - 2]])
    unit = set()
    start = end + (end < len(lower) and lower[end] == "-")
    for at in range(start, min(start + 3, len(lower))):
        if lower[at] in UNITS:
            unit.add(UNITS[lower[at]])
            break
        if not words.stems[at] or lower[at][-2:] == "ly":
            break
        unit.add(words.stems[at])
    return kind, frozenset(unit)


def _last(words: Words, end: int, unit: frozenset[str]) -> int:
    """The token where the number and its unit end, for showing them."""
    last = end - 1
    while last + 1 < len(words.lower) and last < end + 2 and (
        words.stems[last + 1] in unit or UNITS.get(words.lower[last + 1]) in unit
    ):  # fmt: skip
        last += 1
    return last


def _bounds(words: Words, place: int, end: int, low: float, high: float) -> tuple[int, float, float, bool]:
    """The token where the words before a number begin, what they allow, and whether they say "about"."""
    lower = words.lower
    while place and lower[place - 1] in ("the", "a", "an", "only", "just"):
        place -= 1
    following = lower[end : end + 2]
    if following in (("or", "more"), ("or", "so"), ("or", "less"), ("or", "fewer")) or following[:1] == ("+",):
        return (place, low, inf, False) if following[-1:] in (("more",), ("+",)) or following[:1] == ("+",) else (
            (place, low, high, True) if following[1] == "so" else (place, -inf, high, False)
        )  # fmt: skip
    sign = TWO_WORDS.get((lower[place - 2], lower[place - 1])) if place > 1 else None
    if sign:
        place -= 2
        if place and lower[place - 1] in ("no", "not"):
            place, sign = place - 1, "<" if sign == ">" else ">"
        return (place, low, inf, False) if sign == ">" else (place, -inf, high, False)
    before = words.before(place)
    if before in OVER:
        return place - 1, low, inf, False
    if before in UNDER:
        return place - 1, -inf, high, False
    if before in ABOUT or (before == "to" and place > 1 and lower[place - 2] == "close"):
        return place - 1, low, high, True
    return place, low, high, False


def agree(nug: Quantity, evidence: Quantity) -> bool:
    """Whether the number of the evidence may stand for the nug's."""
    a, b = nug.value, evidence.value
    if nug.kind != evidence.kind and evidence.unit and nug.kind != "count":
        return False
    size = max(abs(a), abs(b))
    gap = abs(a - b)
    coarse = max(nug.step, evidence.step)
    if gap <= (coarse / 2 if nug.step != evidence.step else 0) + 1e-9 * size:
        return True
    if (
        nug.loose or evidence.loose or (size >= 1000 and 0 in (a % 1000, b % 1000) and gap <= 0.02 * size)
    ) and gap <= TOLERANCE * size:
        return True
    if nug.high == evidence.high == inf and gap <= 2 * TOLERANCE * size:
        return True  # "at least 176" and "more than 170"
    if nug.low <= evidence.low and evidence.high <= nug.high:
        return True
    if evidence.low <= a <= evidence.high:
        return (evidence.low > -inf and evidence.high < inf) or (nug.low == nug.high and gap <= NEAR_BOUND * size)
    return False


def number_conflicts(
    nug: Words, numbers: tuple[Quantity, ...], evidence: Words, others: tuple[Quantity, ...]
) -> list[Conflict]:
    """The numbers of the nug that have another value in the evidence, and their own nowhere."""

    def same_slot(ours: Quantity, theirs: Quantity) -> bool:
        if ours.kind != theirs.kind:
            return False
        if ours.unit and theirs.unit:
            if not ours.unit & theirs.unit or not ours.unit <= theirs.unit | evidence.content:
                return False
        elif ours.kind in ("count", "ordinal") and not same_neighbour(
            nug, ours.first, ours.last, evidence, theirs.first, theirs.last
        ):
            return False
        around = nug.near(ours.first, ours.last)
        return ours.kind == "label" or not around or not around.isdisjoint(evidence.near(theirs.first, theirs.last))

    return [
        Conflict("number", nug.said(ours.first, ours.last), evidence.said(theirs.first, theirs.last))
        for ours, theirs in unmatched(numbers, others, agree, same_slot)
    ]


def digit_conflicts(nug: Words, evidence: Words) -> list[Conflict]:
    """Digits that the evidence replaces by others between the same words, whatever they count."""
    strange = [at for at, token in enumerate(evidence.lower) if token[0].isdigit() and token not in nug.forms]
    if not strange:
        return []
    return [
        Conflict("number", nug.said(at - 1, at + 1), evidence.said(other - 1, other + 1))
        for at, token in enumerate(nug.lower)
        if token[0].isdigit() and token not in evidence.forms and nug.before(at) != "["
        for other in strange
        if same_surroundings(nug, at, at, evidence, other, other) >= SURE and not _close(token, evidence.lower[other])
    ]


def _close(token: str, other: str) -> bool:
    """Whether two numerals have the same value after rounding."""
    ours, theirs = read_number((token,), 0), read_number((other,), 0)
    if ours is None or theirs is None:
        return False
    gap = abs(ours.value - theirs.value)
    return gap <= max(ours.step, theirs.step) / 2 or (gap <= 0.02 * ours.value and "," in token and "," in other)
