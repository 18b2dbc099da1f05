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
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Objection
from karat.judges.lexical.key_terms import SPELLING
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
MOSTLY = 0.8
"""The least share of a description's stems that a sentence must have for the reader to be asked: it often does not know
true paraphrases."""
UNREAD = 0.04
"""The reader objects where the probability that the text says the nug is lower. Chosen on the training sets and `nli`
(docs/semantic.md), never on trec-rag-2024."""
EXPLAINED = 0.5
"""It does not object where the sentence together with its neighbours says the nug with at least this probability."""


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
    question: str = "",
    reader: EntailmentModel | None = None,
    analyzer: Analyzer | None = None,
) -> dict[tuple[int, int], tuple[Objection, ...]]:
    """For each response and description, the sentences that are not counted, and why; without a reader: by checks.

    analyzer: finds entities and roles for the checks, which otherwise go by the order of words.
    """
    read = _analysed(analyzer) if analyzer is not None else read_text
    said: dict[tuple[str, str], tuple[str, str, str] | None] = {}
    for pair in looked_at:
        for unit in pair.sentences:
            key = descriptions[pair.description], units.texts[unit]
            if key not in said:
                said[key] = _conflict(read(key[0]), read(key[1]))
    unread = _unread(looked_at, said, descriptions, units, question, reader) if reader is not None else set()
    objections: dict[tuple[int, int], tuple[Objection, ...]] = {}
    for pair in looked_at:
        nug = descriptions[pair.description]
        found = [
            (unit, (READING, nug, units.texts[unit]) if (nug, unit) in unread else said[nug, units.texts[unit]])
            for unit in pair.sentences
        ]
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
    looked_at: Sequence[Candidates],
    said: Mapping[tuple[str, str], tuple[str, str, str] | None],
    descriptions: Sequence[str],
    units: Units,
    question: str,
    reader: EntailmentModel,
) -> set[tuple[str, int]]:
    """The descriptions and sentences (units) where the reader does not find the one in the other."""
    asked = frozenset(SPELLING.forms(question))
    places = [
        (nug, pair.response, unit)
        for pair in looked_at
        for nug in [descriptions[pair.description]]
        for unit in pair.sentences
        if said[nug, units.texts[unit]] is None
        and _has_its_words(nug, units.texts[unit], asked | _forms(_with_neighbours(units, pair.response, unit)))
    ]
    alone = reader.probabilities([units.texts[unit] for _, _, unit in places], [nug for nug, _, _ in places])
    rejected = [place for place, value in zip(places, alone.tolist(), strict=True) if value < UNREAD]
    # A sentence may need its neighbours to be understood.
    windows = [_with_neighbours(units, response, unit) for _, response, unit in rejected]
    together = reader.probabilities(windows, [nug for nug, _, _ in rejected])
    return {(nug, unit) for (nug, _, unit), value in zip(rejected, together.tolist(), strict=True) if value < EXPLAINED}


def _has_its_words(nug: str, sentence: str, around: frozenset[str]) -> bool:
    """Whether a sentence has nearly all stems of a nug, and no other of them stands in the question or beside it.

    There a pronoun ("it", "the drug") may stand for what the nug names, which the reader does not know.
    """
    wanted, has = _forms(nug), _forms(sentence)
    missing = wanted - has
    return len(missing) <= (1 - MOSTLY) * len(wanted) and missing.isdisjoint(around)


@lru_cache(maxsize=1 << 12)
def _forms(text: str) -> frozenset[str]:
    return frozenset(SPELLING.forms(text))


def with_repeats(
    objections: Mapping[tuple[int, int], Sequence[Objection]], units: Units
) -> dict[tuple[int, int], tuple[Objection, ...]]:
    """What is said of a sentence holds for all sentences of the response with the same text."""
    repeated: dict[tuple[int, int], tuple[Objection, ...]] = {}
    for (response, description), found in objections.items():
        said = {units.texts[each.unit]: each for each in found}
        own = range(int(units.starts[response]), int(units.starts[response + 1]))
        repeated[response, description] = tuple(
            replace(said[units.texts[unit]], unit=unit) for unit in own if units.texts[unit] in said
        )
    return repeated


def for_all_descriptions(
    objections: dict[tuple[int, int], tuple[Objection, ...]],
    descriptions: Sequence[str],
    first: Sequence[int],
    units: Units,
) -> dict[tuple[int, int], tuple[Objection, ...]]:
    """Typed checks of one description hold for the other descriptions of its nug as well: they say the same.

    first: the first description of each nug, and their number. A sentence that has all stems of a description which it
    does not contradict stays for that one: the descriptions of the nug may be different answers.
    """
    every: dict[tuple[int, int], dict[int, Objection]] = {
        key: {each.unit: each for each in found} for key, found in objections.items()
    }
    nug_of = {row: (begin, end) for begin, end in pairwise(first) for row in range(begin, end)}
    for (response, row), found in objections.items():
        for other in range(*nug_of[row]):
            for objection in found:
                own = objection.kind == READING or _forms(descriptions[other]) <= _forms(units.texts[objection.unit])
                if other != row and not own:
                    every.setdefault((response, other), {}).setdefault(objection.unit, objection)
    return {key: tuple(found.values()) for key, found in every.items()}


def _with_neighbours(units: Units, response: int, unit: int) -> str:
    first, last = int(units.starts[response]), int(units.starts[response + 1])
    return " ".join(units.texts[max(first, unit - 1) : min(last, unit + 2)])
