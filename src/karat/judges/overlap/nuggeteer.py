"""Nuggeteer (Marton & Radul 2006): weighted recall of a nug's n-grams in a response.

    Recall(g, r) = sum over the n-grams f of r, up to n words, of W(g, f) I(g, f)
    W(g, f) = sum of the idf of the words of f (or 1), for an n-gram of the nug's references, else 0
    I(g, f) = 1 - (other nugs of the question that have f) / (nugs of the question)

divided by the recall of the nug's own description, so that a response that repeats it scores 1.

Where the paper is not clear: informativeness as printed counts the nug itself, so that all responses to a question with
one nug would score 0 (`informativeness=printed`). An n-gram counts once, however often it occurs (`positions=true`:
every time). The paper's setting is nuggeteer(unit=snippet,n=2,stem=none,stop=keep). The defaults were chosen among a
few settings on REALSumm and SummHay, within 0.002 of the best mean AUC there; some of them had been tried on TREC RAG
2024 before. (Windows that span several snippets came later, and cost 0.016 of AUC on SummHay.) The AQUAINT idf table is
not public: idf comes from the pool of responses, or from a file (`--idf FILE`).

By equation (1), i(g', f) = 1 where f occurs in a *response* that contains g'; weights come from the description. That
is `counted_in=responses`, which needs judged responses (a nug that no judged response contains has none of its n-grams
counted). The default counts in the references of the nugs, which are always at hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Judge, Matcher, Task
from karat.judges.overlap.overlap import OverlapMatcher
from karat.text.idf import idf_from_table
from karat.text.ngrams import NgramSpace
from karat.text.response_units import UnitKind
from karat.text.stems import StemmerName
from karat.text.vocabulary import Spelling

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weights = Literal["idf", "count"]
Informativeness = Literal["others", "printed", "none"]
References = Literal["descriptions", "examples", "both"]
CountedIn = Literal["references", "responses"]


class Nuggeteer(Judge, frozen=True, kw_only=True):
    """Weighted n-gram recall with informativeness."""

    unit: UnitKind = "window"
    n: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1
    weights: Weights = "idf"
    informativeness: Informativeness = "others"
    counted_in: CountedIn = "references"
    stem: StemmerName = "english"
    stop: Literal["keep", "drop"] = "drop"
    references: References = "descriptions"
    positions: bool = False
    normalize: bool = True

    @property
    def name(self) -> str:
        return "nuggeteer"

    @property
    def reads_known(self) -> bool:
        return self.references != "descriptions" or (self.counted_in == "responses" and self.informativeness != "none")

    @property
    def reads_idf(self) -> bool:
        return self.weights == "idf"

    def matcher(self, task: Task) -> Matcher:
        return OverlapMatcher(
            [references_of(task, at, self.references) for at in range(len(task.nugs))],
            spelling=Spelling(self.stem, self.stop == "keep"),
            n=self.n,
            weigh=lambda space: ngram_weights(space, task, self.weights),
            informativeness=None if self.informativeness == "none" else self._informativeness,
            counted=[task.examples_of(nug.nug_id) for nug in task.nugs] if self.counted_in == "responses" else None,
            judged=[len(task.examples_of(nug.nug_id)) for nug in task.nugs]
            if self.references != "descriptions"
            else (),
            positions=self.positions,
            normalize=self.normalize,
        )

    def _informativeness(self, by_nug: csr_array, counted: csr_array) -> csr_array:
        """I(g, f) of the n-grams of each nug, given in which nugs' texts each n-gram is counted."""
        nugs = by_nug.shape[0]
        having = np.asarray(counted.sum(axis=0)).ravel()
        others = having[by_nug.indices]
        if self.informativeness != "printed":
            owner = np.repeat(np.arange(nugs), np.diff(by_nug.indptr))
            others = others - np.asarray(counted[owner, by_nug.indices]).ravel()
        informativeness = by_nug.astype(np.float64)
        informativeness.data = 1.0 - others / nugs
        return informativeness


def references_of(task: Task, at: int, kind: References = "descriptions") -> list[str]:
    """The texts that say what a nug is: its descriptions, texts known to contain it, or both."""
    nug = task.nugs[at]
    examples = task.examples_of(nug.nug_id) if kind != "descriptions" else []
    return examples if kind == "examples" and examples else [*nug.descriptions, *examples]


def ngram_weights(space: NgramSpace, task: Task, weights: Weights) -> NDArray[np.float64]:
    """The weight of every n-gram: 1, or the sum of the idf of its words."""
    if weights == "count":
        return np.ones(len(space))
    words = space.vocabulary
    idf = task.texts().idf(words) if task.idf is None else idf_from_table(words, task.idf)
    return space.sums(np.maximum(idf, 0.0))
