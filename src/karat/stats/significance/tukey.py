"""Which runs differ: Tukey's honestly significant difference (HSD), without the differences between queries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.model import UsageError
from karat.stats.arrays import Floats
from karat.stats.significance.anova import TwoWay, two_way
from karat.stats.studentized_range import studentized_range_quantile


@dataclass(frozen=True, slots=True, eq=False)
class Tukey:
    """All pairs of runs, tested together: the chance of even one wrong difference is at most `alpha`.

    Matrices have the shape (runs, runs). A run without any value has NaN as mean and margins, differs from no run and
    is in no pair.
    """

    means: Floats
    """Adjusted for queries for which a run has no value; without NaN the plain means."""
    different: npt.NDArray[np.bool_]
    margins: Floats
    """Two means differ if they are further apart; means[i] - means[j] ± margins[i, j] are simultaneous intervals."""
    critical_difference: float
    """The largest margin. Without NaN, all pairs have the same."""
    q: float
    alpha: float
    pairs: int
    pairs_separated: int
    model: TwoWay


@dataclass(frozen=True, slots=True)
class SideBySide:
    """How many pairs of runs two scorings a and b separate.

    separated_a = both + contradictions + only_a, and likewise for b.
    """

    pairs: int
    separated_a: int
    separated_b: int
    both: int
    """In the same direction."""
    only_a: int
    only_b: int
    contradictions: int
    """Separated by both, in opposite directions."""


def tukey_hsd(values: npt.ArrayLike, *, alpha: float = 0.05) -> Tukey | None:
    """Tukey's test of all pairs of runs on the residual of the two-way model (Dang & Lin 2007, section 3.2).

    Runs i and j differ if |mean_i - mean_j| > q(1 - alpha; runs, df_residual) / sqrt(2) * SE(mean_i - mean_j), where
    SE^2 = 2 MS_residual / queries. With NaN the means and SE are those of the least-squares fit (Tukey-Kramer).
    One-way Tukey, as in most libraries, treats the differences between queries as noise and separates far fewer runs.

    None where the two-way model has no result (`anova.obstacle` says why), and for more than MOST_PAIRED_RUNS runs.
    If the residual is zero, any difference beyond rounding separates two runs.

    >>> result = tukey_hsd([[0.5, 0.7, 0.9], [0.2, 0.5, 0.5]])
    >>> round(result.critical_difference, 4), result.pairs_separated
    (0.2484, 1)
    """
    if not 0 < alpha < 1:
        raise UsageError(f"alpha={alpha} is not between 0 and 1")
    model = two_way(values)
    if model is None or model.difference_variance is None:
        return None
    q = studentized_range_quantile(1 - alpha, groups=model.runs, df=model.residual.df)
    margins = q / math.sqrt(2) * np.sqrt(model.difference_variance)
    # A comparison with NaN is False: a run without values differs from no run.
    different = np.abs(_differences(model.run_means)) > np.maximum(margins, model.rounding)
    return Tukey(
        means=model.run_means,
        different=different,
        margins=margins,
        critical_difference=float(np.nanmax(margins)),
        q=q,
        alpha=alpha,
        pairs=math.comb(model.runs, 2),
        pairs_separated=int(np.triu(different).sum()),
        model=model,
    )


def separated_side_by_side(
    values_a: npt.ArrayLike, values_b: npt.ArrayLike, *, alpha: float = 0.05
) -> SideBySide | None:
    """Count the pairs of runs that two scorings of the same runs and queries separate (Dang & Lin 2007, section 3.2).

    Each scoring has its own model. Only pairs whose runs have values in both count. None if one of them has no result.
    """
    shape_a, shape_b = np.shape(values_a), np.shape(values_b)
    if shape_a != shape_b:
        raise UsageError(
            f"both scorings must have the same runs and queries, but the shapes are {shape_a} and {shape_b}"
        )
    a, b = tukey_hsd(values_a, alpha=alpha), tukey_hsd(values_b, alpha=alpha)
    if a is None or b is None:
        return None
    differences_a, differences_b = _differences(a.means), _differences(b.means)
    comparable = np.triu(~np.isnan(differences_a + differences_b), k=1)
    by_a, by_b = a.different & comparable, b.different & comparable
    opposite = by_a & by_b & (np.sign(differences_a) != np.sign(differences_b))
    return SideBySide(
        pairs=int(comparable.sum()),
        separated_a=int(by_a.sum()),
        separated_b=int(by_b.sum()),
        both=int((by_a & by_b & ~opposite).sum()),
        only_a=int((by_a & ~by_b).sum()),
        only_b=int((by_b & ~by_a).sum()),
        contradictions=int(opposite.sum()),
    )


def _differences(means: Floats) -> Floats:
    differences: Floats = means[:, None] - means[None, :]
    return differences
