"""How near a text is to judged texts of the same query.

w(t) is the idf of a stem, cos(a, b) the cosine of two texts as sets of stems with these weights, K are the judged texts
and K(g) those that contain the nug g. The features of a text u are

    vote(u, g)    = sum over k in K(g) of cos(u, k)^2 / (0.05 + sum over all k in K of cos(u, k)^2)
    nearest(u, g) = max over k in K(g) of cos(u, k)
    marked(u, g)  = max over k in K(g) of the share (by w) of the words marked with g in k that are also in u

The judged texts that do not contain g count in the denominator of the vote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Task
from karat.judges.human.judged_texts import JudgedTexts
from karat.text.idf import idf_from_table
from karat.text.ngrams import NgramSpace
from karat.text.vocabulary import Spelling, Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Values = NDArray[np.float32]
FEATURES = ("vote", "nearest", "marked")
SPELLING = Spelling("english", stop_words=False)
FEW = 0.05
"""Keeps the vote near 0 where all judged texts are far away."""
CELLS = 1 << 22
"""The most pairs (texts x judged texts) that are held at once."""


@dataclass(frozen=True)
class Nearness:
    """The features of some texts and all nugs (texts x nugs); 0 for nugs that no judged text contains."""

    vote: Values
    nearest: Values
    marked: Values


class Neighbours:
    """The judged texts of a task, and which of its nugs they contain."""

    def __init__(self, task: Task, known: JudgedTexts) -> None:
        from scipy.sparse import csr_array

        self.task, self.texts = task, list(known.texts)
        column = {nug.nug_id: at for at, nug in enumerate(task.nugs)}
        marks = sorted((column[mark.nug_id], mark.text, mark.part) for mark in known.marks if mark.nug_id in column)
        self.nug = np.array([nug for nug, _, _ in marks], int)
        self.marked_text = np.array([text for _, text, _ in marks], int)
        self.parts = [part for _, _, part in marks]
        self.has, self.first = np.unique(self.nug, return_index=True)
        """The nugs that some text contains, and the first mark of each."""
        shape = (len(self.texts), len(task.nugs))
        self.contains = csr_array((np.ones(len(marks), np.float32), (self.marked_text, self.nug)), shape=shape)
        # A text may be marked twice with the same nug.
        self.contains.data[:] = 1.0

    def near(self, texts: Sequence[str]) -> Nearness:
        """The features of texts; those of a text do not depend on the other texts."""
        shape = (len(texts), len(self.task.nugs))
        nearness = Nearness(*(np.zeros(shape, np.float32) for _ in FEATURES))
        if not len(self.has):
            return nearness
        # Words that no judged text has make a text less similar to all of them, so they count in its length.
        vocabulary = Vocabulary([*self.texts, *texts], SPELLING)
        if not len(vocabulary):
            return nearness
        space = NgramSpace(vocabulary, [*self.texts, *texts])
        idf = self.task.texts().idf(vocabulary) if self.task.idf is None else idf_from_table(vocabulary, self.task.idf)
        weight = np.maximum(space.sums(idf), 0.0).astype(np.float32)
        judged = _unit_rows(space.rows(self.texts), weight)
        parts = space.rows(self.parts) * weight[None, :]
        total = parts.sum(axis=1)
        parts = (parts * (1 / np.where(total > 0, total, np.inf))[:, None]).tocsr()
        rows = space.rows(texts)
        for some in _blocks(len(texts), max(len(self.texts), len(self.parts))):
            cosine = (judged @ _unit_rows(rows[some], weight).T).toarray()
            nearness.nearest[some, self.has] = np.maximum.reduceat(cosine[self.marked_text], self.first, axis=0).T
            share = (parts @ rows[some].T).toarray()
            nearness.marked[some, self.has] = np.maximum.reduceat(share, self.first, axis=0).T
            squares = cosine**2
            nearness.vote[some] = (self.contains.T @ squares).T / (FEW + squares.sum(axis=0))[:, None]
        return nearness

    def nearest_text(self, text: str, nug: int) -> str | None:
        """The judged text with the nug that is nearest to a text; None where none has a word in common with it."""
        containing = [self.texts[at] for at in self.marked_text[self.nug == nug].tolist()]
        vocabulary = Vocabulary([*containing, text], SPELLING)
        if not containing or not len(vocabulary):
            return None
        space = NgramSpace(vocabulary, [*containing, text])
        idf = self.task.texts().idf(vocabulary) if self.task.idf is None else idf_from_table(vocabulary, self.task.idf)
        weight = np.maximum(space.sums(idf), 0.0).astype(np.float32)
        cosine = (
            (_unit_rows(space.rows(containing), weight) @ _unit_rows(space.rows([text]), weight).T).toarray().ravel()
        )
        best = int(np.argmax(cosine))
        return containing[best] if cosine[best] > 0 else None


def _unit_rows(rows: csr_array, weight: Values) -> csr_array:
    weighted = rows * weight[None, :]
    length = np.sqrt((weighted * weighted).sum(axis=1))
    return (weighted * (1 / np.where(length > 0, length, np.inf))[:, None]).tocsr()


def _blocks(count: int, width: int) -> Iterator[slice]:
    step = max(1, CELLS // max(1, width))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))
