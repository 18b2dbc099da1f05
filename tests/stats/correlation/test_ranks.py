from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from karat.model import UsageError
from karat.stats.correlation.ranks import kendall_tau_b
from stats.correlation.of_vectors import coefficient, correlate

Pairs = list[tuple[float, float]]

few_values = st.integers(0, 4).map(float)
pairs = st.lists(st.tuples(few_values, few_values), min_size=2, max_size=12).filter(
    lambda found: all(len(set(column)) > 1 for column in zip(*found, strict=True))
)
orders = st.integers(2, 9).flatmap(lambda n: st.permutations(range(n)))

ALL = ("spearman", "kendall_tau_b", "weighted_tau", "tau_ap")

# The example of the R package ircor, by the authors of tau_AP,a.
X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
X_TIED, Y_TIED = np.round(X * 5) / 5, np.round(Y * 5) / 5


def columns(found: Pairs) -> tuple[np.ndarray, np.ndarray]:
    first, second = zip(*found, strict=True)
    return np.array(first), np.array(second)


def plain_tau_ap(reference: np.ndarray, estimate: np.ndarray) -> float:
    """The definition, word for word, for vectors without ties."""
    ranked = np.argsort(-estimate)
    right = [
        sum(reference[above] > reference[item] for above in ranked[:place]) / place
        for place, item in enumerate(ranked)
        if place
    ]
    return 2 * sum(right) / (len(ranked) - 1) - 1


def all_orders(values: np.ndarray) -> list[np.ndarray]:
    """Every vector without ties that keeps the order of the values that differ."""
    n = len(values)
    found = []
    for ranks in permutations(range(n)):
        if all(ranks[i] < ranks[j] for i in range(n) for j in range(n) if values[i] < values[j]):
            found.append(np.array(ranks, dtype=float))
    return found


@given(pairs)
def test_with_ties_the_coefficients_are_those_of_scipy(found: Pairs) -> None:
    a, b = columns(found)
    assert coefficient("spearman", a, b) == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-12)
    assert coefficient("kendall_tau_b", a, b) == pytest.approx(scipy.stats.kendalltau(a, b).statistic, abs=1e-12)
    assert coefficient("weighted_tau", a, b) == pytest.approx(scipy.stats.weightedtau(a, b).statistic, abs=1e-12)


def test_scipy_agrees_for_many_points() -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 40, 1500).astype(float)
    b = a + rng.integers(0, 30, 1500)
    assert coefficient("kendall_tau_b", a, b) == pytest.approx(scipy.stats.kendalltau(a, b).statistic, abs=1e-12)
    assert coefficient("weighted_tau", a, b) == pytest.approx(scipy.stats.weightedtau(a, b).statistic, abs=1e-12)
    assert coefficient("spearman", a, b) == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-12)


def test_tau_ap_worked_by_hand() -> None:
    # The estimate ranks e a b d c; the reference a b c d e. Above each item, rightly: a 0/1, b 1/2, d 2/3, c 2/4.
    reference, estimate = [5, 4, 3, 2, 1], [4, 3, 1, 2, 5]
    assert coefficient("tau_ap", reference, estimate) == pytest.approx(2 / 4 * (0 + 1 / 2 + 2 / 3 + 2 / 4) - 1)
    # The other way round the list is a b c d e, held against e a b d c: b 1/1, c 2/2, d 2/3, e 0/4.
    assert coefficient("tau_ap", estimate, reference) == pytest.approx(2 / 4 * (1 + 1 + 2 / 3 + 0) - 1)


def test_tau_ap_of_the_published_example() -> None:
    assert coefficient("tau_ap", X, Y) == pytest.approx(0.7491182, abs=5e-8)
    assert coefficient("tau_ap", X, Y_TIED) == pytest.approx(0.6074515, abs=5e-8)


