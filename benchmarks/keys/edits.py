"""How well `karat key diff` names known edits: real keys are edited at random, and each edit must be named again.

    python benchmarks/keys/edits.py [--seeds 5] [--set dev|test]

Edits: a nug is added, removed, split at its "and", merged with the next one, given another number, given another
importance. `ids kept`: an edited nug keeps its id, as an editor by hand would do. `new ids`: every nug of the new key
has another id, as where ids are made from the text. Each row has the share of named changes of a kind that are right
(precision) and of edits that are named so (recall); an edit is named where old ids, new ids and kind are all right.
The thresholds of the matching were chosen on `dev` (TREC QA 2003); `test` are other years and tracks.
"""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from msgspec.structs import replace

import karat
from karat.evaluate.keys.diff import name_changes
from karat.evaluate.nuggets.drafting.meaning import best_sameness
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness, Sameness
from karat.model import Collection, Nug

SETS = {
    "dev": ("trec-qa-nuggets/trec12answers_definition",),
    "test": (
        "trec-qa-nuggets/trec13answers_other", "trec-qa-nuggets/trec14answers_other",
        "trec-qa-nuggets/trec15answers_ciqa", "trec-rag-2024/nugget_assignment.20241108.jl",
        "trec-rag-2025-dev/rag25-dev-nuggets.jsonl",
    ),
}  # fmt: skip
KINDS = ("added", "removed", "split", "merged", "corrected", "importance")
EACH = 0.06
"""The share of nugs that get each kind of edit."""
Named = tuple[str, frozenset[str], frozenset[str]]
"""Kind, and the ids of old and new nugs, with their query."""


@dataclass
class Edited:
    old: list[Nug] = field(default_factory=list)
    new: list[Nug] = field(default_factory=list)
    edits: set[Named] = field(default_factory=set)


def edited(nugs: list[Nug], seed: int, *, keep_ids: bool) -> Edited:
    """A key with random edits: every nug has at most one."""
    rng = np.random.default_rng(seed)
    done = Edited()
    waiting: Nug | None = None
    for nug in nugs:
        text = nug.descriptions[0]
        kind = rng.choice([*KINDS, "none"], p=[EACH] * len(KINDS) + [1 - EACH * len(KINDS)])
        if waiting is not None and waiting.query_id != nug.query_id:
            _put(done, [waiting], [waiting], None, keep_ids)
            waiting = None
        if waiting is not None:
            joined = f"{waiting.descriptions[0].rstrip(' .')} and {text}"
            _put(done, [waiting, nug], [replace(waiting, descriptions=(joined,))], "merged", keep_ids)
            waiting = None
        elif kind == "added":
            _put(done, [], [nug], kind, keep_ids)
        elif kind == "removed":
            _put(done, [nug], [], kind, keep_ids)
        elif kind == "split" and (halves := _halves(text)) is not None:
            parts = [
                replace(nug, descriptions=(halves[0],)),
                replace(nug, nug_id=f"{nug.nug_id}b", descriptions=(halves[1],)),
            ]
            _put(done, [nug], parts, kind, keep_ids)
        elif kind == "merged":
            waiting = nug
        elif kind == "corrected" and (other := _other_number(text, rng)) is not None:
            _put(done, [nug], [replace(nug, descriptions=(other,))], kind, keep_ids)
        elif kind == "importance" and nug.importance is not None:
            flipped = "okay" if nug.importance == "vital" else "vital"
            _put(done, [nug], [replace(nug, importance=flipped)], kind, keep_ids)
        else:
            _put(done, [nug], [nug], None, keep_ids)
    if waiting is not None:
        _put(done, [waiting], [waiting], None, keep_ids)
    return done


def _put(done: Edited, old: list[Nug], new: list[Nug], kind: str | None, keep_ids: bool) -> None:
    if not keep_ids:
        new = [replace(nug, nug_id=f"x{len(done.new) + at}") for at, nug in enumerate(new)]
    done.old += old
    done.new += new
    if kind is not None:
        done.edits.add((kind, _ids(old), _ids(new)))


def _ids(nugs: list[Nug] | tuple[Nug, ...]) -> frozenset[str]:
    return frozenset(f"{nug.query_id}\t{nug.nug_id}" for nug in nugs)


def _halves(text: str) -> tuple[str, str] | None:
    """Both sides of the first "and" (or semicolon) with at least three words before and after it."""
    for match in re.finditer(r"\s*;\s+|,?\s+and\s+", text):
        left, right = text[: match.start()].strip(), text[match.end() :].strip()
        if min(len(left.split()), len(right.split())) >= 3:
            return left, right
    return None


def _other_number(text: str, rng: np.random.Generator) -> str | None:
    numbers = list(re.finditer(r"\d+", text))
    if not numbers or len(text.split()) < 4:
        return None
    match = numbers[int(rng.integers(len(numbers)))]
    return f"{text[: match.start()]}{int(match[0]) + int(rng.integers(1, 9))}{text[match.end() :]}"


def named(done: Edited, sameness: Sameness) -> set[Named]:
    changes, _ = name_changes(Collection(done.old), Collection(done.new), sameness)
    return {
        (kind, _ids(change.old), _ids(change.new))
        for change in changes
        for kind in change.kinds
        if kind not in ("unchanged", "renamed")
    }


def rows(files: tuple[str, ...], seeds: int) -> Iterator[list[str]]:
    data = Path(os.environ["KARAT_DATA"])
    for by, sameness in (("words", LexicalSameness()), ("meaning", best_sameness())):
        for keep_ids in (True, False):
            right, said, made = Counter[str](), Counter[str](), Counter[str]()
            for file in files:
                nugs = [nug for nug in karat.load(data / file, on_error="skip").nugs if nug.descriptions]
                for seed in range(seeds):
                    done = edited(nugs, seed, keep_ids=keep_ids)
                    found = named(done, sameness)
                    made.update(kind for kind, _, _ in done.edits)
                    said.update(kind for kind, _, _ in found)
                    right.update(kind for kind, _, _ in found & done.edits)
            for kind in dict.fromkeys((*KINDS, *said)):
                yield [
                    by, "ids kept" if keep_ids else "new ids", kind, str(made[kind]), str(said[kind]),
                    f"{right[kind] / said[kind]:.3f}" if said[kind] else "-",
                    f"{right[kind] / made[kind]:.3f}" if made[kind] else "-",
                ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--set", choices=SETS, default="test")
    options = parser.parse_args()
    print("| by | ids | kind | edits | named | precision | recall |\n|---|---|---|---:|---:|---:|---:|")
    for row in rows(SETS[options.set], options.seeds):
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
