"""Text -> words: how judges and lint rules see a text."""

from karat.text.words import (
    LEADING_PRONOUNS,
    NEGATIONS,
    STOP_WORDS,
    content_words,
    has_digit,
    is_negated,
    negates,
    word_count,
    words,
)

__all__ = [
    "LEADING_PRONOUNS",
    "NEGATIONS",
    "STOP_WORDS",
    "content_words",
    "has_digit",
    "is_negated",
    "negates",
    "word_count",
    "words",
]
