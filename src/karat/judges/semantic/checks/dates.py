"""Dates: years, decades and centuries, months, days of a month, days of the week.

A year is an interval (the 1990s from 1990 to 1999, "since 1994" from 1994 onwards), and two mentions agree if their
intervals meet; two open ones agree only if they begin or end in the same year.
"""

from __future__ import annotations

from math import inf

import msgspec

from karat.judges.semantic.checks.conflict import Conflict, unmatched
from karat.judges.semantic.checks.numerals import ORDINALS
from karat.judges.semantic.checks.words import Words

MONTHS = {
    word: number
    for number, words in enumerate(
        """january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sep sept,
        october oct,november nov,december dec""".split(","),
        1,
    )
    for word in words.split()
}
WEEKDAYS = {
    word: number for number, word in enumerate("monday tuesday wednesday thursday friday saturday sunday".split(), 1)
}
YEAR_BEFORE = frozenset(
    """in since by of until till from during after before through around about late early mid fiscal year years circa
    c between and to - – ( / season""".split()
) | frozenset(MONTHS)
AMBIGUOUS = frozenset(["may", "march", "mar", "jan", "sun", "sat"])
MONTH_BEFORE = frozenset(
    "in of since until by early late mid last next this from through during every each before after".split()
)
JOINTS = frozenset("- – — to and through until".split())
DATE_WORDS = frozenset([*MONTHS, *WEEKDAYS, "century", "centuries"])


class Moment(msgspec.Struct, frozen=True, gc=False):
    """A date, or a part of one, at the tokens from `first` to `last`."""

    kind: str
    """year, month, day (100 x month + day) or weekday."""
    low: float
    high: float
    first: int
    last: int


def find_dates(words: Words) -> tuple[Moment, ...]:
    """The dates of a text."""
    moments: list[Moment] = []
    for place, token in enumerate(words.lower):
        if token[0].isdigit():
            moments.extend(_from_digits(words, place, token))
        elif token in MONTHS:
            moments.extend(_from_month(words, place, token))
        elif token in WEEKDAYS:
            moments.append(Moment("weekday", WEEKDAYS[token], WEEKDAYS[token], place, place))
        elif token in ("century", "centuries"):
            moments.extend(_from_century(words, place))
    return tuple(moments)


def _from_digits(words: Words, place: int, token: str) -> list[Moment]:
    if len(token) == 10 and token[4] == "-":
        year, month, day = int(token[:4]), int(token[5:7]), int(token[8:])
        return [
            Moment("year", year, year, place, place),
            Moment("month", month, month, place, place),
            Moment("day", 100 * month + day, 100 * month + day, place, place),
        ]
    if len(token) == 5 and token.endswith("0s") and token[:4].isdecimal():
        return [Moment("year", int(token[:4]), int(token[:4]) + (99 if token[2:4] == "00" else 9), place, place)]
    if not _is_year(words, place):
        return []
    year = int(token)
    low, high = float(year), float(year)
    before = words.before(place)
    if before in ("since", "after"):
        high = inf
    elif before in ("before", "until", "till", "by"):
        low = -inf
    elif before in JOINTS and place > 1 and _is_year(words, place - 2):
        low = int(words.lower[place - 2]) if before != "and" or words.before(place - 2) == "between" else low
    moments = [Moment("year", min(low, high), high, place, place)]
    following = words.lower[place + 1 : place + 3]
    if len(following) > 1 and following[0] in "-–/" and following[1].isdecimal() and len(following[1]) == 2:
        moments.append(Moment("year", year, year // 100 * 100 + int(following[1]), place, place + 2))
    return moments


def _is_year(words: Words, place: int) -> bool:
    token = words.lower[place]
    if len(token) != 4 or not token.isdecimal() or int(token) < 1000:
        return False
    before, after = words.before(place), words.after(place)
    if before in ("$", "€", "£", "¥", "#") or after in ("%", "percent", "million", "billion", "per"):
        return False
    if before in YEAR_BEFORE or (before == "," and place > 1):
        return True
    has_noun = place + 1 < len(words.stems) and words.stems[place + 1] != ""
    return 1700 <= int(token) <= 2100 and (int(token) % 100 > 0 or not has_noun)


def _from_month(words: Words, place: int, token: str) -> list[Moment]:
    if not words.written[place][0].isupper():
        return []
    month, before, after = MONTHS[token], words.before(place), words.after(place)
    at = place + 1 + (after == ".")
    following = words.lower[at] if at < len(words.lower) else ""
    day_before = _day(before) or (before == "of" and place > 1 and _day(words.lower[place - 2])) or 0
    day = _day(following) or day_before
    if (
        token in AMBIGUOUS
        and not day
        and not (before in MONTH_BEFORE or (following[:1].isdigit() and len(following) == 4))
    ):
        return []
    if len(token) == 3 and token != "may" and not (day or after == "." or following[:1].isdigit()):
        return []
    moments = [Moment("month", month, month, place, place)]
    if day:
        first, last = (place - (2 if before == "of" else 1), place) if not _day(following) else (place, at)
        moments.append(Moment("day", 100 * month + day, 100 * month + day, first, last))
    return moments


def _day(token: str) -> int:
    """The day of a month that a token can be, or 0."""
    number = token[:-2] if token[-2:] in ("st", "nd", "rd", "th") else token
    return int(number) if number.isdecimal() and len(number) < 3 and 1 <= int(number) <= 31 else 0


def _from_century(words: Words, place: int) -> list[Moment]:
    token = words.before(place)
    first = place - 1
    if token == "-" and place > 1:
        token, first = words.lower[place - 2], place - 2
    number = ORDINALS.get(token) or _day(token if token[-2:] in ("st", "nd", "rd", "th") else "")
    return [Moment("year", 100 * (number - 1), 100 * number, first, place)] if number else []


def taken_places(moments: tuple[Moment, ...]) -> frozenset[int]:
    """The tokens that belong to a date: their numbers are no quantities."""
    return frozenset(place for moment in moments for place in range(moment.first, moment.last + 1))


def agree(nug: Moment, evidence: Moment) -> bool:
    """Whether two dates can be the same."""
    if nug.kind != evidence.kind:
        return False
    if inf in (nug.high, -nug.low) and inf in (evidence.high, -evidence.low):
        return (nug.low, nug.high) == (evidence.low, evidence.high)
    return nug.low <= evidence.high and evidence.low <= nug.high


def date_conflicts(
    nug: Words, dates: tuple[Moment, ...], evidence: Words, others: tuple[Moment, ...]
) -> list[Conflict]:
    """The dates of the nug that are others in the evidence."""

    def same_slot(ours: Moment, theirs: Moment) -> bool:
        if ours.kind != theirs.kind or (ours.kind == "day" and ours.low // 100 != theirs.low // 100):
            return False
        before, after = nug.nearest(ours.first, -1), nug.nearest(ours.last, 1)
        if (before and before == evidence.nearest(theirs.first, -1)) or (
            after and after == evidence.nearest(theirs.last, 1)
        ):
            return True
        return len(nug.near(ours.first, ours.last, 3) & evidence.near(theirs.first, theirs.last, 3)) > 1

    return [
        Conflict("date", nug.said(ours.first, ours.last), evidence.said(theirs.first, theirs.last))
        for ours, theirs in unmatched(dates, others, agree, same_slot)
    ]
