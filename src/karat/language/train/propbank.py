"""Sentences of PropBank: the words of the data parsed by spaCy, with gold predicates and arguments."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from karat.language.analysis import Argument, ParsedSentence
from karat.language.spacy.analyzer import SpacyAnalyzer

AUXILIARIES = frozenset({"be.03", "have.01", "do.01", "get.03"})
"""Frames of auxiliary verbs. The data lists them as predicates without arguments; Karat does not count them."""


class GoldPredicate(msgspec.Struct, frozen=True):
    """A predicate of the data, with its arguments. Auxiliaries must get no arguments, but need not be found."""

    position: int
    verbal: bool
    """Whether its gold tag is that of a verb (VB...), not of a noun or an adjective."""
    auxiliary: bool
    arguments: frozenset[Argument]


class Example(msgspec.Struct, frozen=True):
    """A parsed sentence and its gold predicates."""

    sentence: ParsedSentence
    gold_predicates: tuple[GoldPredicate, ...]
    verbs_only: bool
    """Whether only verbs were annotated (MASC), so that nothing is known about other tokens."""


def read_examples(path: Path, *, analyzer: SpacyAnalyzer, verbs_only: bool = False) -> list[Example]:
    """The sentences of one file, parsed with the words of the data as tokens."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["w"]]
    sentences = analyzer.analyze_words([(record["w"], record["sa"]) for record in records])
    return [
        Example(sentence, tuple(_gold_predicates(record["props"], record["xpos"])), verbs_only)
        for record, sentence in zip(records, sentences, strict=True)
    ]


def _gold_predicates(stored: Sequence[dict[str, object]], tags: Sequence[str]) -> Iterator[GoldPredicate]:
    for record in stored:
        # A few labels of MASC are two in one, "ARG0(ARG1": the first is used.
        arguments = frozenset(
            Argument(label.partition("(")[0], start, end)
            for label, start, end in record["args"]  # type: ignore[attr-defined]
            if label != "V"
        )
        position, frame = record["v"], record["frame"]
        assert isinstance(position, int)
        yield GoldPredicate(position, tags[position].startswith("VB"), frame in AUXILIARIES, arguments)
