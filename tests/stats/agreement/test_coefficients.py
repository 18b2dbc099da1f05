from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from karat.model import UsageError
from karat.stats.agreement.coefficients import (
    MAX_CATEGORIES,
    NO_PAIRS,
    ONE_CATEGORY,
    ONE_RATER,
    TOO_MANY,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from karat.stats.intervals.unit_resampling import Coefficient

NONE = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
).T
"""Four observers and twelve units (Krippendorff, Computing Krippendorff's Alpha-Reliability)."""
FLEISS_COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
FLEISS = np.array([np.repeat(np.arange(5), counts) for counts in FLEISS_COUNTS], dtype=float)
COEFFICIENTS: dict[str, Callable[..., Coefficient]] = {
    "percent": percent_agreement,
    "fleiss": fleiss_kappa,
    "ac1": gwet_ac1,
    "cohen": cohen_kappa,
    "nominal": krippendorff_alpha,
    "ordinal": lambda ratings, **more: krippendorff_alpha(ratings, level="ordinal", **more),
    "interval": lambda ratings, **more: krippendorff_alpha(ratings, level="interval", **more),
}
every_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=COEFFICIENTS)
two_raters = arrays(float, st.tuples(st.integers(2, 12), st.just(2)), elements=st.sampled_from([0.0, 0.5, 1.0]))


def rounded(found: Coefficient, digits: int = 3) -> float:
    assert found.value is not None
    return round(found.value, digits)


# -- published worked examples --------------------------------------------------------------------


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_example(level: Any, value: float) -> None:
    alpha = krippendorff_alpha(KRIPPENDORFF, level=level)
    assert rounded(alpha) == value
    assert (alpha.units, alpha.raters) == (11, 4)


def test_the_same_data_in_gwets_handbook() -> None:
    assert rounded(percent_agreement(KRIPPENDORFF), 5) == 0.81818
    assert rounded(gwet_ac1(KRIPPENDORFF), 5) == 0.77544
    assert rounded(fleiss_kappa(KRIPPENDORFF), 5) == 0.76117


def test_fleiss_kappa_of_fourteen_raters_and_ten_subjects() -> None:
    assert rounded(fleiss_kappa(FLEISS)) == 0.210
    assert rounded(percent_agreement(FLEISS)) == 0.378


def test_cohens_kappa_of_a_table_by_hand() -> None:
    ratings = [[1, 1]] * 20 + [[1, 0]] * 5 + [[0, 1]] * 10 + [[0, 0]] * 15
    assert rounded(cohen_kappa(ratings)) == 0.4


def test_ac1_does_not_fall_where_one_category_is_rare() -> None:
    """Gwet's example of high agreement and low kappa: 118 of 125 agree on "yes", none on "no"."""
    ratings = [[1, 1]] * 118 + [[1, 0]] * 5 + [[0, 1]] * 2
    agreed, no = 118 / 125, (5 + 2) / 250
    by_chance = 2 * no * (1 - no)
    assert gwet_ac1(ratings).value == pytest.approx((agreed - by_chance) / (1 - by_chance))
    assert rounded(gwet_ac1(ratings), 2) == 0.94
    assert rounded(cohen_kappa(ratings)) == -0.023


# -- oracles and definitions ----------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(two_raters)
def test_cohens_kappa_is_that_of_scikit_learn(ratings: np.ndarray) -> None:
    left, right = (ratings * 2).astype(int).T
    if len({*left, *right}) == 1:
        assert cohen_kappa(ratings).reason == ONE_CATEGORY
        return
    for ours, theirs in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        found = cohen_kappa(ratings, weights=ours)  # type: ignore[arg-type]
        assert found.value == pytest.approx(cohen_kappa_score(left, right, weights=theirs), abs=1e-9)


def alpha_by_definition(ratings: np.ndarray, level: str) -> float:
    """Every pair of ratings, one at a time."""
    units = [[float(one) for one in row if not np.isnan(one)] for row in ratings]
    units = [unit for unit in units if len(unit) > 1]
    everything = [one for unit in units for one in unit]

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = sorted((a, b))
        between = sum(low <= record <= high for record in everything)
        return float((between - (everything.count(a) + everything.count(b)) / 2) ** 2) if a != b else 0.0

    observed = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2))
    expected = sum(distance(a, b) for a, b in permutations(everything, 2))
    return 1 - observed / len(everything) / (expected / (len(everything) * (len(everything) - 1)))


