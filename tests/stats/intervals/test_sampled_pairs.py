"""Pairs drawn with known chances: the chances, the order of the draw, and what labels make of a judge's scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from karat.stats.intervals.sampled_pairs import (
    SampledScores,
    chance_scale,
    chance_scales,
    drawn_order,
    expected_errors,
    inclusion_chances,
    sampled_scores,
)

NAN = float("nan")
Array = npt.NDArray[np.float64]
SIZES = st.lists(st.one_of(st.just(0.0), st.floats(1e-4, 1.0)), min_size=1, max_size=30).map(np.array)


@given(sizes=SIZES, count=st.integers(0, 40))
def test_chances_sum_to_the_count_and_a_larger_pair_has_no_smaller_one(sizes: Array, count: int) -> None:
    chances = inclusion_chances(sizes, count)
    assert chances.sum() == pytest.approx(min(count, (sizes > 0).sum()))
    assert (chances >= 0).all()
    assert (chances <= 1).all()
    assert (chances[sizes == 0] == 0).all()
    assert (np.diff(chances[np.argsort(sizes)]) >= -1e-12).all()
    # One number makes all of them: min(1, c size).
    below = (chances > 0) & (chances < 1)
    if below.any():
        scale = (chances[below] / sizes[below]).max()
        assert chances == pytest.approx(np.minimum(1.0, scale * sizes), abs=1e-9)


@given(sizes=SIZES, count=st.integers(0, 30))
def test_with_more_draws_no_chance_becomes_smaller(sizes: Array, count: int) -> None:
    fewer, more = inclusion_chances(sizes, count), inclusion_chances(sizes, count + 1)
    assert (more >= fewer - 1e-12).all()


@given(sizes=SIZES)
def test_one_order_of_the_sizes_gives_the_chances_after_any_number_of_draws(sizes: Array) -> None:
    assume((sizes > 0).any())
    scale_after = chance_scales(sizes)
    for count in range(1, len(sizes) + 2):
        chances = slow_chances(sizes, count)
        assert inclusion_chances(sizes, count) == pytest.approx(chances, rel=1e-12)
        assert np.minimum(1.0, scale_after(count) * sizes) == pytest.approx(chances, rel=1e-12)
        assert chance_scale(sizes, count) == scale_after(count)


def slow_chances(sizes: Array, count: int) -> Array:
    """In proportion to the sizes; what would have 1 or more is drawn surely, and the others are looked at again."""
    count = min(count, int((sizes > 0).sum()))
    sure = np.zeros(len(sizes), bool)
    while True:
        rest = sizes[~sure].sum()
        scaled = sizes * ((count - sure.sum()) / rest) if rest > 0 else np.zeros(len(sizes))
        more = (scaled >= 1) & ~sure
        if not more.any():
            return np.where(sure, 1.0, scaled)
        sure |= more


def names_of(sizes: Array) -> list[str]:
    return [f"pair {at}" for at in range(len(sizes))]


@given(sizes=SIZES, seed=st.integers(0, 1000))
def test_every_pair_that_can_be_drawn_is_drawn_once_and_the_seed_decides_when(sizes: Array, seed: int) -> None:
    order = drawn_order(sizes, seed=seed, names=names_of(sizes))
    assert sorted(order.tolist()) == np.flatnonzero(sizes > 0).tolist()
    assert order.tolist() == drawn_order(sizes, seed=seed, names=names_of(sizes)).tolist()


def test_the_order_of_some_pairs_does_not_depend_on_the_others() -> None:
    sizes, names = np.linspace(0.1, 1.0, 20), [f"pair {at}" for at in range(20)]
    of_all = [names[at] for at in drawn_order(sizes, seed=5, names=names)]
    kept = range(3, 20, 2)
    of_some = [names[kept[at]] for at in drawn_order(sizes[kept], seed=5, names=[names[at] for at in kept])]
    assert of_some == [name for name in of_all if name in of_some]


def test_pairs_are_drawn_about_as_often_as_their_chance_says() -> None:
    sizes = np.array([5.0, 3.0, 2.0, *[1.0] * 12, 0.3, 0.0])
    draws, count = 3000, 6
    seen = np.zeros(len(sizes))
    for seed in range(draws):
        seen[drawn_order(sizes, seed=seed, names=names_of(sizes))[:count]] += 1
    chances = inclusion_chances(sizes, count)
    # Three standard errors are .027 at most; that the chances are nearly these, and not exactly, adds the rest.
    assert seen / draws == pytest.approx(chances, abs=0.05)
    assert seen[-1] == 0


@dataclass(frozen=True)
class World:
    """Pairs of some runs, what people would say about each, and what a judge says."""

    run: npt.NDArray[np.int64]
    response: npt.NDArray[np.int64]
    weight: Array
    truth: Array
    judged: Array

    @property
    def runs(self) -> int:
        return int(self.run.max()) + 1

    @property
    def spread(self) -> Array:
        return self.judged * (1 - self.judged)

    @property
    def sizes(self) -> Array:
        share = self.weight**2 * self.spread
        sizes: Array = 0.9 * share / share.sum() + 0.1 / len(share)
        return sizes

    def scores(self, values: Array) -> Array:
        return np.bincount(self.run, self.weight * values).astype(np.float64)

    def after(self, labels: int, *, seed: int = 0) -> SampledScores:
        """What is known when people labelled so many."""
        drawn = drawn_order(self.sizes, seed=seed, names=names_of(self.sizes))[:labels]
        people = np.full(len(self.truth), NAN)
        people[drawn] = self.truth[drawn]
        return sampled_scores(
            self.run, self.response, runs=self.runs, weight=self.weight, judged=self.judged, spread=self.spread,
            people=people, chance=inclusion_chances(self.sizes, labels),
        )  # fmt: skip


def world(
    *, runs: int = 6, queries: int = 10, nugs: int = 5, bias: float = 0.0, apart: float = 0.0, seed: int = 0
) -> World:
    """bias: what the judge adds to everything; apart: the sd of what it adds to each run."""
    rng = np.random.default_rng(seed)
    pairs = runs * queries * nugs
    run = np.arange(pairs) // (queries * nugs)
    true = rng.beta(1.2, 1.2, pairs)
    added = bias + apart * rng.standard_normal(runs)
    return World(
        run, np.arange(pairs) // nugs, np.full(pairs, 1 / (queries * nugs)), (rng.random(pairs) < true).astype(float),
        np.clip(true + added[run], 0.02, 0.98),
    )  # fmt: skip


def test_where_everything_is_labelled_the_scores_are_people_s() -> None:
    one = world(bias=0.3)
    found = one.after(len(one.truth))
    assert found.estimates == pytest.approx(one.scores(one.truth), abs=1e-9)
    assert found.errors == pytest.approx(np.zeros(6), abs=1e-6)


def test_where_nothing_is_labelled_the_judge_is_believed_and_the_error_is_wide() -> None:
    one = world()
    found = one.after(0)
    assert np.isfinite(found.estimates).all()
    assert found.estimates == pytest.approx(one.scores(one.judged), abs=1e-6)
    assert (found.errors > one.after(60).errors).all()


def test_a_single_run_is_corrected_by_its_own_labels() -> None:
    one = world(runs=1, queries=40, bias=0.25, seed=2)
    found = one.after(100)
    (truth,), (judge,) = one.scores(one.truth), one.scores(one.judged)
    assert judge - truth > 0.15
    assert abs(found.estimates[0] - truth) < 2.5 * found.errors[0] < 0.15
    assert found.covariance.shape == (1, 1)


def test_a_bias_that_all_runs_share_is_corrected_by_few_labels() -> None:
    one = world(runs=10, queries=20, bias=0.25, seed=1)
    found = one.after(120)
    off_before = np.abs(one.scores(one.judged) - one.scores(one.truth)).mean()
    off_after = np.abs(found.estimates - one.scores(one.truth)).mean()
    assert off_before > 0.15
    assert off_after < off_before / 3
    # People minus judge.
    assert found.common_bias == pytest.approx(-off_before, abs=0.08)


def test_errors_that_runs_share_cancel_in_a_difference() -> None:
    found = world(runs=10, queries=20, bias=0.25, seed=1).after(90)
    first, second = found.covariance[0, 0], found.covariance[1, 1]
    assert found.covariance[0, 1] > 0
    assert found.covariance == pytest.approx(found.covariance.T)
    assert (np.linalg.eigvalsh(found.covariance) > -1e-12).all()
    assert first + second - 2 * found.covariance[0, 1] < first + second


@pytest.mark.parametrize(("bias", "apart"), [(0.0, 0.0), (0.15, 0.0), (0.1, 0.1)])
def test_intervals_hold_people_s_score_however_the_judge_is_wrong(bias: float, apart: float) -> None:
    """Small; runs of a world share errors, so that the share varies by about .015 around what it is in the long run."""
    held = []
    for seed in range(80):
        one = world(runs=8, queries=10, bias=bias, apart=apart, seed=1000 + seed)
        found = one.after(120, seed=seed)
        held += (np.abs(found.estimates - one.scores(one.truth)) < 1.96 * found.errors).tolist()
    assert 0.90 <= np.mean(held) <= 0.99


def test_what_people_could_not_decide_stays_with_the_judge_and_its_doubt() -> None:
    one = world(runs=2, queries=2, nugs=5)
    people = one.truth.copy()
    people[3] = NAN
    found = sampled_scores(
        one.run, one.response, runs=2, weight=one.weight, judged=one.judged, spread=one.spread, people=people,
        chance=np.ones(len(people)),
    )  # fmt: skip
    expected = one.truth.copy()
    expected[3] = one.judged[3]
    assert found.estimates == pytest.approx(one.scores(expected))
    assert found.errors == pytest.approx([one.weight[3] * one.spread[3] ** 0.5, 0.0])


def test_the_covariance_of_very_many_runs_is_that_of_few_without_what_they_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = world(bias=0.1)
    full = one.after(60)
    monkeypatch.setattr("karat.stats.intervals.sampled_pairs.MOST_RUNS", 2)
    found = one.after(60)
    assert found.estimates == pytest.approx(full.estimates)
    assert found.errors == pytest.approx(full.errors)
    assert np.count_nonzero(found.covariance - np.diag(np.diag(found.covariance))) == 0


def test_expected_errors_fall_with_more_labels_and_are_near_those_that_come() -> None:
    one = world(queries=20)
    numbers = [0, 30, 60, 120, 240, 480, len(one.truth)]
    expected = [
        expected_errors(
            one.run, one.response, weight=one.weight, spread=one.spread, chance=inclusion_chances(one.sizes, number)
        )
        for number in numbers
    ]
    for before, after in pairwise(expected):
        assert (after < before).all()
    assert expected[-1] == pytest.approx(np.zeros(6), abs=1e-6)
    assert one.after(240).errors == pytest.approx(expected[4], rel=0.4)


def test_no_pairs_have_no_errors() -> None:
    none, numbers = np.zeros(0), np.zeros(0, int)
    assert expected_errors(numbers, numbers, weight=none, spread=none, chance=none).tolist() == []
    found = sampled_scores(
        numbers, numbers, runs=2, weight=none, judged=none, spread=none, people=none, chance=none
    )  # fmt: skip
    assert (found.estimates.tolist(), found.errors.tolist()) == ([0.0, 0.0], [0.0, 0.0])
