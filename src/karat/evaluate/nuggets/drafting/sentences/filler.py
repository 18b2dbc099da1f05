"""Sentences that say nothing about the question: empty ones, mere repetition, headings in capitals."""

from __future__ import annotations

import re
from collections.abc import Set

from karat.text.stems import stemmer
from karat.text.words import content_words, words

_GENERIC = frozenset(
    map(
        stemmer("english"),
        """complex multifaceted topic issue matter question debate debated subject important importance significant
        significantly significance various several multiple many number factor aspect role play played impact influence
        effect affect consider considered considerations understand understanding depend depends range different
        variety wide key major main overall general generally often can may might could would well known vary varies
        varied nuanced interesting crucial essential perspective view approach discuss explore involve involved involves
        include includes including following several way ways one thing things people lot also reason reasons cause
        causes consequence consequences seen regarding related address complicated ongoing case cases context
        contributed contribute contributes relationship answer simple straightforward common different difficult
        challenge challenges challenging broader broad changed change changes shaped shape
        evolved positive negative""".split(),
    )
)
FEWEST_NEW = 2
"""How many words a sentence needs that are neither in the question nor said of everything."""


def says_something(text: str, question: Set[str]) -> bool:
    """Whether a sentence has enough words that are neither in the question nor true of everything.

    question: the stems of the question.
    """
    stem = stemmer("english")
    new = {stem(word) for word in content_words(text)} - question - _GENERIC
    return len(new) >= FEWEST_NEW


_EMPTY = re.compile(
    r"\bplay(?:s|ed|ing)?\s+(?:an?|the|its|their)\s+(?:\w+\s+){0,3}roles?\b"
    r"|\b(?:highlight|underscore|emphasi[sz]e|underline|stress|demonstrate|show)(?:s|ed|d)?\s+the\s+(?:\w+\s+){0,2}"
    r"(?:importance|role|need|complexity|significance|impact)\b"
    r"|\b(?:is|are|was|were|remains?)\s+(?:an?\s+|\w+ly\s+|very\s+|also\s+)*(?:important|crucial|complex|essential|vital"
    r"|significant|multifaceted|nuanced|controversial|complicated|debated|varied|diverse|numerous|profound)\b"
    r"(?:\s+and\s+\w+)?(?:\s+(?:topic|issue|matter|question|aspect|part|factor|subject|debate|consideration)s?\b|\W*$)"
    r"|^there\s+(?:are|is|were)\s+(?:many|several|various|numerous|multiple|different|a\s+(?:number|variety|range)\s+of)\b"
    r"|\b(?:vary|varies|varied|depends?)\s+(?:\w+ly\s+)?(?:on|by|depending|based|from|across|among)\b"
    r"|\b(?:has|have|had)\s+(?:an?\s+)?(?:\w+\s+){0,2}(?:impacts?|effects?|influence|implications|consequences)\s+(?:on|for)\b",
    re.IGNORECASE,
)
_DETAIL = re.compile(
    r"\d|:|,\s|\b(?:because|since|by|through|when|if|such\s+as|including|like|due\s+to|as\s+(?:it|they|the|a)|which|who"
    r"|where|than|so\s+that|to\s+\w+\s+the)\b",
    re.IGNORECASE,
)


def is_empty(text: str, question: Set[str]) -> bool:
    """Whether a sentence only says that something matters, varies or has an effect, and nothing in detail.

    A number, a name that the question does not have, a list or a reason is detail.
    """
    stem = stemmer("english")
    if _EMPTY.search(text) is None or _DETAIL.search(text) is not None:
        return False
    names = [word for word in re.findall(r"(?<=\s)[A-Z][\w-]+", text) if stem(word.lower()) not in question]
    return not names


def stems_of(text: str) -> frozenset[str]:
    """The stems of the content words of a text."""
    stem = stemmer("english")
    return frozenset(stem(word) for word in content_words(text))


def shouts(text: str) -> bool:
    """Whether a text is all in capitals, as headings are."""
    letters = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 1]
    return len(letters) > 2 and sum(word.isupper() for word in letters) > len(letters) / 2


def repeats_a_word(text: str) -> bool:
    """Whether one word is said over and over, as in text that a program lost control of."""
    said = words(text)
    return len(said) >= 12 and len(set(said)) < 0.45 * len(said)
