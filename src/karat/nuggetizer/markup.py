"""A text without markup, citation marks and control characters, and where each character was in the original.

Answers come with Markdown, HTML and reference marks, which a parser takes for words. They are left out before the
analysis, accents are joined with their letters, and the spans that are found are mapped back to the original text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

from karat.model import SpanSet

_MARKUP = re.compile(
    r"""(?P<gone>
        </?[A-Za-z][^<>\n]{0,300}>            # a tag
      | <!--.{0,1000}?-->
      | (?<!\w)(?:\*\*|__|\*|_)(?=\S)          # emphasis opens
      | (?<=\S)(?:\*\*|__|\*|_)(?!\w)          # and closes
      | `+
      | ^\s{0,3}(?:\#{1,6}|[-*+•‣]|>)\s+         # headings, bullets, quotations
      | \s?\[(?:\d{1,4}|\^\w{1,20})(?:\s*[,;–-]\s*\d{1,4})*\]   # [1], [2, 3], [^note]
      | \s?【[^】\n]{0,60}】
      | [\u0000-\u0008\u000b\u000c\u000e-\u001f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]
    )
    | !?\[(?P<shown>[^\[\]\n]{1,300})\]\((?:[^()\s]|\([^()\s]*\)){0,500}\)    # [shown](address)
    | (?P<entity>&(?:\#\d{1,6}|\#x[0-9A-Fa-f]{1,6}|[A-Za-z]{2,12});)
    | (?P<block>(?<=[^\s.!?:;,])[ \t]*     # a block that ends without punctuation
        (?=\n\s*(?:\n|\#{1,6}\s|[-*+•‣]\s|\d{1,2}[.)]\s|\|)))
    | (?P<rule>^[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$)   # the line below a table's head
    | (?P<cell>[ \t]*\|[ \t]*)
    | (?P<composed>.[\u0300-\u036f]+)
    """,
    re.VERBOSE | re.MULTILINE,
)


@dataclass(frozen=True)
class CleanText:
    """A text without markup, and where each of its characters was in the original."""

    text: str
    starts: tuple[int, ...] | None = None
    """Where each character begins in the original; None if nothing was left out."""
    ends: tuple[int, ...] | None = None

    def original(self, spans: SpanSet) -> SpanSet:
        """Spans of the clean text as spans of the original text."""
        if self.starts is None or self.ends is None:
            return spans
        return SpanSet([(self.starts[start], self.ends[end - 1]) for start, end in spans])


def clean_text(text: str) -> CleanText:
    """A text without its markup.

    >>> clean_text("**Ana** flew to [Rome](http://x.y).[1]").text
    'Ana flew to Rome.'
    """
    if not _MARKUP.search(text):
        return CleanText(text)
    characters: list[str] = []
    places: list[tuple[int, int]] = []

    def keep(start: int, end: int) -> None:
        for at in range(start, end):
            characters.append(text[at])
            places.append((at, at + 1))

    last = 0
    for match in _MARKUP.finditer(text):
        keep(last, match.start())
        last = match.end()
        if match["shown"] is not None:
            keep(*match.span("shown"))
        elif match["block"] is not None or match["cell"] is not None:
            # A heading, a list item or a table cell is treated as one sentence.
            if last < len(text) or match["cell"]:
                end = max(last, match.start() + 1)
                characters += [".", " "]
                places += [(min(match.start(), len(text) - 1), min(end, len(text)))] * 2
        elif match["gone"] is None and match["rule"] is None:
            # An HTML entity, or a letter with its accents, is one character.
            read = html.unescape(match[0]) if match["entity"] else unicodedata.normalize("NFC", match[0])
            for character in " " if read.isspace() else read:
                characters.append(character)
                places.append(match.span())
    keep(last, len(text))
    return CleanText("".join(characters), tuple(start for start, _ in places), tuple(end for _, end in places))
