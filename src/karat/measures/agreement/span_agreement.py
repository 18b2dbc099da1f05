"""Agreement on where the nuggets of a snippet are.

Lengths are counted in meaningful characters, letters and digits (Babko-Malaya 2008).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from karat.measures.agreement.agreement import Sheet, Unit
from karat.model import Nugget, Relevance, Reviewed, SpanSet, UnfitInput
from karat.model.looked import Looked, unrevised
from karat.stats.agreement.unitizing import Continuum, unitized_alpha
from karat.stats.arrays import Floats
from karat.stats.intervals.bounded import UNIT
from karat.stats.intervals.unit_resampling import Coefficient, WeightedRows, divide, group_numbers

Marks = tuple[SpanSet, ...]
NO_TEXT = "the text of the snippets is not among the files"
NOT_BOTH = "no snippet has letters or digits in nuggets of two raters"
NO_MARKS = "no snippet was looked at by two raters and marked by one"


class PairOfMarks(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of what two raters marked in one snippet. Without the text only exact matches are known."""

    unit: Unit
    left: str
    right: str
    nuggets: tuple[int, int]
    exact: int
    """Nuggets of one that are nuggets of the other."""
    credit: float | None
    """The sum of Dice coefficients of the best one-to-one matching of nuggets."""
    overlap: int | None
    """Characters inside nuggets of both."""
    difference: int | None
    """Characters inside nuggets of one only."""


def mark_sheet(
    nuggets: Iterable[Nugget],
    relevances: Iterable[Relevance],
    snippets: Mapping[tuple[str, str], Sequence[str]],
    reviewed: Sequence[Reviewed] = (),
) -> Sheet[Marks]:
    """The nuggets of each rater by snippet, and nothing (an empty tuple) where a rater looked and found none.

    The rater is the assessor, or where there is none the source (auto, person, corrected). A rater who has `reviewed`
    records for nuggets looked where these say; one who has relevance labels, at the labelled snippets; other raters, at
    all snippets of the responses where they have nuggets.
    """
    marked: dict[str, dict[Unit, list[SpanSet]]] = {}
    labelled: dict[str, set[Unit]] = {}
    for relevance in relevances:
        labelled.setdefault(relevance.assessor, set()).add((relevance.query_id, relevance.run_id, relevance.snippet_id))
    for nugget in _own(nuggets):
        unit = nugget.query_id, nugget.run_id, nugget.snippet_id
        marked.setdefault(nugget.assessor or nugget.source, {}).setdefault(unit, []).append(nugget.spans)
    labelled |= _looked_at(reviewed, snippets)
    sheet: Sheet[Marks] = {}
    for rater in dict.fromkeys((*marked, *labelled)) if marked else ():
        marks = marked.get(rater, {})
        responses = dict.fromkeys((query_id, run_id) for query_id, run_id, _ in marks)
        looked_at: Iterable[Unit] = labelled.get(rater) or [
            (*response, snippet_id) for response in responses for snippet_id in snippets.get(response, ())
        ]
        sheet[rater] = {unit: tuple(marks.get(unit, ())) for unit in dict.fromkeys((*marks, *sorted(looked_at)))}
    return sheet


def _looked_at(reviewed: Iterable[Reviewed], snippets: Mapping[tuple[str, str], Sequence[str]]) -> dict[str, set[Unit]]:
    """The snippets at which each rater with `reviewed` records looked for nuggets."""
    by_rater: dict[str, list[Reviewed]] = {}
    for review in reviewed:
        if review.step == "nuggets":
            by_rater.setdefault(review.assessor, []).append(review)
    if not by_rater:
        return {}
    # Many raters have few queries each: nobody is asked about the queries of others.
    by_query: dict[str, list[Unit]] = {}
    for (query_id, run_id), ids in snippets.items():
        by_query.setdefault(query_id, []).extend((query_id, run_id, snippet_id) for snippet_id in ids)
    found: dict[str, set[Unit]] = {}
    for rater, reviews in by_rater.items():
        looked = Looked(reviews, "nuggets")
        queries = dict.fromkeys(review.query_id for review in reviews)
        found[rater] = {unit for query_id in queries for unit in by_query.get(query_id, ()) if looked.at(*unit)}
    return found


def _own(nuggets: Iterable[Nugget]) -> list[Nugget]:
    """The nuggets without those that their own rater revised; what others revised is still this rater's."""
    by_rater: dict[str, list[Nugget]] = {}
    for nugget in nuggets:
        by_rater.setdefault(nugget.assessor or nugget.source, []).append(nugget)
    return [nugget for of_rater in by_rater.values() for nugget in unrevised(of_rater)]


