"""Make the table of related words that the judge `lexical` reads (docs/lexical.md).

python benchmarks/judges/related_words.py --wordnet FOLDER -o src/karat/judges/lexical/related_words.npz

FOLDER holds the database files of WordNet 3.0 (data.noun, index.noun, ...); the word vectors are those of spaCy's
en_core_web_md (CC0), which must be installed. A word is a stem of a lower-case word that has a vector of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.judges.lexical.key_terms import SPELLING
from karat.judges.lexical.related_words import STEPS

POSITIONS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
SAME, DERIVED, FORM, KIND, ALIKE = 0.9, 1.0, 0.9, 0.6, 0.7
"""How related two words are: words of one synset; a word and one derived from it; a participle and its verb; a word and
the kind of thing that it is; adjectives that are alike, and verbs of one group."""
BY_SENSE = (1.0, 0.8, 0.6)
RARE_SENSE = 0.4
"""A relation counts less where it belongs to the second, third or a further sense of either word."""
LEAST_RELATED, LEAST_COSINE, NEAREST, COMMON_AXES = 0.2, 0.4, 15, 3
Floats = NDArray[np.float32]


class Synset(NamedTuple):
    words: list[str]
    pointers: list[tuple[str, tuple[str, str], int, int]]
    """Symbol, synset, and the numbers of the words meant (0: all)."""


class Vectors(NamedTuple):
    stems: list[str]
    values: Floats


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument(
        "--vectors", default="en_core_web_md", help="a spaCy pipeline with word vectors, by name or path"
    )
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    stems, values = load_vectors(options.vectors)
    related = np.zeros((len(stems), len(stems)), np.float32)
    number = {stem: at for at, stem in enumerate(stems)}
    for first, second, value in relations(options.wordnet):
        row, column = (number.get(SPELLING.form(word) or "") for word in (first, second))
        if row is not None and column is not None and row != column:
            related[row, column] = related[column, row] = max(value, related[row, column])
    related[related < LEAST_RELATED] = 0
    table = np.triu(np.maximum(related, near(values)))
    first, second = np.nonzero(table)
    np.savez_compressed(
        options.output,
        stems=np.frombuffer("\n".join(stems).encode(), np.uint8),
        ends=np.searchsorted(first, np.arange(len(stems) + 1)).astype(np.int32),
        others=second.astype(np.uint16),
        steps=np.round(table[first, second] * STEPS).clip(1, STEPS).astype(np.uint8),
    )
    print(f"{len(stems)} stems, {len(first)} pairs, {options.output.stat().st_size} bytes")
    return 0


def near(vectors: Floats) -> Floats:
    """Cosines of at least 0.4, for two stems of which one is among the 15 nearest of the other."""
    cosine = vectors @ vectors.T
    np.fill_diagonal(cosine, 0)
    least = -np.sort(-cosine, axis=1)[:, NEAREST]
    cosine[((cosine < least[:, None]) & (cosine < least)) | (cosine < LEAST_COSINE)] = 0
    return cosine


def load_vectors(pipeline: str) -> Vectors:
    """A unit vector per stem: the mean of its words, without what all words have in common."""
    import spacy

    vocab: Any = spacy.load(pipeline).vocab
    first_of_row: dict[int, str] = {}
    for key, row in vocab.vectors.key2row.items():
        first_of_row.setdefault(row, vocab.strings[key])
    values = vocab.vectors.data[list(first_of_row)]
    values = values - values.mean(axis=0)
    axes = np.linalg.svd(values, full_matrices=False)[2][:COMMON_AXES]
    values = unit(values - values @ axes.T @ axes)
    rows = defaultdict(list)
    for at, word in enumerate(first_of_row.values()):
        stem = SPELLING.form(word) if word.isalpha() and word == word.lower() and len(word) > 2 else None
        if stem:
            rows[stem].append(at)
    stems = sorted(rows)
    return Vectors(stems, unit(np.stack([values[rows[stem]].mean(axis=0) for stem in stems])))


def unit(rows: NDArray[Any]) -> Floats:
    unit_rows: Floats = (rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6)).astype(np.float32)
    return unit_rows


def relations(folder: Path) -> Iterator[tuple[str, str, float]]:
    """Pairs of words that WordNet relates, and how much."""
    senses = {key: rank for name in dict.fromkeys(POSITIONS.values()) for key, rank in read_senses(folder, name)}
    synsets = {key: synset for name in dict.fromkeys(POSITIONS.values()) for key, synset in read_synsets(folder, name)}

    def sense(word: str, of: tuple[str, str]) -> float:
        rank = senses.get((word, *of), len(BY_SENSE))
        return BY_SENSE[rank] if rank < len(BY_SENSE) else RARE_SENSE

    for key, synset in synsets.items():
        words = synset.words
        for at, first in enumerate(words):
            yield from ((first, other, SAME * min(sense(first, key), sense(other, key))) for other in words[at + 1 :])
        for symbol, target, source_word, target_word in synset.pointers:
            others = synsets[target].words
            if symbol in ("+", "\\", "<") and source_word:
                yield words[source_word - 1], others[target_word - 1], DERIVED if symbol == "+" else FORM
            elif symbol in ("@", "&", "$"):
                kind = KIND if symbol == "@" else ALIKE
                for first in words:
                    yield from ((first, other, kind * min(sense(first, key), sense(other, target))) for other in others)


def read_senses(folder: Path, name: str) -> Iterator[tuple[tuple[str, str, str], int]]:
    for line in (folder / f"index.{name}").read_text().splitlines():
        cells = line.split()
        if not line.startswith(" "):
            yield from (((cells[0], name, synset), rank) for rank, synset in enumerate(cells[-int(cells[2]) :]))


def read_synsets(folder: Path, name: str) -> Iterator[tuple[tuple[str, str], Synset]]:
    for line in (folder / f"data.{name}").read_text().splitlines():
        if line.startswith(" "):
            continue
        cells = line.split(" | ")[0].split()
        count = int(cells[3], 16)
        words = [cells[4 + 2 * at].split("(")[0].lower() for at in range(count)]
        rest = cells[5 + 2 * count : 5 + 2 * count + 4 * int(cells[4 + 2 * count])]
        pointers = [
            (rest[at], (POSITIONS[rest[at + 2]], rest[at + 1]), int(rest[at + 3][:2], 16), int(rest[at + 3][2:], 16))
            for at in range(0, len(rest), 4)
        ]
        yield (name, cells[0]), Synset(words, pointers)


if __name__ == "__main__":
    sys.exit(main())
