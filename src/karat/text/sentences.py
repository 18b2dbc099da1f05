"""The sentences of a text, with their positions."""

from __future__ import annotations

import re

Span = tuple[int, int]
_ABBREVIATIONS = frozenset(
    """mr mrs ms dr prof sr jr st gen col lt sgt capt gov sen rep rev hon pres vs etc al eg ie cf fig no vol pp ed
    eds inc ltd co corp dept univ approx est jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat
    sun u.s u.k u.n e.g i.e a.m p.m ph.d""".split()
)
# Only the first of several stops in a row starts a match: otherwise a long row of dots would be tried from every dot.
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s)|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)]|#+)\s)|[。！？؟।]+[”’」』）]*")
_LAST_WORD = re.compile(r"(\S+)$")
LONGEST = 2_000
"""The most characters of a sentence: longer text without punctuation (a table, for example) is cut into pieces."""


def sentence_spans(text: str) -> list[Span]:
    """The half-open spans of the sentences, without the white space around them.

    A full stop ends a sentence unless it follows an abbreviation, an initial or the number of a list item, or a small
    letter comes next. Blank lines and list items end one, too. A sentence of more than 2,000 characters is
    cut at the last blank before that length, or exactly there if it has no blank.

    >>> text = "Dr. Bell came. He left at 5 p.m. on Monday."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. Bell came.', 'He left at 5 p.m. on Monday.']
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match[0][0] in ".!?" and not _ends(text, start, match):
            continue
        _add(spans, text, start, match.end())
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    if match[0][0] != ".":
        return True
    following = text[match.end() : match.end() + 2].strip()[:1]
    if following.islower():
        return False
    # Only the word before the stop matters; a long line must not be searched from its beginning each time.
    before = _LAST_WORD.search(text[max(start, match.start() - 20) : match.start()])
    word = before[1].strip("(\"'“‘[").lower() if before else ""
    if word.isdigit() and match.start() - start < 20 and text[start : match.start()].strip() == word:
        return False  # the number of a list item
    return word not in _ABBREVIATIONS and not (len(word) == 1 and word.isalpha())


def _add(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    begin = start + len(piece) - len(piece.lstrip())
    end = begin + len(stripped)
    while end - begin > LONGEST:
        blank = max(text.rfind(space, begin, begin + LONGEST) for space in " \n\t\u3000")
        cut = begin + LONGEST if blank < 0 else blank
        spans.append((begin, begin + len(text[begin:cut].rstrip())))
        begin = cut
        while text[begin].isspace():
            begin += 1
    if begin < end:
        spans.append((begin, end))
