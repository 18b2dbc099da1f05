"""True and false versions of parsed sentences."""

from __future__ import annotations

import random
from typing import Any

import pytest

from karat.language.spacy.models import BUNDLED, load_pipeline
from karat.language.train.entailment.pairs import clauses, versions


@pytest.fixture(scope="module")
def parse() -> Any:
    nlp = load_pipeline(BUNDLED).nlp
    return lambda text: next(iter(nlp(text).sents))


def test_roles_are_exchanged_or_kept(parse: Any) -> None:
    clause = clauses.find_clause(parse("Last year the museum sued the architect in Berlin."))
    assert clause is not None
    forms = {"sue": "sued"}
    assert clauses.swapped(clause, whole=False) == "The architect sued the museum."
    assert clauses.active(clause) == "The museum sued the architect."
    assert clauses.turned(clause, forms, swap=False, style="passive") == "The architect was sued by the museum."
    assert clauses.turned(clause, forms, swap=True, style="passive") == "The museum was sued by the architect."
    assert clauses.turned(clause, forms, swap=False, style="cleft") == "It was the museum that sued the architect."


def test_a_passive_becomes_active(parse: Any) -> None:
    clause = clauses.find_clause(parse("The letter was written by Marta Holm."))
    assert clause is not None
    assert clause.passive
    assert clauses.turned(clause, {"write": "written"}, swap=False, style="active") == "Marta Holm wrote the letter."


def test_symmetric_verbs_are_left_out(parse: Any) -> None:
    assert clauses.find_clause(parse("Marta Holm met Jonas Brandt.")) is None


def test_negation_in_both_directions(parse: Any) -> None:
    rng = random.Random(1)
    assert "The bank did not close the branch." in versions.negated(parse("The bank closed the branch."), rng)
    assert versions.affirmed(parse("The bank will not close the branch.")) == "The bank will close the branch."
    assert versions.negated(parse("The bank never closed the branch."), rng) == []


def test_a_condition_must_stay(parse: Any) -> None:
    assert versions.overstated(parse("The dam will break if it rains.")) == "The dam will break."
    assert versions.shortened(parse("The dam will break if it rains in May."), random.Random(1)) is None


def test_the_opening_phrase_may_stand_at_the_end(parse: Any) -> None:
    assert versions.reordered(parse("In 1904, the mayor opened a bridge.")) == "The mayor opened a bridge in 1904."
