"""What a judge's errors do to the difference of two runs: both are drawn, with the errors that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.score.errors.judge_error import JudgeError
from karat.measures.base import Array
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases
from karat.model import Judgement
from karat.stats.intervals.bootstrap import Interval
from karat.stats.significance.added_variance import SharedErrors

PAIRS_AT_ONCE = 500


@dataclass(frozen=True)
class JudgeDifferences:
    """What `JudgeError` says about the runs that are compared."""

    draws: Array
    """Their scores as the judge might have judged (runs x draws)."""
    lasting: Array | SharedErrors
    """The covariance (runs x runs) by errors that other queries would have as well."""
    of_equal_runs: Array | SharedErrors
    """The same where the runs do not differ, for tests of that."""

    @classmethod
    def of(cls, error: JudgeError, table: int, rows: Sequence[int]) -> JudgeDifferences:
        """Of some rows of a table."""

        def of_rows(errors: Array | SharedErrors) -> Array | SharedErrors:
            return errors.of_rows(rows) if isinstance(errors, SharedErrors) else errors[np.ix_(rows, rows)]

        return cls(
            error.draws(table)[rows], of_rows(error.lasting(table)), of_rows(error.lasting(table, equal_runs=True))
        )

    def intervals(self, pairs: NDArray[np.int64], differences: Array) -> list[Interval | None]:
        """The 2.5 and 97.5 % quantiles of each pair's difference over the draws, widened to contain the difference.

        None where a pair has no difference.
        """
        intervals: list[Interval | None] = []
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            part = pairs[start : start + PAIRS_AT_ONCE]
            drawn = self.draws[part[:, 0]] - self.draws[part[:, 1]]
            quantile = np.nanquantile if np.isnan(drawn).any() else np.quantile
            # A run whose judgements all failed has no score in any draw.
            has_score = ~np.isnan(drawn).all(axis=1)
            ends = np.full((2, len(part)), np.nan)
            ends[:, has_score] = quantile(drawn[has_score], [0.025, 0.975], axis=1)
            values = differences[start : start + PAIRS_AT_ONCE].tolist()
            for low, high, value in zip(*ends.tolist(), values, strict=True):
                known = not np.isnan([low, high, value]).any()
                intervals.append(Interval(min(low, value), max(high, value)) if known else None)
        return intervals


def same_answers(cases: Cases) -> dict[str, str]:
    """Runs whose answers to all queries are those of an earlier run, word for word, and judged alike; with that run.

    What the judge gets wrong about an answer it gets wrong about the same answer of another run: two such runs differ
    by 0, whatever its errors are.
    """
    by_words: dict[object, list[str]] = {}
    for run_id in cases.run_ids:
        words = tuple(_words(cases.case(run_id, query_id)) for query_id in cases.query_ids)
        if None not in words:
            by_words.setdefault(words, []).append(run_id)
    twins = {}
    for alike in (run_ids for run_ids in by_words.values() if len(run_ids) > 1):
        first: dict[object, str] = {}
        for run_id in alike:
            judged = tuple(_judged(cases.judgements.get((query_id, run_id), ())) for query_id in cases.query_ids)
            if (found := first.setdefault(judged, run_id)) != run_id:
                twins[run_id] = found
    return twins


def _words(case: Case | None) -> tuple[str, ...] | None:
    """The words of an answer; None where they are not at hand."""
    return None if case is None or case.response is None else tuple(each.text for each in case.response.snippets)


def _judged(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """How an answer was judged."""
    said = ((each.nug_id, each.degree, sorted(each.probabilities.items()), each.status) for each in judgements)
    return tuple(sorted(map(repr, said)))


def twin_notes(twins: Mapping[str, str], compared: Sequence[str]) -> list[str]:
    """Which of the compared runs have the same answers."""
    return [
        f"run {run_id}: its answers are those of {first}, word for word; the judge errs on both in the same way"
        for run_id, first in twins.items()
        if {run_id, first} <= {*compared}
    ]
