"""How well a response's citations support its sentences (TREC RAG 2024; Thakur et al. 2025).

With the credit of a judged citation 1 for full support, `partial` for partial support and 0 for none:

    precision = sum of the credits / number of judged citations (of documents, where judgements name no `citation_id`)
    recall    = sum over sentences of the best credit / number of sentences of the response
    F         = 2 precision recall / (precision + recall)

`partial=0.5` (the default) is the weighted form, `partial=0` the strict one. A response that cites nothing has recall
0 and undefined precision; so has an empty response, which also counts as one unsupported sentence, so that for a single
query an empty response is never better. With pooling it may be: many unsupported sentences weigh more than one.
Where there are citations and none of them was judged, or nobody's were for the query, all three are undefined.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from karat.measures.base import Array, Measure, Need, changed, f_score, ratio
from karat.measures.cases.case import Case
from karat.measures.distillation.nug_citations import mean_credits
from karat.model import CitationJudgement

Part = Literal["precision", "recall", "F"]


class Support(Measure, frozen=True, kw_only=True):
    """Precision, recall or F of the support that citations give to sentences."""

    part: Part
    partial: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 0.5

    COUNTS: ClassVar[tuple[str, ...]] = ("credit", "citations", "best_credits", "sentences")

    @property
    def base(self) -> str:
        return f"support_{self.part}"

    def settings(self) -> dict[str, str]:
        return changed(self, "partial")

    def needs(self) -> tuple[Need, ...]:
        return ("citations",)

    def undefined(self) -> str:
        return "no citation of the response was judged"

    def counts(self, case: Case) -> tuple[float, ...]:
        by_sentence: dict[str, list[CitationJudgement]] = {}
        for judgement in case.citation_judgements:
            by_sentence.setdefault(judgement.snippet_id, []).append(judgement)
        credits = [mean_credits(judged, partial=self.partial) for judged in by_sentence.values()]
        sentences = _sentences(case, set(by_sentence))
        if not credits and not (case.pool.citation_judgements and _cites_nothing(case)):
            return 0.0, 0.0, 0.0, 0.0
        return (
            sum(sum(of_documents.values()) for of_documents in credits),
            float(sum(len(of_documents) for of_documents in credits)),
            sum(max(of_documents.values()) for of_documents in credits),
            float(max(sentences, 1)),
        )

    def values(self, counts: Array) -> Array:
        precision = ratio(counts[..., 0], counts[..., 1])
        recall = ratio(counts[..., 2], counts[..., 3])
        if self.part == "precision":
            return precision
        return recall if self.part == "recall" else f_score(precision, recall)


def _sentences(case: Case, judged: set[str]) -> int:
    """The number of snippets with text; judged snippets count even where their text is not known."""
    snippets = case.response.snippets if case.response is not None else ()
    return len(judged | {snippet.snippet_id for snippet in snippets if snippet.text.strip()})


def _cites_nothing(case: Case) -> bool:
    if case.response is None:
        return case.silent
    return not any(snippet.citations for snippet in case.response.snippets)
