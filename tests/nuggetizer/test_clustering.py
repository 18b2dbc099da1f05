"""Sentences that say nearly the same come together; what contradicts stays apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.model import UsageError
from karat.nuggetizer import clustering
from karat.nuggetizer.clustering import cluster_sentences

WORDS = st.sampled_from("the dam burst flooded village Porto Lima 40 70 not people homes lost river".split())
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), max_size=8)


def _groups(*sentences: str) -> list[tuple[int, ...]]:
    return [cluster.members for cluster in cluster_sentences(sentences)]


def test_other_words_between_do_not_separate_similar_sentences():
    assert _groups("The dam burst on Monday.", "On Monday the dam burst.", "Prices fell.") == [(0, 1), (2,)]


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("The flood killed 40 people.", "The flood killed 70 people."),
        ("The dam burst.", "The dam did not burst."),
        ("The envoy visited Norway.", "The envoy visited Jamaica."),
    ],
)
def test_contradictions_stay_apart(sentence, other):
    assert _groups(sentence, other) == [(0,), (1,)]


@given(SENTENCES)
def test_degrees_of_a_sentence_sum_to_at_most_one_and_all_are_members(sentences):
    clusters = cluster_sentences(sentences)
    shares = [0.0] * len(sentences)
    for cluster in clusters:
        assert cluster.medoid in cluster.members
        for at, degree in zip(cluster.members, cluster.degrees, strict=True):
            assert 0 < degree <= 1
            shares[at] += degree
    assert all(0 < share <= 1.02 for share in shares)
    assert {at for cluster in clusters for at in cluster.members} == set(range(len(sentences)))


@given(SENTENCES)
def test_a_single_member_has_degree_one(sentences):
    assert all(cluster.degrees == (1.0,) for cluster in cluster_sentences(sentences) if len(cluster.members) == 1)


def test_too_many_are_refused(monkeypatch):
    monkeypatch.setattr(clustering, "MOST", 2)
    with pytest.raises(UsageError, match="3 nuggets"):
        cluster_sentences(["a b", "c d", "e f"])
