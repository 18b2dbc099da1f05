"""Citations that an answer has in its text: `[1]`, `[2][3]`, `[1, 2]`, `[^4]`, `[1](https://...)`, `(Smith 2020)`.

A mark belongs to the sentence before it, and is not part of what the answer says: it is taken out of the text and
becomes a Citation whose `chunk` is that sentence. Its document is the entry of the list of sources that has this number
(or this name and year); without a list it is the number or the name itself. The list is a field of the row, or the last
lines of the answer (`[1] https://...`), which are then not text either.

`(Smith 2020)` and `(Berlin 1936)` look alike. A name with a year is a citation if the list of sources has both, or if
it is written as only citations are (`Smith et al. 2020`, `Smith & Lee 2020`, `Smith, 2020`), or if it ends a sentence
and the question does not have the name. Months and seasons are never authors. Text in backquotes, and `[0]`, is left as
it is. The text as it was stays in the snippet's `extra` (`text_with_marks`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from karat.formats.io.fields import Fields
from karat.model import Citation, Snippet, SpanSet, content_id

ORIGINAL = "text_with_marks"
"""The field of a snippet's `extra` that has the text as it was in the file."""
_NUMBERS = r"\^?[1-9]\d{0,2}(?:\s*[,;–-]\s*\^?[1-9]\d{0,2})*"
_NAME = r"[A-Z][\w'’-]+"
_WORK = rf"{_NAME}(?: et al\.?| (?:and|&) {_NAME})?,? (?:19|20)\d\d[a-z]?"
_MARK = re.compile(
    rf"(?P<code>`[^`]*`)|(?P<link>[ \t]*\[\^?(?P<linked>[1-9]\d{{0,2}})\]\((?P<url>https?://[^)\s]+)\))"
    rf"|(?P<numbers>[ \t]*\[{_NUMBERS}\])|(?P<works>[ \t]*\({_WORK}(?:; {_WORK})*\))"
)
_ENTRY = re.compile(r"\s*(?:[-*]\s+)?\[\^?([1-9]\d{0,2})\]:?\s+(\S.*)")
_HEADING = re.compile(r"\W*(?:references|sources|citations|bibliography|footnotes)\W*", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s)>\]]+")
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{2}|\d\d|.[)\"”’%])[.!?]+[\"”’)]*(?=\s+[\"“‘(]*[A-Z0-9])|\n+")
_NO_AUTHORS = frozenset(
    """january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec spring summer autumn fall winter early late mid since until before after around circa
    version""".split()
)
_SURE = re.compile(rf"et al|{_NAME} (?:and|&) {_NAME}|, (?:19|20)\d\d")


class Listed(NamedTuple):
    """An entry of a list of sources."""

    doc_id: str
    excerpt: str | None = None
    words: str = ""
    """All that the entry says, to find an author and a year in it."""


class _Mark(NamedTuple):
    start: int
    end: int
    citations: tuple[Citation, ...]


def snippet_of(
    row: Fields, text: str, *, sources: object = None, passages: object = None, question: str = ""
) -> Snippet:
    """The answer of a row as one snippet: marks in its text become citations.

    sources: the row's list of sources (ids, titles, addresses or objects). passages: its list of texts, which is used
    where there are no sources.
    """
    listed = [*_listed(sources)] or [
        Listed(content_id(each), each, each) if isinstance(each, str) else entry
        for each, entry in zip(_members(passages), _listed(passages), strict=True)
    ]
    body = text
    if in_text := _listed_in_text(text):
        body, entries = in_text
        listed = listed or entries
    plain, citations = _without_marks(body, listed, question)
    if not citations:
        return Snippet(snippet_id="1", text=text)
    beyond = [
        each.doc_id for each in citations if listed and each.doc_id.isdecimal() and int(each.doc_id) > len(listed)
    ]
    if beyond:
        message = f"the answer cites [{beyond[0]}], but the list of sources has {len(listed)}"
        row.source.warn(row.path, message, code="dangling-reference")
    return Snippet(snippet_id="1", text=plain, citations=citations, extra={ORIGINAL: text})


def _without_marks(text: str, listed: Sequence[Listed], question: str) -> tuple[str, tuple[Citation, ...]]:
    pieces: list[str] = []
    places: list[tuple[int, tuple[Citation, ...]]] = []
    length = begin = 0
    for mark in _marks(text, listed, question):
        pieces.append(text[begin : mark.start])
        length += mark.start - begin
        begin = mark.end
        places.append((length, mark.citations))
    plain = "".join((*pieces, text[begin:])).rstrip()
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(plain))]
    citations: dict[tuple[str, tuple[int, int]], Citation] = {}
    for place, cited in places:
        at = bisect_right(starts, max(len(plain[:place].rstrip()) - 1, 0))
        span = _stripped(plain, starts[at - 1], starts[at] if at < len(starts) else len(plain))
        for citation in cited:
            chunk = SpanSet([span]) if span[0] < span[1] else None
            known = Citation(doc_id=citation.doc_id, excerpt=citation.excerpt, chunk=chunk)
            citations.setdefault((citation.doc_id, span), known)
    return plain, tuple(citations.values())


