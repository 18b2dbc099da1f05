from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from builders.cases import value
from builders.records import QUERY, judgement, nug, response, vote
from karat.formats import open_reading
from karat.measures.cases.case import Case, Pool
from karat.measures.nugget_f import MacroF, NuggetF
from karat.measures.pyramid_weights import Weights, ballots, pyramid_weights, repeated_votes, vote_value
from karat.model import Collection, Nug, Vote
from strategies import moderately

# Dang & Lin 2007, figure 3: what nine judgements say of the six nugs of series 147, the wedding of a prince.
SERIES_147 = {
    "a courtship of years": (1, 0, 0, 0, 0, 0, 1, 1, 0),
    "the mother was glad": (0, 1, 0, 1, 0, 0, 0, 0, 1),
    "a title of their own": (0, 1, 0, 0, 1, 1, 1, 0, 0),
    "the others divorced": (0, 0, 0, 0, 0, 1, 0, 0, 1),
    "a mended photograph": (0, 0, 0, 0, 0, 0, 0, 0, 0),
    "the chapel": (1, 1, 1, 0, 1, 0, 1, 1, 0),
}
WEIGHTS_147 = [0.5, 0.5, 2 / 3, 1 / 3, 0.0, 1.0]
# The primary assessor voted again later.
RATERS_147 = [("0", None), ("1", None), ("0", "later"), *((str(number), None) for number in range(3, 9))]


def pool(votes: list[Vote], nugs: list[Nug] | None = None) -> Pool:
    by_nug: dict[str, list[Vote]] = {}
    for cast in votes:
        by_nug.setdefault(cast.nug_id, []).append(cast)
    return Pool(QUERY, nugs=[nug(nug_id) for nug_id in by_nug] if nugs is None else nugs, votes=by_nug)


def series_147() -> Pool:
    return pool(
        [
            vote(nug_id, "vital" if said else "okay", rater[0], occasion=rater[1], primary=rater == ("0", None))
            for nug_id, row in SERIES_147.items()
            for rater, said in zip(RATERS_147, row, strict=True)
        ]
    )


def test_the_votes_on_series_147_give_its_published_weights() -> None:
    weights = pyramid_weights(series_147())
    assert list(weights.weights.values()) == pytest.approx(WEIGHTS_147)
    assert (weights.unweighted, weights.raters) == ((), 9)


def test_the_first_judgements_on_series_147_are_the_binary_key() -> None:
    vital = [nug_id for nug_id, importance in series_147().importance.items() if importance == "vital"]
    assert vital == ["a courtship of years", "the chapel"]


def test_scores_of_series_147_by_hand() -> None:
    # The title and the photograph are found: nothing vital by the primary assessor, 2/3 of a weight of 3 by all nine.
    found = ["a title of their own", "a mended photograph"]
    marks = [
        judgement(nug_id, snippet_id="s1")
        for nug_id in found
    ]  # fmt: skip
    case = Case(series_147(), "r", judgements=marks, response=response("r", "x" * 100))
    assert value(NuggetF(), case) == 0.0
    assert value(NuggetF("pyramid", "recall"), case) == pytest.approx(2 / 9)
    # Recalls of the nine: 0, 1/3, 0, 0, 1/2, 1/2, 1/3, 0, 0; each voted something vital, and precision is 1.
    third, half = 10 / 3 / (9 + 1 / 3), 5 / 9.5
    assert MacroF().counts(case) == pytest.approx((2 * third + 2 * half, 9.0, 0.0))


@pytest.mark.parametrize(("said", "worth"), [("vital", 1.0), ("okay", 0.0), (0.3, 0.3), (1.0, 1.0), (0.0, 0.0)])
def test_what_a_vote_is_worth(said: Any, worth: float) -> None:
    assert vote_value(vote("a", said)) == worth


def test_ballots_are_distinguished_by_assessor_and_occasion() -> None:
    votes = {"a": [vote("a", "vital"), vote("a", 0.5, occasion="later")], "b": [vote("b", "okay")]}
    assert ballots([nug("a"), nug("b"), nug("c")], votes) == {
        ("ann", None): {"a": 1.0, "b": 0.0},
        ("ann", "later"): {"a": 0.5},
    }


def test_of_repeated_votes_the_first_counts() -> None:
    votes = [vote("a", "vital"), vote("a", "okay"), vote("a", "okay", "bob")]
    assert ballots([nug("a")], {"a": votes}) == {("ann", None): {"a": 1.0}, ("bob", None): {"a": 0.0}}


def test_repeated_votes_are_those_by_the_same_rater_on_the_same_nug_and_occasion() -> None:
    votes = [vote("a", "vital"), vote("b", "vital"), vote("a", "okay", "bob"), vote("a", "okay", occasion="later")]
    elsewhere = Vote(query_id="another", nug_id="a", value="okay", assessor="ann")
    assert repeated_votes([]) == repeated_votes([*votes, elsewhere]) == 0
    assert repeated_votes([*votes, vote("a", "okay"), vote("a", "vital"), vote("b", "vital")]) == 3


def test_graded_votes_are_averaged_and_the_best_nug_weighs_one() -> None:
    votes = [vote("a", 0.2), vote("a", 0.6, "bob"), vote("b", 0.1), vote("b", 0.3, "bob"), vote("c", 0), vote("c", 0)]
    assert pyramid_weights(pool(votes)).weights == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.0})


def test_where_assessors_voted_on_different_nugs_their_share_counts() -> None:
    votes = [vote("a", "vital"), vote("a", "okay", "bob"), vote("b", "vital", "bob")]
    assert pyramid_weights(pool(votes)).weights == pytest.approx({"a": 0.5, "b": 1.0})


