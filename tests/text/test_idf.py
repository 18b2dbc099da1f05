from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest

from karat.model import UsageError
from karat.text.idf import idf_from_table, load_idf, pool_idf
from karat.text.vocabulary import Spelling, Vocabulary


def test_pool_idf_by_hand() -> None:
    vocabulary = Vocabulary(["red fox whale"], Spelling("none"))
    found = pool_idf(vocabulary, ["a red fox", "red red red", "nothing", "a red fox"])
    # The repeated text counts once: three texts, two with "red", one with "fox".
    assert found == pytest.approx([log(4 / 2.5), log(4 / 1.5), log(4 / 0.5)])


def test_a_word_of_every_text_still_weighs_something() -> None:
    assert pool_idf(Vocabulary(["fox"]), ["fox"] * 3 + ["fox b", "fox c"])[0] > 0


def test_idf_of_an_empty_pool_or_vocabulary_is_defined() -> None:
    assert pool_idf(Vocabulary(["red fox"]), []) == pytest.approx([log(2)] * 2)
    assert len(pool_idf(Vocabulary([]), ["red fox"])) == 0


def test_table_takes_the_commonest_word_of_a_form_and_calls_others_rarest() -> None:
    vocabulary = Vocabulary(["foxes run", "whales"], Spelling("porter"))
    table = {"Fox": 3.0, "foxes": 2.0, "runs": 1.0, "zebra": 9.0}
    assert idf_from_table(vocabulary, table).tolist() == [2.0, 1.0, 9.0]


def test_table_without_words_that_count_gives_one() -> None:
    vocabulary = Vocabulary(["fox"], Spelling("none", False))
    assert idf_from_table(vocabulary, {"the": 5.0}).tolist() == [1.0]
    assert idf_from_table(vocabulary, {}).tolist() == [1.0]


def test_load_idf(tmp_path: Path) -> None:
    path = tmp_path / "idf.tsv"
    path.write_text("fox\t2.5\n\nthe 0.1\n", encoding="utf-8")
    assert load_idf(path) == {"fox": 2.5, "the": 0.1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("fox\t1\nwhale\n", ":2: is not `word idf`"),
        ("fox much\n", ":1: is not `word idf`"),
        ("fox nan\n", ":1: nan is no idf"),
        ("fox inf\n", ":1: inf is no idf"),
        ("\n", "no words in it"),
    ],
)
def test_a_bad_table_is_told_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "idf.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        load_idf(path)


def test_pool_idf_agrees_with_a_plain_count() -> None:
    texts = [" ".join(f"w{one}" for one in np.random.default_rng(seed).integers(0, 20, 8)) for seed in range(30)]
    vocabulary = Vocabulary(texts, Spelling("none"))
    distinct = {tuple(text.split()) for text in texts}
    expected = [log((len(distinct) + 1) / (sum(form in one for one in distinct) + 0.5)) for form in vocabulary.forms]
    assert pool_idf(vocabulary, texts) == pytest.approx(expected)
