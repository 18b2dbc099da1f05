"""XML as a simple tree with line numbers; entity declarations are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from karat.formats.io.source import Source

MAX_DEPTH = 200
MAX_ELEMENTS = 1_000_000
"""How many elements a file may have: each costs about 500 bytes."""


@dataclass(slots=True)
class Element:
    """An element with its attributes, its children and the text directly inside it."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def all(self, tag: str) -> Iterator[Element]:
        """The direct children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)

    def descendants(self, tag: str) -> Iterator[Element]:
        """All elements below with this tag, in document order."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.descendants(tag)


def read_xml(source: Source) -> Element:
    """The root element of the file. The encoding is the one the file declares (UTF-8 where it does not)."""
    return parse_xml(source, source.read_bytes())


def parse_xml(source: Source, data: bytes) -> Element:
    """The root element of these bytes; problems are reported for the source."""
    parser = expat.ParserCreate()
    root = Element("", {}, 1)
    stack = [root]
    elements = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal elements
        elements += 1
        if elements > MAX_ELEMENTS:
            source.fail(
                f"has more than {MAX_ELEMENTS:,} elements; split it", code="bad-xml", line=parser.CurrentLineNumber
            )
        if len(stack) > MAX_DEPTH:
            source.fail("is nested too deeply", code="bad-xml", line=parser.CurrentLineNumber)
        element = Element(tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_tag: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        stack[-1].pieces.append(text)

    def entity(*_declaration: object) -> None:
        source.fail("entity declarations are not accepted; remove them", code="bad-xml", line=parser.CurrentLineNumber)

    def attribute(_element: str, name: str, _type: str, default: str | None, _required: bool) -> None:
        if default is not None:
            # A long default is repeated in every element: a small file would fill the memory.
            what = f"a default for the attribute {name!r} is not accepted; remove the declaration"
            source.fail(what, code="bad-xml", line=parser.CurrentLineNumber)

    parser.AttlistDeclHandler = attribute
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        source.fail(f"is not XML: {expat.ErrorString(error.code)}", code="bad-xml", line=error.lineno)
    except (LookupError, ValueError) as error:
        source.fail(f"is not XML: {error}", code="bad-xml", line=1)
    return root.children[0]


def escape(text: str) -> str:
    """Escape text for an element or an attribute in double quotes; characters that XML cannot hold become U+FFFD."""
    kept = "".join(
        c if c in "\t\n\r" or " " <= c <= "\ud7ff" or (c >= "\ue000" and c not in "\ufffe\uffff") else "\ufffd"
        for c in text
    )
    return (
        kept.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
        .replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    )  # fmt: skip