@settings(max_examples=40, deadline=None)
@given(
    arrays(
        float,
        st.tuples(st.integers(2, 6), st.integers(2, 4)),
        elements=st.sampled_from([0.0, 0.25, 1.0, 3.0, NONE]),
    ),
    st.sampled_from(["nominal", "ordinal", "interval"]),
)
def test_alpha_is_its_definition(ratings: np.ndarray, level: Any) -> None:
    alpha = krippendorff_alpha(ratings, level=level)
    if alpha.value is not None:
        assert alpha.value == pytest.approx(alpha_by_definition(ratings, level), abs=1e-9)
    else:
        paired = ratings[(~np.isnan(ratings)).sum(axis=1) > 1]
        assert len(np.unique(paired[~np.isnan(paired)])) < 2


def test_two_values_make_all_levels_equal() -> None:
    ratings = np.random.default_rng(3).integers(0, 2, (30, 3)).astype(float)
    nominal, ordinal, interval = (COEFFICIENTS[level](ratings).value for level in ("nominal", "ordinal", "interval"))
    assert nominal == pytest.approx(ordinal) == pytest.approx(interval)


# -- properties -----------------------------------------------------------------------------------


@every_coefficient
def test_full_agreement_is_one(coefficient: Callable[..., Coefficient]) -> None:
    value = coefficient([[0, 0], [1, 1], [0.5, 0.5]])
    assert value.value == pytest.approx(1)
    assert value.high == pytest.approx(1)
    # Three units that all agree do not show that the next ones will.
    assert value.low is not None
    assert value.low < 0.6


def test_few_units_of_one_query_have_an_interval_that_holds_the_truth() -> None:
    """200 sheets of 10 units by raters who guess a fifth of them; percentiles of resampled units hold it in .90."""
    rng = np.random.default_rng(3)

    def sheet(units: int) -> np.ndarray:
        truth = rng.integers(0, 3, units)
        return np.column_stack([np.where(rng.random(units) < 0.8, truth, rng.integers(0, 3, units)) for _ in range(2)])

    true = cohen_kappa(sheet(100_000)).value
    assert true is not None
    found = [cohen_kappa(sheet(10)) for _ in range(200)]
    held = [one.low <= true <= one.high for one in found if one.low is not None and one.high is not None]
    assert np.mean(held) >= 0.93


def test_a_rater_who_always_says_the_same_gives_no_sure_zero() -> None:
    kappa = cohen_kappa([[1, 1], [1, 0], [1, 1], [1, 1]])
    assert kappa.value == 0
    assert kappa.low is not None
    assert kappa.high is not None
    assert kappa.low < -0.3
    assert kappa.high > 0.3


@every_coefficient
@settings(max_examples=25, deadline=None)
@given(ratings=two_raters)
def test_raters_and_units_have_no_order(coefficient: Callable[..., Coefficient], ratings: np.ndarray) -> None:
    value = coefficient(ratings).value
    turned = coefficient(ratings[::-1, ::-1]).value
    assert turned == (None if value is None else pytest.approx(value, abs=1e-9))


@every_coefficient
def test_intervals_hold_the_value_and_depend_only_on_the_seed(coefficient: Callable[..., Coefficient]) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 250)
    ratings = np.column_stack([np.where(rng.random(250) < 0.8, truth, rng.integers(0, 3, 250)) for _ in range(2)])
    value = coefficient(ratings, seed=1)
    assert value.low is not None
    assert value.high is not None
    assert value.value is not None
    assert value.low < value.value < value.high
    assert coefficient(ratings, seed=1) == value
    assert any(coefficient(ratings, seed=seed) != value for seed in range(2, 6))


