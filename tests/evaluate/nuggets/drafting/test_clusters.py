"""Clusters of sentences that contain each other."""

from __future__ import annotations

import numpy as np
import pytest

from karat.evaluate.nuggets.drafting.clusters import Cluster, cluster, penalty_of, scaled


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


def _conflict(size: int, *pairs: tuple[int, int]) -> np.ndarray:
    flags = np.zeros((size, size), np.bool_)
    for one, other in pairs:
        flags[one, other] = flags[other, one] = True
    return flags


def test_what_contradicts_is_never_one_cluster_nor_has_common_members() -> None:
    # The third is as near to the first as to the second; without the conflict all three are one cluster.
    table = _table([[1, 0.9, 0.9], [0.9, 1, 0.8], [0.9, 0.8, 1]])
    assert len(cluster(table, threshold=0.6, penalty=[0.0] * 3)) == 1
    one, other = cluster(table, threshold=0.6, penalty=[0.0] * 3, conflicts=_conflict(3, (0, 1)))
    assert set(one.members).isdisjoint(other.members)
    assert not any({0, 1} <= set(found.members) for found in (one, other))


def test_only_what_is_contained_both_ways_says_the_same() -> None:
    # The third is in the group because of the second, but the first does not contain it.
    table = _table([[1, 0.95, 0.5], [0.95, 1, 0.9], [0.9, 0.9, 1]])
    (only,) = cluster(table, threshold=0.6, penalty=[0.0, 0.5, 0.5])
    assert only.members == (0, 1, 2)
    assert only.equals == (0, 1)


def test_a_sentence_keeps_half_in_the_cluster_where_it_says_the_same() -> None:
    clusters = [
        Cluster(0, (0, 1), (1.0, 1.0), (0, 1)),
        Cluster(2, (0, 2, 3), (0.9, 1.0, 1.0), (2, 3)),
        Cluster(4, (0, 4, 5), (0.9, 1.0, 1.0), (4, 5)),
    ]
    assert [dict(zip(one.members, one.degrees, strict=True)) for one in scaled(clusters)] == [
        {0: 0.5, 1: 1.0},
        {0: 0.25, 2: 1.0, 3: 1.0},
        {0: 0.25, 4: 1.0, 5: 1.0},
    ]


def test_an_only_member_is_in_no_other_cluster() -> None:
    clusters = [Cluster(0, (0,), (1.0,), (0,)), Cluster(1, (0, 1), (0.9, 1.0), (1,))]
    assert [one.members for one in scaled(clusters)] == [(0,), (1,)]
