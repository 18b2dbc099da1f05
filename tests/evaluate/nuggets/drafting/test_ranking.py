"""The order of nugs, and the importance that is suggested."""

from __future__ import annotations

import numpy as np

from karat.evaluate.nuggets.drafting.clusters import Cluster
from karat.evaluate.nuggets.drafting.ranking import choose, rank, suggested_importance
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness


def _rank(contains: np.ndarray, said_by: list[list[str]], *, min_runs: int = 1) -> list[tuple[int, int]]:
    clusters = [Cluster(at, (at,), (1.0,), (at,)) for at in range(len(said_by))]
    ranked = rank(
        clusters,
        contains=contains,
        said_by=said_by,
        places=[0.5] * len(said_by),
        relatedness=[0.1 * at for at in range(len(said_by))],
        threshold=0.6,
        min_runs=min_runs,
    )
    return [(entry.cluster.first, len(entry.runs)) for entry in ranked.kept]


def test_most_runs_first_then_the_most_related() -> None:
    assert _rank(np.eye(3), [["a"], ["a", "b"], ["b"]]) == [(1, 2), (2, 1), (0, 1)]


def test_what_a_nug_before_it_contains_is_left_out() -> None:
    contains = np.eye(2)
    contains[1, 0] = 0.9
    assert _rank(contains, [["a"], ["a", "b"]]) == [(1, 2)]


def test_few_runs_can_be_left_out() -> None:
    assert _rank(np.eye(2), [["a"], ["a", "b"]], min_runs=2) == [(1, 2)]


def test_those_are_chosen_that_contain_the_most_together() -> None:
    # The second says nearly what the first says; the third says little, but something else.
    contains = np.array([[1, 0.9, 0.8, 0], [0.9, 1, 0.7, 0], [0, 0, 0, 1]], np.float32)
    assert choose(contains, [1, 1, 1, 1], 1) == [0]
    assert choose(contains, [1, 1, 1, 1], 2) == [0, 2]
    assert choose(contains, [1, 1, 1, 9], 1) == [2]
    assert choose(contains, [1, 1, 1, 1], 5) == [0, 1, 2]


def test_what_one_run_says_and_is_far_from_the_question_is_left_out() -> None:
    clusters = [Cluster(at, (at,), (1.0,), (at,)) for at in range(3)]
    ranking = rank(
        clusters,
        contains=np.eye(3, dtype=np.float32),
        said_by=[["a"], ["a", "b"], ["b"]],
        places=[0.0] * 3,
        relatedness=[0.1, 0.1, 0.5],
        threshold=0.6,
        min_runs=1,
        far=0.2,
    )
    assert [entry.cluster.first for entry in ranking.kept] == [1, 2]
    assert ranking.unrelated == 1


def test_what_is_far_from_the_question_is_not_vital_where_another_nug_can_be() -> None:
    ranking = rank(
        [Cluster(at, (at,), (1.0,), (at,)) for at in range(2)],
        contains=np.eye(2, dtype=np.float32),
        said_by=[["a", "b", "c"], ["a", "b"]],
        places=[0.0] * 2,
        relatedness=[0.1, 0.5],
        threshold=0.6,
        min_runs=1,
        far=0.2,
    )
    assert [(entry.importance, entry.is_unsure) for entry in ranking.kept] == [("okay", False), ("vital", True)]


def test_relatedness_counts_the_words_of_the_question() -> None:
    sentences = ["The dam burst in May.", "Visitors should bring boots."]
    near, far = LexicalSameness().relatedness(sentences, "Why did the dam burst?", np.eye(2, dtype=np.float32))
    assert near > far


def test_only_members_with_half_a_degree_count_as_runs() -> None:
    clusters = [Cluster(0, (0, 1, 2), (1.0, 0.5, 0.4), (0,))]
    ranking = rank(
        clusters,
        contains=np.eye(3, dtype=np.float32),
        said_by=[["a"], ["b"], ["c"]],
        places=[0.0] * 3,
        relatedness=[0.5] * 3,
        threshold=0.6,
        min_runs=1,
    )
    assert ranking.kept[0].runs == ("a", "b")


def test_runs_are_counted_after_members_are_taken_away() -> None:
    # The first nug's only member belongs to no other nug, so only b says the second.
    clusters = [Cluster(0, (0,), (1.0,), (0,)), Cluster(1, (0, 1), (0.9, 1.0), (1,))]
    ranking = rank(
        clusters,
        contains=np.eye(2, dtype=np.float32),
        said_by=[["a"], ["b"]],
        places=[0.0] * 2,
        relatedness=[0.5] * 2,
        threshold=0.6,
        min_runs=1,
    )
    found = {entry.cluster.first: (entry.cluster.members, entry.runs) for entry in ranking.kept}
    assert found == {0: ((0,), ("a",)), 1: ((1,), ("b",))}


def test_the_same_number_of_runs_has_the_same_importance() -> None:
    assert suggested_importance([2] * 5 + [1] * 7) == ["vital"] * 5 + ["okay"] * 7
    assert suggested_importance([3] + [2] * 9) == ["vital"] + ["okay"] * 9
    assert suggested_importance([2, 2, 2]) == ["vital"] * 3


def test_what_is_contradicted_is_vital_only_with_twice_as_many_runs() -> None:
    pair = [[1], [0], [], []]
    assert suggested_importance([4, 2, 1, 1], contradicts=pair) == ["vital", "okay", "okay", "okay"]
    assert suggested_importance([3, 2, 1, 1], contradicts=pair) == ["okay"] * 4
    assert suggested_importance([1, 1, 1, 1], contradicts=pair) == ["okay"] * 4
