"""Who did what to whom: predicates and their PropBank roles, by Karat's own model over a dependency parse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

import msgspec
import numpy as np

from karat.language.analysis import Predicate, Sentence
from karat.language.roles.decoding import decode
from karat.language.roles.features import Drawn, draw, pair_rows, token_rows
from karat.language.roles.lexicon import Lexicon, unpack
from karat.language.roles.network import Floats, Weights, encode_tokens, label_scores, predicate_chances

MOST_TOKENS = 400
"""Longer sentences get no roles: they are lists or markup, and every predicate looks at every token."""
_SPANS_AT_ONCE = 6_000
_MODEL_FILE = "roles.npz"

Target = tuple[int, int]
"""The number of a sentence and the position of a predicate in it."""


class _Read(msgspec.Struct, frozen=True):
    """Sentences as the network's first part sees them."""

    numbers: list[int]
    """Which of the given sentences these are."""
    drawn: list[Drawn]
    starts: list[int]
    hidden: Floats


class RoleModel(msgspec.Struct, frozen=True):
    """The weights of the network and the names behind its numbers."""

    lexicon: Lexicon
    weights: Weights
    version: str
    bias: float
    """Log-odds above which a span counts as an argument, chosen on the development part."""
    predicate_bias: float
    """Log-odds above which a token counts as a predicate."""

    def analyze(self, sentences: Sequence[Sentence]) -> list[tuple[Predicate, ...]]:
        """The predicates of each sentence with their roles; none where it has more than MOST_TOKENS tokens."""
        read = self._read(sentences)
        return self._label(sentences, read, self._targets(read))

    def label(self, sentences: Sequence[Sentence], positions: Sequence[Sequence[int]]) -> list[tuple[Predicate, ...]]:
        """The roles of given predicates, named by their positions in each sentence."""
        read = self._read(sentences)
        given = [(place, at) for place, number in enumerate(read.numbers) for at in positions[number]]
        return self._label(sentences, read, given)

    def find_predicates(self, sentences: Sequence[Sentence]) -> list[list[int]]:
        """The positions of predicates in each sentence, without their roles."""
        read = self._read(sentences)
        predicates: list[list[int]] = [[] for _ in sentences]
        for place, at in self._targets(read):
            predicates[read.numbers[place]].append(at)
        return predicates

    def _read(self, sentences: Sequence[Sentence]) -> _Read:
        numbers = [number for number, sentence in enumerate(sentences) if 0 < len(sentence.tokens) <= MOST_TOKENS]
        drawn = [draw(sentences[number].tokens, self.lexicon) for number in numbers]
        if not drawn:
            return _Read([], [], [], np.zeros((0, 0), dtype=np.float32))
        rows = token_rows(drawn)
        return _Read(numbers, drawn, rows.starts, encode_tokens(rows, self.weights))

    def _targets(self, read: _Read) -> list[Target]:
        if not read.drawn:
            return []
        likely = predicate_chances(read.hidden, self.weights) > self.predicate_bias
        return [
            (place, int(at))
            for place, (drawn, start) in enumerate(zip(read.drawn, read.starts, strict=True))
            for at in np.flatnonzero(likely[start : start + len(drawn.heads)])
        ]

    def _label(
        self, sentences: Sequence[Sentence], read: _Read, targets: Sequence[Target]
    ) -> list[tuple[Predicate, ...]]:
        predicates: list[list[Predicate]] = [[] for _ in sentences]
        for some in _chunks(targets, read.drawn):
            pairs = pair_rows([(read.drawn[place], read.starts[place], at) for place, at in some], self.lexicon)
            scores, begin = label_scores(read.hidden, pairs, self.weights), 0
            for (place, at), spans in zip(some, pairs.spans, strict=True):
                arguments = decode(scores[begin : begin + len(spans)], spans, self.lexicon.labels, bias=self.bias)
                begin += len(spans)
                token = sentences[read.numbers[place]].tokens[at]
                nominal = token.pos not in ("VERB", "AUX")
                predicates[read.numbers[place]].append(Predicate(at, token.lemma, nominal, arguments))
        return [tuple(some) for some in predicates]


def _chunks(targets: Sequence[Target], drawn: Sequence[Drawn]) -> Iterator[list[Target]]:
    """Targets in lists whose candidates together fit into the processor's cache."""
    some: list[Target] = []
    size = 0
    for target in targets:
        if some and size >= _SPANS_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(target)
        size += len(drawn[target[0]].spans)
    if some:
        yield some


def read_roles(path: Path) -> RoleModel:
    """The role model of a file that `make model` wrote."""
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
    """The role model that comes with Karat (CC BY-SA 4.0, see its README), read when first used."""
    with as_file(files("karat.language.roles") / "weights" / _MODEL_FILE) as path:
        return read_roles(path)
