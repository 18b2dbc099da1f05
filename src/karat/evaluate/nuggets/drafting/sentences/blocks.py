"""The sentences of an answer as plain text, without markup and reference marks, and their place in the original."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from karat.evaluate.nuggets.drafting.sentences.openings import ONE_TEXT
from karat.model import SpanSet
from karat.nuggetizer.markup import CleanText, clean_text
from karat.text.sentences import sentence_spans

_BREAK = re.compile(
    r"""\n\s*\n                                         # an empty line
    | \n(?=\s*(?:[-*+•‣–]|\#{1,6}|\d{1,2}[.)])\s)        # a list item or a heading begins
    | (?<=[.!?:;])[ \t]*\n                               # a line that ends as a sentence does
    | (?<=\*\*)[ \t]*\n | (?<=\n)(?=\*\*[A-Z])             # a line in bold ends or begins
    | (?<=[^\s.!?:;,])[ \t]*\n(?=[ \t]*["“*]*[A-Z])        # a line without a stop, then a capital
    | (?<=\S)\s+(?=[-•‣*]\s+\*\*)                        # list items whose line breaks were lost
    | (?<=\S)\s{2,}(?=[-•‣]\s)
    | (?<=[.:\]])\s+(?=\d{1,2}[.)]\s+\*\*)
    """,
    re.VERBOSE,
)
_HEADING = re.compile(r"^(\s*#{1,6}\s.*)\n", re.MULTILINE)
_ITEM = re.compile(r"\s*(?:[-*+•‣–]|\(?\d{1,2}[.)]|\(?[a-zA-Z]\))\s+")
_NUMBERED = re.compile(r"\s*(?:\*\*\s*)?\(?\d{1,2}[.)]\s+")
_REFERENCE = re.compile(
    r"""\s*(?:
        \[\s*(?:\d{1,4}|\^\w{1,20})(?:\s*[,;–-]\s*\^?\d{1,4})*\s*\]?(?=\s|[.,;:!?)\[]|$)  # [1], [2, 3], [^4], a torn [
      | \(\s*(?:\d{1,3})(?:\s*[,;]\s*\d{1,3})*\s*\)(?=\s*(?:[.!?]|$))                          # (1), (2, 3) at the end
      | [\[(]\s*(?:(?:see|source|sources|ref|refs|reference|references|citation|citations|document|documents|doc|docs
            |passage|passages|segment|context|snippet|article)\b\.?\s*:?\s*\#?[\d\w,;\s.&–-]{0,60})[\])]
      | \((?:[A-Z][\w’'-]+(?:\s+(?:et\s+al\.?|and|&)\s*(?:[A-Z][\w’'-]+)?)?,?\s+(?:19|20)\d\d[a-z]?(?:;\s*)?)+\)
      | \[\s*(?=[.!?]|$)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CITING = re.compile(
    rf"""(?:,\s*|(?<=[\w)])\s+)
    (?:as\s+(?:mentioned|stated|noted|described|discussed|reported|seen|shown|explained|cited)\s+(?:in|by)|according\s+to)\s+
    {ONE_TEXT}
    (?:,\s*(?=\S)|(?=\s*[.;!?)]|\s*$))""",
    re.VERBOSE | re.IGNORECASE,
)
"""A phrase after a statement that only names a numbered source: "..., as mentioned in passage [4]."."""
_INITIALS = re.compile(r"(?<!\w)(?:[A-Z]\.){1,4}$")
_SPACE_BEFORE = re.compile(r"\s+(?=[.,;:!?](?:\s|$))")


@dataclass(frozen=True)
class AnswerSentence:
    """A sentence of a snippet in plain words."""

    snippet: int
    """The number of its snippet in the answer."""
    block: int
    """The number of its paragraph, heading or list item in the answer."""
    text: str
    clean: CleanText
    """Where each character of the text was in the snippet."""
    is_item: bool
    """Whether its block is a list item."""
    is_last: bool
    """Whether it ends its block."""


def answer_sentences(texts: list[str]) -> list[AnswerSentence]:
    """The sentences of the snippets of one answer, in order.

    >>> [sentence.text for sentence in answer_sentences(["# Bees\\n**Bees** dance [1]. They tell the way [2][3]."])]
    ['Bees', 'Bees dance.', 'They tell the way.']
    """
    found: list[AnswerSentence] = []
    block = 0
    for number, text in enumerate(texts):
        for start, end in _blocks(text):
            block += 1
            found.extend(_sentences(text, start, end, number, block))
    return found


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    breaks = {match.span() for match in _BREAK.finditer(text)}
    breaks |= {(match.end(1), match.end()) for match in _HEADING.finditer(text)}
    start = 0
    for begin, end in sorted(breaks):
        if begin > start and text[start:begin].strip():
            yield start, begin
        start = max(start, end)
    if text[start:].strip():
        yield start, len(text)


def _sentences(text: str, start: int, end: int, snippet: int, block: int) -> Iterator[AnswerSentence]:
    piece = text[start:end]
    item = _ITEM.match(piece) or _NUMBERED.match(piece)
    offset = start + (item.end() if item else 0)
    clean = without_references(clean_text(text[offset:end]))
    spans = _joined(clean.text, sentence_spans(clean.text))
    for at, (begin, stop) in enumerate(spans):
        yield AnswerSentence(
            snippet=snippet,
            block=block,
            text=" ".join(clean.text[begin:stop].split()),
            clean=_part(clean, begin, stop, offset),
            is_item=item is not None,
            is_last=at == len(spans) - 1,
        )


def _joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences with those put together that were cut after initials ("O.J. Simpson")."""
    joined: list[tuple[int, int]] = []
    for begin, stop in spans:
        if joined and _INITIALS.search(text, joined[-1][0], joined[-1][1]):
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((begin, stop))
    return joined


def without_references(clean: CleanText) -> CleanText:
    """A clean text without the reference marks that are left in it, and without blanks before punctuation."""
    kept = list(range(len(clean.text)))
    for pattern in (_CITING, _REFERENCE, _SPACE_BEFORE):
        text = "".join(clean.text[at] for at in kept)
        gone = {at for match in pattern.finditer(text) for at in range(*match.span())}
        # Of a phrase between commas in the middle of a sentence one blank stays.
        gone -= {
            match.end() - 1
            for match in pattern.finditer(text)
            if match[0][:1] == "," and match[0][-1:] == " " and match.start()
        }
        kept = [place for at, place in enumerate(kept) if at not in gone]
    starts = clean.starts or tuple(range(len(clean.text)))
    ends = clean.ends or tuple(range(1, len(clean.text) + 1))
    return CleanText(
        "".join(clean.text[at] for at in kept), tuple(starts[at] for at in kept), tuple(ends[at] for at in kept)
    )


def _part(clean: CleanText, begin: int, stop: int, offset: int) -> CleanText:
    """The places of a sentence whose runs of white space became one blank each."""
    assert clean.starts is not None
    assert clean.ends is not None
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for at in range(begin, stop):
        character = clean.text[at]
        if character.isspace():
            if characters and characters[-1] == " ":
                continue
            character = " "
        characters.append(character)
        starts.append(clean.starts[at] + offset)
        ends.append(clean.ends[at] + offset)
    return CleanText("".join(characters), tuple(starts), tuple(ends))


def original_spans(sentence: AnswerSentence, spans: list[tuple[int, int]]) -> SpanSet:
    """Where parts of a sentence are in its snippet."""
    return sentence.clean.original(SpanSet(spans))
