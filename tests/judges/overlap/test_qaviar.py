from __future__ import annotations

from math import log

import pytest

from builders.records import task
from karat.judges.overlap.qaviar import Pourpre, Qaviar


def test_qaviar_is_the_share_of_stemmed_content_words() -> None:
    # fox, hunt, mice
    found = Qaviar().match(task(["The foxes are hunting mice"], ["the are", "a fox hunts", "Mice. Hunted. FOXES!", ""]))
    assert found.scores[:, 0] == pytest.approx([0, 2 / 3, 1, 0])


def test_qaviar_with_stop_words_and_without_stems() -> None:
    found = Qaviar(stem="none", stop="keep").match(task(["The fox hunts"], ["the foxes hunt", "fox the"]))
    assert found.scores[:, 0] == pytest.approx([1 / 3, 2 / 3])


def test_pourpre_is_the_idf_weighted_share_of_stemmed_words() -> None:
    texts = ["the fox", "the whales", "nothing"]
    the, fox = log(4 / 2.5), log(4 / 1.5)
    found = Pourpre().match(task(["the foxes"], texts))
    assert found.scores[:, 0] == pytest.approx([1, the / (the + fox), 0])
    assert Pourpre(weights="count").match(task(["the foxes"], texts)).scores[:, 0] == pytest.approx([1, 0.5, 0])


def test_neither_asks_how_many_nugs_share_a_word() -> None:
    for judge in (Qaviar(), Pourpre(weights="count")):
        alone = judge.match(task(["red fox"], ["red"])).scores[0, 0]
        assert judge.match(task(["red fox", "red whale"], ["red"])).scores[0, 0] == alone == pytest.approx(0.5)


def test_the_best_description_counts_and_known_responses_do_not() -> None:
    one = task([["red fox", "whale"]], ["whale", "sea"], examples={"n0": ["sea"]})
    assert Qaviar().match(one).scores[:, 0].tolist() == [1, 0]


def test_a_nug_of_stop_words_scores_nothing() -> None:
    assert Qaviar().match(task(["it is the"], ["it is the"])).scores.tolist() == [[0]]


def test_the_words_that_decided() -> None:
    matcher = Qaviar().matcher(task(["red foxes hunt"]))
    assert sorted(matcher.words("the hunting fox", 0)) == ["fox", "hunt"]
