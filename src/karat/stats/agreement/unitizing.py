"""Agreement on the places of units in a continuum, such as nuggets in a text: Krippendorff's alpha_U.

Krippendorff 1995, as restated in Content Analysis (2004, ch. 11.6). A rater cuts a continuum of length L into units
and the gaps between them. Two sections, of raters i and j, that begin at b and have the lengths l differ by

    d^2 = (b_i - b_j)^2 + (b_i + l_i - b_j - l_j)^2   two units that overlap
    d^2 = l^2                                         a unit of length l that lies wholly in the other's gap
    d^2 = 0                                           otherwise

    D_o = sum_i sum_(j != i) sum of d^2 / (m (m - 1) L^2)
    D_e = 2/L * sum over units [ (N - 1)/3 (2 l^3 - 3 l^2 + l) + l^2 * sum over gaps g >= l of (g - l + 1) ]
          / (mL (mL - 1) - sum over units l (l - 1))
    alpha_U = 1 - D_o / D_e

with m raters and N units of all raters. Here there may be several continua (snippets), each with its own raters: a
section ends where its continuum ends, the d^2 of a continuum with m_s raters are divided by m_s - 1, and mL is the sum
of m_s L_s, as alpha treats missing ratings. For one continuum these are the printed formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.arrays import Floats
from karat.stats.intervals.jackknife import MOST_GROUPS, jackknife_interval
from karat.stats.intervals.unit_resampling import RESAMPLES, Coefficient, group_numbers

Section = tuple[int, int]
NOTHING_MARKED = "nobody marked anything"
NO_PAIRS = "no text was marked by two raters"


@dataclass(frozen=True, slots=True)
class Continuum:
    """A continuum from 0 to `length`, and the (start, end) of the units of each rater who looked at it."""

    length: int
    units: Sequence[Sequence[Section]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The observed disagreement D_o and the expected one D_e."""

    observed: float
    expected: float


def unitized_alpha(
    continua: Sequence[Continuum], *, raters: int = 2, groups: ArrayLike | None = None, seed: int = 0
) -> Coefficient:
    """alpha_U with a bootstrap interval over continua, or over `groups` of them; `units` counts continua.

    raters: how many raters there are in all, for the record. Undefined where nobody marked a unit.
    """
    numbers = group_numbers(groups, len(continua))
    shared = np.array([len(continuum.units) > 1 and continuum.length > 0 for continuum in continua], dtype=bool)
    measured = [continuum for continuum, use in zip(continua, shared, strict=True) if use]
    if not measured:
        return Coefficient(value=None, units=0, raters=raters, reason=NO_PAIRS)
    sections = _Sections(measured)
    disagreement = sections.disagreement(np.ones(len(measured)))
    if disagreement.expected == 0:
        return Coefficient(value=None, units=len(measured), raters=raters, reason=NOTHING_MARKED)
    value = 1 - disagreement.observed / disagreement.expected
    low, high = _interval(sections, np.arange(len(measured)) if numbers is None else numbers[shared], seed)
    return Coefficient(value=value, low=low, high=high, units=len(measured), raters=raters)


def _interval(sections: _Sections, groups: NDArray[np.int64], seed: int) -> tuple[float, float] | tuple[None, None]:
    names, group = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        return None, None
    if len(names) <= MOST_GROUPS:
        without = [_alpha(sections, (group != name).astype(float)) for name in range(len(names))]
        found = jackknife_interval(_alpha(sections, np.ones(len(group))), without)
        return (None, None) if found is None else (found.low, found.high)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    values = np.array([_alpha(sections, weights[group].astype(float)) for weights in drawn])
    values = values[~np.isnan(values)]
    return (float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))) if len(values) else (None, None)


def _alpha(sections: _Sections, weights: Floats) -> float:
    found = sections.disagreement(weights)
    return 1 - found.observed / found.expected if found.expected > 0 else float("nan")


class _Sections:
    """What the disagreements are computed from, so that every resample can give continua other weights."""

    def __init__(self, continua: Sequence[Continuum]) -> None:
        units: list[tuple[int, int]] = []
        gaps: list[tuple[int, int]] = []
        observed: list[float] = []
        for number, continuum in enumerate(continua):
            cut = [_cut(marked, continuum.length) for marked in continuum.units]
            units += [(number, end - start) for of_rater, _ in cut for start, end in of_rater]
            gaps += [(number, end - start) for _, of_rater in cut for start, end in of_rater]
            # Each pair is in the sum twice: i against j and j against i.
            total = sum(_distance(left, right) for left, right in combinations(cut, 2))
            observed.append(2 * total / (len(cut) - 1))
        self._observed = np.array(observed)
        self._lengths = np.array([continuum.length for continuum in continua], dtype=float)
        self._annotated = self._lengths * np.array([len(continuum.units) for continuum in continua])
        self._unit_of, self._unit_length = _columns(units)
        self._gap_of, self._gap_length = _columns(gaps)
        self._longest = int(max((continuum.length for continuum in continua), default=0))

    def disagreement(self, weights: Floats) -> Disagreement:
        length, annotated = float(weights @ self._lengths), float(weights @ self._annotated)
        unit_weights, lengths = weights[self._unit_of], self._unit_length.astype(float)
        number = float(unit_weights.sum())
        if not number or not annotated:
            return Disagreement(0.0, 0.0)
        overlapping = (number - 1) / 3 * float(unit_weights @ (2 * lengths**3 - 3 * lengths**2 + lengths))
        in_gaps = float(unit_weights @ (lengths**2 * self._places(weights)[self._unit_length]))
        pairs = annotated * (annotated - 1) - float(unit_weights @ (lengths * (lengths - 1)))
        expected = 2 / length * (overlapping + in_gaps) / pairs if pairs else 0.0
        return Disagreement(float(weights @ self._observed) / (annotated * length), expected)

    def _places(self, weights: Floats) -> Floats:
        """In how many places of all gaps a unit of each length fits: sum over gaps g >= l of (g - l + 1)."""
        of_gaps = weights[self._gap_of]
        gaps: Floats = np.bincount(self._gap_length, weights=of_gaps, minlength=self._longest + 1).astype(float)
        at_least = np.cumsum(gaps[::-1])[::-1]
        places: Floats = np.cumsum(at_least[::-1])[::-1]
        return places


def _columns(pairs: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _cut(marked: Sequence[Section], length: int) -> tuple[list[Section], list[Section]]:
    """The units in order, and the gaps between them."""
    units = sorted(marked)
    gaps: list[Section] = []
    reached = 0
    for start, end in units:
        if not reached <= start < end <= length:
            raise UsageError(
                f"the units of a rater must not overlap and must be between 0 and {length}; [{start}, {end}] is not so"
            )
        if reached < start:
            gaps.append((reached, start))
        reached = end
    if reached < length:
        gaps.append((reached, length))
    return units, gaps


def _distance(left: tuple[list[Section], list[Section]], right: tuple[list[Section], list[Section]]) -> float:
    """The sum of d^2 over all sections of two raters, each pair of sections once."""
    total = 0.0
    for start, end in left[0]:
        for other_start, other_end in right[0]:
            if start < other_end and other_start < end:
                total += (start - other_start) ** 2 + (end - other_end) ** 2
    for units, gaps in ((left[0], right[1]), (right[0], left[1])):
        for start, end in units:
            if any(first <= start and end <= last for first, last in gaps):
                total += (end - start) ** 2
    return total
