from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.judges.overlap import overlap
from karat.judges.overlap.overlap import OverlapMatcher
from karat.text.ngrams import NgramSpace
from karat.text.vocabulary import Spelling

WORDS = st.lists(st.sampled_from("a b c d e f".split()), max_size=7).map(" ".join)
NUGS = st.lists(st.lists(WORDS, max_size=3), max_size=4)


def matcher(references: Sequence[Sequence[str]], *, n: int = 1, **options: bool) -> OverlapMatcher:
    return OverlapMatcher(
        references, spelling=Spelling("none"), n=n, weigh=lambda space: np.ones(len(space)), **options
    )


def ngrams(text: str, n: int) -> list[tuple[str, ...]]:
    words = text.split()
    return [
        tuple(words[at : at + length]) for length in range(1, n + 1) for at in range(len(words) - length + 1)
    ]  # fmt: skip


def naive(reference: str, text: str, n: int, positions: bool) -> float:
    own = set(ngrams(reference, n))
    if positions:
        return sum(one in own for one in ngrams(text, n)) / max(1, len(ngrams(reference, n)))
    return len(own & set(ngrams(text, n))) / max(1, len(own))


@pytest.mark.parametrize("positions", [False, True])
@given(nugs=NUGS, texts=st.lists(WORDS, max_size=4), n=st.integers(1, 3))
def test_scores_are_those_of_a_plain_count(positions: bool, nugs: list[list[str]], texts: list[str], n: int) -> None:
    scores = matcher(nugs, n=n, positions=positions).score(texts)
    expected = [[max((naive(own, text, n, positions) for own in nug), default=0.0) for nug in nugs] for text in texts]
    assert scores.shape == (len(texts), len(nugs))
    assert scores == pytest.approx(np.array(expected).reshape(scores.shape), abs=1e-6)


def test_a_nug_without_references_scores_nothing_whatever_its_neighbour_has() -> None:
    assert matcher([["a", "b"], []]).score(["a", "b", "c"]).tolist() == [[1, 0], [1, 0], [0, 0]]
    assert matcher([[], ["a", "b"]]).score(["a", "b", "c"]).tolist() == [[0, 1], [0, 1], [0, 0]]


@pytest.mark.parametrize("positions", [False, True])
@given(nugs=st.lists(WORDS.filter(bool), min_size=1, max_size=4), n=st.integers(1, 3), seed=st.integers(0, 99))
def test_who_repeats_the_description_has_exactly_one(positions: bool, nugs: list[str], n: int, seed: int) -> None:
    def weigh(space: NgramSpace) -> np.ndarray:
        return np.random.default_rng(seed).random(len(space)) + 0.01

    made = OverlapMatcher([[nug] for nug in nugs], spelling=Spelling("none"), n=n, weigh=weigh, positions=positions)
    assert np.diag(made.score(nugs)).tolist() == [1.0] * len(nugs)
    assert positions or made.score([*nugs, "b c x a", ""]).max() <= 1.0


def test_texts_are_scored_alike_however_they_are_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [" ".join(np.random.default_rng(seed).choice(list("abcdefgh"), 6)) for seed in range(40)]
    made = matcher([["a b c"], ["d e", "f a"], ["g h"]], n=2)
    at_once = made.score(texts)
    monkeypatch.setattr(overlap, "CELLS", 1)
    monkeypatch.setattr(overlap, "LEAST_TEXTS", 3)
    assert np.array_equal(made.score(texts), at_once)
    assert np.array_equal(np.vstack([made.score([text]) for text in texts]), at_once)


def test_nothing_to_score() -> None:
    assert matcher([]).score(["a"]).shape == (1, 0)
    assert matcher([["a"]]).score([]).shape == (0, 1)
    assert matcher([[""], []]).score(["a", ""]).tolist() == [[0, 0], [0, 0]]
    assert matcher([[""]]).words("a", 0) == []


def test_the_words_that_decided_come_heaviest_first() -> None:
    def weigh(space: NgramSpace) -> np.ndarray:
        return space.sums(np.array([1.0, 5.0, 0.0, 3.0]))  # red, fox, the, den

    made = OverlapMatcher([["red fox", "the den"], ["the"]], spelling=Spelling("none"), n=2, weigh=weigh)
    assert made.words("the red fox in the den", 0) == ["red fox", "fox", "den", "the den", "red"]
    assert made.words("a fox", 0) == ["fox"]
    assert made.words("the red fox", 1) == []  # weighs nothing
    assert made.words("", 0) == []


def test_ten_thousand_nugs_and_a_long_answer_come_to_an_end() -> None:
    nugs = [[f"w{at} w{at + 1} common words w{at % 50}"] for at in range(10_000)]
    long = " ".join(f"w{at % 7919} common" for at in range(800_000))
    assert len(long) > 9_000_000
    made = matcher(nugs, n=2)
    scores = made.score([long, "w3 w4", ""])
    assert np.isfinite(scores).all()
    assert scores[0].max() <= 1.0
    assert scores[1, 3] == pytest.approx(3 / 8)  # w3 comes twice and counts once: 4 words, 4 bigrams
    assert not scores[2].any()
    # The answer is read once, whichever nug is asked about.
    assert all("common" in made.words(long, at) for at in range(0, 10_000, 50))
    assert made._features.cache_info().misses == 1
