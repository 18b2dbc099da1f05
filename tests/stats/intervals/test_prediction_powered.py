from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from karat.model import UsageError
from karat.stats.intervals.prediction_powered import Design, PoweredMean, ppi_difference, ppi_mean

NAN = float("nan")
Array = npt.NDArray[np.float64]


def labelled(scores: Array, rng: np.random.Generator, n: int) -> Array:
    """So many scores at random; the others are not labelled."""
    kept = np.full(len(scores), NAN)
    chosen = rng.permutation(len(scores))[:n]
    kept[chosen] = scores[chosen]
    return kept


def powered(judged: npt.ArrayLike, people: npt.ArrayLike, **options: object) -> PoweredMean:
    found = ppi_mean(judged, people, **options)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_worked_by_hand() -> None:
    # People are the judge less 0.2 on the first four; the judge's mean is 0.5 over all and 0.5 where labelled.
    judged = np.array([0.3, 0.7, 0.4, 0.6, 0.2, 0.8])
    people = np.array([0.1, 0.5, 0.2, 0.4, NAN, NAN])
    found = powered(judged, people)
    # An error that was not seen in four queries may still be there.
    assert found.same_low < 0.3 < found.same_high
    assert found.estimate == pytest.approx(0.3)
    assert found.judge_estimate == pytest.approx(0.5)
    assert found.judge_bias == pytest.approx(0.2)
    assert (found.labelled, found.responses, found.labelled_queries, found.queries) == (4, 6, 4, 6)


def test_the_weight_makes_the_variance_least() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(0.5, 0.2, 400)
    judged, people = 0.3 + 0.5 * y, labelled(y, rng, 40)
    found = powered(judged, people)
    assert found.weight == pytest.approx(2.0, rel=0.2)
    assert found.estimate == pytest.approx(y.mean(), abs=0.02)


@pytest.mark.parametrize("n", [10, 20, 50])
def test_a_biased_judge_leaves_the_interval_valid(n: int) -> None:
    rng = np.random.default_rng(n)
    held = same = alone = 0
    ratios = []
    for _ in range(400):
        y = np.clip(rng.beta(2, 3, 200) + rng.normal(0, 0.1, 200), 0, 1)
        judged = np.clip(0.2 + 0.8 * y + rng.normal(0, 0.08, 200), 0, 1)
        found = powered(judged, labelled(y, rng, n))
        held += found.low <= 0.4024 <= found.high
        same += found.same_low <= y.mean() <= found.same_high
        ratios.append(found.width_ratio)
        alone += found.low <= found.judge_estimate <= found.high
    # With few labels the interval is on the safe side.
    assert 0.925 <= held / 400 <= (1.0 if n == 10 else 0.99)
    assert 0.925 <= same / 400 <= (1.0 if n == 10 else 0.99)
    assert np.median(ratios) < 0.7
    # The judge's own mean is not people's.
    assert alone / 400 < 0.4


