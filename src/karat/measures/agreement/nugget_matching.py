"""Which nuggets of two annotators (or programs), in one snippet, are the same nugget.

    overlap     they have the same type and share a meaningful character, a letter or digit; EVT and STM, whose extents
                differ from annotator to annotator, share one in their anchors where both have anchors
    jaccard:X   they have the same type and |a & b| / |a | b| >= X in code points of their spans

Nuggets are matched one to one, so that as many as possible are, and of all such matchings the one with the largest sum
of Dice coefficients 2 |a & b| / (|a| + |b|) is taken; the count does not depend on that choice.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from karat.model import Nugget, SpanSet, UsageError

ANCHORED = frozenset({"EVT", "STM"})
OVERLAP = "overlap"
JACCARD = "jaccard"


class MatchRule(msgspec.Struct, frozen=True):
    """When two nuggets of one type are the same."""

    jaccard: float | None = None
    """The least Jaccard coefficient; None: a shared character is enough."""

    def __str__(self) -> str:
        return OVERLAP if self.jaccard is None else f"{JACCARD}:{self.jaccard:g}"

    def likeness(self, one: Nugget, other: Nugget, text: str | None) -> float | None:
        """The Dice coefficient of two nuggets that are the same by this rule; None where they are not."""
        if self.jaccard is not None:
            both = one.spans.intersection(other.spans).length
            either = one.spans.length + other.spans.length - both
            # 4 / 5 must reach 0.8, whatever the rounding of a share that somebody computed.
            return 2 * both / (either + both) if both and both / either >= self.jaccard - 1e-12 else None
        left, right = one.spans, other.spans
        if one.type in ANCHORED and one.anchor and other.anchor:
            left, right = one.anchor, other.anchor
        if left == right:
            # Equal nuggets without a letter are equal all the same.
            return 1.0
        both = _meaningful(left.intersection(right), text)
        return 2 * both / (_meaningful(left, text) + _meaningful(right, text)) if both else None


def parse_match(name: str) -> MatchRule:
    """`overlap` or `jaccard:X`.

    >>> str(parse_match("jaccard:0.8"))
    'jaccard:0.8'
    """
    if name == OVERLAP:
        return MatchRule()
    kind, _, least = name.partition(":")
    try:
        share = float(least)
    except ValueError:
        share = 0.0
    if kind != JACCARD or not 0 < share <= 1:
        raise UsageError(f"match: {name!r} is neither {OVERLAP} nor {JACCARD}:X with 0 < X <= 1")
    return MatchRule(share)


class Match(msgspec.Struct, frozen=True):
    """Two nuggets that are the same nugget."""

    one: Nugget
    other: Nugget


def matched_nuggets(
    one: Sequence[Nugget], other: Sequence[Nugget], *, rule: MatchRule, text: str | None = None
) -> list[Match]:
    """The nuggets of one snippet that both sides have; without the text every character is meaningful."""
    matches: list[Match] = []
    for kind in dict.fromkeys(nugget.type for nugget in one):
        left = [nugget for nugget in one if nugget.type == kind]
        right = [nugget for nugget in other if nugget.type == kind]
        likeness = [[rule.likeness(row, column, text) for column in right] for row in left]
        matches += [Match(left[row], right[column]) for row, column in _best(likeness)]
    return matches


def _best(likeness: list[list[float | None]]) -> list[tuple[int, int]]:
    """The largest matching, and of those the likest."""
    if not any(value is not None for row in likeness for value in row):
        return []
    from scipy.optimize import linear_sum_assignment

    # A further match outweighs any likeness: Dice coefficients are at most 1 each.
    further = len(likeness) + 1.0
    weights = np.array([[0.0 if value is None else further + value for value in row] for row in likeness])
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if weights[row, column]]


def _meaningful(spans: SpanSet, text: str | None) -> int:
    return spans.length if text is None else spans.meaningful_length(text)
