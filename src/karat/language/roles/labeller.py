"""Who did what to whom: predicates and their PropBank roles, by Karat's own model on top of a dependency parse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.language.analysis import Argument, ParsedSentence, Predicate
from karat.language.roles.features import SentenceArrays, pair_rows, sentence_arrays, token_rows
from karat.language.roles.lexicon import Lexicon, unpack
from karat.language.roles.network import Floats, Weights, encode_tokens, label_scores, predicate_chances

MOST_TOKENS = 400
"""Longer sentences get no roles: they are lists or markup, and the work grows with predicates x tokens."""
ONCE = frozenset({"ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5"})
"""Labels that a predicate has at most once; a repeated or continued argument has another label (R-ARG0, C-ARG1)."""
_SPANS_AT_ONCE = 6_000
_MODEL_FILE = "roles.npz"

Target = tuple[int, int]
"""The number of a sentence and the position of a predicate in it."""


class _EncodedSentences(msgspec.Struct, frozen=True):
    """Sentences after the first part of the network."""

    numbers: list[int]
    """The numbers of these sentences among the given ones."""
    arrays: list[SentenceArrays]
    starts: list[int]
    hidden: Floats


class RoleModel(msgspec.Struct, frozen=True):
    """The weights of the network and the names behind its numbers."""

    lexicon: Lexicon
    weights: Weights
    version: str
    bias: float
    """A span is an argument if its log-odds are above this; chosen on the development part of the data."""
    predicate_bias: float
    """A token is a predicate if its log-odds are above this."""

    def analyze(self, sentences: Sequence[ParsedSentence]) -> list[tuple[Predicate, ...]]:
        """The predicates of each sentence with their roles; none if the sentence has more than MOST_TOKENS tokens."""
        encoded = self._encoded(sentences)
        return self._label(sentences, encoded, self._targets(encoded))

    def label(
        self, sentences: Sequence[ParsedSentence], positions: Sequence[Sequence[int]]
    ) -> list[tuple[Predicate, ...]]:
        """The roles of given predicates; `positions` are their positions in each sentence."""
        encoded = self._encoded(sentences)
        given = [(place, at) for place, number in enumerate(encoded.numbers) for at in positions[number]]
        return self._label(sentences, encoded, given)

    def find_predicates(self, sentences: Sequence[ParsedSentence]) -> list[list[int]]:
        """The positions of predicates in each sentence, without their roles."""
        encoded = self._encoded(sentences)
        predicates: list[list[int]] = [[] for _ in sentences]
        for place, at in self._targets(encoded):
            predicates[encoded.numbers[place]].append(at)
        return predicates

    def _encoded(self, sentences: Sequence[ParsedSentence]) -> _EncodedSentences:
        numbers = [number for number, sentence in enumerate(sentences) if 0 < len(sentence.tokens) <= MOST_TOKENS]
        arrays = [sentence_arrays(sentences[number].tokens, self.lexicon) for number in numbers]
        if not arrays:
            return _EncodedSentences([], [], [], np.zeros((0, 0), dtype=np.float32))
        rows = token_rows(arrays)
        return _EncodedSentences(numbers, arrays, rows.starts, encode_tokens(rows, self.weights))

    def _targets(self, encoded: _EncodedSentences) -> list[Target]:
        if not encoded.arrays:
            return []
        likely = predicate_chances(encoded.hidden, self.weights) > self.predicate_bias
        return [
            (place, int(at))
            for place, (sentence, start) in enumerate(zip(encoded.arrays, encoded.starts, strict=True))
            for at in np.flatnonzero(likely[start : start + len(sentence.heads)])
        ]

    def _label(
        self, sentences: Sequence[ParsedSentence], encoded: _EncodedSentences, targets: Sequence[Target]
    ) -> list[tuple[Predicate, ...]]:
        predicates: list[list[Predicate]] = [[] for _ in sentences]
        for some in _chunks(targets, encoded.arrays):
            pairs = pair_rows([(encoded.arrays[place], encoded.starts[place], at) for place, at in some], self.lexicon)
            scores, begin = label_scores(encoded.hidden, pairs, self.weights), 0
            for (place, at), spans in zip(some, pairs.spans, strict=True):
                arguments = decode(scores[begin : begin + len(spans)], spans, self.lexicon.labels, bias=self.bias)
                begin += len(spans)
                token = sentences[encoded.numbers[place]].tokens[at]
                nominal = token.pos not in ("VERB", "AUX")
                predicates[encoded.numbers[place]].append(Predicate(at, token.lemma, nominal, arguments))
        return [tuple(some) for some in predicates]


def _chunks(targets: Sequence[Target], arrays: Sequence[SentenceArrays]) -> Iterator[list[Target]]:
    """The targets in lists that are small enough for the processor's cache."""
    some: list[Target] = []
    size = 0
    for target in targets:
        if some and size >= _SPANS_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(target)
        size += len(arrays[target[0]].spans)
    if some:
        yield some


def decode(
    scores: NDArray[np.float32], spans: NDArray[np.int64], labels: Sequence[str], *, bias: float = 0.0
) -> tuple[Argument, ...]:
    """The arguments of one predicate, in the order of the text: no two overlap, and no core label appears twice.

    Spans are taken in the order of their scores, as long as the log-odds against "no argument" are above `bias`.
    """
    candidates = np.argwhere(scores[:, 1:] > bias)
    if not len(candidates):
        return ()
    candidates[:, 1] += 1
    gains = scores[candidates[:, 0], candidates[:, 1]]
    taken, used, arguments = 0, set(), []
    for row, column in candidates[np.argsort(-gains, kind="stable")].tolist():
        start, end = int(spans[row, 0]), int(spans[row, 1])
        mask = (1 << end) - (1 << start)
        label = labels[column]
        if taken & mask or label in used:
            continue
        taken |= mask
        if label in ONCE:
            used.add(label)
        arguments.append(Argument(label, start, end))
    return tuple(sorted(arguments, key=lambda argument: argument.start_token))


def read_roles(path: Path) -> RoleModel:
    """The role model from a file that `make model` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    weights = {
        name.removeprefix("weights."): np.ascontiguousarray(array, dtype=np.float32)
        for name, array in arrays.items()
        if name.startswith("weights.")
    }
    bias, predicate_bias = arrays["biases"].tolist()
    version = bytes(arrays["version"]).decode()
    return RoleModel(unpack(arrays), weights, version, bias, predicate_bias)


@lru_cache(maxsize=1)
def load_roles() -> RoleModel:
    """The role model that comes with Karat (CC BY-SA 4.0, see its README), read when it is first used."""
    with as_file(files("karat.language.roles") / "weights" / _MODEL_FILE) as path:
        return read_roles(path)
