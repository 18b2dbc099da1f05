"""How names are sorted, counts are worded and notes are folded in everything that people read."""

from __future__ import annotations

import re
from collections.abc import Iterable

FEW = 3
"""Up to so many notes of a kind have a line each."""
NAMED = 5
"""How many of the others are named."""
LONG = 40
"""An explanation of so many characters or more is given once."""
_SUBJECT = re.compile(r"(?:runs?|query|queries|nug|snippet) [^:]*?: ")
_MEASURE = re.compile(
    r"(?P<who>(?:run [^:]*: )?)(?P<name>[^\s:,]+)(?P<rest>(?:, \S+=[^:]*)?: .*| is undefined.*)", re.DOTALL
)
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Control characters but tab and line feed, and those that reorder or break a line."""
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.]*")


def safe(text: str) -> str:
    r"""The text with control characters written as \u001b, which is also how JSON writes them: it keeps its meaning.

    >>> print(safe("a run called \x1b[2J"))
    a run called \u001b[2J
    """
    return text if text.isprintable() else _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts q2 before q10."""
    return [*map(_part_order, re.split(r"([0-9]+)", name)), (-1, name)]


def _part_order(part: str) -> tuple[int, str]:
    """Sort numbers by how many digits they have, then by the digits: int() fails for thousands of digits."""
    if not (part.isascii() and part.isdecimal()):
        return -1, part
    digits = part.lstrip("0")
    return len(digits), digits


def number_of(count: int, noun: str) -> str:
    """`1 query`, `3 queries`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"


def folded(notes: Iterable[str]) -> list[str]:
    """The notes below a result, in their order; equal ones once, and many of a kind as one line with a count.

    >>> folded([f"run {name}: F3 is undefined for {n} queries" for n, name in enumerate("abcdef", 2)])
    ['run a: F3 is undefined for 2 queries (and 5 more notes like this: run b, run c, run d, run e, run f)']
    """
    times: dict[str, int] = {}
    for note in _joined(notes):
        times[note] = times.get(note, 0) + 1
    kinds: dict[str, list[str]] = {}
    for note in times:
        kinds.setdefault(_kind(note), []).append(note)
    lines = []
    for note, count in times.items():
        alike = kinds[_kind(note)]
        if len(alike) > FEW:
            if note is alike[0]:
                lines.append(f"{note} (and {_others(alike)})")
        else:
            lines.append(note if count == 1 else f"{note} ({count:,} times)")
    return _explained_once(lines)


def _explained_once(notes: Iterable[str]) -> list[str]:
    """Notes that end with the same long explanation have it once.

    >>> why = "the interval is what as many equal values leave open about other queries"
    >>> _explained_once([f"F3: all values of a are equal; {why}", f"F3: all values of b are equal; {why}"])[1]
    'F3: all values of b are equal (see above)'
    """
    seen: set[str] = set()
    lines = []
    for note in notes:
        head, _, tail = note.partition("; ")
        lines.append(f"{head} (see above)" if tail in seen else note)
        if len(tail) >= LONG:
            seen.add(tail)
    return lines


def _joined(notes: Iterable[str]) -> list[str]:
    """Notes that say the same about several measures (of a run, or of all) are one note with all their names.

    >>> _joined(["F3: too few", "run a: F3 is undefined", "recall: too few", "run a: recall is undefined"])
    ['F3, recall: too few', 'run a: F3, recall are undefined']
    """
    alike: dict[tuple[str, str] | str, list[str]] = {}
    for note in notes:
        match = _MEASURE.fullmatch(note)
        if match is None:
            alike.setdefault(note, []).append(note)
        else:
            alike.setdefault((match["who"], match["rest"]), []).append(match["name"])
    lines = []
    for key, names in alike.items():
        if isinstance(key, str):
            lines += names
            continue
        (who, rest), several = key, list(dict.fromkeys(names))
        if len(several) == 1:
            lines += [f"{who}{several[0]}{rest}"] * len(names)
            continue
        more = f" and {len(several) - NAMED} more" if len(several) > NAMED else ""
        plural = re.sub("^ is ", " are ", rest)
        lines.append(f"{who}{', '.join(several[:NAMED])}{more}{plural}")
    return lines


def _others(alike: list[str]) -> str:
    others = [match[0].removesuffix(": ") for note in alike[1:] if (match := _SUBJECT.match(note))]
    named = ", ".join(others[:NAMED]) + (", ..." if len(others) > NAMED else "")
    return f"{len(alike) - 1:,} more notes like this{f': {named}' if named else ''}"


def _kind(note: str) -> str:
    """The note without whom it is about, quoted texts and numbers."""
    subject = _SUBJECT.match(note)
    rest = note[subject.end() :] if subject else note
    about = re.sub(r" [^,:]+", "", subject[0]) if subject else ""
    return about + _VARYING.sub("#", rest)
