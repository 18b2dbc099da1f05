"""Names: somebody or something else in the place of the nug's name.

Names are sequences of capitalised words; a single one at the beginning of a sentence may be any word and never counts
as another name. Parts of a name, acronyms and the words for a country's people agree with the name.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from karat.judges.semantic.checks.conflict import Conflict
from karat.judges.semantic.checks.dates import MONTHS, WEEKDAYS
from karat.judges.semantic.checks.numerals import NUMBER_WORDS
from karat.judges.semantic.checks.words import FUNCTION_WORDS, Words, same_surroundings, stem, table
from karat.language.analysis import Analysis

LINKS = frozenset("of de la van von der den al bin ibn el del da di du le - & '".split())
TITLES = frozenset(
    """mr mrs ms miss dr prof professor president vice prime minister king queen prince princess sir lord
    lady dame saint st chancellor governor senator judge justice general colonel captain lieutenant
    secretary director chairman chairwoman ceo pope father sister brother rev reverend
    representative ambassador mayor the""".split()
)
NO_NAMES = frozenset(
    [*WEEKDAYS, *MONTHS, *NUMBER_WORDS, "i", "i'm", "i've", "i'd", "i'll", "ad", "bc", "ce", "bce", "am", "pm"]
)
ARTICLES = frozenset(["the", "a", "an"])
DETERMINERS = frozenset("the a an this that these those his her their its our my your".split())
NAMED = {
    "PERSON": "person", "ORG": "group", "NORP": "place", "GPE": "place", "LOC": "place", "FAC": "place",
    "PRODUCT": "thing", "EVENT": "thing", "WORK_OF_ART": "thing", "LAW": "thing", "LANGUAGE": "place",
}  # fmt: skip
"""What the labels of an analysis tell apart; a country is often taken for the people or the language and so on."""
FROM_THERE = ("an", "ans", "ese", "ish", "ch", "i", "is", "ic")
LOCATIVE = frozenset("in at from near to of across throughout into inside within around".split())
CONTINENTS = frozenset("europe european asia asian africa african latin".split())
"""Other names may be part of these."""
HEADLINE = 0.85
"""Where more of the longer words than this have a capital letter, capitals do not mark names."""
SURE = 4
COMMON_START = 5
"""Words that begin with the same letters, at least as many, belong together: Islam and Islamic."""


class Name(msgspec.Struct, frozen=True, gc=False):
    """A name at the tokens from `first` to `last`."""

    parts: tuple[str, ...]
    """Its words in lower case, without titles."""
    line: int
    """The line in the table of places; -1 for all other names."""
    sure: bool
    """Whether it is certainly a name: not just the first word of a sentence."""
    first: int
    last: int
    label: str = ""
    """What an analysis calls it: person, place, group or thing; empty without one."""


@lru_cache
def _lines() -> dict[str, int]:
    return {form.strip(): number for number, line in enumerate(table("places.txt")) for form in line.split("|")}


@lru_cache
def _forms(line: int) -> tuple[str, ...]:
    return tuple(form for form, number in _lines().items() if number == line)


def find_names(words: Words) -> tuple[Name, ...]:
    """The names of a text; none where nearly every word has a capital letter."""
    written, lower = words.written, words.lower
    long = [token for token in written if len(token) > 3 and token[0].isalpha()]
    if len(long) > 4 and sum(token[0].isupper() for token in long) > HEADLINE * len(long):
        return ()
    names = []
    place, count = 0, len(written)
    while place < count:
        if not _may_name(words, place):
            place += 1
            continue
        end = place + 1
        while (
            end < count
            and not lower[end - 1].endswith("'s")
            and (_may_name(words, end) or (end + 1 < count and _links(words, end) and _may_name(words, end + 1)))
        ):
            end += 1
        if name := _name(words, place, end):
            names.append(name)
        place = end
    return tuple(names)


def label_names(words: Words, names: tuple[Name, ...], analysis: Analysis) -> tuple[Name, ...]:
    """The names with the labels that an analysis gives them; a name that it labels is certainly one."""
    labels = [
        (sentence.tokens[entity.start_token].start, sentence.tokens[entity.end_token - 1].end, entity.label)
        for sentence in analysis.sentences
        for entity in sentence.entities
        if entity.label in NAMED
    ]
    labelled = []
    for name in names:
        start, end = words.spans[name.first][0], words.spans[name.last][1]
        label = next((NAMED[label] for first, last, label in labels if first < end and start < last), "")
        labelled.append(msgspec.structs.replace(name, label=label, sure=name.sure or label != ""))
    return tuple(labelled)


def _may_name(words: Words, place: int) -> bool:
    token, low = words.written[place], words.lower[place]
    if not token[0].isupper() or low in NO_NAMES:
        return False
    return low not in FUNCTION_WORDS or _is_acronym(token) or (len(token) == 1 and words.after(place) == ".")


def _links(words: Words, place: int) -> bool:
    """Whether a token joins two parts of a name: "of", or the stop of an initial or a title."""
    before = words.lower[place - 1]
    return words.lower[place] in LINKS or (words.lower[place] == "." and (len(before) == 1 or before in TITLES))


def _is_acronym(token: str) -> bool:
    return token.isupper() and len(token) > 1


def _name(words: Words, place: int, end: int) -> Name | None:
    begins = place == 0 or words.lower[place - 1] in ".!?:\"“”'‘’•*-" or words.lower[place - 1].isdigit()
    capitals = [words.lower[at].removesuffix("'s") for at in range(place, end) if words.written[at][0].isupper()]
    parts = tuple([part for part in capitals if part not in TITLES and len(part) > 1])
    if not parts:
        return None
    lines = _lines()
    line = lines.get(" ".join(parts), -1)
    token = words.written[place]
    sure = not begins or end - place > 1 or _is_acronym(token) or line >= 0 or not token[1:].islower()
    # An article belongs to the name: "the Alps" may stand where "Bavaria" stood.
    return Name(parts, line, sure, place - (words.before(place) in ARTICLES), end - 1)


def _is_there(name: Name, words: Words, names: tuple[Name, ...]) -> bool:
    """Whether a text has a name, a part of it, its acronym or another form of it."""
    forms = words.forms
    if any(part in forms or f"{part}'s" in forms or stem(part) in words.content for part in name.parts):
        return True
    if name.line >= 0:
        return any(other.line == name.line for other in names) or any(form in forms for form in _forms(name.line))
    abbreviated = tuple(part for other in names for part in other.parts if len(part) > 2)
    if any(part[: len(short)] == short for part in name.parts if len(part) > 4 for short in abbreviated):
        return True
    starts = {part[:COMMON_START] for part in name.parts if len(part) >= COMMON_START}
    if starts and any(form[:COMMON_START] in starts for form in forms):
        return True
    if any(_sounds_alike(part, other) for part in name.parts for each in names for other in each.parts):
        return True
    initials = "".join(part[0] for part in name.parts)
    if len(initials) > 1 and (initials in forms or ".".join(initials) + "." in forms):
        return True
    acronym = name.parts[0].replace(".", "") if len(name.parts) == 1 else ""
    return 2 <= len(acronym) <= 6 and any("".join(part[0] for part in other.parts) == acronym for other in names)


def _sounds_alike(left: str, right: str) -> bool:
    """Two spellings of one name: the same first letter and consonants ("Kyiv", "Kiev"; "Muhammad", "Mohammed")."""
    return len(left) > 3 and len(right) > 3 and left[0] == right[0] and _consonants(left) == _consonants(right)


@lru_cache(maxsize=1 << 12)
def _consonants(word: str) -> str:
    kept = [letter for letter in word if letter not in "aeiouy'-"]
    return "".join(letter for letter, before in zip(kept, ["", *kept], strict=False) if letter != before)


def name_conflicts(nug: Words, names: tuple[Name, ...], evidence: Words, others: tuple[Name, ...]) -> list[Conflict]:
    """The names of the nug in whose place the evidence has another one."""
    conflicts = []
    strange = [other for other in others if not _is_there(other, nug, names)]
    for name in names:
        other = _namesake(name, evidence, others, nug)
        if other is None:
            other = next(
                (one for one in others if one.parts[-1] not in nug.forms and _replaces(nug, name, evidence, one)), None
            )
            if other is None and strange and name.sure and not _is_there(name, evidence, others):
                other = next((one for one in strange if one.sure and _same_slot(nug, name, evidence, one)), None)
        if other is not None:
            conflicts.append(Conflict("name", nug.said(name.first, name.last), evidence.said(other.first, other.last)))
    return conflicts


def _replaces(nug: Words, ours: Name, evidence: Words, theirs: Name) -> bool:
    """Whether another name stands between the same words, also where the nug's name is elsewhere in the evidence."""
    if same_surroundings(nug, ours.first, ours.last, evidence, theirs.first, theirs.last) < SURE:
        return False
    if theirs.line < 0 and theirs.label in ("", "place") and _is_country(ours) and nug.before(ours.first) in LOCATIVE:
        return False  # it may be in that country
    if stem(theirs.parts[-1]) in nug.content or ours.line == theirs.line >= 0 or _abbreviates(ours, theirs):
        return False
    if CONTINENTS & {*ours.parts, *theirs.parts} or _misspelt(ours.parts[0], theirs.parts[0]):
        return False
    if nug.lower.count(ours.parts[-1]) <= evidence.lower.count(ours.parts[-1]) > 0:
        return False  # the evidence has both
    return ours.sure or theirs.sure or not (_is_plural(ours) or _is_plural(theirs))


