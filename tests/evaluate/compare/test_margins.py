from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from builders.rows import judged_rows, score_rows
from karat.evaluate.compare.compare import compare
from karat.evaluate.compare.margins import Margin, Question, margin_limits
from karat.evaluate.tables.score_table import ScoreTable
from karat.model import UsageError

Array = NDArray[np.float64]
ONE = np.array([[1, 0]])


def table_of(values: Array, name: str = "strict_all") -> ScoreTable:
    names = tuple(map(str, range(max(values.shape))))
    return ScoreTable(name, names[: len(values)], names[: values.shape[1]], values, np.zeros(values.shape, bool))


def against_a_half(differences: Array, name: str = "strict_all") -> ScoreTable:
    """Runs with these differences from a baseline that scores 0.5 everywhere."""
    rows = np.atleast_2d(differences)
    return table_of(0.5 + np.concatenate([np.zeros((1, rows.shape[1])), rows]), name)


VARIED = np.tile([0.02, -0.01, 0.0, 0.03, -0.04], 4)


def test_limits_are_one_sided_for_a_loss_and_two_sided_for_a_difference() -> None:
    loss = margin_limits(against_a_half(VARIED), ONE, Margin("not worse", 0.1))
    assert loss.kind == "max-t"
    assert -0.1 < loss.low[0] < 0 < VARIED.mean() + 0.02 < loss.high[0] == np.inf
    both = margin_limits(against_a_half(VARIED), ONE, Margin("equivalent", 0.1))
    assert loss.low[0] == both.low[0] < VARIED.mean() < both.high[0] < 0.1


def test_where_less_is_better_the_loss_has_an_upper_limit() -> None:
    found = margin_limits(against_a_half(VARIED, "verbosity"), ONE, Margin("not worse", 0.1))
    assert (found.low[0], 0 < found.high[0] < 0.1) == (-np.inf, True)


def test_more_runs_have_wider_limits() -> None:
    draw = np.random.default_rng(1)
    differences = draw.normal(0, 0.1, (5, 30))
    pairs = np.array([[row, 0] for row in range(1, 6)])
    margin = Margin("equivalent", 0.1)
    several = margin_limits(against_a_half(differences), pairs, margin)
    single = [margin_limits(against_a_half(differences), pairs[[at]], margin) for at in range(5)]
    assert several.high.mean() > np.mean([found.high[0] for found in single])


@pytest.mark.parametrize("question", ["not worse", "equivalent"])
@pytest.mark.parametrize("differences", [np.zeros(20), np.full(20, 0.01), np.array([0.01, -0.01] * 2)])
def test_equal_and_few_differences_have_limits_from_the_bounds(differences: Array, question: Question) -> None:
    found = margin_limits(against_a_half(differences), ONE, Margin(question, 0.1))
    assert "bounded-bonferroni" in found.kind
    n = len(differences)
    assert found.low[0] == pytest.approx(differences.mean() - (1 - 0.05 ** (1 / n)), abs=0.02)
    unknown = margin_limits(against_a_half(differences, "M"), ONE, Margin(question, 0.1))
    assert np.isnan(unknown.low[0])


def test_the_judges_lasting_error_widens_every_kind_of_limit() -> None:
    lasting = np.diag([0.0, 0.02**2])
    for differences in (VARIED, np.zeros(20), np.array([0.01, -0.01] * 2)):
        plain, judged = (
            margin_limits(against_a_half(differences), ONE, Margin("not worse", 0.1), lasting=added)
            for added in (None, lasting)
        )
        assert judged.low[0] < plain.low[0]


def test_pooled_scores_have_limits_from_the_bootstrap() -> None:
    rows = judged_rows({"a": [0.5, 0.75] * 8, "b": [0.75, 0.5] * 8, "c": [0.25, 0.5] * 8})
    comparison = compare(rows, average="pool", measures="lenient_vital", baseline="a", max_loss=0.1)
    verdicts = {pair.run_id: pair.margin_verdict for pair in comparison.measures[0].differences}
    assert verdicts == {"b": "not shown", "c": "worse"}
    assert "|limits:bootstrap-bonferroni|" in comparison.measures[0].signature
    wide = compare(rows, average="pool", measures="lenient_vital", baseline="a", max_loss=0.5).measures[0]
    # The loss of c is the same everywhere: resampling gives an interval without width, which shows nothing.
    assert {pair.run_id: pair.margin_verdict for pair in wide.differences} == {"b": "not worse", "c": "worse"}


def test_a_small_loss_that_is_significant_is_not_worse_where_a_larger_one_is_ruled_out() -> None:
    rows = score_rows({"a": (0.5 + VARIED).tolist(), "b": (0.48 + VARIED + 0.1 * VARIED).tolist()})
    (pair,) = compare(rows, baseline="a", max_loss=0.05).measures[0].differences
    assert (pair.worse, pair.margin_verdict) == (True, "not worse")
    assert pair.largest_loss is not None
    assert 0.02 < pair.largest_loss < 0.05


def test_what_cannot_be_asked() -> None:
    rows = score_rows({"a": [0.5, 0.4], "b": [0.5, 0.4]})
    for options, message in (
        ({"max_loss": 0.0, "baseline": "a"}, "--max-loss 0: a difference that does not matter is a number above 0"),
        ({"equivalent": -1.0}, "--equivalent -1: a difference that does not matter is a number above 0"),
        ({"max_loss": 0.1}, "--max-loss needs a baseline"),
        ({"max_loss": 0.1, "equivalent": 0.1}, "ask different questions"),
    ):
        with pytest.raises(UsageError, match=message):
            compare(rows, **options)  # type: ignore[arg-type]


def skewed(draw: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Most queries gain a little, few lose much: mean 0."""
    return np.asarray(0.06 - draw.exponential(0.06, shape), dtype=np.float64)


def normal(draw: np.random.Generator, shape: tuple[int, int]) -> Array:
    return draw.normal(0.0, 0.1, shape)


@pytest.mark.parametrize("made", [normal, skewed])
@pytest.mark.parametrize(("runs", "queries"), [(1, 12), (4, 15)])
def test_runs_that_lose_the_margin_are_seldom_called_not_worse_and_never_quite_equal_ones_equivalent(
    made: object, runs: int, queries: int
) -> None:
    """At a true loss of exactly the margin, "not worse" (of any run) is wrong; at most .05 may say so."""
    trials, size = 250, 0.1
    draw = np.random.default_rng((runs, queries))
    pairs = np.array([[row, 0] for row in range(1, runs + 1)])
    signs = np.where(np.arange(runs) % 2, 1.0, -1.0)[:, None]
    wrong = {"not worse": 0, "equivalent": 0}
    for seed in range(trials):
        noise = made(draw, (runs, queries))  # type: ignore[operator]
        lower = margin_limits(
            against_a_half((noise - size).clip(-0.5, 0.5)), pairs, Margin("not worse", size), seed=seed
        )
        wrong["not worse"] += bool((lower.low > -size).any())
        apart = against_a_half((noise + size * signs).clip(-0.5, 0.5))
        both = margin_limits(apart, pairs, Margin("equivalent", size), seed=seed)
        wrong["equivalent"] += bool(((both.low > -size) & (both.high < size)).any())
    allowed = 0.05 + 2 * (0.05 * 0.95 / trials) ** 0.5
    assert {question: count / trials <= allowed for question, count in wrong.items()} == dict.fromkeys(wrong, True)
