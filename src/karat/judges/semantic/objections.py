"""Objections: a sentence that looks like a nug but says something else is no evidence for it.

A sentence is looked at where it is (nearly) the best evidence for a description and has most of its words. Two layers
may object, each with its own word in `karat explain`:

    typed checks      number, date, name, negation, antonym, roles, ... (`checks/`): they need no model
    the reader        a small cross-encoder (`karat.language.entailment`) finds that the sentence, alone and with its
                      neighbours, does not say what the nug says

A sentence with an objection is not counted: the nug is judged by the response without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Objection
from karat.judges.semantic.checks import Reading, find_conflicts, read_text
from karat.language.analysis import Analyzer
from karat.language.entailment import EntailmentModel
from karat.text.response_units import Units

Floats = NDArray[np.float32]
FLOOR = -3.0
"""Pairs with lower log-odds are not looked at: they are not contained anyway."""
HAS = 0.6
"""The least share of a description's words that a sentence must have to be looked at."""
NEARLY_BEST = 0.15
READING = "reading"
MOST = 3
"""How many sentences of a response are looked at for one description."""
UNREAD = 0.1
"""The reader objects where the probability that the text says the nug is lower. Chosen on the training sets and `nli`
(docs/semantic.md), never on trec-rag-2024."""


@dataclass(frozen=True)
class Candidates:
    """For one response and description, the sentences that are the best evidence, the best first."""

    response: int
    description: int
    sentences: tuple[int, ...]
    """Their numbers among all units."""


def candidates(
    scores: Floats, by_sentence: Floats, shares: Floats, starts: NDArray[np.int64], first: int
) -> Iterator[Candidates]:
    """scores: of some responses (rows), from response `first` on; by_sentence, shares: of their sentences."""
    for row, (begin, end) in enumerate(pairwise((starts - starts[0]).tolist())):
        if begin == end:
            continue
        near = by_sentence[begin:end]
        top = near.argmax(axis=0)
        looked_at = (shares[begin:end][top, np.arange(near.shape[1])] >= HAS) & (scores[row] >= FLOOR)
        for column in np.flatnonzero(looked_at).tolist():
            values = near[:, column]
            close = np.flatnonzero((values >= values.max() - NEARLY_BEST) & (shares[begin:end, column] >= HAS))
            order = close[np.argsort(-values[close], kind="stable")][:MOST]
            yield Candidates(first + row, column, tuple((order + begin + int(starts[0])).tolist()))


def find_objections(
    looked_at: Sequence[Candidates],
    descriptions: Sequence[str],
    units: Units,
    *,
    reader: EntailmentModel | None = None,
    analyzer: Analyzer | None = None,
) -> dict[tuple[int, int], tuple[Objection, ...]]:
    """For each response and description, the sentences that are not counted, and why; without a reader: by checks.

    analyzer: finds entities and roles for the checks, which otherwise go by the order of words.
    """
    read = _analysed(analyzer) if analyzer is not None else read_text
    said: dict[tuple[str, str], tuple[str, str, str] | None] = {}
    places: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for pair in looked_at:
        for unit in pair.sentences:
            key = descriptions[pair.description], units.texts[unit]
            if key not in said:
                said[key] = _conflict(read(key[0]), read(key[1]))
            if said[key] is None:
                places.setdefault(key, []).append((pair.response, unit))
    if reader is not None:
        said |= _unread(places, units, reader)
    objections: dict[tuple[int, int], tuple[Objection, ...]] = {}
    for pair in looked_at:
        found = [(unit, said[descriptions[pair.description], units.texts[unit]]) for unit in pair.sentences]
        if kept := tuple(Objection(unit, *why) for unit, why in found if why is not None):
            objections[pair.response, pair.description] = kept
    return objections


def _analysed(analyzer: Analyzer) -> Callable[[str], Reading]:
    """Reads texts with their analysis, each once."""
    return cache(lambda text: read_text(text, analyzer.analyze(text)))


def _conflict(nug: Reading, sentence: Reading) -> tuple[str, str, str] | None:
    for conflict in find_conflicts(nug, sentence):
        return conflict.kind, conflict.nug_words, conflict.evidence_words
    return None


def _unread(
    places: Mapping[tuple[str, str], Sequence[tuple[int, int]]], units: Units, reader: EntailmentModel
) -> dict[tuple[str, str], tuple[str, str, str] | None]:
    """The pairs of a description and a sentence that the reader does not find to say the same, in any response."""
    alone = list(places)
    values = reader.probabilities([text for _, text in alone], [nug for nug, _ in alone])
    rejected = [pair for pair, value in zip(alone, values.tolist(), strict=True) if value < UNREAD]
    # A sentence may need its neighbours to be understood.
    windows = [(pair, _with_neighbours(units, *place)) for pair in rejected for place in places[pair]]
    values = reader.probabilities([window for _, window in windows], [pair[0] for pair, _ in windows])
    best: dict[tuple[str, str], float] = {}
    for (pair, _), value in zip(windows, values.tolist(), strict=True):
        best[pair] = max(value, best.get(pair, 0.0))
    return {pair: (READING, *pair) for pair, value in best.items() if value < UNREAD}


def _with_neighbours(units: Units, response: int, unit: int) -> str:
    first, last = int(units.starts[response]), int(units.starts[response + 1])
    return " ".join(units.texts[max(first, unit - 1) : min(last, unit + 2)])
