"""Figures per kind, and the mixture of the stages."""

from __future__ import annotations

import math

import numpy as np

from karat.language.train.entailment.fitting import draw
from karat.language.train.entailment.pairs.sets import NAMES, Pair
from karat.language.train.entailment.scoring import auc, render_scores, score_kinds
from karat.language.train.entailment.stages import STAGES

MADE = {
    "roles-plain",
    "roles-made",
    "roles-text",
    "number",
    "name",
    "negation",
    "antonym",
    "quantifier",
    "part",
    "overlap",
}


def test_accepted_rejected_and_auc_per_kind() -> None:
    pairs = [Pair(str(place), "x", place >= 2, "number") for place in range(4)] + [Pair("9", "x", True, "copy")]
    scores = score_kinds(
        pairs, lambda premises, _: np.array([int(p) / 10 for p in premises], np.float32), threshold=0.25
    )
    assert [score.kind for score in scores] == ["copy", "number"]
    assert (scores[1].accepted, scores[1].rejected, scores[1].auc) == (0.5, 1.0, 1.0)
    assert math.isnan(scores[0].auc)
    assert math.isnan(scores[0].rejected)
    assert "| number | 4 | 0.500 | 1.000 | 1.000 |" in render_scores(scores)


def test_ties_count_half() -> None:
    assert auc(np.array([0.5, 0.5], np.float32), np.array([True, False])) == 0.5


def test_stages_name_only_kinds_that_exist() -> None:
    for stage in STAGES:
        assert set(stage.mixture) <= {*NAMES, *MADE, "statement", "scope"}


def test_pairs_are_drawn_by_kind_and_label_and_never_from_development() -> None:
    pairs = [
        Pair(f"{kind} {place}", "x", place % 4 == 0, kind, dev=place > 90) for kind in "ab" for place in range(100)
    ]
    pairs += [Pair("a word " * 40, "x", True, "a")]
    drawn = list(draw(pairs, {"a": 3.0, "b": 1.0}, 2000, seed=1, longest=50))
    assert not any(pair.dev or len(pair.premise) > 50 for pair in drawn)
    assert 0.7 < sum(pair.kind == "a" for pair in drawn) / 2000 < 0.8
    assert 0.45 < sum(pair.entailed for pair in drawn) / 2000 < 0.55
    assert drawn == list(draw(pairs, {"a": 3.0, "b": 1.0}, 2000, seed=1, longest=50))