def relevant_text_sheet(relevances: Sequence[Relevance], texts: Mapping[Unit, str]) -> Sheet[Marks]:
    """The relevant text of each snippet by assessor: `text_spans`, all of the text where a relevant or redundant
    snippet has none, and nothing where it is irrelevant. Empty where nobody marked relevant text."""
    sheet: Sheet[Marks] = {}
    if all(relevance.text_spans is None for relevance in relevances):
        return sheet
    for relevance in relevances:
        unit = relevance.query_id, relevance.run_id, relevance.snippet_id
        spans = relevance.text_spans
        if relevance.label == "irrelevant":
            spans = SpanSet()
        elif spans is None:
            if unit not in texts:
                continue
            spans = SpanSet([(0, len(texts[unit]))] if texts[unit] else [])
        sheet.setdefault(relevance.assessor, {}).setdefault(unit, (spans,) if spans else ())
    return sheet


def relevance_from_marks(sheet: Mapping[str, Mapping[Unit, Marks]]) -> Sheet[float]:
    """A snippet with a nugget is relevant (1), one in which a rater found none is not (Babko-Malaya 2008)."""
    return {rater: {unit: float(bool(marks)) for unit, marks in marked.items()} for rater, marked in sheet.items()}


def pairs_of_marks(sheet: Mapping[str, Mapping[Unit, Marks]], texts: Mapping[Unit, str]) -> Iterator[PairOfMarks]:
    """Every two raters in every snippet that both looked at and one marked."""
    by_unit: dict[Unit, list[tuple[str, Marks]]] = {}
    for rater, marked in sheet.items():
        for unit, marks in marked.items():
            by_unit.setdefault(unit, []).append((rater, marks))
    for unit, of_raters in by_unit.items():
        if unit in texts:
            _check_fit(unit, texts[unit], of_raters)
        if len(of_raters) < 2 or not any(marks for _, marks in of_raters):
            continue
        meaningful = _Meaningful(texts[unit]) if unit in texts else None
        for (left, lefts), (right, rights) in combinations(of_raters, 2):
            if not lefts and not rights:
                continue
            overlap = difference = credit = None
            if meaningful is not None:
                a, b = _covered(lefts), _covered(rights)
                overlap = meaningful.length(a.intersection(b))
                difference = meaningful.length(a) + meaningful.length(b) - 2 * overlap
                credit = _best_credit(lefts, rights, meaningful)
            exact = (Counter(lefts) & Counter(rights)).total()
            yield PairOfMarks(
                unit=unit, left=left, right=right, nuggets=(len(lefts), len(rights)), exact=exact, credit=credit,
                overlap=overlap, difference=difference,
            )  # fmt: skip


def nugget_overlap(
    pairs: Sequence[PairOfMarks], *, per_snippet: bool = False, groups: ArrayLike | None = None, seed: int = 0
) -> Coefficient:
    """Overlap / (0.5 Diff + Overlap) in meaningful characters (Babko-Malaya 2008), where both raters have nuggets.

    Characters are pooled over snippets and pairs of raters; with `per_snippet` it is the mean of their own ratios.
    """
    both = [position for position, pair in enumerate(pairs) if all(pair.nuggets)]
    counted = [position for position in both if pairs[position].overlap is not None]
    shares = np.array([(pairs[p].overlap or 0, pairs[p].difference or 0) for p in counted], dtype=float).reshape(-1, 2)
    whole = shares[:, 0] + shares[:, 1] / 2
    if per_snippet:
        # A snippet of which both marked nothing but punctuation has no ratio.
        shares, whole = divide(shares[:, :1], whole[:, None]), np.ones(len(whole))
    usable = ~np.isnan(shares[:, 0])
    kept = [position for position, use in zip(counted, usable, strict=True) if use]
    numbers = group_numbers(groups, len(pairs))
    return _ratio(
        shares[usable, 0], whole[usable], [pairs[p] for p in kept], None if numbers is None else numbers[kept], seed,
        NO_TEXT if both and not counted else NOT_BOTH,
    )  # fmt: skip


