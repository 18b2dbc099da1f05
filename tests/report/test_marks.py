from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.report.review import joined_marks, set_off, without_markdown
from strategies import moderately


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**a b** and *c d*", "a b and c d"),
        ("__init__ of `x`", "init of x"),
        ("2*3*4 and a * b * c", "2*3*4 and a * b * c"),
        ("snake_case_name", "snake_case_name"),
        ("[the **site**](http://example.org/x)", "the site"),
        ("[1](note) and f[0](x)", "[1](note) and f[0](x)"),
        ("## Title\n# not#here", "Title\nnot#here"),
        ("**open", "**open"),
    ],
)
def test_emphasis_and_links_are_taken_off(text: str, shown: str) -> None:
    assert without_markdown(text, ()).text == shown


def test_marks_follow_their_words_and_those_of_what_is_taken_off_go() -> None:
    text = "see **Rome** [now](https://rome.example)"
    found = without_markdown(text, [(6, 10), (14, 17), (27, 31)])
    assert [found.text[start:end] for start, end in found.marks] == ["Rome", "now"]


@given(st.text("ab*_`[]()#\n ", max_size=30), st.data())
@moderately
def test_marks_lie_in_the_text_whatever_it_is(text: str, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    marks = list(zip(edges[::2], edges[1::2], strict=False))
    found = without_markdown(text, marks)
    joined = joined_marks(found.text, found.marks)
    assert all(0 <= start < end <= len(found.text) for start, end in joined)
    assert all(one[1] < other[0] for one, other in pairwise(joined))
    assert without_markdown(found.text, ()).text == found.text


def test_words_are_set_off_by_brackets() -> None:
    assert set_off("red fox") == "[[red fox]]"
