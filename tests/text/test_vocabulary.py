from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.text import vocabulary as module
from karat.text import words
from karat.text.vocabulary import UNKNOWN, Spelling, Vocabulary

SPELLINGS = [Spelling(stem, stop) for stem in ("none", "porter", "english") for stop in (True, False)]
TEXTS = st.text(alphabet="aAbetThofisİßéÉ東京مر 0123,.'’-_\u00a0\u202f\n", max_size=40)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=str)
@given(key=st.lists(TEXTS, max_size=4), text=TEXTS)
def test_ids_are_the_forms_looked_up(spelling: Spelling, key: list[str], text: str) -> None:
    vocabulary = Vocabulary(key, spelling)
    expected = [vocabulary.id_of.get(form, UNKNOWN) for form in spelling.forms(text)]
    assert vocabulary.ids(text) == expected
    assert vocabulary.ids(text) == expected  # now all its words are remembered


@given(TEXTS)
def test_without_stems_and_with_stop_words_the_forms_are_the_words(text: str) -> None:
    assert Spelling("none").forms(text) == words(text)


def test_every_form_has_its_id_in_order_of_coming() -> None:
    vocabulary = Vocabulary(["Red foxes run", "a fox runs"])
    assert vocabulary.forms == ["red", "fox", "run", "a"]
    assert len(vocabulary) == 4
    assert vocabulary.ids("the FOX ran red") == [UNKNOWN, 1, UNKNOWN, 0]


def test_dropped_stop_words_leave_no_gap_and_unknown_words_do() -> None:
    vocabulary = Vocabulary(["the red fox"], Spelling("none", False))
    assert vocabulary.forms == ["red", "fox"]
    assert vocabulary.ids("red of the fox") == [0, 1]
    assert vocabulary.ids("red blue fox") == [0, UNKNOWN, 1]


def test_a_word_that_is_a_stop_word_only_as_a_stem_is_kept() -> None:
    assert Spelling("english", False).forms("ones doings") == ["one", "do"]


def test_texts_as_one_sequence() -> None:
    vocabulary = Vocabulary(["a b"])
    flat, starts = vocabulary.sequence(["a b c", "", "b"])
    assert flat.tolist() == [0, 1, UNKNOWN, 1]
    assert starts.tolist() == [0, 3, 3, 4]
    flat, starts = vocabulary.sequence([])
    assert (len(flat), starts.tolist()) == (0, [0])
    assert flat.dtype == np.int32


def test_an_empty_vocabulary_knows_nothing() -> None:
    assert Vocabulary([]).ids("a word") == [UNKNOWN, UNKNOWN]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REMEMBERED", 3)
    vocabulary = Vocabulary(["fox"])
    for number in range(50):
        assert vocabulary.ids(f"fox w{number}") == [0, UNKNOWN]
    assert len(vocabulary._of_word) <= 5


@pytest.mark.parametrize(
    ("spelling", "settings"),
    [(Spelling(), {"stem": "english", "stop": "keep"}), (Spelling("none", False), {"stem": "none", "stop": "drop"})],
)
def test_settings(spelling: Spelling, settings: dict[str, str]) -> None:
    assert spelling.settings() == settings
