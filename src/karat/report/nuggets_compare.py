"""Comparisons of nuggets -> tables for people, objects for programs."""

from __future__ import annotations

from typing import Any

from karat.evaluate.nuggets.compare import Estimate, NuggetComparison, NuggetComparisons
from karat.report.tables import print_table

COUNTS = ("part", "snippets", "gold", "auto", "difference", "a snippet", "95 % interval", "p")
MATCHES = ("part", "matched", "precision", "recall", "F1")
UNDEFINED = "undefined"


def print_nugget_comparisons(found: NuggetComparisons) -> None:
    """Tables 4 and 5 of Babko-Malaya et al. 2012 as one, and the matches of spans below."""
    print_table(COUNTS, [_counts(part) for part in found.parts], right=COUNTS[1:])
    print_table(MATCHES, [_matches(part) for part in found.parts], right=MATCHES[1:])


def nugget_comparison_rows(found: NuggetComparisons) -> list[dict[str, Any]]:
    """An object a part; an interval stands beside its number, under its name with `_interval`."""
    rows = []
    for part in found.parts:
        row: dict[str, Any] = {"part": part.part, "snippets": part.snippets, "gold": part.gold, "auto": part.auto}
        row |= {"matched": part.matched, "p": part.p}
        for name in ("difference", "mean_difference", "precision", "recall", "f1"):
            one: Estimate = getattr(part, name)
            row[name] = one.value
            row[f"{name}_interval"] = None if one.low is None else [one.low, one.high]
        rows.append({**row, "signature": found.signature})
    return rows


def _counts(part: NuggetComparison) -> list[str]:
    mean = part.mean_difference
    relative = UNDEFINED if part.difference.value is None else f"{part.difference.value:.1%}"
    interval = "" if mean.low is None else f"[{mean.low:.3f}, {mean.high:.3f}]"
    p = UNDEFINED if part.p is None else f"{part.p:.2g}"
    snippet = UNDEFINED if mean.value is None else f"{mean.value:.3f}"
    return [part.part, f"{part.snippets:,}", f"{part.gold:,}", f"{part.auto:,}", relative, snippet, interval, p]


def _matches(part: NuggetComparison) -> list[str]:
    return [part.part, f"{part.matched:,}", *map(_estimate, (part.precision, part.recall, part.f1))]


def _estimate(one: Estimate) -> str:
    if one.value is None:
        return UNDEFINED
    return f"{one.value:.3f}" if one.low is None else f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