@pytest.mark.parametrize("n", [10, 20])
@pytest.mark.parametrize("kind", ["seldom wrong", "invents"])
def test_a_judge_whose_errors_are_rare_does_not_make_the_interval_too_narrow(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(400):
        y = rng.beta(2, 3, 200)
        judged = np.where(rng.random(200) < 0.1, 1.0, y)
        mean = 0.4
        if kind == "invents":
            zero = rng.random(200) < 0.5
            judged = np.where(zero, np.where(rng.random(200) < 0.3, rng.beta(2, 2, 200), 0.05), 0.2 + 0.8 * y)
            y, mean = np.where(zero, 0.0, y), 0.2
        found = powered(judged, labelled(y, rng, n))
        held += found.low <= mean <= found.high
    # By the variance and the degrees of freedom of normal errors: .71 and .87 of the first kind, .87 of the second.
    assert held / 400 >= 0.92


@pytest.mark.parametrize("design", ["queries", "responses"])
def test_differences_and_clusters_with_either_way_of_drawing(design: Design) -> None:
    rng = np.random.default_rng(1)
    of_difference = of_mean = 0
    for _ in range(300):
        query = rng.normal(0.5, 0.15, 150)
        a, b = query + rng.normal(0.05, 0.1, 150), query + rng.normal(0, 0.1, 150)
        shared = rng.normal(0, 0.05, 150)
        judged = 0.15 + 0.7 * a + shared, 0.05 + 0.7 * b + shared + rng.normal(0, 0.06, 150)
        first = labelled(a, rng, 20)
        second = np.where(np.isnan(first), NAN, b) if design == "queries" else labelled(b, rng, 20)
        found = ppi_difference(judged, (first, second), design=design)
        assert found is not None
        of_difference += found.low <= 0.05 <= found.high
        together = powered(
            np.concatenate(judged), np.concatenate([first, second]), queries=[*range(150)] * 2, design=design
        )
        of_mean += together.low <= 0.525 <= together.high
        assert together.queries == 150
    assert 0.92 <= of_difference / 300 <= 0.985
    assert 0.92 <= of_mean / 300 <= 0.985


def test_a_useless_judge_is_nearly_ignored() -> None:
    rng = np.random.default_rng(2)
    found = powered(rng.random(200), labelled(rng.random(200), rng, 50))
    assert abs(found.weight) < 0.3
    assert found.width_ratio < 1.1
    constant = powered(np.full(200, 0.5), labelled(rng.random(200), rng, 50))
    assert constant.weight == 0
    assert (constant.low, constant.high) == pytest.approx((constant.labels_low, constant.labels_high))


def test_labels_alone_have_students_interval() -> None:
    from scipy.stats import t

    y = np.array([0.2, 0.5, 0.4, 0.9])
    found = powered(np.full(4, 0.5), y)
    low, high = t.interval(0.95, 3, loc=y.mean(), scale=y.std(ddof=1) / 2)
    assert (found.labels_low, found.labels_high) == pytest.approx((low, high))


def test_where_everything_is_labelled_it_is_what_people_said() -> None:
    y = np.array([0.2, 0.5, 0.4, 0.9])
    found = powered([0.1, 0.6, 0.5, 0.7], y)
    assert found.estimate == found.same_low == found.same_high == pytest.approx(0.5)
    assert found.low < 0.5 < found.high
    assert not found.no_error_seen


def test_scale_and_order_do_not_matter() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(40)
    judged, people = y + rng.normal(0, 0.1, 40), labelled(y, rng, 12)
    found, turned = powered(judged, people), powered(judged[::-1], people[::-1])
    assert (turned.low, turned.high) == pytest.approx((found.low, found.high))
    stretched = powered(10 * judged - 3, people)
    assert (stretched.low, stretched.high) == pytest.approx((found.low, found.high))


def test_more_than_the_labels_is_worth() -> None:
    rng = np.random.default_rng(6)
    y = rng.random(500)
    found = powered(y + rng.normal(0, 0.1, 500), labelled(y, rng, 50))
    assert 100 < found.effective_labels < 500


def test_what_cannot_be_done() -> None:
    assert ppi_mean([0.1, 0.2, 0.3], [0.1, 0.2, NAN]) is None
    assert ppi_mean([], []) is None
    with pytest.raises(UsageError, match="not shapes"):
        ppi_mean([0.1], [0.1, 0.2])
    with pytest.raises(UsageError, match="names the query of each of the 2 responses"):
        ppi_mean([0.1, 0.2], [0.1, 0.2], queries=[1])
    with pytest.raises(UsageError, match="'nugs' is not one of queries, responses"):
        ppi_mean([0.1, 0.2], [0.1, 0.2], design="nugs")  # type: ignore[arg-type]
    assert math.isnan(powered([0.1, 0.2, 0.3], [0.5, 0.5, 0.5]).width_ratio)
