from __future__ import annotations

import numpy as np
import pytest

from builders.records import nug, response
from karat.judges.base import Task
from karat.judges.lexical.lexical import Lexical
from karat.judges.registry import parse_judge
from karat.judges.semantic.features import FEATURES as MEANING_FEATURES
from karat.judges.semantic.semantic import FEATURES, Semantic, feature_table, load_weights
from karat.model import Nug, Response
from karat.text.idf import TextPool

pytest.importorskip("onnxruntime")

POOL = TextPool(["A fox is red.", "Mice run at night.", "Barns burned in 1986 and 1987.", "Nobody hunts here."])
DOCTORS = "Physicians advise elderly patients to rest"
OTHER_WORDS = "Doctors tell old people that they should lie down for a while."
OTHER_THING = "The harbour was closed because of heavy storms in autumn."


def described(*descriptions: str) -> Nug:
    return nug("n", *descriptions)


def task(nugs: list[Nug], *answers: tuple[str, ...], question: str = "") -> Task:
    responses: list[Response] = [response(f"r{at}", *texts, first=0) for at, texts in enumerate(answers)]
    return Task("q", nugs, responses, question, pool=POOL)


def scores(nugs: list[Nug], *answers: tuple[str, ...], question: str = "") -> np.ndarray:
    return Semantic(objections="none").match(task(nugs, *answers, question=question)).scores


def test_its_name_with_settings_reads_back() -> None:
    assert parse_judge(str(Semantic())) == Semantic()
    assert Semantic().settings()["encoder"] == "minilm-l6-int8-1"


def test_it_finds_what_is_said_in_other_words() -> None:
    said, other = scores([described(DOCTORS)], (OTHER_WORDS,), (OTHER_THING,))[:, 0]
    assert said > other + 1


def test_lexical_sees_no_difference_there() -> None:
    both = Lexical().match(task([described(DOCTORS)], (OTHER_WORDS,), (OTHER_THING,))).scores[:, 0]
    assert abs(both[0] - both[1]) < 1


def test_saying_more_never_lowers_the_score() -> None:
    short, long = scores([described(DOCTORS)], (OTHER_WORDS,), (OTHER_THING, OTHER_WORDS))[:, 0]
    assert long >= short - 0.3


def test_the_evidence_is_the_nearest_sentence() -> None:
    matches = Semantic(objections="none").match(task([described(DOCTORS)], (OTHER_THING, OTHER_WORDS)))
    assert matches.units.texts[int(matches.best[0, 0])] == OTHER_WORDS


def test_words_of_the_evidence_are_near_to_words_of_the_nug() -> None:
    matcher = Semantic(objections="none").matcher(task([described(DOCTORS)], (OTHER_WORDS,)))
    words = matcher.words(OTHER_WORDS, 0)
    assert "doctor" in words
    assert "while" not in words


def test_an_answer_is_judged_by_itself() -> None:
    alone = scores([described(DOCTORS)], (OTHER_WORDS,))
    beside = scores([described(DOCTORS)], (OTHER_THING,), (OTHER_WORDS,), ())
    assert beside[1, 0] == pytest.approx(alone[0, 0], abs=1e-5)


def test_the_best_description_counts() -> None:
    several = scores([described("Harbours close in storms", DOCTORS)], (OTHER_WORDS,))
    assert several[0, 0] == pytest.approx(
        max(scores([described(text)], (OTHER_WORDS,))[0, 0] for text in (DOCTORS, "Harbours close in storms")), abs=0.7
    )


def test_empty_answers_and_descriptions_are_judged() -> None:
    values = scores([described(""), described("of the"), described(DOCTORS)], (), ("",), ("?",), (OTHER_WORDS,))
    assert values.shape == (4, 3)
    assert np.isfinite(values).all()
    assert values[3, 2] > values[0, 2]


def test_no_nugs_and_no_answers() -> None:
    assert scores([], (OTHER_WORDS,)).shape == (1, 0)
    assert scores([described(DOCTORS)]).shape == (0, 1)


def test_what_the_question_says_counts_little() -> None:
    question = "What do physicians advise?"
    answer = ("Physicians advise a lot.",)
    with_question = feature_table(task([described(DOCTORS)], answer, question=question))
    without = feature_table(task([described(DOCTORS)], answer))
    at = list(FEATURES).index("hits_sentence")
    assert with_question[0, 0, at] < without[0, 0, at] - 0.1


def test_features_of_meaning_count_as_one_would_expect() -> None:
    weights = {feature.name: feature.weight for feature in load_weights().features}
    assert list(weights) == list(FEATURES)
    for name in MEANING_FEATURES:
        assert weights[name] < 0 if name.startswith("others") else weights[name] > 0, name


def test_many_answers_in_blocks_have_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(OTHER_WORDS, OTHER_THING), (), (OTHER_THING,), (OTHER_WORDS,)]
    whole = scores([described(DOCTORS), described("Storms close harbours")], *answers)
    monkeypatch.setattr("karat.judges.semantic.features.CELLS", 1)
    monkeypatch.setattr("karat.judges.semantic.features.TOGETHER", 1)
    parts = scores([described(DOCTORS), described("Storms close harbours")], *answers)
    assert parts == pytest.approx(whole, abs=1e-5)
