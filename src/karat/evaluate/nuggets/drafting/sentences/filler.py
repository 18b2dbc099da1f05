"""Sentences that say nothing about the question: talk about the answer itself, questions, mere repetition."""

from __future__ import annotations

import re
from collections.abc import Set

from karat.text.stems import stemmer
from karat.text.words import content_words, words

_META = re.compile(
    r"""^(?:here(?:\s+is|\s+are|’s|'s)|let\s+me|let(?:’s|'s)|i\s+hope|i\s+am|i'm|i’m|as\s+an\s+ai|as\s+a\s+language\s+model
        |sure[,!]|certainly[,!]|thank|hello|hi\b|dear\b|welcome|please\b|if\s+you\s+(?:have|need|want)\s+(?:any|more|further)
        |feel\s+free|based\s+on\s+(?:the|these|this)\s+(?:provided|given|above|available|search|retrieved|context|document
            |documents|passages?|sources?|information|text)
        |below\s+(?:is|are)|the\s+following|to\s+answer|in\s+this\s+(?:report|answer|article|essay|response|summary|section|post)
        |for\s+more\s+(?:information|details)|read\s+more|click|see\s+also|sources?\s*:|references?\s*:|note\s*:|disclaimer)
    | \b(?:the|these|this|given|provided|retrieved|available|supplied|cited)\s+(?:(?:provided|given|retrieved|available|above|cited|search)\s+)?
        (?:documents?|passages?|contexts?|sources?|texts?|references?|search\s+results?|segments?|information|excerpts?|materials?|articles?)
        \s+(?:(?:provided|given|retrieved|available|above|cited|here)\s+)?
        (?:do|does|did|provides?|provided|contains?|mentions?|is|are|offers?|gives?|indicates?|suggests?|discuss(?:es)?|focus(?:es)?)\b
    | \b(?:no|not\s+enough|insufficient|limited|little)\s+(?:specific\s+|direct\s+|clear\s+|relevant\s+)?information\b
    | \b(?:provided|given|retrieved)\s+(?:documents?|passages?|contexts?|sources?|texts?|search\s+results?|information|excerpts?)\b
    | \b(?:this|the|my|our)\s+(?:answer|response|report|summary|essay|article|overview|section)\s+(?:will|is|aims?|has|provides?
        |covers?|discusses|focus|summarizes|outlines|explores|examines)
    | \b(?:i|we)\s+(?:will|can|could|cannot|can't|could\s+not|do\s+not|don't|was|am|have\s+(?:discussed|seen|found))\b.{0,60}
        \b(?:answer|discuss|explore|examine|find|provide|summarize|summary|information|question|see)\b
    | \bnot\s+(?:explicitly\s+)?(?:mentioned|specified|provided|stated|addressed|discussed|included)\s+in\s+the\b
    | ^it\s+is\s+(?:also\s+)?(?:essential|important|crucial|vital|necessary|critical)\s+(?:for\s+\w+\s+)?to\s+(?:consider|recogni[sz]e|understand
        |acknowledge|remember|approach|look|weigh|keep|evaluate|be\s+aware|stay|continue)\b
    | \b(?:further|more|additional)\s+research\s+(?:is|would\s+be|may\s+be)\s+(?:needed|required|necessary)\b
    | \bmore\s+(?:information|context|details)\s+(?:is|are|would\s+be)\s+(?:needed|required|necessary)\b
    | \b(?:it\s+is\s+(?:difficult|impossible|hard|not\s+possible)\s+to\s+(?:answer|say|determine|provide|give))\b
    """,
    re.IGNORECASE | re.VERBOSE,
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
        challenge challenges challenging broader broad changed change changes shaped shape evolved positive negative effects""".split(),
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
