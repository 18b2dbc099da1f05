"""PropBank sentences: gold words parsed by spaCy, with gold predicates and arguments."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from karat.language.analysis import Argument, Sentence
from karat.language.spacy.analyzer import SpacyAnalyzer

AUXILIARIES = frozenset({"be.03", "have.01", "do.01", "get.03"})
"""Frames of auxiliary verbs: in the data they are predicates without arguments, to a user they are none."""


class Proposition(msgspec.Struct, frozen=True):
    """A gold predicate; `auxiliary` ones are scored (they must get no arguments) but need not be found."""

    position: int
    verbal: bool
    """Whether its gold tag is a verb's (VB...), not a noun's or an adjective's."""
    auxiliary: bool
    arguments: frozenset[Argument]


class Example(msgspec.Struct, frozen=True):
    """A parsed sentence and its gold propositions."""

    sentence_id: str
    sentence: Sentence
    propositions: tuple[Proposition, ...]
    verbs_only: bool
    """Whether only verbs were annotated (MASC), so that other tokens say nothing about predicates."""


def read_examples(path: Path, *, analyzer: SpacyAnalyzer, verbs_only: bool = False) -> list[Example]:
    """The sentences of one file, parsed on their gold words."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["w"]]
    sentences = analyzer.analyze_words([(record["w"], record["sa"]) for record in records])
    return [
        Example(record["id"], sentence, tuple(_propositions(record["props"], record["xpos"])), verbs_only)
        for record, sentence in zip(records, sentences, strict=True)
    ]


def _propositions(stored: Sequence[dict[str, object]], tags: Sequence[str]) -> Iterator[Proposition]:
    for record in stored:
        # A few labels of MASC are two run together, "ARG0(ARG1": the first counts.
        arguments = frozenset(
            Argument(label.partition("(")[0], start, end)
            for label, start, end in record["args"]  # type: ignore[attr-defined]
            if label != "V"
        )
        position, frame = record["v"], record["frame"]
        assert isinstance(position, int)
        yield Proposition(position, tags[position].startswith("VB"), frame in AUXILIARIES, arguments)
