"""How well the documents that a run cites support each nug (White et al. 2008, section 6; GALE citation checking).

For a nug and a run, with the credit of a document 1 for full, 1/2 for partial and 0 for no support of a nugget in it:

    precision = credits of the documents that the run cites for its nuggets in the nug / their number
    recall    = credits of the same / credits of all documents that support the nug, pooled over runs
    F         = 2 precision recall / (precision + recall)

A document that several nuggets of a nug cite, or that is cited several times (`citation_id`), has the best of their
credits; assessors of one citation are averaged. A judgement without a nugget holds for all nuggets of its snippet,
unless the nugget has one of its own for the document.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

import msgspec

from karat.measures.base import Array, Measure, Need, ratio
from karat.measures.cases.case import Case
from karat.measures.cases.response_text import is_nuggetized
from karat.measures.distillation.contingency import memberships
from karat.model import CitationJudgement, Nugget

Part = Literal["precision", "recall", "F"]
CREDITS = {"full": 1.0, "partial": 0.5, "none": 0.0, "missing": 0.0}


class NugCitations(msgspec.Struct, frozen=True):
    """The documents of one nug: cited by the run, and supporting it in the pool."""

    nuggets: int
    """How many nuggets the run has in the nug."""
    cited: int
    """How many documents the run cites for them that were judged."""
    credit: float
    pooled_credit: float

    @property
    def precision(self) -> float:
        """0 where nothing is cited: a nugget without a document has no support."""
        return self.credit / self.cited if self.cited else 0.0

    @property
    def recall(self) -> float:
        return self.credit / self.pooled_credit if self.pooled_credit else 0.0

    @property
    def f(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def nug_citations(case: Case, *, words: int = 0) -> dict[str, NugCitations]:
    """The citations of each nug of the query; none where none was judged, or the run not nuggetized.

    `words` leaves out the run's nuggets after that many words; what documents support is pooled over all nuggets.
    """
    pool = case.pool
    if not pool.citation_judgements or not is_nuggetized(case):
        return {}
    of_nugget: dict[str, list[CitationJudgement]] = {}
    of_snippet: dict[tuple[str, str], list[CitationJudgement]] = {}
    for judgement in pool.citation_judgements:
        if judgement.nugget_id is not None:
            of_nugget.setdefault(judgement.nugget_id, []).append(judgement)
        else:
            of_snippet.setdefault((judgement.run_id, judgement.snippet_id), []).append(judgement)

    def documents(nugget: Nugget) -> dict[str, float]:
        shared = of_snippet.get((nugget.run_id, nugget.snippet_id), ())
        return _document_credits(shared) | _document_credits(of_nugget.get(nugget.nugget_id, ()))

    def best(nugget_ids: Iterable[str]) -> dict[str, float]:
        """The credit of each document that these nuggets cite."""
        credits: dict[str, float] = {}
        for nugget in filter(None, map(pool.nugget_by_id.get, nugget_ids)):
            for doc_id, credit in documents(nugget).items():
                credits[doc_id] = max(credit, credits.get(doc_id, 0.0))
        return credits

    by_nug: dict[str, NugCitations] = {}
    members = memberships(case, words=words)
    for nug in pool.whole_nugs:
        if nug.nug_id in members:
            cited = best(members[nug.nug_id])
            pooled = best(member.nugget_id for member in nug.members)
            by_nug[nug.nug_id] = NugCitations(
                len(members[nug.nug_id]), len(cited), sum(cited.values()), sum(pooled.values())
            )
    return by_nug


Cited = tuple[str, str | None]
"""A document and the id of its citation; None: whichever citation of it."""


def mean_credits(judgements: Iterable[CitationJudgement], *, partial: float = CREDITS["partial"]) -> dict[Cited, float]:
    """The credit of each citation that was judged, averaged over those who judged it."""
    said: dict[Cited, list[float]] = {}
    for judgement in judgements:
        credit = partial if judgement.support == "partial" else CREDITS[judgement.support]
        said.setdefault((judgement.doc_id, judgement.citation_id), []).append(credit)
    return {cited: sum(credits) / len(credits) for cited, credits in said.items()}


def _document_credits(judgements: Iterable[CitationJudgement]) -> dict[str, float]:
    """The credit of each document: the best of its citations."""
    best: dict[str, float] = {}
    for (doc_id, _), credit in mean_credits(judgements).items():
        best[doc_id] = max(credit, best.get(doc_id, 0.0))
    return best


class NugCitation(Measure, frozen=True, kw_only=True):
    """Precision, recall or F of the documents cited for a nug, averaged over nugs.

    precision: over the nugs in which the run has nuggets. recall: over the nugs that some document supports. F: over
    both kinds.
    """

    part: Part

    COUNTS: ClassVar[tuple[str, ...]] = ("sum", "nugs")

    @property
    def base(self) -> str:
        return f"citation_{self.part}"

    def needs(self) -> tuple[Need, ...]:
        return ("nugs", "nuggets", "citations")

    def undefined(self) -> str:
        if self.part == "precision":
            return "the run has no nugget in a nug, or no citation was judged"
        return "no document is known to support a nug"

    def counts(self, case: Case) -> tuple[float, ...]:
        every = nug_citations(case).values()
        if self.part == "precision":
            values = [citations.precision for citations in every if citations.nuggets]
        elif self.part == "recall":
            values = [citations.recall for citations in every if citations.pooled_credit]
        else:
            values = [citations.f for citations in every if citations.nuggets or citations.pooled_credit]
        return sum(values), float(len(values))

    def values(self, counts: Array) -> Array:
        return ratio(counts[..., 0], counts[..., 1])
