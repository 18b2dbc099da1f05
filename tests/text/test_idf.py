from __future__ import annotations

from math import log

import numpy as np
import pytest

from karat.text.idf import TextPool, idf_from_table
from karat.text.vocabulary import Spelling, Vocabulary


def test_idf_of_a_pool_by_hand() -> None:
    vocabulary = Vocabulary(["red fox whale"], Spelling("none"))
    idf = TextPool(["a red fox", "red red red", "nothing", "a red fox"]).idf(vocabulary)
    # The repeated text counts once: three texts, two with "red", one with "fox".
    assert idf == pytest.approx([log(4 / 2.5), log(4 / 1.5), log(4 / 0.5)])


def test_a_word_of_every_text_still_weighs_something() -> None:
    assert TextPool(["fox"] * 3 + ["fox b", "fox c"]).idf(Vocabulary(["fox"]))[0] > 0


def test_idf_of_an_empty_pool_or_vocabulary_is_defined() -> None:
    assert TextPool([]).idf(Vocabulary(["red fox"])) == pytest.approx([log(2)] * 2)
    assert len(TextPool(["red fox"]).idf(Vocabulary([]))) == 0


def test_table_takes_the_commonest_word_of_a_form_and_calls_others_rarest() -> None:
    vocabulary = Vocabulary(["foxes run", "whales"], Spelling("porter"))
    table = {"Fox": 3.0, "foxes": 2.0, "runs": 1.0, "zebra": 9.0}
    assert idf_from_table(vocabulary, table).tolist() == [2.0, 1.0, 9.0]


def test_table_without_words_that_count_gives_one() -> None:
    vocabulary = Vocabulary(["fox"], Spelling("none", False))
    assert idf_from_table(vocabulary, {"the": 5.0}).tolist() == [1.0]
    assert idf_from_table(vocabulary, {}).tolist() == [1.0]


def test_idf_of_a_pool_agrees_with_a_plain_count() -> None:
    texts = [" ".join(f"w{item}" for item in np.random.default_rng(seed).integers(0, 20, 8)) for seed in range(30)]
    vocabulary = Vocabulary(texts, Spelling("none"))
    distinct = {tuple(text.split()) for text in texts}
    expected = [log((len(distinct) + 1) / (sum(form in item for item in distinct) + 0.5)) for form in vocabulary.forms]
    assert TextPool(texts).idf(vocabulary) == pytest.approx(expected)