def span_f1(
    pairs: Sequence[PairOfMarks], *, partial: bool = False, groups: ArrayLike | None = None, seed: int = 0
) -> Coefficient:
    """2 * matched / (nuggets of one + nuggets of the other), pooled over snippets and pairs of raters.

    exact: a nugget is matched where the other has one with the same spans. partial: nuggets are matched one to one so
    that the sum of their Dice coefficients 2 |a & b| / (|a| + |b|) is largest, and that sum counts.
    """
    numbers = group_numbers(groups, len(pairs))
    if partial and pairs and all(pair.credit is None for pair in pairs):
        return _ratio(np.zeros(0), np.zeros(0), (), None, seed, NO_TEXT)
    kept = [position for position, pair in enumerate(pairs) if not partial or pair.credit is not None]
    used = [pairs[position] for position in kept]
    matched = np.array([2 * (pair.credit or 0) if partial else 2.0 * pair.exact for pair in used])
    nuggets = np.array([float(sum(pair.nuggets)) for pair in used])
    return _ratio(matched, nuggets, used, None if numbers is None else numbers[kept], seed, NO_MARKS)


def nugget_alpha(
    sheet: Mapping[str, Mapping[Unit, Marks]], texts: Mapping[Unit, str], *, by_query: bool = False, seed: int = 0
) -> Coefficient:
    """Krippendorff's alpha_U of the text inside nuggets, in code points; nuggets that touch or overlap are one unit.

    Over all snippets that two raters looked at; by_query: whole queries are resampled.
    """
    by_unit: dict[Unit, list[Marks]] = {}
    for marked in sheet.values():
        for unit, marks in marked.items():
            by_unit.setdefault(unit, []).append(marks)
    known = [unit for unit in by_unit if unit in texts]
    if by_unit and not known:
        return Coefficient(value=None, units=0, raters=len(sheet), reason=NO_TEXT)
    continua = [
        Continuum(
            len(texts[unit]),
            [_covered(marks) for marks in by_unit[unit]],
        )
        for unit in known
    ]
    groups = np.unique([unit[0] for unit in known], return_inverse=True)[1] if by_query else None
    return unitized_alpha(continua, raters=len(sheet), groups=groups, seed=seed)


def _ratio(
    numerators: Floats, denominators: Floats, pairs: Sequence[PairOfMarks], groups: ArrayLike | None, seed: int,
    reason: str,
) -> Coefficient:  # fmt: skip
    units = len({pair.unit for pair in pairs})
    raters = len({name for pair in pairs for name in (pair.left, pair.right)})
    if not denominators.sum():
        return Coefficient(value=None, units=units, raters=raters, reason=reason)
    table = np.column_stack([numerators, denominators])
    # The pairs of raters of one snippet are not independent.
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(pair.unit for pair in pairs))}
    together = groups if groups is not None else [numbers[pair.unit] for pair in pairs]
    rows = WeightedRows(table, np.ones(len(table)), group_numbers(together, len(table)))

    def ratio(weights: Floats) -> Floats:
        sums = weights @ table
        return divide(sums[:, 0], sums[:, 1])

    # A share of what was marked: it cannot be below 0.
    return rows.coefficient(ratio, units=units, raters=raters, undefined=reason, seed=seed, bounds=UNIT)


class _Meaningful:
    """How many letters and digits of a text lie in spans, counted once for many questions."""

    def __init__(self, text: str) -> None:
        self._before = list(accumulate(map(str.isalnum, text), initial=0))

    def length(self, spans: SpanSet) -> int:
        return sum(self._before[end] - self._before[start] for start, end in spans)


def _covered(marks: Marks) -> SpanSet:
    """All that the nuggets cover."""
    return marks[0] if len(marks) == 1 else SpanSet(span for spans in marks for span in spans)


def _check_fit(unit: Unit, text: str, of_raters: Iterable[tuple[str, Marks]]) -> None:
    for rater, marks in of_raters:
        if not all(spans.fits(text) for spans in marks):
            raise UnfitInput(
                f"query {unit[0]}, run {unit[1]}, snippet {unit[2]}: a nugget of {rater} ends after the text of "
                f"{len(text)} characters; the files speak of different texts"
            )


def _best_credit(lefts: Marks, rights: Marks, meaningful: _Meaningful) -> float:
    if not lefts or not rights:
        return 0.0
    sizes = [[meaningful.length(spans) for spans in many] for many in (lefts, rights)]
    dice = np.zeros((len(lefts), len(rights)))
    for row, left in enumerate(lefts):
        for column, right in enumerate(rights):
            both = meaningful.length(left.intersection(right))
            if both:
                dice[row, column] = 2 * both / (sizes[0][row] + sizes[1][column])
            elif left == right:
                # Equal nuggets without a letter are equal all the same.
                dice[row, column] = 1.0
    if dice.size == 1:
        return float(dice[0, 0])
    from scipy.optimize import linear_sum_assignment

    return float(dice[linear_sum_assignment(dice, maximize=True)].sum())
