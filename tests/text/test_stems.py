from __future__ import annotations

import pytest

from karat.text.stems import StemmerName, stemmer


@pytest.mark.parametrize(
    ("name", "word", "stem"),
    [
        ("none", "running", "running"),
        ("porter", "running", "run"),
        ("english", "running", "run"),
        ("porter", "caresses", "caress"),
        ("porter", "relational", "relat"),
        ("porter", "generously", "gener"),
        ("english", "generously", "generous"),
        ("english", "dying", "die"),
        ("porter", "", ""),
        ("english", "東京", "東京"),
        ("english", "20919", "20919"),
    ],
)
def test_stem(name: StemmerName, word: str, stem: str) -> None:
    assert stemmer(name)(word) == stem


def test_a_stemmer_is_made_once() -> None:
    assert stemmer("porter") is stemmer("porter")


def test_a_very_long_word_has_a_stem() -> None:
    assert stemmer("porter")("a" * 1_000_000 + "ing") == "a" * 1_000_000
