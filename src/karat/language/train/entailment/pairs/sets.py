"""The public sets of premises and statements, one JSONL file per set, with long premises cut to what matters."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import msgspec

NAMES = tuple(
    "sra factcheckgpt summedits defacto fm2 infotabs fever-nli mnli-binary cad-nli breaking-nli negation-nli scone med "
    "help conjnli begin factor".split()
)
"""The sets that may be trained on."""

LONGEST = 75
"""Words of a premise; more is cut to a window of whole sentences."""
_LOST = 0.15
"""An entailed pair is dropped if its window loses more than this share of the common words."""
_DEV = 12
"""One group in this many is kept for development."""
_BREAK = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[]?[A-Z0-9])|\n+")
_WORD = re.compile(r"\w+")


class Pair(msgspec.Struct, frozen=True):
    """A premise, a statement, and whether the premise entails it."""

    premise: str
    statement: str
    entailed: bool
    kind: str
    """The set, or how the pair was made."""
    dev: bool = False
    three_way: int = -1
    """0 entailed, 1 neutral, 2 contradicted, -1 where the source does not tell the last two apart."""
    agent: str = ""
    patient: str = ""
    """Who does it and to whom in the premise, where that is known; in a false statement the other way round."""


def is_dev(group: str) -> bool:
    """Whether a group of rows is kept for development: by its name, so that it never changes."""
    return crc32(group.encode()) % _DEV == 0


def read_pairs(folder: Path, name: str) -> Iterator[Pair]:
    """The pairs of a set. Groups (one document, table, question or contrast block) are never split."""
    path = folder / f"nli-{name}" / f"{name}.jsonl.gz"
    ways = {"entailment": 0, "neutral": 1, "contradiction": 2, "not_entailment": -1}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            entailed = row["label"] == "entailment"
            statement = tidy(row["hypothesis"])
            premise = cut_premise(tidy(row["premise"]), statement, entailed=entailed)
            if premise and statement:
                group = row["id"].rsplit("/", 1)[0]
                yield Pair(premise, statement, entailed, name, is_dev(group), ways[row["label"]])


def read_texts(folder: Path, name: str) -> Iterator[tuple[str, bool]]:
    """The different premises of a set as they stand, with the part they belong to."""
    seen = set()
    with gzip.open(folder / f"nli-{name}" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            text = tidy(row["premise"])
            if text not in seen:
                seen.add(text)
                yield text, is_dev(row["id"].rsplit("/", 1)[0])


def tidy(text: str) -> str:
    """Text without the marks of tokenised corpora: "( the U.S. ) ," becomes "(the U.S.),"."""
    text = text.replace("-LRB-", "(").replace("-RRB-", ")").replace("-LSB-", "[").replace("-RSB-", "]")
    text = text.replace("``", '"').replace("''", '"').replace(" n't", "n't")
    text = re.sub(r" +([,.;:!?%)\]]|'s\b|'re\b|'ve\b|'ll\b|'d\b)", r"\1", text)
    return re.sub(r"([(\[$]) +", r"\1", text).strip()


def sentences(text: str) -> list[str]:
    """A simple split into sentences, good enough to cut windows."""
    return [part.strip() for part in _BREAK.split(text) if part and part.strip()]


def cut_premise(premise: str, statement: str, *, entailed: bool) -> str | None:
    """The window of one to five sentences within LONGEST words that has most of the statement's words.

    None if the pair is entailed and the window loses too much of what the premise has in common with the statement:
    what it was entailed by may then be gone.
    """
    if len(premise.split()) <= LONGEST:
        return premise
    parts = sentences(premise)
    question = parts[0] if premise.startswith("Question:") else None
    asked = Counter(set(_words(statement)))
    whole = sum((asked & Counter(set(_words(premise)))).values())
    best, best_score = "", -1.0
    for first in range(len(parts)):
        for last in range(first + 1, min(first + 5, len(parts)) + 1):
            window = " ".join(parts[first:last])
            length = len(window.split())
            if length > LONGEST and last > first + 1:
                break
            score = sum((asked & Counter(set(_words(window)))).values()) - 0.004 * length
            if score > best_score and length <= 1.5 * LONGEST:
                best, best_score = window, score
    if not best:
        return None
    kept = sum((asked & Counter(set(_words(best)))).values())
    if entailed and (kept < (1 - _LOST) * whole or kept < 2):
        return None
    if question is not None and question not in best and len(best.split()) + len(question.split()) < LONGEST:
        return f"{question} {best}"
    return best


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if len(word) > 3 or word.isdigit()]
