"""Sentences that say nothing about the question: talk about the answer itself, questions, mere repetition."""

from __future__ import annotations

import re
from collections.abc import Set

from karat.evaluate.nuggets.drafting.sentences.openings import any_of
from karat.text.stems import stemmer
from karat.text.words import content_words, words

_BEGINNINGS = any_of(
    """here is|here are|here’s|here's|let me|let’s|let's|i hope|i am|i'm|i’m|as an ai|as a language model|sure|certainly
    |thank|thanks|hello|hi|dear|welcome|please|feel free|below is|below are|the following|to answer|read more|click
    |see also|disclaimer|for more information|for more details|in this report|in this answer|in this article
    |in this essay|in this response|in this summary|in this section|in this post"""
)
_MATERIAL = any_of(
    """document|documents|passage|passages|context|contexts|source|sources|text|texts|reference|references|search result
    |search results|segment|segments|information|excerpt|excerpts|material|materials|article|articles|content"""
)
_GIVEN = any_of("provided|given|retrieved|available|above|cited|search|supplied|here")
_DOES = any_of(
    """do|does|did|provide|provides|provided|contain|contains|mention|mentions|is|are|offer|offers|give|gives|indicate
    |indicates|suggest|suggests|discuss|discusses|focus|focuses"""
)
_WILL = any_of(
    "will|is|aims|aim|has|provides|covers|discusses|focuses|summarizes|outlines|explores|examines|highlights"
)
_GENERAL = any_of(
    """consider|recognize|recognise|understand|acknowledge|remember|approach|look|weigh|keep|evaluate|be aware|stay
    |continue"""
)
_META = re.compile(
    "|".join(
        (
            rf"^{_BEGINNINGS}\b",
            r"^(?:sources?|references?|note)\s*:",
            r"^if\s+you\s+(?:have|need|want)\s+(?:any|more|further)\b",
            rf"^based\s+on\s+(?:the|these|this)\s+(?:{_GIVEN}|{_MATERIAL})\b",
            rf"\b(?:the|these|this|{_GIVEN})\s+(?:{_GIVEN}\s+)?{_MATERIAL}\s+(?:{_GIVEN}\s+)?{_DOES}\b",
            rf"\b(?:provided|given|retrieved)\s+{_MATERIAL}\b",
            rf"\b(?:various|several|some|other|these|two|three)\s+{_MATERIAL}\s+(?:provide|offer|address|mention|discuss|say)\b",
            r"\b(?:address|answer)(?:es|s)?\s+the\s+(?:query|question)\b|\bnot\s+(?:directly|explicitly)\s+mentioned\b",
            rf"\bclear\s+from\s+the\s+{_MATERIAL}\b|\byou(?:\s+are|’re|'re)\s+(?:referring|asking)\b",
            r"\b(?:no|not\s+enough|insufficient|limited|little)\s+(?:\w+\s+)?information\b",
            rf"\b(?:this|the|my|our)\s+(?:answer|response|report|summary|essay|article|overview|section)\s+{_WILL}\b",
            r"\b(?:i|we)\s+(?:will|can|could|cannot|can't|do\s+not|don't|was|am|have)\b.{0,60}"
            r"\b(?:answer|discuss|discussed|explore|examine|find|found|provide|summarize|information|question|seen?)\b",
            r"\bnot\s+(?:explicitly\s+)?(?:mentioned|specified|provided|stated|addressed|discussed|included)\s+in\s+the\b",
            rf"^it\s+is\s+(?:also\s+)?(?:essential|important|crucial|vital|necessary|critical)\s+(?:for\s+\w+\s+)?to\s+{_GENERAL}\b",
            r"\b(?:further|more|additional)\s+(?:research|information|context|details)\s+(?:is|are|would\s+be|may\s+be)"
            r"\s+(?:needed|required|necessary)\b",
            r"\bit\s+is\s+(?:difficult|impossible|hard|not\s+possible)\s+to\s+(?:answer|say|determine|provide|give)\b",
        )
    ),
    re.IGNORECASE,
)
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


def is_meta(text: str) -> bool:
    """Whether a sentence talks about the answer, its sources or its reader."""
    return _META.search(text) is not None


def is_first_person(text: str) -> bool:
    """Whether a sentence is said by somebody about himself."""
    unquoted = re.sub(r"[\"“][^\"“”]*[\"”]", " ", text)
    return bool(re.search(r"(?<![\w.])I(?![\w.’'-]|\s+[A-Z(])|\b(?:my|myself|I'm|I’m)\b", unquoted))


def says_something(text: str, question: Set[str]) -> bool:
    """Whether a sentence has enough words that are neither in the question nor true of everything.

    question: the stems of the question.
    """
    stem = stemmer("english")
    new = {stem(word) for word in content_words(text)} - question - _GENERIC
    return len(new) >= FEWEST_NEW


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
