from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from karat.model import UsageError
from karat.stats.agreement.coefficients import NO_PAIRS, ONE_CATEGORY, ONE_RATER, krippendorff_alpha
from karat.stats.agreement.partitions import NO_ITEMS, TRIVIAL, adjusted_rand, b_cubed, ceaf, masi_alpha, masi_distance

# Bagga & Baldwin (1998), also in Luo (2005): truth {1-5}, {6, 7}, {8-C}; an answer joins the last two, or the big two.
TRUTH = [0] * 5 + [1] * 2 + [2] * 5
LAST_TWO = [0] * 5 + [1] * 7
BIG_TWO = [0] * 5 + [1] * 2 + [0] * 5
partitions = st.integers(1, 12).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 3), min_size=size, max_size=size)] * 2)
)


def test_b_cubed_of_the_published_example() -> None:
    last, big = b_cubed(LAST_TWO, TRUTH), b_cubed(BIG_TWO, TRUTH)
    assert last.precision == pytest.approx(16 / 21)
    assert big.precision == pytest.approx(7 / 12)
    assert (last.recall, big.recall) == (1, 1)
    assert [round(one.f.value or 0, 3) for one in (last, big)] == [0.865, 0.737]


def test_ceaf_of_the_published_example() -> None:
    by_items = [round(ceaf(one, TRUTH, phi=3).f.value or 0, 3) for one in (LAST_TWO, BIG_TWO)]
    by_classes = [round(ceaf(one, TRUTH, phi=4).f.value or 0, 3) for one in (LAST_TWO, BIG_TWO)]
    assert by_items == [0.833, 0.583]
    assert by_classes == [0.733, 0.667]


@settings(max_examples=60, deadline=None)
@given(partitions)
def test_adjusted_rand_is_that_of_scikit_learn(both: tuple[list[int], list[int]]) -> None:
    left, right = both
    found = adjusted_rand(left, right)
    if found.value is None:
        assert found.reason == TRIVIAL
        assert {len(set(left)), len(set(right))} <= {1, len(left)}
    else:
        assert found.value == pytest.approx(adjusted_rand_score(left, right))


@settings(max_examples=40, deadline=None)
@given(partitions)
def test_f_is_symmetric_and_one_only_for_the_same_partition(both: tuple[list[int], list[int]]) -> None:
    left, right = both
    same = [(a == b) == (c == d) for a, c in zip(left, right, strict=True) for b, d in zip(left, right, strict=True)]
    for measure in (b_cubed, lambda a, b: ceaf(a, b, phi=3), lambda a, b: ceaf(a, b, phi=4)):
        there, back = measure(left, right), measure(right, left)
        assert there.f.value == pytest.approx(back.f.value)
        assert there.precision == pytest.approx(back.recall)
        assert there.f.value is not None
        assert 0 < there.f.value <= 1 + 1e-12
        assert (there.f.value > 1 - 1e-9) == all(same)


def test_groups_never_share_a_class_and_are_resampled() -> None:
    left, right = [0, 0, 1, 0, 0, 1], [0, 0, 1, 0, 1, 1]
    groups = [0, 0, 0, 1, 1, 1]
    found = b_cubed(left, right, groups=groups)
    # The first group agrees; in the second each of the three items has: 1/2, 1/2, 1 and 1, 1/2, 1/2.
    assert (found.precision, found.recall) == (pytest.approx(5 / 6), pytest.approx(5 / 6))
    assert found.f.low is not None
    assert b_cubed(left, right).f.low is None
    separate = adjusted_rand(left, right, groups=groups).value
    # Pairs: the first group 1 - 1/3 of 1 - 1/3, the second 0 - 1/3 of 1 - 1/3.
    assert separate == pytest.approx((2 / 3 - 1 / 3) / (4 / 3))


def test_partitions_that_say_nothing() -> None:
    assert b_cubed([], []).f.reason == ceaf([], []).f.reason == adjusted_rand([], []).reason == NO_ITEMS
    assert adjusted_rand([0, 1, 2], [0, 1, 2]).reason == TRIVIAL
    assert adjusted_rand([0, 0, 0], [0, 0, 0]).reason == TRIVIAL
    assert adjusted_rand([0, 0, 0], [0, 1, 2]).value == 0
    assert b_cubed([0], [5]).f.value == 1
    with pytest.raises(UsageError, match="a class per item"):
        b_cubed([0, 1], [0])
    with pytest.raises(UsageError, match="phi=5 is not one of 3, 4"):
        ceaf([0], [0], phi=5)  # type: ignore[arg-type]


# -- sets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ({1}, {1}, 0),
        (set(), set(), 0),
        ({1}, {2}, 1),
        (set(), {2}, 1),
        ({1, 2}, {1, 2, 3, 4}, 1 - 1 / 2 * 2 / 3),
        ({1, 2}, {2, 3}, 1 - 1 / 3 * 1 / 3),
    ],
)
def test_masi_by_hand(left: set[int], right: set[int], distance: float) -> None:
    assert masi_distance(left, right) == masi_distance(right, left) == pytest.approx(distance)


def test_alpha_of_singletons_is_nominal_alpha() -> None:
    ratings = np.random.default_rng(2).integers(0, 3, (20, 3)).astype(float)
    ratings[3, 1] = ratings[5, 0] = ratings[5, 2] = np.nan
    sets = [[None if np.isnan(one) else {one} for one in row] for row in ratings]
    ours, nominal = masi_alpha(sets), krippendorff_alpha(ratings)
    assert ours.value == pytest.approx(nominal.value)
    assert (ours.units, ours.raters) == (nominal.units, nominal.raters) == (19, 3)


def test_alpha_of_sets_by_hand() -> None:
    """Units (A, A), (B, A), (C, B) with A = {1}, B = {2}, C = {2, 3}; B and C are 1 - 1/2 * 2/3 apart."""
    found = masi_alpha([[{1}, {1}], [{2}, {1}], [{2, 3}, {2}]])
    near = 1 - 1 / 3
    observed = 2 * (0 + 1 + near) / 6
    expected = 2 * (3 * 2 * 1 + 3 * 1 * 1 + 2 * 1 * near) / (6 * 5)
    assert found.value == pytest.approx(1 - observed / expected)


def test_partial_agreement_counts_for_something() -> None:
    near = masi_alpha([[{1, 2}, {1, 2, 3}], [{4}, {4}], [{5}, {5}]]).value or 0
    far = masi_alpha([[{1, 2}, {6, 7, 8}], [{4}, {4}], [{5}, {5}]]).value or 0
    assert far < near < 1


def test_sets_that_say_nothing() -> None:
    assert masi_alpha([]).reason == ONE_RATER
    assert masi_alpha([[{1}, None]]).reason == ONE_RATER
    assert masi_alpha([[{1}, None], [None, {1}]]).reason == NO_PAIRS
    assert masi_alpha([[{1}, {1}], [{1}, {1}]]).reason == ONE_CATEGORY
    assert masi_alpha([[{1}, {2}]]).low is None
