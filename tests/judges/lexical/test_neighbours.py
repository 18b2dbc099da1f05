from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest

from builders.records import response, task
from karat.judges.base import Task
from karat.judges.human.judged_texts import JudgedTexts, Mark
from karat.judges.lexical.lexical import Lexical
from karat.judges.lexical.neighbours import features as neighbour_features
from karat.judges.lexical.neighbours.features import Nearness, Neighbours
from karat.judges.lexical.neighbours.neighbours import NeighbourJudge, load_weights

IDF = {"red": 1.0, "fox": 2.0, "whale": 4.0, "old": 8.0}
NUGS = ["vixen", "cetacean"]


def known(*texts: str, marks: list[Mark]) -> JudgedTexts:
    return JudgedTexts(texts, np.zeros(len(texts), int), marks)


def near(text: str, *texts: str, marks: list[Mark]) -> Nearness:
    own = task(NUGS, idf=IDF)
    return Neighbours(own, known(*texts, marks=marks)).near([text])


def test_the_features_are_those_of_the_formula() -> None:
    found = near("red fox", "fox", "old fox", "whale", marks=[Mark("n0", 0, "fox"), Mark("n0", 1, "old fox")])
    fox, old_fox = 2 / sqrt(5), 4 / (sqrt(5) * sqrt(68))
    assert found.nearest[0, 0] == pytest.approx(fox)
    assert found.vote[0, 0] == pytest.approx(1 / (1 + 0.05 / (fox**2 + old_fox**2)))
    assert found.marked[0, 0] == pytest.approx(1.0)
    # Nothing is known of the other nug.
    assert [found.nearest[0, 1], found.vote[0, 1], found.marked[0, 1]] == [0, 0, 0]


def test_texts_without_the_nug_vote_against_it() -> None:
    alone = near("red fox", "fox", marks=[Mark("n0", 0, "fox")])
    against = near("red fox", "fox", "red fox", marks=[Mark("n0", 0, "fox")])
    assert against.vote[0, 0] == pytest.approx(0.8 / (0.05 + 0.8 + 1.0))
    assert against.vote[0, 0] < alone.vote[0, 0]
    assert against.nearest[0, 0] == alone.nearest[0, 0]


def test_a_marked_part_counts_by_the_weight_of_its_words() -> None:
    assert near("fox", "an old fox", marks=[Mark("n0", 0, "old fox")]).marked[0, 0] == pytest.approx(2 / 10)
    assert near("old", "an old fox", marks=[Mark("n0", 0, "old fox")]).marked[0, 0] == pytest.approx(8 / 10)


def test_words_that_no_judged_text_has_make_a_text_less_alike() -> None:
    marks = [Mark("n0", 0, "fox")]
    assert near("fox", "fox", marks=marks).nearest[0, 0] == pytest.approx(1)
    assert near("fox whale", "fox", marks=marks).nearest[0, 0] == pytest.approx(2 / sqrt(20))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["red fox", "old whale", "", "the of", "fox fox whale"]
    judged = known("fox", "old whale", "red", marks=[Mark("n0", 0, "fox"), Mark("n1", 1, "whale")])
    own = task(NUGS, idf=IDF)
    whole = Neighbours(own, judged).near(texts)
    monkeypatch.setattr(neighbour_features, "CELLS", 1)
    split = Neighbours(own, judged).near(texts)
    for name in neighbour_features.FEATURES:
        np.testing.assert_allclose(getattr(whole, name), getattr(split, name), rtol=1e-6)
        assert not getattr(whole, name)[2:4].any()


def test_without_judged_texts_it_is_lexical() -> None:
    own = task(["a red fox", "an old whale"], ["A red fox came. It slept.", "whales", ""])
    expected, found = Lexical().match(own), NeighbourJudge().match(own)
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.best, expected.best)
    # Judged texts of another query's run that say nothing of any nug leave its order as it is.
    bare = NeighbourJudge().match(replace(own, known=known("a hen", marks=[])))
    assert (np.argsort(bare.scores, axis=None) == np.argsort(expected.scores, axis=None)).all()


def test_the_score_is_the_weighted_sum() -> None:
    own = task(["a vixen", "a whale"], ["a red fox"], idf=IDF)
    judged = known("fox", "old", marks=[Mark("n0", 0, "fox")])
    score = NeighbourJudge().match(replace(own, known=judged)).scores[0]
    described, learned = Lexical().match(own).scores[0], load_weights()
    features = Neighbours(own, judged).near(["a red fox"])
    expected = learned.intercept + learned.weights["lexical"] * described[0]
    expected += sum(learned.weights[name] * getattr(features, name)[0, 0] for name in neighbour_features.FEATURES)
    assert score[0] == pytest.approx(expected, rel=1e-5)
    assert score[1] == pytest.approx(learned.unseen_intercept + learned.unseen_weight * described[1], rel=1e-5)


def test_a_response_has_the_features_of_its_best_snippet() -> None:
    nugs = task(["vixen"]).nugs
    judged = known("a red fox", "some hen", marks=[Mark("n0", 0, "red fox")])

    def score(*texts: str) -> float:
        own = Task("q", nugs, [response("r", *texts)], idf=IDF, known=judged)
        return float(NeighbourJudge().match(own).scores[0, 0])

    assert score("the whale", "red fox") > score("the whale", "old whale")


def test_evidence_names_what_people_marked() -> None:
    own = replace(task(["vixen"], idf=IDF), known=known("an old fox", marks=[Mark("n0", 0, "fox")]))
    assert NeighbourJudge().matcher(own).words("the red foxes", 0) == ["fox"]


def test_the_weights_that_come_with_karat_are_of_all_features() -> None:
    learned = load_weights()
    assert set(learned.weights) == {"lexical", *neighbour_features.FEATURES}
    assert all(weight > 0 for weight in learned.weights.values())
    assert learned.intercept < log(learned.contained / learned.pairs)
