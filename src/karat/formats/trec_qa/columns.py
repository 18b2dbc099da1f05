"""What the line-based files of TREC share: ids, document ids, and how values are written."""

from __future__ import annotations

from karat.formats.io.sink import Sink
from karat.formats.io.xml import escape
from karat.model import Citation, Snippet

QUESTION_ID = r"\d+(?:\.\d+)?"
"""A question of TREC QA (`1901`), or one of a series (`66.8`)."""
NO_DOCUMENT = "NIL"
"""The document id if a system says that there is no answer."""
DOCUMENT_ID = rf"(?:[A-Z][A-Za-z_]*-?\d[\w.-]*|{NO_DOCUMENT})"
"""A news document (`APW20000908.0100`, `AFP_ENG_20041001.0001`); only for recognising files."""


def one_line(text: str, what: str, sink: Sink) -> str:
    """The text without line breaks and outer blanks; if it had any, that is a loss."""
    flat = " ".join(text.splitlines()).strip()
    if flat != text:
        sink.lose(what, "line breaks and outer blanks are not kept")
    return flat


def xml_text(text: str, what: str, sink: Sink) -> str:
    """The text on one line, escaped for an element or an attribute."""
    flat = one_line(text, what, sink)
    escaped = escape(flat)
    if escaped.count("\ufffd") != flat.count("\ufffd"):
        sink.lose(what, "XML cannot hold control characters")
    return escaped


def are_words(*ids: str) -> bool:
    """Whether ids can be written in a column: none is empty or contains a blank."""
    return all(len(word.split()) == 1 and word.strip() == word for word in ids)


def number_text(value: float) -> str:
    """A number as text from which the same value is read; whole numbers are written without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e16 else repr(float(value))


def cited(doc_id: str) -> tuple[Citation, ...]:
    """The citation of a row's document; empty for NIL."""
    return () if doc_id == NO_DOCUMENT else (Citation(doc_id=doc_id),)


def document_of(snippet: Snippet, sink: Sink) -> str:
    """The document column of a snippet: the document of its first citation, or NIL."""
    if len(snippet.citations) > 1:
        sink.lose("response.snippets.citations", "a row has only one document: the first is written")
    doc_id = snippet.citations[0].doc_id if snippet.citations else NO_DOCUMENT
    if not are_words(doc_id):
        sink.lose("response.snippets.citations", "a document id with blanks cannot be written")
        return NO_DOCUMENT
    return doc_id
