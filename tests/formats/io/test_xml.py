from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.formats import Source
from karat.formats.io.xml import MAX_DEPTH, Element, escape, parse_xml, read_xml
from karat.model import InputError


def parse(text: str | bytes) -> Element:
    return read_xml(Source("x.xml", text.encode() if isinstance(text, str) else text))


def refusal(text: str | bytes) -> str:
    with pytest.raises(InputError) as raised:
        parse(text)
    assert [problem.code for problem in raised.value.problems] == ["bad-xml"]
    return str(raised.value)


def test_elements_know_their_attributes_text_and_line() -> None:
    root = parse('<a>\n one <b n="1">two</b>\n three\n <c/>\n</a>')
    assert (root.tag, root.line, root.text) == ("a", 1, "\n one \n three\n \n")
    assert [(child.tag, child.attributes, child.line, child.text) for child in root.children] == [
        ("b", {"n": "1"}, 2, "two"),
        ("c", {}, 4, ""),
    ]


def test_children_and_descendants_are_found_in_document_order() -> None:
    root = parse('<a><b n="1"><b n="2"/></b><c><b n="3"/></c><b n="4"/></a>')
    assert [b.attributes["n"] for b in root.all("b")] == ["1", "4"]
    assert [b.attributes["n"] for b in root.descendants("b")] == ["1", "2", "3", "4"]
    first = root.first("b")
    assert first is not None
    assert first.attributes["n"] == "1"
    assert root.first("zz") is None


def test_references_and_character_data_are_resolved() -> None:
    assert parse("<a>&lt;&#233;&amp;<![CDATA[<b>]]></a>").text == "<é&<b>"


def test_the_encoding_is_the_one_the_file_declares() -> None:
    assert parse('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1")).text == "é"
    assert parse("\ufeff<a>é</a>").text == "é"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "x.xml:1: is not XML: no element found"),
        ("plain", "x.xml:1: is not XML: syntax error"),
        ("<a>\n<b>\n</a>", "x.xml:3: is not XML: mismatched tag"),
        ("<a>\n&nosuch;</a>", "x.xml:2: is not XML: undefined entity"),
        ("<a/>\n<b/>", "x.xml:2: is not XML: junk after document element"),
        ("<a>\n\x00</a>", "x.xml:2: is not XML: not well-formed (invalid token)"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "x.xml:1: is not XML: unknown encoding: klingon"),
    ],
)
def test_what_is_not_xml_is_reported_with_its_line(text: str, expected: str) -> None:
    assert refusal(text) == expected


@pytest.mark.parametrize(
    "declaration", ['<!ENTITY a "aaaa">', '<!ENTITY a SYSTEM "file:///x">', '<!ENTITY % a SYSTEM "x.dtd">']
)
def test_entity_declarations_are_refused(declaration: str) -> None:
    assert (
        refusal(f"<!DOCTYPE r [\n{declaration}\n]><r/>") == "x.xml:2: entity declarations are not accepted; remove them"
    )


def test_a_document_type_without_entities_is_welcome() -> None:
    assert parse('<!DOCTYPE a SYSTEM "a.dtd"><a>x</a>').text == "x"


def test_nesting_has_an_end() -> None:
    deepest = parse("<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH)
    assert len(list(deepest.descendants("a"))) == MAX_DEPTH - 1
    too_deep = MAX_DEPTH + 1
    assert refusal("<a>" * too_deep + "</a>" * too_deep) == "x.xml:1: is nested too deeply"


def test_bytes_in_hand_are_parsed_on_the_sources_account() -> None:
    source = Source("archive", b"")
    with pytest.raises(InputError, match=r"archive:1: is not XML"):
        parse_xml(source, b"<a>")
    assert [problem.file for problem in source.problems] == ["archive"]


def test_escaping_keeps_quotes_line_ends_and_tabs_in_attributes() -> None:
    assert escape('<a> & "b"\n\r\t') == "&lt;a&gt; &amp; &quot;b&quot;&#10;&#13;&#9;"


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\ud800", "\ufffe", "\uffff"])
def test_characters_that_xml_cannot_hold_are_replaced(character: str) -> None:
    assert escape(f"a{character}b") == "a\ufffdb"


@given(st.text())
def test_escaped_text_comes_back_from_elements_and_attributes(text: str) -> None:
    kept = "".join(c if escape(c) != "\ufffd" else "\ufffd" for c in text)
    root = parse(f'<a n="{escape(text)}">{escape(text)}</a>')
    assert root.text == kept
    assert root.attributes == {"n": kept}
