"""The sentences that pairs are made from: parsed once by spaCy, kept as a file."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from karat.language.spacy.models import BUNDLED, load_pipeline
from karat.language.train.entailment.pairs.sets import is_dev, read_texts

SOURCES = {
    "fever-nli": 2600, "fm2": 1800, "conjnli": 2600, "defacto": 700, "factor": 1600, "mnli-binary": 2600,
    "begin": 900, "factcheckgpt": 700, "summedits": 120,
}  # fmt: skip
"""How many texts of each set are parsed. Tables, student answers and image captions are no source of sentences."""
SHORTEST, LONGEST = 5, 42
"""Tokens of a sentence."""


def parse_sources(folder: Path, output: Path, *, scale: float = 1.0, seed: int = 1) -> None:
    """Parse texts of the sets and of PropBank and write them; texts of the development part are marked."""
    from spacy.tokens import DocBin

    nlp = load_pipeline(BUNDLED).nlp
    store = DocBin(store_user_data=True)
    rng = random.Random(seed)  # noqa: S311 - a sample
    texts: list[tuple[str, bool]] = []
    for name, number in SOURCES.items():
        found = sorted(read_texts(folder / "nli", name))
        texts += rng.sample(found, min(len(found), int(number * scale)))
    for name, number in (("ewt_train", 4000), ("masc_other", 2500)):
        found = sorted(set(_propbank(folder / "propbank-ewt" / f"{name}.jsonl.gz")))
        texts += rng.sample(found, min(len(found), int(number * scale)))
    for doc, dev in nlp.pipe(texts, as_tuples=True, batch_size=64):
        doc.user_data["dev"] = dev
        store.add(doc)
    store.to_disk(output)


def parse(texts: Sequence[str]) -> list[Any]:
    """Texts, parsed."""
    return list(load_pipeline(BUNDLED).nlp.pipe(texts, batch_size=128))


def read_parses(path: Path) -> list[tuple[Any, bool]]:
    """The parsed texts, with the part they belong to."""
    from spacy.tokens import DocBin

    nlp = load_pipeline(BUNDLED).nlp
    return [(doc, bool(doc.user_data["dev"])) for doc in DocBin().from_disk(path).get_docs(nlp.vocab)]


def _propbank(path: Path) -> Iterator[tuple[str, bool]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            text = "".join(word + " " * space for word, space in zip(row["w"], row["sa"], strict=True)).strip()
            if SHORTEST <= len(row["w"]) <= LONGEST:
                yield text, is_dev(row["id"].rsplit("-", 1)[0])
