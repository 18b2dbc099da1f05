"""Text -> tokens: what judges and linters see of a text."""

from karat.text.words import LEADING_PRONOUNS, NEGATIONS, STOP_WORDS, content_words, is_negated, words

__all__ = ["LEADING_PRONOUNS", "NEGATIONS", "STOP_WORDS", "content_words", "is_negated", "words"]
