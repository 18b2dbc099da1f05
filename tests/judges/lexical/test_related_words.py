from __future__ import annotations

from karat.judges.lexical.key_terms import SPELLING
from karat.judges.lexical.related_words import load_related_words


def test_the_table_is_symmetric_and_between_0_and_1() -> None:
    table = load_related_words().table
    assert abs(table - table.T).max() == 0
    assert table.diagonal().max() == 0
    assert 0 < table.data.min() <= table.data.max() <= 1


def test_words_are_stems_as_the_judge_sees_them() -> None:
    words = load_related_words()
    assert len(words.number) == words.table.shape[0]
    for word in ("doctor", "physicians", "hunting", "evacuation"):
        assert SPELLING.form(word) in words.number


def test_what_is_related() -> None:
    words = load_related_words()
    doctor = words.of("doctor")
    assert doctor["physician"] > doctor["degre"] > 0
    assert words.of("physician")["doctor"] == doctor["physician"]
    assert "volcano" not in doctor
    assert words.of("nosuchstem") == {}