def test_a_nug_without_votes_has_no_weight_where_others_have_some() -> None:
    weights = pyramid_weights(pool([vote("a", "vital")], [nug("a"), nug("b", weight=0.7)]))
    assert weights == Weights({"a": 1.0}, ("b",), 1)


def test_where_nobody_calls_anything_vital_all_weights_are_zero() -> None:
    assert pyramid_weights(pool([vote("a", "okay"), vote("b", 0.0)])).weights == {"a": 0.0, "b": 0.0}


def test_without_votes_the_weights_of_the_key_are_used_as_they_are() -> None:
    weights = pyramid_weights(pool([], [nug("a", weight=0.4), nug("b", weight=-1.0), nug("c")]))
    assert weights == Weights({"a": 0.4, "b": 0.0}, ("c",), 0)


def test_weights_of_the_key_have_an_upper_end() -> None:
    assert pyramid_weights(pool([], [nug("a", weight=1.5e308), nug("b", weight=-1.5e308)])).weights == {
        "a": 1e100,
        "b": 0.0,
    }


def test_parts_have_no_weight_of_their_own() -> None:
    nugs = [nug("a", aggregator="and"), nug("b", parent="a")]
    assert pyramid_weights(pool([vote("a", "vital"), vote("b", "vital", "bob")], nugs)) == Weights({"a": 1.0}, (), 1)


def test_without_nugs_there_are_no_weights() -> None:
    assert pyramid_weights(Pool(QUERY)) == Weights({})


def case_of(of_query: Pool, found: list[bool], length: int) -> Case:
    marks = [judgement(nug.nug_id, float(hit)) for nug, hit in zip(of_query.nugs, found, strict=False)]
    return Case(of_query, "r", judgements=marks, response=response("r", "x" * length))


found_by_nug = st.lists(st.booleans(), min_size=5, max_size=5)
lengths = st.integers(0, 2000)
binary_votes = st.sampled_from(["vital", "okay"])
# Hundredths, because products of numbers near 1e-308 are 0.
graded_votes = st.integers(0, 100).map(lambda hundredths: hundredths / 100)


@st.composite
def voted_pools(draw: st.DrawFn, of_votes: st.SearchStrategy[Any]) -> Pool:
    """Up to five nugs and four assessors, of whom some pass over some nugs."""
    nug_ids = "abcde"[: draw(st.integers(1, 5))]
    raters = draw(st.integers(1, 4))
    said = {
        (rater, nug_id): draw(of_votes | st.none() if rater else of_votes)
        for rater in range(raters)
        for nug_id in nug_ids
    }
    return pool([vote(nug_id, one, str(rater)) for (rater, nug_id), one in said.items() if one is not None])


@moderately
@given(voted_pools(binary_votes) | voted_pools(graded_votes), found_by_nug, lengths)
def test_a_pyramid_score_above_zero_is_a_macro_score_above_zero(of_query: Pool, found: list[bool], length: int) -> None:
    one = case_of(of_query, found, length)
    pyramid, macro = value(NuggetF("pyramid"), one), value(MacroF(), one)
    event(f"pyramid above zero: {pyramid > 0}")
    assert macro > 0 if pyramid > 0 else not macro > 0
    assert math.isnan(pyramid) == math.isnan(macro)


@moderately
@given(st.lists(binary_votes, min_size=5, max_size=5), found_by_nug, lengths, st.sampled_from([0.5, 1.0, 3.0]))
def test_the_pyramid_of_one_assessor_is_the_binary_score_by_their_labels(
    labels: list[Any], found: list[bool], length: int, beta: float
) -> None:
    # Dang & Lin 2007, footnote 1.
    votes = [vote(nug_id, label) for nug_id, label in zip("abcde", labels, strict=True)]
    key = [nug(nug_id, importance=label) for nug_id, label in zip("abcde", labels, strict=True)]
    binary = value(NuggetF(beta=beta), case_of(pool([], key), found, length))
    of_votes = case_of(pool(votes), found, length)
    assert value(NuggetF("pyramid", beta=beta), of_votes) == pytest.approx(binary, nan_ok=True)
    assert value(MacroF(beta=beta), of_votes) == pytest.approx(binary, nan_ok=True)


@pytest.mark.real_data
def test_the_released_weights_of_2006_are_votes_over_the_largest_vote(real_data: Path) -> None:
    path = real_data / "trec-qa-nuggets" / "trec15answers_other_pyramid"
    weights: dict[str, list[float]] = {}
    for released in Collection(open_reading(path, format="trec-qa-pyramid")).nugs:
        assert released.weight is not None
        weights.setdefault(released.query_id, []).append(released.weight)
    assert sum(map(len, weights.values())) == 675
    assert weights["147.8"] == pytest.approx(WEIGHTS_147)
    assert [query_id for query_id, of_query in weights.items() if max(of_query) != 1.0] == []
    largest_vote = {query_id: _largest_vote(of_query) for query_id, of_query in weights.items()}
    assert [query_id for query_id, votes in largest_vote.items() if votes is None] == []
    # The check can fail: for 23 of the 75 questions no smaller number than nine will do.
    assert sum(votes == 9 for votes in largest_vote.values()) == 23


def _largest_vote(weights: list[float]) -> int | None:
    """The smallest number of votes, up to nine, by which all weights are whole votes."""
    for most in range(1, 10):
        if all(abs(weight * most - round(weight * most)) < 1e-9 and 0 <= weight <= 1 for weight in weights):
            return most
    return None
