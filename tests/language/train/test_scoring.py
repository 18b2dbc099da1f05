from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from karat.language.analysis import Argument, ParsedSentence, Predicate, Token
from karat.language.roles.labeller import RoleModel
from karat.language.train.propbank import Example, GoldPredicate
from karat.language.train.scoring import Tally, score_predicates, score_roles

POS = ("PRON", "VERB", "NOUN", "AUX")
TOKENS = tuple(Token(i, 2 * i, 2 * i + 1, "x", "x", pos, "X", "dep", 0, "") for i, pos in enumerate(POS))
GOLD = Example(
    ParsedSentence(TOKENS),
    (
        GoldPredicate(1, True, False, frozenset({Argument("ARG0", 0, 1), Argument("ARG1", 2, 3)})),
        GoldPredicate(2, False, False, frozenset({Argument("ARG0", 0, 1)})),
        GoldPredicate(3, True, True, frozenset()),
    ),
    False,
)


class Fixed:
    """A model that always gives the same answers."""

    def label(
        self, sentences: Sequence[ParsedSentence], positions: Sequence[Sequence[int]]
    ) -> list[tuple[Predicate, ...]]:
        assert positions == [[1, 2, 3]]
        right, wrong = Argument("ARG0", 0, 1), Argument("ARG2", 2, 3)
        return [
            (
                Predicate(1, "x", False, (right, wrong)),
                Predicate(2, "x", True, (right,)),
                Predicate(3, "x", False, (right,)),
            )
        ]

    def find_predicates(self, sentences: Sequence[ParsedSentence]) -> list[list[int]]:
        return [[1, 3]]


MODEL = cast(RoleModel, Fixed())


def test_span_and_label_must_both_be_right() -> None:
    scores = score_roles([GOLD], model=MODEL)
    assert scores.overall == Tally(2, 4, 3)
    assert scores.verbs == Tally(1, 3, 2)
    assert scores.nominals == Tally(1, 1, 1)
    assert scores.by_label == {"ARG0": Tally(2, 3, 2), "ARG1": Tally(0, 0, 1)}


def test_auxiliaries_are_no_predicates() -> None:
    scores = score_predicates([GOLD], model=MODEL)
    assert (scores.overall, scores.verbs, scores.nominals) == (Tally(1, 2, 2), Tally(1, 2, 1), Tally(0, 0, 1))


def test_a_tally_without_answers_has_no_precision() -> None:
    empty = Tally(0, 0, 2)
    assert str(empty.precision) == "nan"
    assert (empty.recall, empty.f1) == (0.0, 0.0)
    assert Tally(1, 2, 4).f1 == pytest.approx(1 / 3)
