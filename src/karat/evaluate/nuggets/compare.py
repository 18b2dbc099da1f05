"""Compare automatic nuggets with the nuggets that people marked (Babko-Malaya et al. 2012, section 5).

Counts (Table 4):        relative difference = (gold - auto) / gold, above zero if the program finds too few
Per snippet (Table 5):   mean of gold - auto, its 95 % interval (Student's t), and the p-value of the paired t test of
                         the hypothesis that the mean is zero
Spans:                   precision = matched / auto, recall = matched / gold, F1 = 2 matched / (auto + gold), counted
                         over all snippets together; measures/agreement/nugget_matching.py says what matches

All of these for all nuggets, for each class of snippets, and for each type. Intervals of ratios are percentile
bootstrap intervals over snippets. A type is compared over all snippets, also over those without a nugget of that type;
where only one side has types (gold of PropSegmEnt has none), nuggets are compared without them. Snippets without gold
nuggets count only where somebody looked (`reviewed`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.evaluate.nuggets.pairs import Missing, PairedSnippets, SnippetPair, field_names, pair_snippets
from karat.evaluate.tables.slices import NONE
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError, listed
from karat.measures.agreement.nugget_matching import MatchRule, matched_nuggets, parse_match
from karat.model import Collection, Nugget, Signature, UsageError
from karat.model.result import Result
from karat.stats.intervals.unit_resampling import RESAMPLES, WeightedRows, divide
from karat.stats.significance.t_test import mean_t_interval, paired_t

ALL = "all"
Floats = NDArray[np.float64]
Kind = str | None


class Estimate(msgspec.Struct, frozen=True):
    """A number and its 95 % interval. The number is None if undefined; the interval if it cannot be computed."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class NuggetComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of one part of the nuggets: of all, of those in a class of snippets, or of those of a type."""

    part: str
    snippets: int
    gold: int
    auto: int
    matched: int
    difference: Estimate
    """(gold - auto) / gold"""
    mean_difference: Estimate
    """Mean of gold - auto per snippet."""
    p: float | None
    precision: Estimate
    recall: Estimate
    f1: Estimate


class NuggetComparisons(Result, msgspec.Struct, frozen=True, kw_only=True):
    """The comparisons of all parts, with notes for the reader."""

    parts: tuple[NuggetComparison, ...]
    notes: tuple[str, ...]
    signature: str


def compare_nuggets(
    auto: Input | Sequence[Input],
    gold: Input | Sequence[Input],
    *,
    match: str = "overlap",
    by: str | None = None,
    missing: Missing = "error",
    assessor: str | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
) -> NuggetComparisons:
    """Compare automatic nuggets with those that people marked in the same snippets.

    match: `overlap` or `jaccard:X`.
    by: compare also for each value of this field of the rows or of the queries' conditions, or for each `run` or
    `query`; several fields with commas: for each combination of their values.
    missing, assessor: see `pair_snippets`.

    >>> import karat
    >>> nuggetizing = karat.nuggetize(texts="President Ana Ruiz flew to Lima on Monday.")
    >>> karat.compare_nuggets(nuggetizing, nuggetizing).parts[0].f1.value
    1.0
    """
    sides = [load(*listed(side), on_error=on_error) for side in (auto, gold)]
    return compare_nugget_collections(*sides, match=match, by=by, missing=missing, assessor=assessor, seed=seed)


def compare_nugget_collections(
    auto: Collection,
    gold: Collection,
    *,
    match: str = "overlap",
    by: str | None = None,
    missing: Missing = "error",
    assessor: str | None = None,
    seed: int = 0,
) -> NuggetComparisons:
    """The same for collections."""
    rule = parse_match(match)
    paired, is_typed = _alike_typed(pair_snippets(auto, gold, missing=missing, assessor=assessor))
    classes = _classes(paired.pairs, by)
    table = _CountTable([_counted(pair, rule) for pair in paired.pairs], seed=seed)
    parts = [table.of_snippets(ALL)]
    parts += [table.of_snippets(name, np.array([value == name for value in classes])) for name in sorted(set(classes))]
    parts += [table.of_type(kind) for kind in table.kinds if is_typed]
    settings = (
        {"match": str(rule)} | ({} if is_typed else {"types": "no"}) | {"missing": missing} | ({"by": by} if by else {})
    )
    settings |= {"assessor": assessor} if assessor else {}
    settings |= {"ci": "bootstrap-percentile", "over": "snippets", "b": str(RESAMPLES), "seed": str(seed)}
    signature = Signature("nuggets-compare", settings | {"v": __version__})
    return NuggetComparisons(parts=tuple(parts), notes=paired.notes, signature=str(signature))


