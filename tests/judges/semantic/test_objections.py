from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from builders.records import nug, response
from karat.judges.base import Task
from karat.judges.semantic.objections import READING, UNREAD, Candidates, candidates, find_objections
from karat.judges.semantic.semantic import Semantic, SemanticMatcher
from karat.model import Response
from karat.text.idf import TextPool
from karat.text.response_units import units_of

FLOOD = "The flood killed at least 40 people in Riverton"
SAYS = "Officials said the flood killed at least 40 people in Riverton."
OTHER_NUMBER = "Officials said the flood killed at least 4 people in Riverton."
ASIDE = "The bridge was closed for repairs during the whole summer."
POOL = TextPool([SAYS, ASIDE, "A river rose.", "Nobody was there."])


class Reader:
    """Says what a table says; everything else is entailed."""

    version = "test"

    def __init__(self, **refused: float) -> None:
        self.asked: list[tuple[str, str]] = []
        self.refused = refused

    def probabilities(self, premises: Sequence[str], statements: Sequence[str]) -> np.ndarray:
        self.asked += zip(premises, statements, strict=True)
        values = [min((p for word, p in self.refused.items() if word in text), default=1.0) for text in premises]
        return np.array(values, np.float32)


def task(*answers: tuple[str, ...], descriptions: tuple[str, ...] = (FLOOD,)) -> Task:
    responses: list[Response] = [response(f"r{at}", *texts, first=0) for at, texts in enumerate(answers)]
    return Task("q", [nug("n", *descriptions)], responses, pool=POOL)


def test_a_sentence_with_another_number_is_not_counted() -> None:
    pytest.importorskip("onnxruntime")
    said, other, nothing = (
        Semantic(objections="checks").match(task((SAYS, ASIDE), (OTHER_NUMBER, ASIDE), (ASIDE,))).scores
    )
    assert said[0] > other[0] + 2
    assert other[0] == pytest.approx(nothing[0], abs=1e-5)


def test_without_objections_it_is_counted() -> None:
    pytest.importorskip("onnxruntime")
    said, other = Semantic(objections="none").match(task((SAYS, ASIDE), (OTHER_NUMBER, ASIDE))).scores
    assert abs(said[0] - other[0]) < 2


def test_another_sentence_that_says_it_is_enough() -> None:
    pytest.importorskip("onnxruntime")
    matches = Semantic(objections="checks").match(task((OTHER_NUMBER, SAYS), (SAYS,)))
    assert matches.scores[0, 0] > 0
    assert matches.units.texts[int(matches.best[0, 0])] == SAYS


def test_matches_tell_what_was_not_counted() -> None:
    pytest.importorskip("onnxruntime")
    matches = Semantic(objections="checks").match(task((ASIDE, OTHER_NUMBER), (SAYS,)))
    assert list(matches.objections) == [(0, 0)]
    [objection] = matches.objections[0, 0]
    assert objection.kind == "number"
    assert "40" in objection.nug_words
    assert matches.units.texts[objection.unit] == OTHER_NUMBER


def test_an_answer_that_only_contradicts_keeps_its_evidence() -> None:
    pytest.importorskip("onnxruntime")
    matches = Semantic(objections="checks").match(task((OTHER_NUMBER,)))
    assert matches.best[0, 0] == 0
    assert np.isfinite(matches.scores).all()


def test_the_objections_of_the_best_description_are_told() -> None:
    pytest.importorskip("onnxruntime")
    matches = Semantic(objections="checks").match(
        task((OTHER_NUMBER, ASIDE), descriptions=(FLOOD, "Forty people died in the flood of Riverton"))
    )
    assert matches.scores.shape == (1, 1)
    assert [objection.kind for objection in matches.objections[0, 0]] == ["number"]


def test_the_reader_is_asked_only_where_checks_say_nothing() -> None:
    units = units_of(task((OTHER_NUMBER, SAYS, ASIDE)).responses, "sentence")
    reader = Reader(Riverton=UNREAD / 2)
    objections = find_objections([Candidates(0, 0, (0, 1))], [FLOOD], units, reader=reader)
    assert [objection.kind for objection in objections[0, 0]] == ["number", READING]
    assert OTHER_NUMBER not in [premise for premise, _ in reader.asked]