@given(orders)
def test_tau_ap_without_ties_is_its_definition(order: list[int]) -> None:
    reference, estimate = np.arange(len(order), dtype=float), np.array(order, dtype=float)
    expected = plain_tau_ap(reference, estimate)
    assert coefficient("tau_ap", reference, estimate) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("reference", "estimate"),
    [([3, 2, 1, 0], [1, 1, 1, 0]), ([1, 1, 0, 0], [3, 2, 1, 0]), ([2, 1, 1, 0, 1], [1, 1, 0, 2, 0])],
)
def test_tied_tau_ap_is_the_mean_over_all_orders_of_tied_items(reference: list[int], estimate: list[int]) -> None:
    expected = [
        plain_tau_ap(first, second)
        for first in all_orders(np.array(reference))
        for second in all_orders(np.array(estimate))
    ]
    assert coefficient("tau_ap", reference, estimate) == pytest.approx(np.mean(expected), abs=1e-12)


def test_a_ranking_with_ties_says_less_than_one_without() -> None:
    assert 0.5 < coefficient("tau_ap", X_TIED, X_TIED) < 1


@pytest.mark.parametrize("name", ALL)
@given(found=pairs)
def test_rank_correlations_lie_within_bounds_and_follow_monotone_changes(name: str, found: Pairs) -> None:
    a, b = columns(found)
    value = coefficient(name, a, b)
    assert -1 <= value <= 1
    assert coefficient(name, np.exp(a), b**3 + 7) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", ["spearman", "kendall_tau_b"])
@given(found=pairs)
def test_symmetric_coefficients_change_their_sign_with_the_order(name: str, found: Pairs) -> None:
    a, b = columns(found)
    value = coefficient(name, a, b)
    assert coefficient(name, b, a) == pytest.approx(value, abs=1e-12)
    assert coefficient(name, a, -b) == pytest.approx(-value, abs=1e-12)
    assert coefficient(name, a, a) == pytest.approx(1)


@given(pairs)
def test_a_reversed_reference_negates_tau_ap(found: Pairs) -> None:
    a, b = columns(found)
    value = coefficient("tau_ap", a, b)
    assert coefficient("tau_ap", -a, b) == pytest.approx(-value, abs=1e-12)


def test_an_exchange_at_the_top_costs_more_than_one_at_the_bottom() -> None:
    reference = [5, 4, 3, 2, 1]
    top, bottom = [4, 5, 3, 2, 1], [5, 4, 3, 1, 2]
    assert coefficient("kendall_tau_b", reference, top) == coefficient("kendall_tau_b", reference, bottom)
    for name in ("tau_ap", "weighted_tau"):
        assert coefficient(name, reference, top) < coefficient(name, reference, bottom)


@pytest.mark.parametrize(
    ("a", "b", "n", "left_out", "reason"),
    [
        ([], [], 0, 0, "fewer than two points have both values"),
        ([1.0], [2.0], 1, 0, "fewer than two points have both values"),
        ([1.0, np.nan, 3.0], [np.nan, 2.0, 4.0], 1, 2, "fewer than two points have both values"),
        ([np.nan, np.nan], [1.0, 2.0], 0, 2, "fewer than two points have both values"),
        ([0.1, 0.1, 0.1], [1.0, 2.0, 3.0], 3, 0, "the first vector is constant"),
        ([1.0, 2.0, np.nan], [0.1, 0.1, 5.0], 2, 1, "the second vector is constant"),
    ],
)
def test_what_is_undefined_says_why(a, b, n, left_out, reason) -> None:  # type: ignore[no-untyped-def]
    by_name = {correlation.name: correlation for correlation in correlate(a, b, resamples=10)}
    for found in (kendall_tau_b(a, b), *(by_name[name] for name in ALL)):
        assert (found.value, found.n, found.left_out, found.undefined_reason) == (None, n, left_out, reason)


def test_nan_pairs_are_left_out_and_counted() -> None:
    found = kendall_tau_b([1, np.nan, 2, 3], [1, 5, 2, np.nan])
    assert (found.value, found.n, found.left_out) == (1, 2, 2)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 2], [1, 2, 3], "two vectors of one length"),
        ([[1, 2]], [[1, 2]], "two vectors of one length"),
        ([1, np.inf], [1, 2], "finite"),
    ],
)
def test_what_are_no_two_vectors_is_refused(a, b, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=message):
        kendall_tau_b(a, b)
