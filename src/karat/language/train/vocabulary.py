"""The vocabulary of the role model, counted in the training data; word vectors, made smaller from the pipeline's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from karat.language.analysis import ParsedSentence, Token
from karat.language.roles.lexicon import FARTHEST, Lexicon
from karat.language.roles.network import Floats
from karat.language.roles.spans import downwards
from karat.language.spacy.models import Pipeline
from karat.language.train.propbank import Example

LEAST_LABEL, LEAST_PREDICATE, LEAST_PATH = 15, 3, 10
"""How often a label, the lemma of a predicate and a path must occur to have weights of their own."""
WORDS = 80_000


def smaller_vectors(pipeline: Pipeline, *, width: int) -> tuple[dict[str, int], Floats]:
    """The most frequent words, with the first principal components of their vectors; row 0 is for all other words."""
    vectors = pipeline.nlp.vocab.vectors
    unit = vectors.data / np.maximum(np.linalg.norm(vectors.data, axis=1, keepdims=True), 1e-6)
    centred = (unit - unit.mean(axis=0)).astype(np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    squeezed = centred @ directions[:, ::-1][:, :width]
    squeezed /= squeezed.std()
    strings = pipeline.nlp.vocab.strings
    rows = {strings[key]: row + 1 for key, row in list(vectors.key2row.items())[:WORDS]}
    return rows, np.concatenate([np.zeros((1, width)), squeezed]).astype(np.float32)


def count_lexicon(examples: Sequence[Example], *, words: dict[str, int]) -> Lexicon:
    """The names that are frequent enough, always in the same order."""
    labels = Counter(
        argument.label
        for example in examples
        for predicate in example.gold_predicates
        for argument in predicate.arguments
    )
    predicates = Counter(
        example.sentence.tokens[predicate.position].lemma.lower()
        for example in examples
        for predicate in example.gold_predicates
    )
    deps = _names(examples, lambda token: token.dep)
    return Lexicon(
        words=words,
        tags=_names(examples, lambda token: token.tag),
        deps=deps,
        ents=_names(examples, lambda token: token.ent_type),
        predicates=_numbered(name for name, count in predicates.items() if count >= LEAST_PREDICATE),
        steps=_count_steps(examples, deps),
        labels=("", *sorted(name for name, count in labels.items() if count >= LEAST_LABEL)),
    )


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(names), 1)}


def _names(examples: Sequence[Example], name: Callable[[Token], str]) -> dict[str, int]:
    return _numbered({name(token) for example in examples for token in example.sentence.tokens})


def _count_steps(examples: Sequence[Example], deps: dict[str, int]) -> dict[tuple[int, int], int]:
    """The frequent paths from predicates to tokens, as steps from shorter paths (path 0: the predicate itself)."""
    everything: dict[tuple[int, int], int] = {}
    seen: Counter[int] = Counter()
    every = Lexicon({}, {}, {}, {}, {}, _Growing(everything), ())
    for example in examples:
        heads, numbers, order = _tree(example.sentence, deps)
        for predicate in example.gold_predicates:
            seen.update(every.path_ids(predicate.position, heads, numbers, order))
    kept: dict[tuple[int, int], int] = {}
    renamed = {0: 0}
    for (path, step), following in everything.items():
        if path in renamed and seen[following + FARTHEST + 1] >= LEAST_PATH:
            renamed[following] = len(renamed)
            kept[renamed[path], step] = renamed[following]
    return kept


class _Growing(dict[tuple[int, int], int]):
    """Makes a new path for every step that is looked up for the first time."""

    def __init__(self, paths: dict[tuple[int, int], int]) -> None:
        super().__init__()
        self.paths = paths

    def get(self, key: tuple[int, int], default: int = -1) -> int:  # type: ignore[override]
        return self.paths.setdefault(key, len(self.paths) + 1)


def _tree(sentence: ParsedSentence, deps: dict[str, int]) -> tuple[list[int], list[int], list[int]]:
    heads = [token.head for token in sentence.tokens]
    order, _ = downwards(heads)
    return heads, [deps[token.dep] for token in sentence.tokens], order
