"""Words of a text, and which of them carry no content."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"\w+(?:['’]\w+)*", re.UNICODE)
_DIGIT_GROUP = re.compile(r"(?<=\d)[,\u00a0\u202f](?=\d{3}\b)")

STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing down during each few for from further had has have having he her here hers him his
    how i if in into is it its itself just me more most my no nor not of off on once only or other our ours out over
    own same she should so some such than that the their theirs them then there these they this those through to too
    under until up very was we were what when where which while who whom why will with would you your yours""".split()
)
NEGATIONS = frozenset("no not never none neither nor without cannot".split())
LEADING_PRONOUNS = frozenset("he she it they him her them his hers its their theirs this these those".split())


def words(text: str) -> list[str]:
    """The words in lower case; a number keeps its digits together (`20,919` -> `20919`).

    >>> words("Japan recorded 20,919 suicides, wasn't it?")
    ['japan', 'recorded', '20919', 'suicides', "wasn't", 'it']
    """
    return list(_words(text))


# A description is looked at from several sides.
@lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_DIGIT_GROUP.sub("", text).lower().replace("’", "'")))


def content_words(text: str) -> list[str]:
    """The words that are no stop words."""
    return [word for word in _words(text) if word not in STOP_WORDS]


def negates(word: str) -> bool:
    """Whether a word turns what is said into its contrary."""
    return word in NEGATIONS or word.endswith("n't")


def is_negated(text: str) -> bool:
    """Whether a negation is among the words."""
    return any(map(negates, _words(text)))


def has_digit(word: str) -> bool:
    """Whether a word is, or contains, a number in digits."""
    return not word.isalpha() and any(map(str.isdigit, word))
