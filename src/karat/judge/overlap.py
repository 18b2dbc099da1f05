"""Weighted overlap of n-grams: what Nuggeteer, Pourpre and Qaviar have in common.

    score(nug, text) = sum of W(nug, f) over the n-grams f that both have / the same sum over the nug's own n-grams

One sparse product for all texts and nugs. A nug with several references has the score of the best of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judge.base import Matcher, Scores
from karat.text.ngrams import NgramSpace
from karat.text.vocabulary import Spelling, Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weigh = Callable[[NgramSpace, "csr_array"], NDArray[np.float64]]


class OverlapMatcher(Matcher):
    """References by nug, weights by n-gram and nug."""

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        *,
        spelling: Spelling,
        n: int,
        weigh: Callable[[NgramSpace], NDArray[np.float64]],
        informativeness: Callable[[csr_array], csr_array] | None = None,
        positions: bool = False,
        normalize: bool = True,
    ) -> None:
        """references: the texts of each nug. weigh: the weight of every n-gram. informativeness: from which nugs have
        which n-grams (nugs x n-grams), a factor for each. positions: a repeated n-gram counts every time."""
        from scipy.sparse import csr_array, diags_array

        texts = [text for own in references for text in own]
        vocabulary = Vocabulary(texts, spelling)
        self.space = NgramSpace(vocabulary, texts, n=n) if texts else None
        self.positions = positions
        self.starts = np.cumsum([0, *(len(own) for own in references)])
        if self.space is None or not len(self.space):
            self.space = None
            return
        rows = self.space.rows(texts)
        owner = np.repeat(np.arange(len(references)), np.diff(self.starts))
        by_nug = csr_array(
            (np.ones(len(texts)), (owner, np.arange(len(texts)))), shape=(len(references), len(texts))
        ) @ rows  # fmt: skip
        weights = rows @ diags_array(weigh(self.space))
        if informativeness is not None:
            by_nug.data[:] = 1.0
            weights = weights.multiply(informativeness(by_nug)[owner])
        own = np.asarray(weights.sum(axis=1)).ravel()
        self.norm = np.where(own > 0, own, np.inf) if normalize else np.ones(len(texts))
        self.weights = csr_array(weights.T.astype(np.float32))

    def score(self, texts: Sequence[str]) -> Scores:
        count = len(self.starts) - 1
        if self.space is None or not len(texts):
            return np.zeros((len(texts), count), np.float32)
        product: Scores = (self.space.rows(texts, counts=self.positions) @ self.weights).toarray()
        product /= self.norm.astype(np.float32)
        if product.shape[1] == count:
            return product
        found = np.zeros((len(texts), count), np.float32)
        has = np.diff(self.starts) > 0
        found[:, has] = np.maximum.reduceat(product, self.starts[:-1][has], axis=1)
        return found

    def words(self, text: str, nug: int) -> list[str]:
        if self.space is None:
            return []
        columns = self.space.rows([text]).indices
        references = range(self.starts[nug], self.starts[nug + 1])
        weight = np.zeros(len(self.space))
        for reference in references:
            own = self.weights[:, [reference]].toarray().ravel()
            weight = np.maximum(weight, own)
        heavy = [column for column in columns if weight[column] > 0]
        return [self.space.text_of(column) for column in sorted(heavy, key=lambda column: -weight[column])]