@every_coefficient
def test_units_of_a_group_stay_together(coefficient: Callable[..., Coefficient]) -> None:
    """Ten copies of each unit say no more than one, if they are known to be copies."""
    ratings = np.array([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0], [1, 0], [0.5, 0.5], [0, 0]])
    copies, groups = np.repeat(ratings, 10, axis=0), np.repeat(np.arange(8), 10)
    alone, grouped, taken_for_new = (
        coefficient(ratings, groups=range(8)), coefficient(copies, groups=groups), coefficient(copies),
    )  # fmt: skip

    def width(found: Coefficient) -> float:
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert width(grouped) == pytest.approx(width(alone), rel=0.3)
    assert width(taken_for_new) < width(grouped) / 2


def test_the_interval_covers_the_truth() -> None:
    """Two raters who agree with probability 0.7: about 95 of 100 intervals hold it."""
    rng = np.random.default_rng(11)
    held = 0
    for seed in range(200):
        first = rng.integers(0, 2, 80)
        ratings = np.column_stack([first, np.where(rng.random(80) < 0.7, first, 1 - first)])
        found = percent_agreement(ratings, seed=seed)
        held += (found.low or 0) <= 0.7 <= (found.high or 0)
    assert 180 <= held <= 198


# -- what is not defined --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fleiss", "cohen", "nominal", "ordinal", "interval"])
def test_one_category_tells_nothing_from_chance(name: str) -> None:
    found = COEFFICIENTS[name]([[1, 1], [1, 1]])
    assert (found.value, found.low, found.high, found.reason) == (None, None, None, ONE_CATEGORY)
    assert (found.units, found.raters) == (2, 2)


def test_one_category_is_full_agreement_for_ac1() -> None:
    assert gwet_ac1([[1, 1], [1, 1]]).value == 1
    assert percent_agreement([[1, 1], [1, 1]]).value == 1


@every_coefficient
@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([], ONE_RATER),
        (np.zeros((0, 2)), ONE_RATER),
        ([[1], [0]], ONE_RATER),
        ([[1, NONE], [0, NONE]], ONE_RATER),
        ([[NONE, NONE]], ONE_RATER),
        ([[1, NONE], [NONE, 0]], NO_PAIRS),
    ],
)
def test_nothing_to_compare(coefficient: Callable[..., Coefficient], ratings: Any, reason: str) -> None:
    value = coefficient(ratings)
    assert (value.value, value.low, value.units, value.reason) == (None, None, 0, reason)


@every_coefficient
def test_one_unit_has_no_interval(coefficient: Callable[..., Coefficient]) -> None:
    value = coefficient([[1, 0]])
    assert value.value is not None
    assert (value.low, value.high) == (None, None)


def test_numbers_that_are_no_categories() -> None:
    ratings = np.linspace(0, 1, 2 * MAX_CATEGORIES + 2).reshape(-1, 2)
    for name in ("percent", "fleiss", "ac1", "cohen", "nominal", "ordinal"):
        assert COEFFICIENTS[name](ratings).reason == TOO_MANY
    exact = alpha_by_definition(ratings[::20], "interval")
    assert krippendorff_alpha(ratings, level="interval").value == pytest.approx(exact, abs=0.01)


def test_more_categories_to_choose_from_than_were_used() -> None:
    ratings = [[0, 0], [1, 1], [0, 1], [1, 1]]
    assert (gwet_ac1(ratings, categories=4).value or 0) > (gwet_ac1(ratings).value or 0)
    with pytest.raises(UsageError, match="categories=1, but there are 2 different ratings"):
        gwet_ac1(ratings, categories=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: percent_agreement([1.0, 2.0]), "not 1 dimensions"),
        (lambda: percent_agreement([["vital", "okay"]]), "ratings must be numbers"),
        (lambda: percent_agreement([[np.inf, 1]]), "finite"),
        (lambda: percent_agreement([[1, 1]], groups=[1, 2]), "each of the 1 units"),
        (lambda: krippendorff_alpha([[1, 1]], level="ratio"), "level='ratio' is not one of nominal, ordinal, interval"),
        (lambda: cohen_kappa([[1, 1]], weights="cubic"), "weights='cubic' is not one of none, linear, quadratic"),
        (lambda: cohen_kappa([[1, 1, 1]]), "two raters, but there are 3"),
    ],
)
def test_what_cannot_be_asked(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()