def _abbreviates(name: Name, other: Name) -> bool:
    """Whether one of two names is made of the first letters of the other, or begins it."""
    short, long = sorted((name.parts, other.parts), key=len)
    letters = short[0].replace(".", "")
    return len(short) == 1 and ("".join(part[0] for part in long) == letters or long[0].startswith(letters))


def _is_country(name: Name) -> bool:
    """Whether it is the name of the place itself, not a word for what is from there."""
    form = " ".join(name.parts)
    return name.line >= 0 and (form == _forms(name.line)[0] or not form.endswith(FROM_THERE))


def _is_plural(name: Name) -> bool:
    """Whether the first word of a sentence may be a plural or an abstract noun rather than a name."""
    return name.parts[-1].endswith(("s", "tion", "ment", "ity", "ness", "ing", "ance", "ence", "ology", "people"))


def _namesake(name: Name, evidence: Words, others: tuple[Name, ...], nug: Words) -> Name | None:
    """Another bearer of the same last name: Jane Smith for John Smith."""
    if len(name.parts) != 2 or name.parts[0] in evidence.forms:
        return None
    first, last = name.parts
    for other in others:
        if len(other.parts) == 2 and other.parts[1] == last and other.parts[0] not in nug.forms:
            mine = other.parts[0]
            if len(first) > 2 and len(mine) > 2 and first[:3] != mine[:3] and not _misspelt(first, mine):
                return other
    return None


