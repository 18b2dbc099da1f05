from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.model import UsageError
from karat.stats.agreement.unitizing import NO_PAIRS, NOTHING_MARKED, Continuum, unitized_alpha

# Krippendorff (2004: 254): a continuum of 300 that begins at 150, two observers, categories c and k.
C = Continuum(300, [[(75, 145), (220, 250)], [(70, 150), (205, 225), (250, 270)]])
K = Continuum(300, [[(30, 90), (150, 200)], [(30, 90), (150, 200)]])


def test_krippendorffs_worked_example() -> None:
    assert unitized_alpha([C]).value == pytest.approx(0.7286, abs=5e-5)
    assert unitized_alpha([K]).value == 1


Cut = list[tuple[int, int]]


@st.composite
def cuts(draw: st.DrawFn, length: int = 12) -> Cut:
    edges = sorted(draw(st.sets(st.integers(0, length), max_size=6)))
    return list(zip(edges[::2], edges[1::2], strict=False))


def by_definition(cuts_of: list[Cut], length: int) -> tuple[float, float]:
    """The printed formulas, term by term over sections with a beginning, a length and a flag."""
    sections: list[list[tuple[int, int, int]]] = []
    for marked in cuts_of:
        found, reached = [], 0
        for start, end in [*marked, (length, length)]:
            if start > reached:
                found.append((reached, start - reached, 0))
            if end > start:
                found.append((start, end - start, 1))
            reached = end
        sections.append(found)
    raters = len(sections)
    observed = 0.0
    for one, other in permutations(sections, 2):
        for b, long, v in one:
            for c, k, w in other:
                if v and w and -long < b - c < k:
                    observed += (b - c) ** 2 + (b + long - c - k) ** 2
                elif v and not w and k - long >= b - c >= 0:
                    observed += long**2
                elif w and not v and k - long <= b - c <= 0:
                    observed += k**2
    units = [long for found in sections for _, long, v in found if v]
    gaps = [long for found in sections for _, long, v in found if not v]
    expected = 0.0
    for long in units:
        expected += (len(units) - 1) / 3 * (2 * long**3 - 3 * long**2 + long)
        expected += long**2 * sum(gap - long + 1 for gap in gaps if gap >= long)
    total = raters * length
    pairs = total * (total - 1) - sum(long * (long - 1) for long in units)
    return observed / (raters * (raters - 1) * length**2), 2 / length * expected / pairs


@settings(max_examples=80, deadline=None)
@given(st.lists(cuts(), min_size=2, max_size=3))
def test_disagreements_are_the_printed_formulas(cuts_of: list[Cut]) -> None:
    alpha = unitized_alpha([Continuum(12, cuts_of)])
    if not any(cuts_of):
        assert (alpha.value, alpha.reason) == (None, NOTHING_MARKED)
        return
    observed, expected = by_definition(cuts_of, 12)
    if expected == 0:
        assert alpha.value is None
    else:
        assert alpha.value == pytest.approx(1 - observed / expected)


def test_where_nobody_else_looked_nothing_is_compared() -> None:
    alone = Continuum(50, [[(0, 10)]])
    assert unitized_alpha([C, alone]).value == unitized_alpha([C]).value
    assert unitized_alpha([C, alone]).units == 1


def test_marking_apart_is_worse_than_chance_and_near_is_better_than_far() -> None:
    apart, far, near = (
        unitized_alpha([Continuum(100, [[(10, 30)], [other]])]).value or 0 for other in ((60, 80), (25, 45), (12, 31))
    )
    assert apart < far < near < 1
    assert apart < 0


def test_interval_over_continua_or_groups_of_them() -> None:
    continua = [C, K, Continuum(80, [[(0, 20)], [(5, 20)]]), Continuum(60, [[(0, 9)], []])]
    alpha = unitized_alpha(continua, seed=4)
    assert alpha.value is not None
    assert alpha.low is not None
    assert alpha.high is not None
    assert alpha.low < alpha.value <= alpha.high
    assert unitized_alpha(continua, seed=4) == alpha
    assert unitized_alpha(continua, groups=[7, 7, 7, 7]).low is None
    assert unitized_alpha(continua, groups=[1, 1, 2, 2]).low is not None


def test_what_is_not_defined() -> None:
    assert unitized_alpha([]).reason == NO_PAIRS
    assert unitized_alpha([Continuum(10, [[(0, 2)]])]).reason == NO_PAIRS
    assert unitized_alpha([Continuum(0, [[], []])]).reason == NO_PAIRS
    nothing = unitized_alpha([Continuum(10, [[], []]), Continuum(5, [[], []])])
    assert (nothing.value, nothing.low, nothing.reason, nothing.units) == (None, None, NOTHING_MARKED, 2)


@pytest.mark.parametrize("marked", [[(0, 5), (4, 8)], [(3, 3)], [(8, 12)], [(-1, 2)]])
def test_units_of_a_rater_lie_apart_and_inside(marked: Cut) -> None:
    with pytest.raises(UsageError, match="units of a rater must not overlap and must be between 0 and 10"):
        unitized_alpha([Continuum(10, [marked, []])])
