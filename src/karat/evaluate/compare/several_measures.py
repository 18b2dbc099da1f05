"""One-sided tests by several measures: a check against a baseline must not fail because it asks often enough."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.compare.comparison import MeasureComparison


def corrected_over_measures(measures: Sequence[MeasureComparison]) -> tuple[MeasureComparison, ...]:
    """The comparisons with p-values that are also corrected for the number of measures.

    Each measure is a family whose corrected p-values keep the chance of any false finding at the level. With M
    families, M p does so for all (Bonferroni). A family of which every pair is significant needs its share no longer
    and passes it on: with families in rising order of their largest p, the i-th has

        min(M p, max((M - i + 1) p, the largest corrected p of the families before)),

    which is Holm's correction where every measure has one pair (Bretz et al. 2009, "A graphical approach to
    sequentially rejective multiple test procedures"). Limits and p-values of single pairs stay as they are.
    """
    tested = [
        max((pair.p_adjusted for pair in each.differences if pair.p_adjusted is not None), default=None)
        for each in measures
    ]
    order = sorted(
        (at for at, largest in enumerate(tested) if largest is not None), key=lambda at: (tested[at] or 0.0, at)
    )
    corrected, before = list(measures), 0.0
    for passed, at in enumerate(order):
        left = len(order) - passed

        def of_all(p: float | None, left: int = left, before: float = before) -> float | None:
            return None if p is None else min(1.0, len(order) * p, max(left * p, before))

        corrected[at] = msgspec.structs.replace(
            measures[at],
            differences=tuple(
                msgspec.structs.replace(pair, p_adjusted=of_all(pair.p_adjusted)) for pair in measures[at].differences
            ),
            signature=f"{measures[at].signature}|over:{len(order)}-measures",
        )
        before = max(before, of_all(tested[at]) or 0.0)
    return tuple(corrected)


def measures_note(measures: Sequence[MeasureComparison]) -> str:
    return f"p-values are corrected for the number of runs and for {len(measures)} measures, which are tested together"
