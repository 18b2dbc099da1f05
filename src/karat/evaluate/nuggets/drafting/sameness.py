"""Which sentences say what others say: for each pair and direction, how surely one contains the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from karat.judges.lexical.related_words import load_related_words
from karat.model import UnfitInput
from karat.text.stems import stemmer
from karat.text.words import content_words, has_digit, is_negated, spelt_words

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

Floats = NDArray[np.float32]
MOST = 4_000
"""The most sentences of one query: all pairs are compared, and more would not fit into memory."""
NEAR = 0.55
RELATED = 0.6
"""Words that are less related than this do not count as the same."""


class Sameness(Protocol):
    """Says of every pair of sentences how surely one contains what the other says."""

    @property
    def near(self) -> float:
        """How surely each of two sentences must contain the other to be one nug, where the user says nothing else."""

    def contains(self, sentences: Sequence[str], question: str = "") -> Floats:
        """Row i, column j: how surely (0 to 1) sentence i contains what sentence j says."""

    @property
    def far(self) -> float:
        """What only one run says is left out where it is less related to the question than this."""

    def relatedness(self, sentences: Sequence[str], question: str, contains: Floats) -> list[float]:
        """How much each sentence is about the question, from 0 to 1."""

    def signature(self) -> str:
        """What decides, for the signature of a draft."""


@dataclass(frozen=True)
class LexicalSameness:
    """The share of a sentence's words, weighted by rarity, that another sentence has.

        contains(i, j) = sum over the words w of j of idf(w) * best(i, w) / sum over the words w of j of idf(w)

    best(i, w) is 1 where i has the word, otherwise the relation of its most related word (WordNet and vectors), if
    that is at least 0.6. contains is 0 where j has a number that i does not have, where only one of them is negated,
    and where both have names but none in common.
    """

    @property
    def near(self) -> float:
        return NEAR

    def contains(self, sentences: Sequence[str], question: str = "") -> Floats:
        check_number(len(sentences))
        said = [_said(sentence) for sentence in sentences]
        stems = sorted({stem for words in said for stem in words.stems})
        column = {stem: at for at, stem in enumerate(stems)}
        columns = [np.array(sorted(column[stem] for stem in words.stems), np.int64) for words in said]
        counts = np.bincount(np.concatenate([*columns, np.empty(0, np.int64)]), minlength=len(stems))
        weight = np.log(1 + len(sentences) / np.maximum(1, counts)).astype(np.float32)
        related = _related(stems)
        has = np.zeros((len(sentences), len(stems)), np.float32)
        for at, own in enumerate(columns):
            if len(own):
                has[at] = related[own].max(axis=0).toarray()
        contained = np.asarray(has @ _shares(columns, weight), np.float32)
        _forbid(contained, said)
        np.fill_diagonal(contained, 1.0)
        return np.asarray(np.clip(contained, 0.0, 1.0), np.float32)

    @property
    def far(self) -> float:
        return 0.0

    def relatedness(self, sentences: Sequence[str], question: str, contains: Floats) -> list[float]:
        """How much each sentence is about the question, from 0 to 1.

        The mean of two shares: of the question's words, weighted by rarity, that the sentence has; and of what the
        others say, on average, that it contains (divided by the greatest such share).
        """
        if not sentences:
            return []
        stem = stemmer("english")
        weight = rarity([*sentences, question])
        asked = {stem(word) for word in content_words(question)}
        total = sum(weight[word] for word in asked)
        central = contains.mean(axis=1)
        central = central / max(float(central.max()), 1e-9)
        shares = []
        for sentence in sentences:
            own = {stem(word) for word in content_words(sentence)}
            shares.append(sum(weight[word] for word in asked & own) / total if total else 0.0)
        return [round(float(value), 4) for value in (np.array(shares) + central) / 2]

    def signature(self) -> str:
        return "lexical"


def check_number(count: int) -> None:
    """UsageError where one query has too many sentences to compare them all."""
    if count > MOST:
        raise UnfitInput(
            f"one query has {count:,} different sentences, but at most {MOST:,} can be compared: give fewer runs or "
            "passages"
        )


@dataclass(frozen=True)
class _Said:
    stems: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    negated: bool


def _said(sentence: str) -> _Said:
    stem = stemmer("english")
    content = content_words(sentence)
    names = frozenset(
        stem(word.lower().removesuffix("'s").removesuffix("’s"))
        for at, word in enumerate(spelt_words(sentence))
        if at and word[:1].isupper() and not has_digit(word)
    )
    return _Said(
        frozenset(stem(word.removesuffix("'s")) for word in content),
        frozenset(word for word in content if has_digit(word)),
        names,
        is_negated(sentence),
    )


def _shares(columns: Sequence[NDArray[np.int64]], weight: Floats) -> csc_array:
    """Stems x sentences: the weight of each stem of a sentence, divided by their sum."""
    from scipy.sparse import csc_array

    ends = np.cumsum([0, *map(len, columns)])
    data = [weight[own] / weight[own].sum() for own in columns if len(own)]
    rows = np.concatenate([*columns, np.empty(0, np.int64)])
    values = np.concatenate([*data, np.empty(0, np.float32)])
    return csc_array((values, rows, ends), shape=(len(weight), len(columns)))


def _related(stems: Sequence[str]) -> csr_array:
    """Stems x stems: 1 for the same stem, and the relation of related ones."""
    from scipy.sparse import csr_array, eye_array

    words = load_related_words()
    known = [at for at, stem in enumerate(stems) if stem in words.number]
    numbers = [words.number[stems[at]] for at in known]
    block = words.table[numbers][:, numbers].tocoo()
    near = block.data >= RELATED
    place = np.array(known, np.int64)
    rows, columns = place[block.row[near]], place[block.col[near]]
    table = csr_array((block.data[near], (rows, columns)), shape=(len(stems), len(stems)), dtype=np.float32)
    return csr_array(table.maximum(eye_array(len(stems), dtype=np.float32, format="csr")))


def _forbid(contained: Floats, said: Sequence[_Said]) -> None:
    """Set to 0 what words alone would allow, but numbers, negation or names do not."""
    negated = np.array([words.negated for words in said])
    contained[negated[:, None] != negated[None, :]] = 0.0
    for at, words in enumerate(said):
        if words.numbers:
            for other in np.flatnonzero(contained[:, at]).tolist():
                if not words.numbers <= said[other].numbers:
                    contained[other, at] = 0.0
        if words.names:
            for other in np.flatnonzero(contained[:, at]).tolist():
                if said[other].names and words.names.isdisjoint(said[other].names | said[other].stems):
                    contained[other, at] = 0.0


def rarity(sentences: Sequence[str]) -> dict[str, float]:
    """The weight of each stem: ln(1 + sentences / sentences that have it)."""
    stem = stemmer("english")
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in {stem(word) for word in content_words(sentence)}:
            counts[word] = counts.get(word, 0) + 1
    return {word: log(1 + len(sentences) / count) for word, count in counts.items()}
