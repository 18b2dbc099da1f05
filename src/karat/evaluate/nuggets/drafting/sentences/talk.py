"""Talk about the answer itself, the question, the sources or the reader, which says nothing about the topic."""

from __future__ import annotations

import re

from karat.evaluate.nuggets.drafting.sentences.openings import any_of

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
_TEXT = any_of(
    """query|queries|sentence|sentences|document|documents|doc|docs|passage|passages|excerpt|excerpts|snippet|snippets
    |search result|search results|segment|segments|context|contexts|source|sources|text|texts|article|articles
    |answer|answers|question|response|statement|statements"""
)
_WHICH = any_of(
    "the|this|these|those|that|other|both|all|each|first|second|third|last|some|several|multiple|other|user’s|user's|above"
)
_TALKS = any_of(
    """mention|mentions|mentioned|address|addresses|addressed|discuss|discusses|state|states|stated|describe|describes
    |highlight|highlights|emphasize|emphasizes|explain|explains|say|says|note|notes|refer|refers|list|lists|focus
    |focuses|touch|touches|detail|details|specify|specifies|imply|implies|cover|covers|elaborate|elaborates
    |summarize|summarizes|relate to|relates to|answer|answers|ask|asks|asked|seeks|pertains|suggest|suggests
    |indicate|indicates|provide|provides|give|gives|contain|contains|offer|offers|present|presents"""
)
_BY = any_of("in|by|within|across|from|throughout")
_META = re.compile(
    "|".join(
        (
            # "The other sentences in the document discuss", "this passage is relevant", "the query asks".
            rf"\b(?:{_WHICH}\s+)+(?:{_GIVEN}\s+)?{_TEXT}(?:\s+(?:{_BY}|of)\s+the\s+{_TEXT})?\s+"
            rf"(?:(?:that|which)\s+)?(?:(?:also|only|directly|specifically|explicitly|clearly|do|does|did|not|don't|doesn't)"
            rf"\s+)*{_TALKS}\b",
            rf"\b(?:{_WHICH}\s+)+{_TEXT}\s+(?:is|are|was|were)\s+(?:\w+\s+){{0,2}}"
            r"(?:relevant|irrelevant|related|supported|answered|addressed|about|unclear|ambiguous|incomplete|vague)\b",
            rf"\b(?:addressed|mentioned|stated|discussed|described|covered|answered|specified|cited|provided|supported|given)"
            rf"\s+{_BY}\s+(?:(?:{_WHICH}|{_GIVEN}|any)\s+)+{_TEXT}\b",
            r"\b(?:relevant|irrelevant|related|respond|pertain|pertinent|refer|answer|answers|response)\s+(?:directly\s+)?"
            r"to\s+(?:the|this|your)\s+(?:\w+['’]s\s+)?(?:query|question)\b",
            r"\b(?:the|this|your|user['’]s)\s+(?:query|question)\s+(?:is|was|about|regarding|of|seems|appears)\b",
            rf"^(?:the\s+)?{_TEXT}s?\s*\[?#?\d+\b|\b(?:doc|document|passage|snippet|excerpt|context|source)s?\s*\[?#?\d+\b",
            rf"\bother\s+{_TEXT}\s+in\s+the\s+{_TEXT}\b",
            rf"^{_BEGINNINGS}\b",
            r"^(?:sources?|references?|note)\s*:",
            r"^if\s+you\s+(?:have|need|want)\s+(?:any|more|further)\b",
            rf"^based\s+on\s+(?:the|these|this)\s+(?:{_GIVEN}|{_MATERIAL})\b",
            rf"\b(?:the|these|this|{_GIVEN})\s+(?:{_GIVEN}\s+)?(?:{_MATERIAL}\s+){{1,2}}(?:{_GIVEN}\s+)?{_DOES}\b",
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


def is_meta(text: str) -> bool:
    """Whether a sentence talks about the answer, its sources or its reader."""
    return _META.search(text) is not None


def is_first_person(text: str) -> bool:
    """Whether a sentence is said by somebody about himself."""
    unquoted = re.sub(r"[\"“][^\"“”]*[\"”]", " ", text)
    return bool(re.search(r"(?<![\w.])I(?![\w.’'-]|\s+[A-Z(])|\b(?:my|myself|I'm|I’m)\b", unquoted))
