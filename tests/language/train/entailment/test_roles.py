"""Made-up facts: the same roles in other words are entailed, exchanged roles are not."""

from __future__ import annotations

import random

from karat.language.train.entailment.pairs.roles import Cast, action_wordings, plain_role_pairs, role_pairs


def test_wordings_of_an_action() -> None:
    wordings = action_wordings("Jones", ("beat", "beat", "beaten"), "teachers", "past")
    assert wordings[0] == "Jones beat teachers"
    assert wordings[1] == "teachers were beaten by Jones"
    assert "It was Jones that beat teachers" in wordings


def test_pairs_are_balanced_and_seeded() -> None:
    pairs = list(role_pairs(200, seed=3))
    assert pairs == list(role_pairs(200, seed=3))
    assert abs(sum(pair.entailed for pair in pairs) - len(pairs) / 2) <= 2
    assert not any(pair.statement.endswith("in the news.") for pair in pairs)


def test_every_plain_fact_has_both_orders_as_true_and_as_false() -> None:
    pairs = list(plain_role_pairs(40, seed=3))
    for start in range(0, len(pairs), 4):
        active, passive, swapped, swapped_passive = pairs[start : start + 4]
        assert [pair.entailed for pair in pairs[start : start + 4]] == [True, True, False, False]
        assert active.statement.lower().startswith(active.agent.lower())
        assert passive.statement.lower().startswith(active.patient.lower())
        assert swapped.statement.lower().startswith(active.patient.lower())
        assert swapped_passive.statement.lower().startswith(active.agent.lower())


def test_verbs_of_development_are_never_trained_on() -> None:
    pairs = list(plain_role_pairs(4000, seed=3))
    trained = {pair.statement.split()[-3] for pair in pairs if not pair.dev and " by " in pair.statement}
    assert trained
    assert any(pair.dev for pair in pairs)
    assert any(not pair.dev for pair in pairs)


def test_participants_differ() -> None:
    cast = Cast(random.Random(1))
    for _ in range(200):
        first, second, third = cast.two(number=3)
        assert len({first, second, third}) == 3
