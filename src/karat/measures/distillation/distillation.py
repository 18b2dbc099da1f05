"""The scores of information distillation (White et al. 2008, section 6), from a table of counts.

    precision = right / (right + wrong)
    recall    = right / (right + missing)
    rightness = right / (right + wrong + missing), at most the smaller of the two
    accuracy  = (right + other) / all
    F_value   = 2 precision recall / (precision + recall)

Proficiency: of x = 1 (relevant) and y = 1 (in the response), the share of the information on x that y carries,

    proficiency = I(x; y) / H(x),  where H(x) = 0: 1 if H(y) = 0, else 0

CW_F_value takes for recall the mean over nugs of the mean degree of the run's nuggets in the nug times the square root
of the F of their citations. How tables are counted is described in contingency.py and rules2012.py; estimates and prior
are added once per table, of a query or pooled.

Precision is undefined for a response that says nothing, recall where there is nothing to find, and everything where no
nug was judged. F_value of an empty response is 0 where there is something to find.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import msgspec
import numpy as np

from karat.measures.base import Array, Crediting, Measure, Need, changed, f_score, ratio
from karat.measures.cases.case import Case
from karat.measures.cases.response_text import Charge, is_nuggetized
from karat.measures.distillation.contingency import Table, contingency, memberships, takes_world_knowledge
from karat.measures.distillation.nug_citations import nug_citations
from karat.measures.distillation.rules2012 import contingency_2012

Part = Literal["precision", "recall", "rightness", "accuracy", "F_value", "proficiency"]
PARTS: tuple[Part, ...] = ("precision", "recall", "rightness", "accuracy", "F_value", "proficiency")
Corpus = Annotated[float, msgspec.Meta(gt=0.0, le=1e18)]
CharactersPerNug = Annotated[float, msgspec.Meta(ge=1e-6, le=1e18)]
TABLE = Table.__struct_fields__
SETTINGS = ("prior", "other", "corpus", "density", "estimate", "charge", "words", "rules")


@dataclass(frozen=True, slots=True)
class Cells:
    """Full tables: estimates and prior are in them. `said` is right as precision sees it."""

    right: Array
    wrong: Array
    missing: Array
    other: Array
    said: Array


class TableMeasure(Measure, frozen=True, kw_only=True):
    """The settings of all distillation measures.

    prior: `bayes` adds 1 to right, wrong and missing. other: how many further nugs the corpus has; with corpus, the
    number of its characters, corpus / density instead. density: characters per nug, without white space. estimate: how
    many wrong nugs un-nuggetized text has, characters / density (`table`, the paper's Table 4) or that less right, at
    least 0 (`formula`, as printed). charge, words: see response_text.py. rules: of 2008 or of 2012.
    """

    prior: Literal["none", "bayes"] = "none"
    other: Annotated[float, msgspec.Meta(ge=0.0, le=1e18)] = 1e5
    corpus: Corpus | None = None
    density: CharactersPerNug = 40.0
    estimate: Literal["table", "formula"] = "table"
    charge: Charge = "irrelevant"
    words: Annotated[int, msgspec.Meta(ge=0)] = 0
    rules: Literal["2008", "2012"] = "2008"

    COUNTS: ClassVar[tuple[str, ...]] = TABLE

    def settings(self) -> dict[str, str]:
        return changed(self, *SETTINGS)

    def needs(self) -> tuple[Need, ...]:
        if self.rules == "2012":
            return ("nuggets", "lengths") if self.words else ("nuggets",)
        return ("nugs", "nuggets", "lengths") if self.words or self.charge == "outside" else ("nugs",)

    def counts(self, case: Case) -> tuple[float, ...]:
        if self.rules == "2012":
            table = contingency_2012(case, words=self.words)
        else:
            table = contingency(case, charge=self.charge, words=self.words)
        return msgspec.structs.astuple(table)

    def crediting(self, case: Case) -> Crediting | None:
        return None if self.rules == "2012" or is_nuggetized(case) else "lenient"

    def needs_relevance_labels(self) -> bool:
        return self.rules == "2012"

    def cells(self, counts: Array) -> Cells:
        """The tables of counts; NaN where nothing was counted."""
        right, wrong, missing, other, chars, repeated, counted = np.moveaxis(counts[..., : len(TABLE)], -1, 0)
        estimated = chars / self.density
        if self.estimate == "formula":
            estimated = np.maximum(0.0, estimated - right)
        prior = np.where(counted > 0, 1.0 if self.prior == "bayes" else 0.0, np.nan)
        corpus = self.other if self.corpus is None else self.corpus / self.density
        return Cells(
            right=right + prior,
            wrong=wrong + estimated + prior,
            missing=missing + prior,
            other=other + corpus,
            said=right + repeated + prior,
        )


class Distillation(TableMeasure, frozen=True, kw_only=True):
    """Precision, recall, rightness, accuracy, F-value or proficiency."""

    part: Part

    @property
    def base(self) -> str:
        return self.part

    def undefined(self) -> str:
        nothing = "no nugget lies in a labelled snippet" if self.rules == "2012" else "no nug was judged"
        if self.part == "precision":
            return f"the response says nothing that is right or wrong, or {nothing}"
        if self.part in ("recall", "F_value"):
            return f"there is nothing to find, or {nothing}"
        if self.part == "rightness":
            return f"nothing is right, wrong or missing, or {nothing}"
        return nothing

    def values(self, counts: Array) -> Array:
        cells = self.cells(counts)
        if self.part == "proficiency":
            return proficiency(cells)
        if self.part == "rightness":
            return ratio(cells.right, cells.right + cells.wrong + cells.missing)
        if self.part == "accuracy":
            correct = cells.right + cells.other
            return ratio(correct, correct + cells.wrong + cells.missing)
        precision = ratio(cells.said, cells.said + cells.wrong)
        recall = ratio(cells.right, cells.right + cells.missing)
        if self.part == "F_value":
            return f_score(precision, recall)
        return precision if self.part == "precision" else recall


class CitationWeightedF(TableMeasure, frozen=True, kw_only=True):
    """F of precision and citation-weighted recall (equations 10 and 11).

    CW recall = (1 / N) sum over the N nugs of mean degree x sqrt(F of the citations); a nug in which the run has no
    nugget counts 0, or is left out of N where it takes world knowledge.
    """

    COUNTS: ClassVar[tuple[str, ...]] = (*TABLE, "cited_degrees", "nugs")

    @property
    def base(self) -> str:
        return "CW_F_value"

    def needs(self) -> tuple[Need, ...]:
        return ("nugs", "nuggets", "citations", *(need for need in super().needs() if need == "lengths"))

    def undefined(self) -> str:
        if self.rules == "2012":
            return "no citation was judged, or no nugget lies in a labelled snippet"
        return "no citation was judged"

    def counts(self, case: Case) -> tuple[float, ...]:
        cited = nugs = 0.0
        citations = nug_citations(case, words=self.words)
        degrees = memberships(case, words=self.words)
        for nug in case.pool.whole_nugs:
            if nug.nug_id in citations:
                members = degrees[nug.nug_id].values()
                if members:
                    cited += sum(members) / len(members) * float(np.sqrt(citations[nug.nug_id].f))
                if members or not takes_world_knowledge(nug, case.pool):
                    nugs += 1
        table = super().counts(case)
        if not table[TABLE.index("counted")]:
            # Where nothing was counted there is no precision, so recall 0 is not F 0; nor may it weigh on a pool.
            return (0.0,) * len(self.COUNTS)
        return *table, cited, nugs

    def values(self, counts: Array) -> Array:
        cells = self.cells(counts)
        recall = ratio(counts[..., -2], counts[..., -1])
        return f_score(ratio(cells.said, cells.said + cells.wrong), recall)


def proficiency(cells: Cells) -> Array:
    """I(x; y) / H(x) = 1 - H(x | y) / H(x), by the paper's three cases.

    Where everything in the corpus is relevant (no other nugs at all) and all of it is missing, H(x) = H(y) = 0 would
    make silence perfect: it scores 0.
    """
    of_x = _entropy(cells.right + cells.missing, cells.wrong + cells.other)
    of_y = _entropy(cells.right + cells.wrong, cells.missing + cells.other)
    of_x_given_y = _entropy(cells.right, cells.wrong) + _entropy(cells.missing, cells.other)
    share = np.clip(1.0 - ratio(of_x_given_y, of_x), 0.0, 1.0)
    value = np.where(of_x > 0, share, np.where((of_y > 0) | (cells.missing > 0), 0.0, 1.0))
    return np.where(np.isnan(of_x), np.nan, value)


def _entropy(first: Array, second: Array) -> Array:
    """The entropy of two counts times their sum, in nats: a log((a + b) / a) + b log((a + b) / b); 0 log 0 = 0.

    A few against 10^9 loses no digits: the share near 1 goes through log1p and nothing is normalised.
    """
    small, large = np.minimum(first, second), np.maximum(first, second)
    some = small > 0
    small_, large_ = np.where(some, small, 1.0), np.where(some, large, 1.0)
    entropy = small_ * (np.log(small_ + large_) - np.log(small_)) + large_ * np.log1p(small_ / large_)
    return np.where(some, entropy, np.where(np.isnan(small), np.nan, 0.0))
