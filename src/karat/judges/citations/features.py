"""The features of a claim and a document: what is covered, what is missing, and what says something else.

By words, with the coverage of `passages`:

    sentence, window, union      the coverage of the best sentence, the best window of three, and the union
    weakest                      the coverage, in the union, of the claim's part that is covered least
    pairs                        the share of the claim's neighbouring stems that are neighbours in the windows or union
    numbers, names               the share of the claim's numbers (names) that are missing in windows and union
    numbers_document, ...        the same in the whole document
    negation                     1 where the claim denies something, and no word of windows and union denies anything
    conflict                     1 where typed checks object to the best sentence: another number, a negation, ...
    verbatim                     1 where a window has the words of the claim in order

How much of the claim is anywhere in the document is no feature: a long document has most words somewhere.

By meaning (the semantic judge), with the greatest similarity of each word of the claim to a word of a sentence, and
hit(s) = 1 / (1 + exp(-(s - .5) / .08)):

    hits_sentence, hits_window, hits_union, hits_weakest     coverage, where a hit is how far a stem counts as there
    whole                        the cosine of the whole claim and the most similar sentence
    read_best, read_union        the probability that a text says the claim (the entailment model): the best of sentence
                                 and windows; and the union
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from karat.judges.citations.claims import Claim
from karat.judges.citations.documents import Source
from karat.judges.citations.passages import Bools, Floats, Passages, find_passages
from karat.judges.citations.verbatim import is_verbatim
from karat.judges.lexical.key_terms import SPELLING
from karat.judges.semantic.checks import Conflict, find_conflicts, read_text
from karat.judges.semantic.checks.negation import UNSURE
from karat.judges.semantic.features import MIDDLE, WIDTH
from karat.language.encoded_text import SIZE
from karat.language.encoder import Encoder, products
from karat.language.entailment import EntailmentModel
from karat.text.words import find_words, negates

WORDS = (
    "sentence", "window", "union", "weakest", "pairs", "numbers", "names", "numbers_document",
    "names_document", "negation", "conflict", "verbatim",
)  # fmt: skip
MEANING = ("hits_sentence", "hits_window", "hits_union", "hits_weakest", "whole", "read_best", "read_union")
NEARLY_BEST = 0.1
"""A conflict counts if no sentence that covers nearly as much is free of it."""


@dataclass(frozen=True)
class Reader:
    """What reads meaning: vectors of words, and the entailment model."""

    encoder: Encoder
    entailment: EntailmentModel


@dataclass(frozen=True)
class Look:
    """What was found when a claim was looked up in a document."""

    values: dict[str, float]
    sentences: tuple[int, ...]
    """The passage: the sentences that say it best, in order."""
    conflict: Conflict | None
    verbatim: bool
    unfound: tuple[str, ...] = ()
    """The words of the claim that the passage does not have, in other words either; the rarest first."""


def look_up(claim: Claim, source: Source, reader: Reader | None = None) -> Look:
    """The features of a claim and a document, and the passage; without a reader: by words only.

    What is verbatim is not read for its meaning.
    """
    passages = find_passages(claim, source)
    if passages.is_empty or not claim.forms:
        empty = dict.fromkeys((*WORDS, *(MEANING if reader is not None else ())), 0.0)
        return Look(empty, (), None, False)
    values = _by_words(claim, source, passages)
    exact = next((window for window in passages.windows if is_verbatim(claim, _text(source, range(*window)))), None)
    conflict = None if exact is not None else _conflict(claim, source, passages.coverage)
    values |= {"conflict": float(conflict is not None), "verbatim": float(exact is not None)}
    sentences = tuple(range(*exact)) if exact is not None else passages.union
    there = passages.has[:, list(sentences)].any(axis=1).astype(np.float64)
    if reader is not None and exact is None:
        found, sentences, there = _by_meaning(claim, source, passages, reader)
        values |= found
    there = np.maximum(there, passages.title)
    gone = sorted(np.flatnonzero(there < MIDDLE).tolist(), key=lambda at: -claim.weights[at])
    return Look(values, sentences, conflict, exact is not None, tuple(claim.spelt[at] for at in gone))


def _by_words(claim: Claim, source: Source, passages: Passages) -> dict[str, float]:
    weights, has, title = claim.weights, passages.has, passages.title
    in_union = has[:, list(passages.union)].any(axis=1) | title
    in_window = has[:, slice(*passages.windows[-1])].any(axis=1) | title
    anywhere, near = has.any(axis=1) | title, in_union | in_window
    texts = [_text(source, range(*window)) for window in passages.windows[-1:]]
    texts += [source.sentences[at] for at in passages.union]
    neighbours = {pair for text in texts for pair in _pairs(text)}
    return {
        "sentence": float(passages.coverage.max()),
        "window": float(weights @ in_window),
        "union": float(weights @ in_union),
        "weakest": _weakest(claim, near.astype(np.float64)),
        "pairs": float(np.mean([pair in neighbours for pair in claim.pairs])) if claim.pairs else 0.0,
        "numbers": _missing(claim.numbers, near),
        "names": _missing(claim.names, near),
        "numbers_document": _missing(claim.numbers, anywhere),
        "names_document": _missing(claim.names, anywhere),
        "negation": float(bool(read_text(claim.text).negations) and not any(map(_denies, texts))),
    }


def _by_meaning(
    claim: Claim, source: Source, passages: Passages, reader: Reader
) -> tuple[dict[str, float], tuple[int, ...], Floats]:
    """The features by meaning, the sentences that say the claim best, and how far each stem is in them."""
    looked_at = passages.looked_at()
    texts = [source.sentences[at] for at in looked_at]
    encoded = reader.encoder.encode([claim.text, *texts])
    vectors = _vectors_of(claim, encoded[claim.text].words, encoded[claim.text].vectors)
    hits = np.zeros((len(claim.forms), len(texts)))
    for column, text in enumerate(texts):
        words = encoded[text].vectors.astype(np.float32)
        if len(words):
            hits[:, column] = 1 / (1 + np.exp((MIDDLE - products(vectors, words.T).max(axis=1)) / WIDTH))
    # A stem that is there is there, whatever its vector says.
    hits = np.maximum(hits, passages.has[:, list(looked_at)])
    by_title = passages.title.astype(np.float64)
    of_sentence: Floats = claim.weights @ hits
    best = int(of_sentence.argmax())
    window = _best_near(hits, looked_at, claim.weights)
    union = _grown(hits, claim.weights, best)
    together = np.maximum(hits[:, list(union)].max(axis=1), by_title)
    in_window = np.maximum(hits[:, list(window)].max(axis=1), by_title)
    whole = encoded[claim.text].whole.astype(np.float32)
    alike = max(float(whole @ encoded[text].whole.astype(np.float32)) for text in texts)
    tried = [tuple(looked_at[at] for at in places) for places in ((best,), window, union)]
    tried.append(passages.union)
    premises = [_premise(source, places) for places in tried]
    said = reader.entailment.probabilities(premises, [claim.text] * len(premises))
    values = {
        "hits_sentence": float(of_sentence[best]),
        "hits_window": float(claim.weights @ in_window),
        "hits_union": float(claim.weights @ together),
        "hits_weakest": _weakest(claim, np.maximum(together, in_window)),
        "whole": alike,
        "read_best": float(said.max()),
        "read_union": float(max(said[2], said[3])),
    }
    # The passage is the text that covers most; of nearly equal ones the shortest, and then the one that reads best.
    covered = [values["hits_sentence"], values["hits_window"], values["hits_union"]]
    enough = [at for at, value in enumerate(covered) if value >= max(covered) - NEARLY_BEST]
    best_text = tried[min(enough, key=lambda at: (len(tried[at]), -said[at]))]
    in_text = [column for column, at in enumerate(looked_at) if at in best_text]
    return values, best_text, hits[:, in_text].max(axis=1)


def _vectors_of(claim: Claim, words: Sequence[str], vectors: NDArray[np.float16]) -> NDArray[np.float32]:
    """A vector for each stem of the claim: that of its first word."""
    rows = np.zeros((len(claim.forms), SIZE), np.float32)
    place = {form: at for at, form in enumerate(claim.forms)}
    for word, vector in reversed(list(zip(words, vectors, strict=True))):
        at = place.get(SPELLING.form(word) or "")
        if at is not None:
            rows[at] = vector
    return rows


def _best_near(hits: Floats, looked_at: Sequence[int], weights: Floats) -> tuple[int, ...]:
    """The neighbouring sentences (at most three) among those looked at that cover most together."""
    best: tuple[float, tuple[int, ...]] = (-1.0, (0,))
    for first in range(len(looked_at)):
        places = [at for at in range(first, min(first + 3, len(looked_at))) if looked_at[at] - looked_at[first] < 3]
        best = max(best, (float(weights @ hits[:, places].max(axis=1)), tuple(places)), key=lambda found: found[0])
    return best[1]


def _grown(hits: Floats, weights: Floats, best: int) -> tuple[int, ...]:
    """Up to three sentences that cover most together, from the best one on."""
    chosen, covered = [best], hits[:, best]
    while len(chosen) < min(3, hits.shape[1]):
        gain: Floats = weights @ np.maximum(hits - covered[:, None], 0)
        at = int(gain.argmax())
        if gain[at] < 0.05:
            break
        chosen.append(at)
        covered = np.maximum(covered, hits[:, at])
    return tuple(sorted(chosen))


def _conflict(claim: Claim, source: Source, coverage: Floats) -> Conflict | None:
    """What typed checks say against the best sentence, if they say something against all that are nearly as good."""
    first: Conflict | None = None
    close = np.flatnonzero(coverage >= coverage.max() - NEARLY_BEST)
    for at in close[np.argsort(-coverage[close], kind="stable")][:3].tolist():
        conflicts = find_conflicts(read_text(claim.text), read_text(source.sentences[at]))
        if not conflicts:
            return None
        first = first or conflicts[0]
    return first


def _denies(text: str) -> bool:
    return any(word in UNSURE or negates(word) for word in find_words(text))


def _weakest(claim: Claim, there: Floats) -> float:
    shares = [
        float((claim.weights[list(part)] * there[list(part)]).sum() / max(claim.weights[list(part)].sum(), 1e-9))
        for part in claim.parts
    ]
    return min(shares, default=0.0)


def _missing(places: frozenset[int], there: Bools) -> float:
    return float(np.mean([not there[at] for at in sorted(places)])) if places else 0.0


def _pairs(text: str) -> set[tuple[str, str]]:
    forms = SPELLING.forms(text)
    return set(pairwise(forms))


def _text(source: Source, sentences: Sequence[int]) -> str:
    return " ".join(source.sentences[at] for at in sentences)


def _premise(source: Source, sentences: Sequence[int]) -> str:
    """The text that is read, after the title: it often names what the sentences only call "it"."""
    text = _text(source, sentences)
    return f"{source.title}: {text}" if source.title else text
