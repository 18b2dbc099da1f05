"""The first 500 words of a response (2008), and one segment a snippet (2012)."""

from __future__ import annotations

import pytest

from karat.evaluate.nuggets.input_snippets import InputSnippet
from karat.evaluate.nuggets.limits import check_segments, within_words
from karat.model import SpanSet, UsageError


def snippet(name: str, text: str, run_id: str = "r", portion: SpanSet | None = None) -> InputSnippet:
    return InputSnippet(snippet_id=name, text=text, query_id="q", run_id=run_id, portion=portion)


def test_words_are_counted_over_the_snippets_of_a_response() -> None:
    snippets = [
        snippet("1", "one two three"),
        snippet("2", "four five six"),
        snippet("3", "seven"),
        snippet("1", "x", "s"),
    ]
    limited = within_words(snippets, words=5)
    assert [(one.run_id, one.snippet_id, one.portion) for one in limited.snippets] == [
        ("r", "1", None), ("r", "2", SpanSet([(0, 9)])), ("s", "1", None),
    ]  # fmt: skip
    assert limited.notes == ("1 snippet left out and 1 cut: beyond the first 5 words of their responses",)
    assert within_words(snippets, words=0).snippets == tuple(snippets)
    assert within_words(snippets, words=500).notes == ()


def test_of_the_relevant_part_only_what_is_within_the_limit_counts() -> None:
    far = snippet("1", "one two three four", portion=SpanSet([(8, 18)]))
    assert within_words([far], words=3).snippets[0].portion == SpanSet([(8, 13)])
    assert within_words([far], words=1).snippets == ()


def test_a_snippet_of_two_sentences_is_named() -> None:
    check_segments([snippet("1", "Dr. Bell came on Monday.")])
    with pytest.raises(
        UsageError, match=r"1 snippet of 2 with more than one segment: .* snippet 2 of run r, query q \(2 s"
    ):
        check_segments([snippet("1", "Bell came."), snippet("2", "Bell came. He left.")])
