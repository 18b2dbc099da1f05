from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.text.ngrams import NgramSpace
from karat.text.vocabulary import Spelling, Vocabulary

WORDS = st.lists(st.sampled_from("a b c d e".split()), max_size=8).map(" ".join)
PLAIN = Spelling("none")


def space_of(key: list[str], n: int) -> NgramSpace:
    return NgramSpace(Vocabulary(key, PLAIN), key, n=n)


def naive(text: str, n: int) -> Counter[str]:
    words = text.split()
    return Counter(
        " ".join(words[at : at + length]) for length in range(1, n + 1) for at in range(len(words) - length + 1)
    )


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("counts", [False, True])
@given(key=st.lists(WORDS, max_size=4), texts=st.lists(WORDS, max_size=5))
def test_rows_are_those_of_a_plain_count(n: int, counts: bool, key: list[str], texts: list[str]) -> None:
    space = space_of(key, n)
    of_key = set().union(*(naive(text, n) for text in key))
    columns = [space.text_of(column) for column in range(len(space))]
    assert sorted(columns) == sorted(of_key)
    expected = np.zeros((len(texts), len(columns)))
    for row, text in enumerate(texts):
        ngram_counts = naive(text, n)
        expected[row] = [ngram_counts[ngram] if counts else min(ngram_counts[ngram], 1) for ngram in columns]
    assert np.array_equal(space.rows(texts, counts=counts).toarray(), expected)
    for width in (1, 2, 9):
        tables = [table.T.copy() for table in space.tables(texts, width=width, counts=counts)]
        assert np.array_equal(np.vstack([np.zeros((0, len(columns))), *tables]), expected)


def test_an_unknown_word_breaks_an_ngram() -> None:
    space = space_of(["a b c"], 3)
    assert present(space, "a x b c") == {"a", "b", "c", "b c"}


def test_a_dropped_stop_word_does_not_break_one() -> None:
    key = ["red fox"]
    space = NgramSpace(Vocabulary(key, Spelling("none", False)), key, n=2)
    assert present(space, "red and the fox") == {"red", "fox", "red fox"}


def test_ngrams_do_not_cross_the_border_of_a_text() -> None:
    space = space_of(["a b"], 2)
    assert space.rows(["a", "b", "", "a b"]).toarray().sum(axis=1).tolist() == [1, 1, 0, 3]
    space = space_of(["a b", "c d"], 2)
    assert {space.text_of(column) for column in range(len(space))} == {"a", "b", "c", "d", "a b", "c d"}


def test_words_of_the_vocabulary_that_the_texts_lack_have_no_column() -> None:
    space = NgramSpace(Vocabulary(["a b c"], PLAIN), ["c a"], n=2)
    assert present(space, "a b c a") == {"a", "c", "c a"}
    assert len(space) == 3


def test_sums_of_words() -> None:
    space = space_of(["a b c"], 3)
    sums = dict(zip(map(space.text_of, range(len(space))), space.sums(np.array([1.0, 10.0, 100.0])), strict=True))
    assert sums == {"a": 1, "b": 10, "c": 100, "a b": 11, "b c": 110, "a b c": 111}


def test_a_space_of_nothing() -> None:
    space = space_of(["", " .. "], 3)
    assert len(space) == 0
    assert space.rows(["a b", ""]).shape == (2, 0)
    assert [table.shape for table in space.tables(["a b", "", "c"], width=2)] == [(0, 2), (0, 1)]
    assert space.sums(np.zeros(0)).tolist() == []


@pytest.mark.parametrize("n", [0, 4])
def test_other_lengths_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="1 to 3"):
        space_of(["a"], n)


def test_codes_of_the_largest_vocabulary_do_not_overflow() -> None:
    vocabulary = Vocabulary([], PLAIN)
    vocabulary.id_of = {f"w{number}": number for number in range(2_000_000)}
    vocabulary.forms = list(vocabulary.id_of)
    text = "w1999999 w1999999 w1999998"
    space = NgramSpace(vocabulary, [text], n=3)
    assert present(space, text) == naive(text, 3).keys()


def present(space: NgramSpace, text: str) -> set[str]:
    return {space.text_of(column) for column in space.rows([text]).indices}
