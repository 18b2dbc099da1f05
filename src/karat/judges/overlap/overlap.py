"""Weighted overlap of n-grams, which Nuggeteer, Pourpre and Qaviar have in common.

    score(nug, text) = sum of W(nug, f) over the n-grams f that both have / the same sum over the nug's own n-grams

One sparse product gives the scores of all texts and nugs. A nug with several references has the score of the best one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Matcher, Scores
from karat.text.ngrams import NgramSpace
from karat.text.vocabulary import Spelling, Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS = 1 << 20
"""The size of a table of n-grams and texts that fits into the cache of a processor."""
LEAST_TEXTS = 16


class OverlapMatcher(Matcher):
    """The references of all nugs, with weights by n-gram and nug."""

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        *,
        spelling: Spelling,
        n: int,
        weigh: Callable[[NgramSpace], NDArray[np.float64]],
        informativeness: Callable[[csr_array, csr_array], csr_array] | None = None,
        counted: Sequence[Sequence[str]] | None = None,
        judged: Sequence[int] = (),
        positions: bool = False,
        normalize: bool = True,
    ) -> None:
        """Make the weights.

        references: the texts of each nug. weigh: gives the weight of every n-gram. informativeness: takes which nugs
        have which n-grams in their references, and which have them in the texts where n-grams are counted (both nugs x
        n-grams, 0 or 1), and gives a factor for each of the first. counted: these texts of each nug; the references
        where none are given. judged: how many of each nug's references, the last ones, are judged texts. positions: a
        repeated n-gram counts every time.
        """
        from scipy.sparse import csr_array, diags_array

        texts = [text for of_nug in references for text in of_nug]
        vocabulary = Vocabulary(texts, spelling)
        self.space = NgramSpace(vocabulary, texts, n=n) if texts else None
        self.positions = positions
        self.texts, self.judged = texts, judged
        self.starts = np.cumsum([0, *(len(of_nug) for of_nug in references)])
        if self.space is None or not len(self.space):
            self.space = None
            return
        rows = self.space.rows(texts)
        weights = rows @ diags_array(weigh(self.space))
        if informativeness is not None:
            by_nug = _by_nug(references, self.space)
            factors = informativeness(by_nug, by_nug if counted is None else _by_nug(counted, self.space))
            weights = weights.multiply(factors[np.repeat(np.arange(len(references)), np.diff(self.starts))])
        self.weights = csr_array(weights.astype(np.float32))
        """References x n-grams."""
        self.weights.sort_indices()
        full = self.weights
        if positions:
            full = csr_array(full.multiply(self.space.rows(texts, counts=True)))
        # Summed in the same order as the score of a text: a text that repeats the description has exactly 1.
        total = full @ np.ones(len(self.space), np.float32)
        self.norm = np.where(total > 0, total, np.float32(np.inf)) if normalize else np.ones_like(total)
        self._features = lru_cache(maxsize=64)(self._features_of)

    def score(self, texts: Sequence[str]) -> Scores:
        scores = np.zeros((len(texts), len(self.starts) - 1), np.float32)
        if self.space is None:
            return scores
        counts = np.diff(self.starts)
        has = counts > 0
        width = min(max(LEAST_TEXTS, CELLS // len(self.space)), max(1, len(texts)))
        start = 0
        for table in self.space.tables(texts, width=width, counts=self.positions):
            # The weights of the nugs are far sparser than the texts: their product with a dense table is the fastest.
            product = self.weights @ table
            product /= self.norm[:, None]
            if (counts > 1).any():
                product = np.maximum.reduceat(product, self.starts[:-1][has], axis=0)
            scores[start : start + width, has] = product.T
            start += width
        return scores

    def words(self, text: str, nug: int) -> list[str]:
        if self.space is None:
            return []
        present = self._features(text)
        weight: dict[int, float] = {}
        of_nug = self.weights[self.starts[nug] : self.starts[nug + 1]]
        for column, value in zip(of_nug.indices.tolist(), of_nug.data.tolist(), strict=True):
            if value > 0 and column in present:
                weight[column] = max(value, weight.get(column, 0.0))
        return [self.space.text_of(column) for column in sorted(weight, key=lambda column: (-weight[column], column))]

    def judged_text(self, text: str, nug: int) -> str | None:
        if self.space is None or not len(self.judged) or not self.judged[nug]:
            return None
        first, last = int(self.starts[nug]), int(self.starts[nug + 1])
        row = self.space.rows([text], counts=self.positions)
        scores = (self.weights[first:last] @ row.T).toarray().ravel() / self.norm[first:last]
        best = int(np.argmax(scores))
        return self.texts[first + best] if scores[best] > 0 and best >= last - first - self.judged[nug] else None

    def _features_of(self, text: str) -> frozenset[int]:
        assert self.space is not None
        return frozenset(self.space.rows([text]).indices.tolist())


def _by_nug(texts: Sequence[Sequence[str]], space: NgramSpace) -> csr_array:
    """Which nugs have which n-grams in their texts (nugs x n-grams, 0 or 1)."""
    from scipy.sparse import csr_array

    flat = [text for of_nug in texts for text in of_nug]
    if not flat:
        return csr_array((len(texts), len(space)))
    owner = np.repeat(np.arange(len(texts)), [len(of_nug) for of_nug in texts])
    owners = csr_array((np.ones(len(flat)), (owner, np.arange(len(flat)))), shape=(len(texts), len(flat)))
    by_nug = csr_array(owners @ space.rows(flat))
    by_nug.data[:] = 1.0
    return by_nug
