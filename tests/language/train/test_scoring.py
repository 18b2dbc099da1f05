from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from karat.language.analysis import Argument, Predicate, Sentence, Token
from karat.language.roles.labeller import RoleModel
from karat.language.train.propbank import Example, Proposition
from karat.language.train.scoring import Tally, score_predicates, score_roles

POS = ("PRON", "VERB", "NOUN", "AUX")
TOKENS = tuple(Token(i, 2 * i, 2 * i + 1, "x", "x", pos, "X", "dep", 0, "") for i, pos in enumerate(POS))
GOLD = Example(
    "1",
    Sentence(TOKENS),
    (
        Proposition(1, True, False, frozenset({Argument("ARG0", 0, 1), Argument("ARG1", 2, 3)})),
        Proposition(2, False, False, frozenset({Argument("ARG0", 0, 1)})),
        Proposition(3, True, True, frozenset()),
    ),
    False,
)


class Fixed:
    """Answers the same whatever it is asked."""

    def label(self, sentences: Sequence[Sentence], positions: Sequence[Sequence[int]]) -> list[tuple[Predicate, ...]]:
        assert positions == [[1, 2, 3]]
        right, wrong = Argument("ARG0", 0, 1), Argument("ARG2", 2, 3)
        return [
            (
                Predicate(1, "x", False, (right, wrong)),
                Predicate(2, "x", True, (right,)),
                Predicate(3, "x", False, (right,)),
            )
        ]

    def find_predicates(self, sentences: Sequence[Sentence]) -> list[list[int]]:
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
