"""Documents in the SGML of TREC: each between <DOC> and </DOC>, with its id in <DOCNO>.

<DOC>
<DOCNO> APW19990519.0113 </DOCNO>
<HEADLINE> Bridge closed </HEADLINE>
<TEXT> Engineers found cracks. </TEXT>
</DOC>
The text is that of <TEXT> (<BODY>, <CONTENTS>; several are joined); without any, it is what is left outside the fields
that only describe the document. <TITLE> or <HEADLINE> (<HL>, <TI>) is the title, <DATE> (<DATE_TIME>) the time.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import AnyRecord, Document

TITLE = "TREC documents (<DOC>, SGML)"
_START = re.compile(r"<DOC(?:\s[^>]*)?>", re.IGNORECASE)
_END = re.compile(r"</DOC\s*>", re.IGNORECASE)
_NUMBER = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.IGNORECASE | re.DOTALL)
_TEXT = re.compile(r"<(TEXT|BODY|CONTENTS)(?:\s[^>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"<(TITLE|HEADLINE|HL|TI)(?:\s[^>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_TIME = re.compile(r"<(DATE|DATE_TIME)(?:\s[^>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_ABOUT = re.compile(
    r"<(DOCNO|DOCID|DOCOLDNO|DOCHDR|DOCTYPE|DATE|DATE_TIME|TITLE|HEADLINE|HL|TI)(?:\s[^>]*)?>.*?</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_PARAGRAPH = re.compile(r"</?(?:P|BR|HEADER|SECTION)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def sniff_trec_documents(head: Head) -> bool:
    start = head.text.lstrip()[:2000]
    return re.match(r"(?:<\?xml[^>]*>\s*)?<DOC[\s>]", start, re.IGNORECASE) is not None and "<docno>" in start.lower()


def read_trec_documents(source: Source) -> Iterator[AnyRecord]:
    """One Document per <DOC>, in the order of the file."""
    seen: dict[str, int] = {}
    begin = 0
    lines: list[str] = []
    for line in source.text_lines():
        if not lines:
            if _START.search(line) is None:
                continue
            begin = source.line
        lines.append(line)
        if _END.search(line) is not None:
            yield from _read(source, "\n".join(lines), begin, seen)
            lines = []
    if lines:
        source.report("", "the document has no </DOC>", code="bad-xml", line=begin)


def _read(source: Source, block: str, line: int, seen: dict[str, int]) -> Iterator[Document]:
    number = _NUMBER.search(block)
    doc_id = number[1].strip() if number else ""
    if not doc_id:
        source.report("DOCNO", "the document has no id", code="missing-field", line=line)
        return
    if doc_id in seen:
        message = f"the document {doc_id!r} is already on line {seen[doc_id]}"
        source.report("DOCNO", message, code="duplicate-id", line=line)
        return
    seen[doc_id] = line
    inside = _END.sub("", _START.sub("", block, count=1))
    texts = [match[2] for match in _TEXT.finditer(inside)] or [_ABOUT.sub(" ", inside)]
    title, time = _NAME.search(inside), _TIME.search(inside)
    yield Document(
        doc_id=doc_id,
        text="\n\n".join(filter(None, map(_plain, texts))),
        title=(_flat(title[2]) or None) if title else None,
        time=(_flat(time[2]) or None) if time else None,
    )


def _plain(text: str) -> str:
    """Text without tags; paragraphs are kept apart."""
    return html.unescape(_TAG.sub(" ", _PARAGRAPH.sub("\n\n", text))).strip()


def _flat(text: str) -> str:
    return " ".join(_plain(text).split())
