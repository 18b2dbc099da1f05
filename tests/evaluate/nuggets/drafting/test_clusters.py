"""Clusters of sentences that contain each other."""

from __future__ import annotations

import numpy as np
import pytest

from karat.evaluate.nuggets.drafting.clusters import cluster, penalty_of


def _table(rows: list[list[float]]) -> np.ndarray:
    return np.array(rows, np.float32)


def test_both_directions_make_one_cluster() -> None:
    (only,) = cluster(_table([[1, 0.9], [0.8, 1]]), threshold=0.6, penalty=[0.0, 0.0])
    assert only.members == (0, 1)
    assert only.degrees == (1.0, 1.0)


def test_one_direction_makes_a_member_with_a_lower_degree() -> None:
    # The first says all that the second says, and more.
    more, less = cluster(_table([[1, 0.9], [0.3, 1]]), threshold=0.6, penalty=[0.0, 0.0])
    assert (more.members, more.degrees) == ((0,), (1.0,))
    assert less.members == (0, 1)
    assert less.degrees == (pytest.approx(0.9), 1.0)


def test_the_clearest_sentence_comes_first() -> None:
    table = _table([[1, 0.8, 0.8], [0.8, 1, 0.8], [0.8, 0.8, 1]])
    (only,) = cluster(table, threshold=0.6, penalty=[0.1, 0.0, 0.2])
    assert only.equals == (1, 0, 2)


def test_nothing_gives_nothing() -> None:
    assert cluster(_table([]), threshold=0.6, penalty=[]) == []


def test_short_whole_sentences_read_best() -> None:
    short = penalty_of("The dam burst on Monday after rain.", is_changed=False)
    assert short < penalty_of(" ".join(["word"] * 30), is_changed=False)
    assert short < penalty_of("The dam burst on Monday after rain.", is_changed=True)


def test_statements_come_before_orders_and_beginnings_of_lists() -> None:
    stated = penalty_of("Clean water washes the wound in ten minutes.", is_changed=False)
    assert stated < penalty_of("Wash the wound with water for ten minutes.", is_changed=False, is_order=True)
    assert stated < penalty_of("It had three stages: the first leg was short.", is_changed=False)
