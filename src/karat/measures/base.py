"""Measure, the base of all measures: a frozen value with a name, its counts per query and run, and its scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.measures.cases.case import Case, Pool

Array = NDArray[np.float64]

LARGEST_WEIGHT = 1e100
"""Larger weights of the key count as this weight, so that no sum over nugs and queries is infinite."""

Need = Literal["nugs", "judgements", "lengths", "nuggets", "citations", "times"]
"""A kind of record that a measure cannot do without; scoring asks for it where it is missing."""

Crediting = Literal["strict", "lenient"]
"""Which credits of nugs count: only for nugs that are contained in full, or by degree."""


class Measure(msgspec.Struct, frozen=True):
    """A measure; its fields are its settings.

    `counts` gives the sufficient statistics of one query and run, all of which add up over queries; `values` turns
    counts, one query's or the sum over many, into scores. So means, pooled scores, the bootstrap and permutation
    tests are written once for all measures (the idea is sacrebleu's).
    """

    COUNTS: ClassVar[tuple[str, ...]] = ()
    """The names of the counts."""

    @property
    def base(self) -> str:
        """The name without settings."""
        raise NotImplementedError

    def __str__(self) -> str:
        settings = self.settings()
        return f"{self.base}({','.join(f'{k}={v}' for k, v in settings.items())})" if settings else self.base

    def settings(self) -> dict[str, str]:
        """The settings that differ from their defaults and are not in the base name."""
        return {}

    def needs(self) -> tuple[Need, ...]:
        """The kinds of records that it cannot do without."""
        return ("nugs", "judgements")

    def undefined(self) -> str:
        """The reason why a value may be undefined."""
        return "no nug was judged"

    def less_is_better(self) -> bool:
        """Whether a lower score is the better one."""
        return False

    def is_share(self) -> bool:
        """Whether the score of a query lies between 0 and 1, whatever the key and the response are."""
        return True

    def counts(self, case: Case) -> tuple[float, ...]:
        """The counts of one query and run."""
        raise NotImplementedError

    def counts_of_credits(self, pool: Pool, degrees: Array) -> Array | None:
        """The counts of many responses to a query at once (responses, COUNTS), bit for bit those of `counts`.

        degrees: (responses, nugs of the pool), NaN where a nug was not judged; no nug has parts. None: it needs more
        than degrees.
        """
        return None

    def values(self, counts: Array) -> Array:
        """Scores of counts, whose last axis is COUNTS; NaN where undefined."""
        raise NotImplementedError

    def crediting(self, case: Case) -> Crediting | None:
        """Which credits of nugs it counts in a case; None where it counts no credits (but nuggets, citations, ...)."""
        return None

    def is_linear(self, case: Case) -> bool:
        """Whether every count of a case is a constant plus a sum over whole nugs of weight times credit.

        Where it is true there are `credit_slopes`.
        """
        return False

    def credit_slopes(self, case: Case, nug_ids: Sequence[str]) -> Array:
        """By how much each count of a linear case grows with the credit of each of these whole nugs (nugs, counts)."""
        raise NotImplementedError

    def needs_relevance_labels(self) -> bool:
        """Whether nuggets count only in snippets that somebody labelled as relevant, irrelevant or redundant."""
        return False

    def takes_pyramid_weights(self) -> bool:
        """Whether the weight of a nug comes from the votes of several assessors (a nugget pyramid)."""
        return False

    def binary_form(self) -> Measure | None:
        """The same F with binary weights (vital or not), for an F with pyramid weights; None for other measures."""
        return None

    def depends_on_votes(self) -> bool:
        """Whether scores depend on the votes of assessors, so that they change with the panel of assessors.

        Where it is true there are `values_by_weight`.
        """
        return False

    def averages_assessors(self) -> bool:
        """Whether it is a mean over assessors of the scores by each one's votes. Its counts begin (sum, assessors)."""
        return False

    def values_by_weight(self, credits: Array, weights: Array, lengths: Array) -> Array:
        """The scores of responses by one assessor's votes, or by a panel's pyramid, as weights of the nugs.

        credits: (responses, nugs), NaN where a nug was not judged. weights: (nugs,). lengths: (responses,).
        """
        raise NotImplementedError

    def ballots_left_out(self, counts: Array) -> int:
        """How many ballots, one assessor's votes on one query, do not count; from counts (runs, queries, COUNTS)."""
        return 0


def changed(measure: Measure, *names: str) -> dict[str, str]:
    """Those of the named settings that are not at their defaults, as text that parses back."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(measure)}
    settings = {name: getattr(measure, name) for name in names if getattr(measure, name) != defaults[name]}
    return {name: number(value) if isinstance(value, float) else str(value) for name, value in settings.items()}


def number(value: float) -> str:
    """A number as short as possible: 3, 0.5, 1e5."""
    brief = f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    text = brief if float(brief) == value else repr(value)
    exponent = f"{value:.0e}".replace("e+0", "e").replace("e+", "e")
    return exponent if value >= 10_000 and float(exponent) == value else text


def sums_in_order(parts: Array) -> Array:
    """The sum of each row from left to right, as a loop would add it up: `sum` adds in another order."""
    return parts.cumsum(axis=1)[:, -1] if parts.shape[1] else np.zeros(len(parts))


def none_if_nan(value: float) -> float | None:
    """The value as a float; None where it is NaN, which means undefined."""
    return None if math.isnan(value) else float(value)


def bounded(weight: float) -> float:
    """A weight of the key, at most LARGEST_WEIGHT and at least its negative."""
    return max(-LARGEST_WEIGHT, min(weight, LARGEST_WEIGHT))


def ratio(part: Any, whole: Any) -> Array:
    """part / whole, NaN where the whole is 0 or undefined, or the result is too large for a number."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    with np.errstate(invalid="ignore", over="ignore"):  # NaN is the answer, and comparing it no error
        result: Array = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return np.where(np.isfinite(result), result, np.nan)


def f_score(precision: Any, recall: Any, beta: float = 1.0) -> Array:
    """F(beta) = (beta^2 + 1) P R / (beta^2 P + R); 0 where the recall is 0, whatever the precision."""
    precision, recall = np.broadcast_arrays(np.asarray(precision, float), np.asarray(recall, float))
    below = beta**2 * precision + recall
    with np.errstate(invalid="ignore"):  # NaN is the answer where an undefined recall comes in
        scores = np.divide((beta**2 + 1) * precision * recall, below, out=np.zeros(below.shape), where=below != 0)
    return np.where(recall == 0, 0.0, scores)
