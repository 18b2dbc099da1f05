"""The nugget F-score of the TREC question answering tracks, binary, by pyramid, and averaged over assessors.

    r = weight of the nugs found, R = weight of all nugs (binary: 1 for a vital nug, 0 for an okay one)
    recall     = r / R
    allowance  = 100 characters for each nug found, vital or okay
    precision  = 1 if the length is below the allowance, else 1 - (length - allowance) / length
    F(beta)    = (beta^2 + 1) precision recall / (beta^2 precision + recall)

Voorhees 2003; Dang & Lin 2007, figure 1. The length counts characters that are no white space, over the whole
response. A nug is credited once per response, and only where it is contained in full. A question whose key gives no
weight (no vital nug) has undefined recall and F; an empty response has recall and F 0 and undefined precision. Where
nugs with weight were found in a response without text the records contradict each other: F is undefined as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import msgspec
import numpy as np

from karat.measures.base import Array, Crediting, Measure, Need, f_score, number, ratio
from karat.measures.cases.case import Case, Pool
from karat.measures.pyramid_weights import ballots, pyramid_weights

ALLOWANCE = 100.0
Part = Literal["F", "recall", "precision"]
Weighing = Literal["binary", "pyramid"]


class NuggetF(Measure, frozen=True):
    """F(beta), or only its recall or precision, with binary or pyramid weights."""

    weighing: Weighing = "binary"
    part: Part = "F"
    beta: float = 3.0

    COUNTS: ClassVar[tuple[str, ...]] = ("weight_found", "weight", "found", "length")

    def needs(self) -> tuple[Need, ...]:
        return ("nugs", "judgements") if self.part == "recall" else ("nugs", "judgements", "lengths")

    def undefined(self) -> str:
        if self.part == "precision":
            return "the response is empty, or no nug was judged"
        reason = (
            "the key has no vital nug that was judged"
            if self.weighing == "binary"
            else "no nug has votes or a weight above 0"
        )
        return f"{reason}, or some were found in a response without text" if self.part == "F" else reason

    @property
    def base(self) -> str:
        if self.part == "F":
            return f"{'pyramid_' if self.weighing == 'pyramid' else ''}F{number(self.beta)}"
        return f"{'pyramid' if self.weighing == 'pyramid' else 'nugget'}_{self.part}"

    def counts(self, case: Case) -> tuple[float, ...]:
        credits = case.strict.credits
        weights = self._weights(case.pool)
        weight_found = sum(credit * weights.get(nug_id, 0.0) for nug_id, credit in credits.items())
        weight = sum(weights.get(nug_id, 0.0) for nug_id in credits)
        if not credits or (not weight and self.part != "precision"):
            # A question that has no score must not be charged for its length where questions are pooled.
            return 0.0, 0.0, 0.0, 0.0
        if self.part == "recall" or case.length:
            return weight_found, weight, sum(credits.values()), float(case.length)
        # Without text nothing is allowed, and what was found there nevertheless has no score.
        return (0.0, 0.0, 0.0, 0.0) if weight_found else (0.0, weight, 0.0, 0.0)

    def values(self, counts: Array) -> Array:
        recall = ratio(counts[..., 0], counts[..., 1])
        if self.part == "recall":
            return recall
        precision = allowed_precision(counts[..., 2], counts[..., 3])
        return precision if self.part == "precision" else f_score(precision, recall, self.beta)

    def crediting(self, case: Case) -> Crediting:
        return "strict"

    def is_linear(self, case: Case) -> bool:
        return self.part == "recall" or case.length > 0

    def credit_slopes(self, case: Case, nug_ids: Sequence[str]) -> Array:
        credits, weights = case.strict.credits, self._weights(case.pool)
        slopes = np.zeros((len(nug_ids), len(self.COUNTS)))
        # A question that has no score counts nothing, whatever was found.
        if self.part == "precision" or any(weights.get(nug_id) for nug_id in credits):
            slopes[:, 0] = [weights.get(nug_id, 0.0) if nug_id in credits else 0.0 for nug_id in nug_ids]
            slopes[:, 2] = [nug_id in credits for nug_id in nug_ids]
        return slopes

    def takes_pyramid_weights(self) -> bool:
        return self.weighing == "pyramid"

    def binary_form(self) -> NuggetF | None:
        if (self.weighing, self.part) != ("pyramid", "F"):
            return None
        return msgspec.structs.replace(self, weighing="binary")

    def depends_on_votes(self) -> bool:
        return self.weighing == "pyramid" and self.part != "precision"

    def values_by_weight(self, credits: Array, weights: Array, lengths: Array) -> Array:
        judged = ~np.isnan(credits)
        credited = np.where(judged, credits, 0.0)
        counts = (credited @ weights, judged @ weights, credited.sum(axis=1), lengths)
        return self.values(np.stack(counts, axis=-1))

    def _weights(self, pool: Pool) -> Mapping[str, float]:
        if self.weighing == "pyramid":
            return pyramid_weights(pool).weights
        return {nug_id: float(importance == "vital") for nug_id, importance in pool.importance.items()}


class MacroF(Measure, frozen=True):
    """The mean over assessors of the F-score by each one's own votes (Dang & Lin 2007, section 4.1).

    macro F = sum of F_a over the assessors a / their number

    Votes may be graded; recall is then weighted by them. An assessor who gives no nug of the question any weight is
    left out of its mean. An assessor who voted on two occasions counts as two.
    """

    beta: float = 3.0

    COUNTS: ClassVar[tuple[str, ...]] = ("sum_of_F", "assessors", "assessors_left_out")

    def needs(self) -> tuple[Need, ...]:
        return ("nugs", "judgements", "lengths")

    def undefined(self) -> str:
        return "nobody voted any nug vital, or some were found in a response without text"

    @property
    def base(self) -> str:
        return f"macro_F{number(self.beta)}"

    def counts(self, case: Case) -> tuple[float, ...]:
        credits = case.strict.credits
        number_found, length = sum(credits.values()), float(case.length)
        rows = [
            (
                sum(credit * ballot.get(nug_id, 0.0) for nug_id, credit in credits.items()),
                sum(ballot.get(nug_id, 0.0) for nug_id in credits),
                number_found,
                length,
            )
            for ballot in ballots(case.pool.whole_nugs, case.pool.votes).values()
        ]
        if not rows or (not length and any(weight_found for weight_found, *_ in rows)):
            return 0.0, 0.0, float(len(rows))
        scores = NuggetF(beta=self.beta).values(np.asarray(rows))
        defined = ~np.isnan(scores)
        return float(scores[defined].sum()), float(defined.sum()), float((~defined).sum())

    def values(self, counts: Array) -> Array:
        return ratio(counts[..., 0], counts[..., 1])

    def crediting(self, case: Case) -> Crediting:
        return "strict"

    def depends_on_votes(self) -> bool:
        return True

    def averages_assessors(self) -> bool:
        return True

    def values_by_weight(self, credits: Array, weights: Array, lengths: Array) -> Array:
        return NuggetF(beta=self.beta).values_by_weight(credits, weights, lengths)

    def ballots_left_out(self, counts: Array) -> int:
        left_out = np.nan_to_num(counts[..., self.COUNTS.index("assessors_left_out")])
        return int(left_out.max(axis=0).sum())


def allowed_precision(found: Array, length: Array) -> Array:
    """1 below the allowance, then allowance / length; NaN where nothing was said, whatever was found there."""
    allowance = ALLOWANCE * found
    return ratio(np.minimum(allowance, length), length)
