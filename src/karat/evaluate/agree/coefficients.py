"""Which coefficients are reported for what kind of ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.measures.agreement.agreement import Sheet, Unit, class_sets, ratings_of, relevant_or_not
from karat.measures.agreement.span_agreement import (
    Marks,
    PairOfMarks,
    nugget_alpha,
    nugget_overlap,
    pairs_of_marks,
    span_f1,
)
from karat.stats.agreement.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from karat.stats.agreement.partitions import NO_ITEMS, adjusted_rand, b_cubed, ceaf, masi_alpha
from karat.stats.intervals.unit_resampling import Coefficient


class NamedCoefficient(msgspec.Struct, frozen=True):
    """A coefficient and its name."""

    name: str
    coefficient: Coefficient


class MarkedText:
    """The texts that raters marked nuggets in, with the marks of every pair of raters; compared once for all rows."""

    def __init__(self, sheet: Mapping[str, Mapping[Unit, Marks]], texts: Mapping[Unit, str]) -> None:
        self.texts = texts
        self._pairs = [*pairs_of_marks(sheet, texts)]
        self._of_raters: dict[tuple[str, ...], list[PairOfMarks]] = {}
        for pair in self._pairs:
            self._of_raters.setdefault((pair.left, pair.right), []).append(pair)

    def pairs(self, sheet: Mapping[str, Mapping[Unit, Marks]]) -> list[PairOfMarks]:
        """The pairs of raters and snippets that are in this part of the sheet."""
        of_these = self._of_raters.get(tuple(sheet), []) if len(sheet) == 2 else self._pairs
        return [
            pair for pair in of_these
            if pair.unit in sheet.get(pair.left, ()) and pair.unit in sheet.get(pair.right, ())
        ]  # fmt: skip


def label_rows(what: str, sheet: Sheet[float], *, categories: int, seed: int) -> Iterator[NamedCoefficient]:
    """Coefficients of labels and grades; `categories` is the number of different labels in all the data."""
    ratings = ratings_of(sheet)
    matrix, groups = ratings.matrix, _queries(ratings.units)
    graded = categories > 2 and what != "relevance"
    if what == "relevance":
        yield NamedCoefficient(
            "relevance_agreement", percent_agreement(relevant_or_not(matrix), groups=groups, seed=seed)
        )
    if what != "relevance" or categories > 2:
        yield NamedCoefficient("percent_agreement", percent_agreement(matrix, groups=groups, seed=seed))
    if len(sheet) == 2:
        yield NamedCoefficient("cohen_kappa", cohen_kappa(matrix, groups=groups, seed=seed))
        for weights in ("linear", "quadratic") if graded else ():
            kappa = cohen_kappa(matrix, weights=weights, groups=groups, seed=seed)
            yield NamedCoefficient(f"cohen_kappa(weights={weights})", kappa)
    else:
        yield NamedCoefficient("fleiss_kappa", fleiss_kappa(matrix, groups=groups, seed=seed))
    for level in ("nominal", "ordinal", "interval") if graded else ("nominal",):
        alpha = krippendorff_alpha(matrix, level=level, groups=groups, seed=seed)
        yield NamedCoefficient(f"krippendorff_alpha(level={level})", alpha)
    yield NamedCoefficient("gwet_ac1", gwet_ac1(matrix, categories=categories, groups=groups, seed=seed))


def rare_category(sheet: Sheet[float]) -> int | None:
    """Of the units that two raters labelled, how many got the rarest label from anybody; None with one label only."""
    matrix = ratings_of(sheet).matrix
    shared = matrix[(~np.isnan(matrix)).sum(axis=1) > 1]
    labels = np.unique(shared[~np.isnan(shared)])
    if len(labels) < 2:
        return None
    return min(int((shared == label).any(axis=1).sum()) for label in labels)


def mark_rows(text: MarkedText, sheet: Sheet[Marks], *, seed: int) -> Iterator[NamedCoefficient]:
    """Coefficients of nuggets marked in text."""
    pairs = text.pairs(sheet)
    groups = _queries([pair.unit for pair in pairs])
    yield NamedCoefficient("nugget_overlap", nugget_overlap(pairs, groups=groups, seed=seed))
    yield NamedCoefficient(
        "nugget_overlap(mean=snippet)", nugget_overlap(pairs, per_snippet=True, groups=groups, seed=seed)
    )
    yield NamedCoefficient("span_f1(match=exact)", span_f1(pairs, groups=groups, seed=seed))
    yield NamedCoefficient("span_f1(match=partial)", span_f1(pairs, partial=True, groups=groups, seed=seed))
    by_query = len({unit[0] for marked in sheet.values() for unit in marked}) > 1
    yield NamedCoefficient("krippendorff_alpha_u", nugget_alpha(sheet, text.texts, by_query=by_query, seed=seed))


def text_rows(text: MarkedText, sheet: Sheet[Marks], *, seed: int) -> Iterator[NamedCoefficient]:
    """Coefficients of the relevant text of snippets; that of a snippet is one set of characters, in pieces or not."""
    pairs = text.pairs(sheet)
    groups = _queries([pair.unit for pair in pairs])
    yield NamedCoefficient("text_overlap", nugget_overlap(pairs, groups=groups, seed=seed))
    by_query = len({unit[0] for marked in sheet.values() for unit in marked}) > 1
    yield NamedCoefficient("krippendorff_alpha_u", nugget_alpha(sheet, text.texts, by_query=by_query, seed=seed))


def class_rows(sheet: Sheet[str], *, seed: int) -> Iterator[NamedCoefficient]:
    """Coefficients of nuggets grouped into nugs, for nuggets that all raters grouped; only MASI for three raters."""
    first, *others = sheet.values()
    items = [unit for unit in first if all(unit in other for other in others)]
    groups = _queries(items)
    if not items:
        yield NamedCoefficient("masi_alpha", Coefficient(value=None, units=0, raters=len(sheet), reason=NO_ITEMS))
        return
    if len(sheet) == 2:
        numbers: list[NDArray[np.int64]] = []
        for classes in sheet.values():
            named = [(unit[0], classes[unit]) for unit in items]
            known = {name: number for number, name in enumerate(dict.fromkeys(named))}
            numbers.append(np.array([known[name] for name in named], dtype=np.int64))
        left, right = numbers
        queries = groups if groups is not None else np.zeros(len(items), dtype=np.int64)
        yield NamedCoefficient("b_cubed_f", b_cubed(left, right, groups=queries, seed=seed).f)
        yield NamedCoefficient("ceaf_f(phi=3)", ceaf(left, right, phi=3, groups=queries, seed=seed).f)
        yield NamedCoefficient("ceaf_f(phi=4)", ceaf(left, right, phi=4, groups=queries, seed=seed).f)
        yield NamedCoefficient("adjusted_rand", adjusted_rand(left, right, groups=queries, seed=seed))
    labels = [class_sets(classes, items) for classes in sheet.values()]
    yield NamedCoefficient("masi_alpha", masi_alpha([*zip(*labels, strict=True)], groups=groups, seed=seed))


def _queries(units: list[Unit] | tuple[Unit, ...]) -> NDArray[np.int64] | None:
    """The number of each unit's query, for resampling; None if there is only one query: then units are resampled."""
    numbers = {query_id: number for number, query_id in enumerate(dict.fromkeys(unit[0] for unit in units))}
    if len(numbers) < 2:
        return None
    return np.array([numbers[unit[0]] for unit in units], dtype=np.int64)