def _marks(text: str, listed: Sequence[Listed], question: str) -> list[_Mark]:
    marks: list[_Mark] = []
    for match in _MARK.finditer(text):
        before = text[: match.start()]
        # At the start of a line it is the number of a list item, not a citation of what comes before.
        if match["code"] or not before.strip() or before.endswith("\n"):
            continue
        cited: tuple[Citation, ...]
        if match["link"]:
            cited = (Citation(doc_id=match["url"]),)
        elif match["numbers"]:
            cited = tuple(_numbered(number, listed) for number in _numbers(match[0]))
        else:
            at_end = text[match.end() : match.end() + 1] in ("", ".", "!", "?", "\n")
            cited = tuple(_works(match[0].strip(" \t()"), listed, question, at_end=at_end))
        if cited:
            marks.append(_Mark(match.start(), match.end(), cited))
    return marks


def _numbers(mark: str) -> list[int]:
    """The numbers of `[1, 3-5]`, each once."""
    numbers: list[int] = []
    for part in re.split(r"[,;]", mark.strip(" \t[]")):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        numbers += range(ends[0], ends[-1] + 1) if ends[0] <= ends[-1] < ends[0] + 30 else ends
    return list(dict.fromkeys(numbers))


def _numbered(number: int, listed: Sequence[Listed]) -> Citation:
    if number <= len(listed):
        entry = listed[number - 1]
        return Citation(doc_id=entry.doc_id, excerpt=entry.excerpt)
    return Citation(doc_id=str(number))


def _works(mark: str, listed: Sequence[Listed], question: str, *, at_end: bool) -> list[Citation]:
    """The citations of `Smith 2020; Lee et al. 2021`; none where one of them may be something else."""
    citations: list[Citation] = []
    for work in mark.split("; "):
        name, year = re.findall(r"[\w'’-]+", work)[0], re.findall(r"\d{4}", work)[-1]
        entry = next((each for each in listed if name.lower() in each.words.lower() and year in each.words), None)
        if entry is not None:
            citations.append(Citation(doc_id=entry.doc_id, excerpt=entry.excerpt))
        elif name.lower() in _NO_AUTHORS or not (
            _SURE.search(work) or (at_end and name.lower() not in question.lower())
        ):
            return []
        else:
            citations.append(Citation(doc_id=work))
    return citations


def _listed_in_text(text: str) -> tuple[str, list[Listed]] | None:
    """The text before the list of sources at its end, and the list in the order of its numbers; None without a list."""
    lines = text.rstrip().split("\n")
    entries: dict[int, Listed] = {}
    end = len(lines)
    while (end and (match := _ENTRY.fullmatch(lines[end - 1]))) or (entries and end and not lines[end - 1].strip()):
        end -= 1
        if match:
            url = _URL.search(match[2])
            entries[int(match[1])] = Listed(url[0] if url else match[2].strip(), None, match[2])
    if not entries or not end:
        return None
    if end > 1 and _HEADING.fullmatch(lines[end - 1]):
        end -= 1
    body = "\n".join(lines[:end]).rstrip()
    if not body or not any(re.search(rf"\[\^?{number}\b", body) for number in entries):
        return None
    most = max(entries)
    return body, [entries.get(number, Listed(str(number))) for number in range(1, most + 1)]


def _members(value: object) -> list[object]:
    return [each for each in value if isinstance(each, str | dict)] if isinstance(value, list) else []


def _listed(value: object) -> list[Listed]:
    return [_entry(each) for each in _members(value)]


def _entry(value: object) -> Listed:
    if isinstance(value, dict):
        texts = {name: str(each) for name, each in value.items() if isinstance(each, str | int) and str(each).strip()}
        words = " ".join(texts.values())
        doc_id = _first(texts, "doc_id", "docid", "id", "url", "link", "source", "title")
        return Listed(
            doc_id or content_id(words), _first(texts, "text", "content", "excerpt", "passage", "snippet"), words
        )
    text = str(value).strip()
    return Listed(text, None, text) if len(text) <= 200 else Listed(content_id(text), text, text)


def _first(texts: dict[str, Any], *names: str) -> str | None:
    return next((texts[name] for name in names if name in texts), None)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
