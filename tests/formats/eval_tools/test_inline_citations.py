from __future__ import annotations

import pytest

from karat.formats import Source
from karat.formats.eval_tools.inline_citations import snippet_of
from karat.formats.io.fields import Fields


def read(text: str, **lists: object) -> tuple[str, list[tuple[str, str]]]:
    """The text without marks, and each cited document with the sentence that cites it."""
    snippet = snippet_of(Fields(Source("<bytes>", b""), {}), text, **lists)  # type: ignore[arg-type]
    cited = []
    for citation in snippet.citations:
        assert citation.chunk is not None
        cited.append((citation.doc_id, citation.chunk.text(snippet.text)))
    return snippet.text, cited


@pytest.mark.parametrize(
    ("text", "plain", "cited"),
    [
        ("It fell [1].", "It fell.", [("1", "It fell.")]),
        ("It fell. [1] It rose.[2]", "It fell. It rose.", [("1", "It fell."), ("2", "It rose.")]),
        ("It fell [1, 3-4].", "It fell.", [("1", "It fell."), ("3", "It fell."), ("4", "It fell.")]),
        ("It fell[^4] on Monday.", "It fell on Monday.", [("4", "It fell on Monday.")]),
        ("It fell [1](https://a.org/x).", "It fell.", [("https://a.org/x", "It fell.")]),
        ("It fell (Smith 2020).", "It fell.", [("Smith 2020", "It fell.")]),
        ("As (Smith et al., 2020) say.", "As say.", [("Smith et al., 2020", "As say.")]),
        ("It fell (Smith 2020; Lee 2021a).", "It fell.", [("Smith 2020", "It fell."), ("Lee 2021a", "It fell.")]),
        ("It fell [1].\n\nSources:\n[1] https://a.org\n", "It fell.", [("https://a.org", "It fell.")]),
        ("It fell [^1].\n\n[^1]: Smith, Bridges", "It fell.", [("Smith, Bridges", "It fell.")]),
    ],
)
def test_marks_are_citations_of_the_sentence_before(text: str, plain: str, cited: list[tuple[str, str]]) -> None:
    assert read(text) == (plain, cited)


@pytest.mark.parametrize(
    "text",
    [
        "It fell (March 2020).",
        "He won in 1936 (Berlin 1936) and later.",
        "Use `a[1]` here.",
        "The share is in [0, 1].",
        "In [2020] it fell.",
        "[1] It fell.\n[2] It rose.",
        "It fell (see 2020).",
    ],
)
def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    assert read(text) == (text, [])


def test_a_name_of_the_question_is_no_author_unless_the_sources_have_it() -> None:
    asked = "When was Berlin the host?"
    assert read("It was the host (Berlin 1936).", question=asked) == ("It was the host (Berlin 1936).", [])
    listed = [{"id": "d9", "title": "A. Berlin (1936): Games"}]
    assert read("It was (Berlin 1936).", question=asked, sources=listed) == ("It was.", [("d9", "It was.")])


def test_passages_without_ids_are_cited_with_their_text() -> None:
    snippet = snippet_of(Fields(Source("<bytes>", b""), {}), "It fell [2].", passages=["One.", "It fell down."])
    assert [citation.excerpt for citation in snippet.citations] == ["It fell down."]


def test_many_marks_take_no_long_time() -> None:
    text, cited = read("It fell [1]. " * 5_000)
    assert len(cited) == 5_000
    assert "[" not in text
