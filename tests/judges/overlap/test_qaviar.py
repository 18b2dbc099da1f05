from __future__ import annotations

from math import log

import pytest

from builders.records import task
from builders.rows import Row, nug, query, response
from builders.simulated import simulated
from karat.evaluate.score.score import score_collection
from karat.evaluate.validate.validate import validate_collection
from karat.formats import load
from karat.judges.judge import judge_collection
from karat.judges.overlap.qaviar import Pourpre, Qaviar
from karat.model import Collection, Judgement, UsageError


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


TEXTS = ["red fox and cub", "red", "whale"]
ROWS: list[Row] = [
    query("q"),
    *(
        nug("q", name, importance="vital", descriptions=[text])
        for name, text in (("a", "red fox"), ("b", "blue whale"))
    ),
    *(response("q", f"r{at}", text) for at, text in enumerate(TEXTS)),
]
POURPRE = "pourpre(weights=count)"


def test_the_credit_of_pourpre_is_the_overlap_and_recall_is_its_sum() -> None:
    judging = judge_collection(load(ROWS), judge=POURPRE)
    assert "credit:overlap" in judging.signature
    assert [one.probabilities["1"] for one in judging.judgements] == [1, 0, 0.5, 0, 0, 0.5]
    scoring = score_collection(load(ROWS, judging.judgements), measures="nugget_recall,F3")
    recall = {score.run_id: score.value for score in scoring.of_all() if score.measure == "nugget_recall"}
    assert recall == pytest.approx({"r0": 0.5, "r1": 0.25, "r2": 0.25})
    # The partial length allowance of r1 is 50 characters.
    precise = {score.run_id: score.value for score in scoring.of_all() if score.measure == "F3"}
    assert precise["r1"] == pytest.approx(10 * 0.25 / (9 + 0.25))
    assert all(score.judge_low is None for score in scoring.scores)
    assert any("no judge interval" in note for note in scoring.notes)


def test_a_similarity_below_the_threshold_counts_nothing() -> None:
    judging = judge_collection(load(ROWS), judge=POURPRE, threshold=0.6)
    assert [one.probabilities["1"] for one in judging.judgements] == [1, 0, 0, 0, 0, 0]
    assert "thr:0.6" in judging.signature


def test_labels_change_no_overlap_and_calibrate_a_probability() -> None:
    truth = simulated(noise=0.2)
    blind = Collection(one for one in truth if not isinstance(one, Judgement))
    for credit, same in (("overlap", True), ("probability", False)):
        judge = f"pourpre(credit={credit})"
        without, beside = (judge_collection(found, judge=judge, reuse=False) for found in (blind, truth))
        chances = [[one.probabilities["1"] for one in judging.judgements] for judging in (without, beside)]
        assert (chances[0] == chances[1]) is same


def test_credits_are_validated_without_an_interval() -> None:
    figures = validate_collection(simulated(noise=0.2), judge="pourpre").figures
    assert figures["tau_runs"].value is not None
    assert (figures["coverage"].value, figures["width"].value) == (None, None)
    with pytest.raises(UsageError, match="needs credit=probability"):
        judge_collection(simulated(), judge="pourpre", threshold_model="nug")
