"""Pairs about what a negation reaches."""

from __future__ import annotations

from karat.language.spacy.models import BUNDLED, load_pipeline
from karat.language.train.entailment.pairs.scope import reported_pairs, scope_pairs


def test_contradictions_are_marked_as_such() -> None:
    pairs = list(scope_pairs(1200, seed=2))
    for pair in pairs:
        if "neither" in pair.premise.lower():
            negative = " not " in pair.statement or " never " in pair.statement
            assert pair.entailed == negative
    assert any(pair.premise.startswith("Neither") for pair in pairs)
    assert pairs == list(scope_pairs(1200, seed=2))


def test_what_is_reported_counts_as_said() -> None:
    sentence = next(iter(load_pipeline(BUNDLED).nlp("The bank closed the branch.").sents))
    pairs = list(reported_pairs([(sentence, False)], seed=1))
    assert [pair.entailed for pair in pairs] == [True, False, True, False]
    assert pairs[0].statement == pairs[3].statement == "The bank closed the branch."
    assert pairs[0].premise.endswith("the bank closed the branch.")
