"""How much single nugs change the score of a query: contained against not contained."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from karat.evaluate.score.errors.judge_draws import is_plain
from karat.measures.base import Array, Measure
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases
from karat.measures.cases.credits import lenient, nug_credits, strict
from karat.model import Judgement, Nug

DECIMALS = 12
"""Effects that differ by less are equal: they differ by the order of a sum."""


def effects_of(cases: Cases, measure: Measure, nugs: Collection[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """The effect of each of these nugs (query_id, nug_id) in the first response that a program judged for it.

    One response is enough: the effects only decide the order of the questions.
    """
    effects: dict[tuple[str, str], float] = {}
    for (query_id, run_id), judged in cases.judgements.items():
        first = {
            judgement.nug_id: judgement
            for judgement in reversed(judged)
            if judgement.probabilities
            and (query_id, judgement.nug_id) in nugs
            and (query_id, judgement.nug_id) not in effects
        }
        if first:
            case = cases.case(run_id, query_id)
            of_case = np.zeros(len(first)) if case is None else _effects(case, list(first.values()), measure)
            effects |= {(query_id, nug_id): effect for nug_id, effect in zip(first, of_case.tolist(), strict=True)}
    return effects


def _effects(case: Case, judgements: Sequence[Judgement], measure: Measure) -> Array:
    counts = _counts_by_slopes(case, judgements, measure)
    if counts is None:
        counts = np.array([[measure.counts(guess) for guess in _sure(case, each, measure)] for each in judgements])
    none, full = measure.values(np.asarray(counts, dtype=float)).T
    return np.asarray(np.round(np.nan_to_num(np.abs(full - none)), DECIMALS), dtype=np.float64)


def _counts_by_slopes(case: Case, judgements: Sequence[Judgement], measure: Measure) -> Array | None:
    """The counts of the case without and with the nug of each judgement (judgements, 2, counts), in linear time.

    The counts are those of the case plus slope times change of credit. None where the counts of the measure are not
    linear in the credits, or where it is not only the credit of one whole nug that changes.
    """
    if not measure.is_linear(case) or any(judgement.snippet_id is not None for judgement in case.judgements):
        return None
    credit = lenient if measure.crediting(case) == "lenient" else strict
    families = _Families(case)
    roots: list[str] = []
    changes: list[tuple[float, float]] = []
    for judgement in judgements:
        root, nugs, judged = families.of(judgement)
        credits = [
            nug_credits(nugs, guess, credit).credits.get(root) for guess in (judged, *_guesses(judged, judgement))
        ]
        now, none, full = credits
        if now is None or none is None or full is None:
            if any(each is not None for each in credits):
                return None
            # It counts for nothing, whatever was said about it: it is not in the key.
            now = none = full = 0.0
        roots.append(root)
        changes.append((none - now, full - now))
    slopes = measure.credit_slopes(case, roots)
    counts: Array = np.array(measure.counts(case)) + np.array(changes)[:, :, None] * slopes[:, None, :]
    return counts


class _Families:
    """The nugs of a case with their parts: whole nugs, whose credits do not depend on one another."""

    def __init__(self, case: Case) -> None:
        parents = {nug.nug_id: nug.parent for nug in case.pool.nugs if nug.parent is not None}
        self._roots: dict[str, str] = {}
        for nug_id in parents:
            root, seen = nug_id, {nug_id}
            while (parent := parents.get(root)) is not None and parent not in seen:
                seen.add(parent)
                root = parent
            self._roots[nug_id] = root
        self._nugs: dict[str, list[Nug]] = {}
        self._judged: dict[str, list[Judgement]] = {}
        for nug in case.pool.nugs:
            self._nugs.setdefault(self._root(nug.nug_id), []).append(nug)
        for judgement in case.judgements:
            self._judged.setdefault(self._root(judgement.nug_id), []).append(judgement)

    def of(self, judgement: Judgement) -> tuple[str, list[Nug], list[Judgement]]:
        """The whole nug that a judgement is about, it and its parts, and all judgements of them."""
        root = self._root(judgement.nug_id)
        return root, self._nugs.get(root, []), self._judged[root]

    def _root(self, nug_id: str) -> str:
        return self._roots.get(nug_id, nug_id)


def _sure(case: Case, judgement: Judgement, measure: Measure) -> Iterator[Case]:
    """The case as if it were known that the nug is not contained, and that it is."""
    if is_plain(case) and measure.crediting(case) is not None:
        return (case.with_degrees({judgement.nug_id: degree}) for degree in (0.0, 1.0))
    return (replace(case, judgements=guess) for guess in _guesses(case.judgements, judgement))


def _guesses(judgements: Iterable[Judgement], one: Judgement) -> Iterator[list[Judgement]]:
    """The judgements with the degree 0 for one of them, and with the degree 1."""
    for degree in (0.0, 1.0):
        sure = msgspec.structs.replace(one, degree=degree, probabilities={})
        yield [sure if other is one else other for other in judgements]