def _misspelt(word: str, other: str) -> bool:
    """Whether two words of the same length differ in one letter."""
    return len(word) == len(other) and sum(a != b for a, b in zip(word, other, strict=True)) == 1


def _same_slot(nug: Words, ours: Name, evidence: Words, theirs: Name) -> bool:
    if ours.label and theirs.label and ours.label != theirs.label:
        return False
    if (ours.line >= 0) != (theirs.line >= 0) or CONTINENTS & {*ours.parts, *theirs.parts}:
        return False
    if same_surroundings(nug, ours.first, ours.last, evidence, theirs.first, theirs.last) > 2:
        return True
    left, other_left = _neighbour(nug, ours.first, -1), _neighbour(evidence, theirs.first, -1)
    right, other_right = _neighbour(nug, ours.last, 1), _neighbour(evidence, theirs.last, 1)
    same_left, same_right = left == other_left, right == other_right
    if same_left and same_right and (left or right):
        return True
    has_content = (same_left and left[:1] == "+") or (same_right and right[:1] == "+")
    return has_content and len(nug.near(ours.first, ours.last, 5) & evidence.near(theirs.first, theirs.last, 5)) > 1


def _neighbour(words: Words, place: int, step: int) -> str:
    """The token beside a name, as a stem marked with + if it has content; determiners and titles are passed over."""
    place += step
    while 0 <= place < len(words.lower) and (words.lower[place] in DETERMINERS or words.lower[place] in TITLES):
        place += step
    if not 0 <= place < len(words.lower) or not words.lower[place][0].isalnum():
        return ""
    return "+" + words.stems[place] if words.stems[place] else words.lower[place]
