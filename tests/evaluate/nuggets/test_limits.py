"""The first 500 words of a response (2008), and one segment a snippet (2012)."""

from __future__ import annotations

import pytest

from karat.evaluate.nuggets.input_snippets import InputSnippet, Snippets
from karat.evaluate.nuggets.limits import check_segments, within_words
from karat.model import SpanSet, UsageError


def snippet(name: str, text: str, run_id: str = "r", portion: SpanSet | None = None) -> InputSnippet:
    return InputSnippet(snippet_id=name, text=text, query_id="q", run_id=run_id, portion=portion)


def several(*snippets: InputSnippet, together: bool = False) -> Snippets:
    return Snippets(lambda: snippets, together=together)


def test_words_are_counted_over_the_snippets_of_a_response() -> None:
    snippets = several(
        snippet("1", "one two three"),
        snippet("2", "four five six"),
        snippet("3", "seven"),
        snippet("1", "x", "s"),
    )
    limited = within_words(snippets, words=5)
    assert len(limited.snippets) == 3
    assert [(one.run_id, one.snippet_id, one.portion) for one in limited.snippets] == [
        ("r", "1", None), ("r", "2", SpanSet([(0, 9)])), ("s", "1", None),
    ]  # fmt: skip
    assert limited.notes == ("1 snippet left out and 1 cut: beyond the first 5 words of their responses",)
    assert within_words(snippets, words=0).snippets is snippets
    assert within_words(snippets, words=500).notes == ()


@pytest.mark.parametrize("together", [True, False])
def test_words_of_a_response_are_counted_whether_its_snippets_are_together_or_not(together: bool) -> None:
    a, b = [snippet(name, "one two") for name in "12"], [snippet(name, "one two", "s") for name in "12"]
    order = [*a, *b] if together else [a[0], b[0], a[1], b[1]]
    limited = within_words(several(*order, together=together), words=3)
    cut = SpanSet([(0, 3)])
    assert [(one.run_id, one.portion) for one in limited.snippets] == [
        (one.run_id, cut if one.snippet_id == "2" else None) for one in order
    ]


def test_of_the_relevant_part_only_what_is_within_the_limit_counts() -> None:
    far = snippet("1", "one two three four", portion=SpanSet([(8, 18)]))
    (near,) = within_words(several(far), words=3).snippets
    assert near.portion == SpanSet([(8, 13)])
    assert list(within_words(several(far), words=1).snippets) == []


def test_a_snippet_of_two_sentences_is_named() -> None:
    check_segments(several(snippet("1", "Dr. Bell came on Monday.")))
    with pytest.raises(
        UsageError, match=r"1 snippet of 2 with more than one segment: .* snippet 2 of run r, query q \(2 s"
    ):
        check_segments(several(snippet("1", "Bell came."), snippet("2", "Bell came. He left.")))