def test_a_sentence_that_its_neighbours_explain_is_counted() -> None:
    units = units_of(task((ASIDE, SAYS)).responses, "sentence")

    class NeedsNeighbours(Reader):
        def probabilities(self, premises: Sequence[str], statements: Sequence[str]) -> np.ndarray:
            return np.array([1.0 if "bridge" in premise else 0.0 for premise in premises], np.float32)

    assert find_objections([Candidates(0, 0, (1,))], [FLOOD], units, reader=NeedsNeighbours()) == {}


def test_only_sentences_with_most_words_are_looked_at() -> None:
    starts = np.array([0, 2, 2, 3])
    by_sentence = np.array([[0.9], [0.8], [0.5]], np.float32)
    shares = np.array([[0.9], [0.7], [0.3]], np.float32)
    scores = np.array([[1.0], [0.0], [1.0]], np.float32)
    assert list(candidates(scores, by_sentence, shares, starts, 0)) == [Candidates(0, 0, (0, 1))]


def test_hopeless_pairs_are_not_looked_at() -> None:
    high = np.full((1, 1), 0.9, np.float32)
    assert not list(candidates(np.full((1, 1), -9, np.float32), high, high, np.array([0, 1]), 0))


def test_no_objections_by_default_in_a_matcher_for_training() -> None:
    pytest.importorskip("onnxruntime")
    assert SemanticMatcher(task((SAYS,))).objections == "none"


def test_a_parse_finds_exchanged_roles_that_word_order_hides() -> None:
    pytest.importorskip("onnxruntime")
    nug_text = "The union sued the port authority over unpaid wages"
    exchanged = "In May, over unpaid wages, the union was sued by the port authority."
    matches = Semantic(objections="checks", roles="parse").match(task((exchanged, ASIDE), descriptions=(nug_text,)))
    assert [objection.kind for objection in matches.objections.get((0, 0), ())] == ["roles"]


def test_the_reader_is_not_asked_where_a_pronoun_may_stand_for_a_name() -> None:
    nug_text = "Veltanor was approved by the agency in 2019"
    units = units_of(
        task(("Veltanor is a drug.", "The drug was approved by the agency in 2019.")).responses, "sentence"
    )
    reader = Reader(drug=0.0)
    assert find_objections([Candidates(0, 0, (1,))], [nug_text], units, reader=reader) == {}
    assert not reader.asked


def test_the_reader_is_not_asked_about_a_paraphrase() -> None:
    units = units_of(task(("Corrosion was discovered in the hull of the ship.",)).responses, "sentence")
    reader = Reader(Corrosion=0.0)
    assert find_objections([Candidates(0, 0, (0,))], ["Inspectors found rust in the hull"], units, reader=reader) == {}


def test_a_contradiction_of_one_description_holds_for_all() -> None:
    pytest.importorskip("onnxruntime")
    both = (FLOOD, "Some forty people lost their lives when Riverton was flooded")
    one, two = (
        Semantic(objections="checks").match(task((OTHER_NUMBER, ASIDE), descriptions=descriptions)).scores[0, 0]
        for descriptions in (both[:1], both)
    )
    assert two < 0
    assert one < 0


@pytest.mark.parametrize("times", [1, 4, 9])
def test_saying_something_else_often_does_not_help(times: int) -> None:
    pytest.importorskip("onnxruntime")
    matches = Semantic(objections="checks").match(task((*[OTHER_NUMBER] * times, ASIDE), (ASIDE,)))
    assert matches.scores[0, 0] == pytest.approx(matches.scores[1, 0], abs=1e-5)
    assert len(matches.objections[0, 0]) == times


def test_what_is_the_best_evidence_then_is_looked_at_as_well() -> None:
    pytest.importorskip("onnxruntime")
    others = [f"{who} said the flood killed at least {count} people in Riverton." for who, count in
              (("Police", 5), ("Doctors", 6), ("Nurses", 7), ("Firemen", 8), ("Teachers", 9))]  # fmt: skip
    matches = Semantic(objections="checks").match(task((*others, ASIDE)))
    assert matches.scores[0, 0] < 0
    assert len(matches.objections[0, 0]) == len(others)


def test_half_a_character_is_no_problem() -> None:
    pytest.importorskip("onnxruntime")
    assert np.isfinite(Semantic().match(task((f"{SAYS} \ud800",), descriptions=("\ud800 flood",))).scores).all()
