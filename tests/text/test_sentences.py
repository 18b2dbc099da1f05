from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.text.sentences import LONGEST, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("No stop at all", ["No stop at all"]),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Bell met Mrs. Ito. They talked.", ["Dr. Bell met Mrs. Ito.", "They talked."]),
        ("The U.S. Senate met. It voted.", ["The U.S. Senate met.", "It voted."]),
        ("J. R. Moss wrote it. I read it.", ["J. R. Moss wrote it.", "I read it."]),
        ("It cost 3.5 million. Few paid.", ["It cost 3.5 million.", "Few paid."]),
        ("It rose by .5 to 3. In May it fell.", ["It rose by .5 to 3.", "In May it fell."]),
        ("It was approx. ten metres long.", ["It was approx. ten metres long."]),
        ("The file a.txt is at x.org. Read it.", ["The file a.txt is at x.org.", "Read it."]),
        ("Really?! Yes... Well.", ["Really?!", "Yes...", "Well."]),
        ("Wait... and see.", ["Wait... and see."]),
        ('He said "go." She went.', ['He said "go."', "She went."]),
        ("(It is so.) She knew.", ["(It is so.)", "She knew."]),
        ("A heading\n\nThe text\ngoes on", ["A heading", "The text\ngoes on"]),
        ("Fruit:\n- an apple\n- a pear", ["Fruit:", "- an apple", "- a pear"]),
        ("Fruit:\n* an apple\n• a pear", ["Fruit:", "* an apple", "• a pear"]),
        ("1. An apple\n2. A pear\n3) A fig", ["1. An apple", "2. A pear", "3) A fig"]),
        ("So it is.\n12. A pear. It is ripe.", ["So it is.", "12. A pear.", "It is ripe."]),
        ("It was in 1999. Then it ended.", ["It was in 1999.", "Then it ended."]),
        ("# Head\n## Part\nText", ["# Head", "## Part\nText"]),
        ("東京は首都。大阪は違う！", ["東京は首都。", "大阪は違う！"]),
        ("「東京。」大阪", ["「東京。」", "大阪"]),
        ("هل هذا صحيح؟ نعم", ["هل هذا صحيح؟", "نعم"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="ab A.!?\"' \n-*1)。#’", max_size=60))
def test_nothing_is_lost_but_white_space_and_spans_do_not_overlap(text: str) -> None:
    spans = sentence_spans(text)
    assert all(start < end for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert re.sub(r"\s", "", "".join(sentences(text))) == re.sub(r"\s", "", text)
    assert all(sentence == sentence.strip() for sentence in sentences(text))


@pytest.mark.parametrize(
    "piece", ["a", ".", "!", "\n", " ", "1", ")", ".)", "\n1", "\n  -", "e.g. ", "word ", "#", "A. "]
)
def test_a_megabyte_of_anything_is_no_trouble(piece: str) -> None:
    # What is quadratic would not come to an end.
    text = piece * (1_000_000 // len(piece)) + "x"
    spans = sentence_spans(text)
    assert spans[-1][1] == len(text)


def test_what_is_longer_than_any_sentence_is_cut_at_blanks() -> None:
    text = " " * LONGEST + "word " * 1000
    assert [len(sentence) for sentence in sentences(text)] == [LONGEST - 1, LONGEST - 1, 5000 - 2 * LONGEST - 1]
    assert " ".join(sentences(text)) == text.strip()


def test_without_blanks_it_is_cut_anywhere() -> None:
    assert [len(sentence) for sentence in sentences("x" * (LONGEST + 1) + ".")] == [LONGEST, 2]
    assert [len(sentence) for sentence in sentences("x" * LONGEST)] == [LONGEST]
    assert sentences("a " + "x" * (LONGEST + 1)) == ["a", "x" * LONGEST, "x"]
