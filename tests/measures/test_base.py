from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.measures.base import Measure, bounded, changed, f_score, number, ratio
from karat.measures.cases.case import Case, Pool
from strategies import moderately

NAN = math.nan
shares = st.floats(0.0, 1.0)
betas = st.sampled_from([0.1, 0.5, 1.0, 3.0, 5.0])


class Sample(Measure, frozen=True):
    """A measure with settings of every type."""

    order: int = 2
    share: float = 0.5
    kind: Literal["plain", "fancy"] = "plain"

    COUNTS: ClassVar[tuple[str, ...]] = ("one",)

    @property
    def base(self) -> str:
        return "sample"

    def settings(self) -> dict[str, str]:
        return changed(self, "order", "share", "kind")


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        (Sample(), "sample"),
        (Sample(order=3), "sample(order=3)"),
        (Sample(share=1e5, kind="fancy"), "sample(share=1e5,kind=fancy)"),
        (Sample(share=0.25), "sample(share=0.25)"),
    ],
)
def test_a_measure_prints_its_name_and_what_differs_from_the_defaults(measure: Measure, printed: str) -> None:
    assert str(measure) == printed


def test_changed_names_only_the_settings_that_were_named() -> None:
    assert changed(Sample(order=3, share=0.1), "share") == {"share": "0.1"}


def test_a_measure_is_a_value() -> None:
    assert Sample(order=3) == Sample(order=3)
    assert Sample(order=3) != Sample()
    assert len({Sample(), Sample(), Sample(order=3)}) == 2


def test_what_every_measure_says_of_itself() -> None:
    assert Sample().needs() == ("nugs", "judgements")
    assert Sample().undefined() == "no nug was judged"


def test_a_measure_must_say_its_name_its_counts_and_its_values() -> None:
    with pytest.raises(NotImplementedError):
        str(Measure())
    with pytest.raises(NotImplementedError):
        Sample().counts(Case(Pool("q"), "r"))
    with pytest.raises(NotImplementedError):
        Sample().values(np.zeros(1))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3.0, "3"), (0.5, "0.5"), (0.0, "0"), (1000.0, "1000"), (1e4, "1e4"), (12345.0, "12345"), (1e5, "1e5"),
        (2e18, "2e18"), (1e100, "1e100"), (1e-5, "1e-5"), (1e-12, "1e-12"), (1 / 3, "0.3333333333333333"),
        (123456789.0, "123456789.0"),
    ],
)  # fmt: skip
def test_numbers_are_said_briefly(value: float, said: str) -> None:
    assert number(value) == said


@moderately
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_digit_of_a_number_is_lost(value: float) -> None:
    assert float(number(value)) == value


def test_ratio_is_undefined_where_there_is_nothing_to_divide_by() -> None:
    part, whole = np.array([1.0, 0.0, 0.0, 1.0, 1.0, NAN]), np.array([2.0, 3.0, 0.0, 0.0, NAN, 1.0])
    np.testing.assert_array_equal(ratio(part, whole), [0.5, 0.0, NAN, NAN, NAN, NAN])


@pytest.mark.parametrize(("part", "whole"), [(1e100, 5e-324), (-1e100, 5e-324), (math.inf, math.inf), (math.inf, 1.0)])
def test_ratio_is_undefined_where_it_is_too_large_for_a_number(part: float, whole: float) -> None:
    assert math.isnan(ratio(part, whole))


@pytest.mark.parametrize(
    ("weight", "expected"), [(1.5e308, 1e100), (-1.5e308, -1e100), (1e100, 1e100), (0.5, 0.5), (-3.0, -3.0)]
)
def test_weights_have_two_ends(weight: float, expected: float) -> None:
    assert bounded(weight) == expected


def test_ratio_of_a_part_that_lies_below_zero() -> None:
    assert ratio(-1.0, 2.0) == -0.5


def test_ratio_takes_arrays_and_numbers_of_any_shape() -> None:
    np.testing.assert_array_equal(ratio([[1.0], [2.0]], [1.0, 4.0]), [[1.0, 0.25], [2.0, 0.5]])
    assert ratio(1, 4).shape == ()


@pytest.mark.parametrize(("beta", "expected"), [(1.0, 12 / 17), (3.0, 60 / 89), (5.0, 156 / 233), (0.5, 30 / 41)])
def test_f_of_three_quarters_and_two_thirds(beta: float, expected: float) -> None:
    assert float(f_score(3 / 4, 2 / 3, beta)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("precision", "recall", "expected"),
    [
        (1.0, 1.0, 1.0),
        (0.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (1.0, 0.0, 0.0),
        (NAN, 0.0, 0.0),
        (NAN, 0.5, NAN),
        (0.0, NAN, NAN),
        (0.5, NAN, NAN),
        (NAN, NAN, NAN),
    ],
)
def test_f_at_the_borders(precision: float, recall: float, expected: float) -> None:
    np.testing.assert_array_equal(f_score(precision, recall, 3.0), expected)


def test_f_of_arrays_is_f_of_each() -> None:
    found = f_score(np.array([[0.5], [NAN]]), np.array([0.5, 0.0, NAN]))
    np.testing.assert_array_equal(found, [[0.5, 0.0, NAN], [NAN, 0.0, NAN]])


@moderately
@given(shares, shares, betas)
def test_f_lies_between_precision_and_recall(precision: float, recall: float, beta: float) -> None:
    found = float(f_score(precision, recall, beta))
    assert min(precision, recall) - 1e-12 <= found <= max(precision, recall) + 1e-12


@moderately
@given(st.floats(0.01, 1.0), st.floats(0.01, 1.0), st.sampled_from([(0.1, 0.5), (0.5, 1.0), (1.0, 3.0), (3.0, 5.0)]))
def test_the_larger_beta_the_more_recall_counts(precision: float, recall: float, two: tuple[float, float]) -> None:
    smaller, larger = (abs(float(f_score(precision, recall, beta)) - recall) for beta in two)
    assert larger <= smaller + 1e-12