def _alike_typed(paired: PairedSnippets) -> tuple[PairedSnippets, bool]:
    """The pairs, and whether types are compared: where only one side has types, both are compared without them."""
    sides = [
        [nugget for pair in paired.pairs for nugget in pair.auto],
        [nugget for pair in paired.pairs for nugget in pair.gold],
    ]
    typed = [any(nugget.type is not None for nugget in nuggets) for nuggets in sides]
    if typed[0] == typed[1] or not all(sides):
        return paired, True
    note = f"the {'gold' if typed[0] else 'automatic'} nuggets have no types: all are compared without types"
    pairs = (msgspec.structs.replace(pair, auto=_untyped(pair.auto), gold=_untyped(pair.gold)) for pair in paired.pairs)
    return PairedSnippets(pairs=tuple(pairs), notes=(*paired.notes, note)), False


def _untyped(nuggets: tuple[Nugget, ...]) -> tuple[Nugget, ...]:
    return tuple(msgspec.structs.replace(nugget, type=None) for nugget in nuggets)


class _SnippetCounts(msgspec.Struct, frozen=True):
    """How many nuggets of each type a snippet has: (matched, automatic, gold)."""

    by_type: dict[Kind, tuple[int, int, int]]


def _counted(pair: SnippetPair, rule: MatchRule) -> _SnippetCounts:
    counts: dict[Kind, list[int]] = {}
    for nugget in pair.auto:
        counts.setdefault(nugget.type, [0, 0, 0])[1] += 1
    for nugget in pair.gold:
        counts.setdefault(nugget.type, [0, 0, 0])[2] += 1
    for match in matched_nuggets(pair.auto, pair.gold, rule=rule, text=pair.text):
        counts[match.one.type][0] += 1
    return _SnippetCounts({kind: (matched, auto, gold) for kind, (matched, auto, gold) in counts.items()})


class _CountTable:
    """An array of counts: snippets x types x (matched, auto, gold)."""

    def __init__(self, snippets: Sequence[_SnippetCounts], *, seed: int) -> None:
        self.kinds = sorted({kind for counts in snippets for kind in counts.by_type}, key=lambda kind: kind or "")
        self._seed = seed
        self._counts = np.zeros((len(snippets), len(self.kinds), 3))
        for row, counts in enumerate(snippets):
            for kind, numbers in counts.by_type.items():
                self._counts[row, self.kinds.index(kind)] = numbers

    def of_snippets(self, name: str, chosen: NDArray[np.bool_] | None = None) -> NuggetComparison:
        """All types, in the chosen snippets."""
        part = self._counts if chosen is None else self._counts[chosen]
        return compared(part.sum(axis=1), name=name, seed=self._seed)

    def of_type(self, kind: Kind) -> NuggetComparison:
        """One type, in all snippets."""
        rows: Floats = self._counts[:, self.kinds.index(kind)]
        return compared(rows, name=f"type={NONE if kind is None else kind}", seed=self._seed)


def compared(rows: Floats, *, name: str = ALL, seed: int = 0) -> NuggetComparison:
    """The comparison that follows from counts: an array of snippets x (matched, auto, gold).

    >>> compared(np.array([[2.0, 3.0, 2.0], [1.0, 1.0, 2.0]])).f1.value
    0.75
    """
    matched, auto, gold = (int(total) for total in rows.sum(axis=0))
    differences = rows[:, 2] - rows[:, 1]
    test = paired_t(rows[:, [2, 1]].T, [[0, 1]])
    interval = mean_t_interval(differences)
    p = float(test.p[0])

    weighted = WeightedRows.of(rows)

    def estimate(ratio: Callable[[Floats], Floats]) -> Estimate:
        coefficient = weighted.coefficient(
            lambda weights: ratio(weights @ weighted.rows), units=len(rows), raters=2, undefined="", seed=seed
        )
        return Estimate(coefficient.value, coefficient.low, coefficient.high)

    return NuggetComparison(
        part=name,
        snippets=len(rows),
        gold=gold,
        auto=auto,
        matched=matched,
        difference=estimate(lambda sums: divide(sums[:, 2] - sums[:, 1], sums[:, 2])),
        mean_difference=Estimate(
            float(differences.mean()) if len(rows) else None, *((interval.low, interval.high) if interval else ())
        ),
        p=None if np.isnan(p) else p,
        precision=estimate(lambda sums: divide(sums[:, 0], sums[:, 1])),
        recall=estimate(lambda sums: divide(sums[:, 0], sums[:, 2])),
        f1=estimate(lambda sums: divide(2 * sums[:, 0], sums[:, 1] + sums[:, 2])),
    )


def _classes(pairs: Sequence[SnippetPair], by: str | None) -> list[str]:
    """The class of each snippet, such as `style=news` or `style=news,medium=text`; an empty list without `by`."""
    if by is None:
        return []
    names = [name.strip() for name in by.split(",")]
    known = ["query", "run", *(name for name in field_names(pairs) if name not in ("query", "run"))]
    for name in names:
        if name not in known:
            raise UsageError(f"by: no snippet or query has a field {name!r}; choose from {', '.join(known)}")
    return [",".join(f"{name}={_value(pair, name)}" for name in names) for pair in pairs]


def _value(pair: SnippetPair, name: str) -> str:
    ids = {"query": pair.ref[0], "run": pair.ref[1]}
    return ids.get(name) or pair.fields.get(name) or NONE
