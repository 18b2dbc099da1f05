"""Two levels of a cascade -> one: the later level's word where it was asked and gave an answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Matches
from karat.text.response_units import UnitPlace, Units


def merged(first: Matches, second: Matches, *, rows: NDArray[np.intp], asked: NDArray[np.bool_], level: int) -> Matches:
    """`second` has only the responses `rows` of `first`, and was asked about some of their pairs.

    Levels may look at other units: a response then has those of both, one after the other.
    """
    units, shift_first, shift_second = _joined(first.units, second.units, rows)
    scores, levels = first.scores.copy(), np.zeros(first.scores.shape, np.int8)
    if first.levels is not None:
        levels = first.levels.copy()
    best = np.where(first.best < 0, -1, first.best + shift_first[:, None]).astype(np.int32)
    objections = {
        (row, column): tuple(replace(one, unit=one.unit + int(shift_first[row])) for one in made)
        for (row, column), made in first.objections.items()
    }
    evidence, failures = dict(first.evidence), dict(first.failures)
    answered = asked & ~np.isnan(second.scores)
    for at, row in enumerate(rows.tolist()):
        use = answered[at]
        scores[row, use] = second.scores[at, use]
        levels[row, use] = level
        moved = np.where(second.best[at] < 0, -1, second.best[at] + shift_second[at])
        best[row, use] = moved[use]
        for column in np.flatnonzero(use).tolist():
            for mine, other in ((evidence, second.evidence), (failures, second.failures)):
                mine.pop((row, column), None)
                if (at, column) in other:
                    mine[row, column] = other[at, column]  # type: ignore[assignment]
            objections.pop((row, column), None)
            if made := second.objections.get((at, column)):
                objections[row, column] = tuple(replace(one, unit=one.unit + int(shift_second[at])) for one in made)
    return Matches(
        scores, best, units, objections, evidence, failures, (*first.notes, *second.notes), levels
    )  # fmt: skip


def _joined(first: Units, second: Units, rows: NDArray[np.intp]) -> tuple[Units, NDArray[np.int64], NDArray[np.int64]]:
    """The units of both, response by response, and by how much the places of each are moved."""
    texts: list[str] = []
    places: list[UnitPlace] = []
    starts = np.zeros(len(first.starts), np.int64)
    shift_first = np.zeros(len(first.starts) - 1, np.int64)
    shift_second = np.zeros(len(rows), np.int64)
    of_row = {row: at for at, row in enumerate(rows.tolist())}
    for row in range(len(first.starts) - 1):
        begin, end = int(first.starts[row]), int(first.starts[row + 1])
        shift_first[row] = len(texts) - begin
        texts += first.texts[begin:end]
        places += first.places[begin:end]
        if (at := of_row.get(row)) is not None:
            begin, end = int(second.starts[at]), int(second.starts[at + 1])
            shift_second[at] = len(texts) - begin
            texts += second.texts[begin:end]
            places += second.places[begin:end]
        starts[row + 1] = len(texts)
    return Units(texts, places, starts), shift_first, shift_second
