"""How well citations support the chunks they are given for (Babko-Malaya 2008, section 3: citation checking).

A citation names the chunk of its snippet that it supports (all of the snippet where it names none). So it claims to
support the nuggets that lie in the chunk with more than half of their characters, and no others. With the credit of a
claim 1 for full, 1/2 for partial and 0 for no support, as judged for the nugget and document (or, where the nugget has
no judgement of its own, for the snippet and document). Two citations of one document are two claims where judgements
name them (`citation_id`), and one claim where they name only the document:

    precision = sum of the credits of the judged claims / their number
    recall    = sum over nuggets of the best credit of a claim on them / number of nuggets
    F         = 2 precision recall / (precision + recall)

A nugget on which there is no claim counts 0 for recall; one whose claims were all not judged does not count. Where
nobody judged a citation for the query, or the response is not known, all three are undefined.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from karat.measures.base import Array, Measure, Need, f_score, ratio
from karat.measures.cases.case import Case
from karat.measures.cases.response_text import by_snippet, chosen_nuggets
from karat.measures.distillation.nug_citations import Cited, mean_credits
from karat.model import Citation, CitationJudgement, Nugget

Part = Literal["precision", "recall", "F"]


class ChunkCitation(Measure, frozen=True, kw_only=True):
    """Precision, recall or F of what citations claim to support, nugget by nugget."""

    part: Part

    COUNTS: ClassVar[tuple[str, ...]] = ("credit", "claims", "best_credits", "nuggets")

    @property
    def base(self) -> str:
        return f"chunk_{self.part}"

    def needs(self) -> tuple[Need, ...]:
        return ("nuggets", "citations")

    def undefined(self) -> str:
        if self.part == "precision":
            return "no citation was judged for a nugget in its chunk"
        return "no citation was judged, or the response has no nuggets"

    def counts(self, case: Case) -> tuple[float, ...]:
        if case.response is None or not case.pool.citation_judgements:
            return 0.0, 0.0, 0.0, 0.0
        nuggets = by_snippet(chosen_nuggets(case.nuggets, responses=[case.response]))
        credit = claims = best = counted = 0.0
        for snippet in case.response.snippets:
            judged = [one for one in case.citation_judgements if one.snippet_id == snippet.snippet_id]
            for nugget in nuggets.get(snippet.snippet_id, ()):
                claimed = [citation for citation in snippet.citations if claims_support(citation, nugget)]
                credits = _credits(nugget, claimed, judged)
                if claimed and not credits:
                    continue
                credit += sum(credits)
                claims += len(credits)
                best += max(credits, default=0.0)
                counted += 1
        return credit, claims, best, counted

    def values(self, counts: Array) -> Array:
        precision = ratio(counts[..., 0], counts[..., 1])
        recall = ratio(counts[..., 2], counts[..., 3])
        if self.part == "precision":
            return precision
        return recall if self.part == "recall" else f_score(precision, recall)


def claims_support(citation: Citation, nugget: Nugget) -> bool:
    """Whether the chunk of a citation covers more than half of the characters of a nugget of its snippet."""
    if citation.chunk is None:
        return True
    return 2 * nugget.spans.intersection(citation.chunk).length > nugget.spans.length


def _credits(nugget: Nugget, claimed: list[Citation], judged: list[CitationJudgement]) -> list[float]:
    """The credit of each judged claim on a nugget: a judgement of the nugget goes before one of the snippet, and then
    one of the citation before one of the document."""
    credits: dict[tuple[bool, Cited], float] = {}
    for own, said in (
        (True, mean_credits(judgement for judgement in judged if judgement.nugget_id == nugget.nugget_id)),
        (False, mean_credits(judgement for judgement in judged if judgement.nugget_id is None)),
    ):
        rest = []
        for citation in claimed:
            named: Cited = citation.doc_id, citation.citation_id
            decides = next((cited for cited in (named, (citation.doc_id, None)) if cited in said), None)
            if decides is None:
                rest.append(citation)
            else:
                credits[own, decides] = said[decides]
        claimed = rest
    return [*credits.values()]
