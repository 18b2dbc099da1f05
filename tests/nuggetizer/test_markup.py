"""Markup is left out, and spans are mapped back to the original text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.model import SpanSet
from karat.nuggetizer.markup import clean_text

PIECES = ["**", "Ana", " ", "<b>", "</b>", "[Rome](http://x.y/z_(a))", "[1]", "&nbsp;", "&amp;", "e\u0301", "\u200b",
          "_x_", "`a`", "\n# ", "\n- ", "5 < 6 > 4", "a_b", "2 * 3", "[sic]", "&c;", "\u202e", "🙂"]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("**Ana** flew to [Rome](http://x.y) on Monday.[1][2, 3]", "Ana flew to Rome on Monday."),
        ("<b>Ana</b> flew<br/> home", "Ana flew home"),
        ("Rome&nbsp;and Q&amp;A", "Rome and Q&A"),
        ("Jose\u0301", "José"),
        ("# Title\n- one\n* two", "Title. \none. \ntwo"),
        ("| a | b |\n|---|---|\nEnd", ". a. b. . \n\nEnd"),
        ("5 < 6 and 7 > 2, a_b, 2 * 3 [sic]", "5 < 6 and 7 > 2, a_b, 2 * 3 [sic]"),
    ],
)
def test_markup_is_left_out(text, read):
    assert clean_text(text).text == read


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_every_character_has_its_place(text):
    clean = clean_text(text)
    assert clean_text("plain words").starts is None
    for at in range(len(clean.text)):
        ((start, end),) = clean.original(SpanSet([(at, at + 1)]))
        assert 0 <= start < end <= len(text)
        assert clean.text[at] == text[start:end] or end - start > 1 or clean.text[at] in ". "
    if clean.text:
        ((start, end),) = clean.original(SpanSet([(0, len(clean.text))]))
        assert 0 <= start < end <= len(text)
