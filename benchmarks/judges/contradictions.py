"""How often the typed checks find a conflict in pairs that people call supported, and in pairs that they do not.

    KARAT_DATA=... python benchmarks/judges/contradictions.py [--show] [--pairs FILE] [SET ...]

Judged sets: the text is the sentence of the response with most of the nug's terms (as `lexical` finds it), and only
pairs count where it has at least 60 % of the nug's words with content. NLI sets: the premise is cut into sentences, and
the one with most of the hypothesis' words is taken. trec-rag-2024 is never read, except to leave its topics out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from karat.judges.lexical.lexical import LexicalMatcher
from karat.judges.semantic.checks import find_conflicts, read_text
from karat.text.response_units import units_of
from karat.text.sentences import sentence_spans
from lexical_made_sets import made
from lexical_sets import CHECKS, MADE, SETS, labelled

NLI = """breaking-nli negation-nli scone med cad-nli infotabs factor fm2 summedits defacto factcheckgpt sra fever-nli
mnli-binary conjnli""".split()
LEAST_OVERLAP = 0.6
MOST_PAIRS = 6000
"""How many pairs per set are looked at; drawn at random where there are more."""


class Pair(NamedTuple):
    nug: str
    text: str
    label: str
    """yes, part, no (judged sets), or the label of the NLI set."""


def overlap(nug: str, text: str) -> float:
    ours, theirs = read_text(nug).words.content, read_text(text).words.content
    return len(ours & theirs) / len(ours) if ours else 0.0


def judged_pairs(data: Path, name: str) -> Iterator[Pair]:
    """The pairs of a judged set whose best sentence has enough of the nug's words."""
    for judged in made(data, name) if name in MADE else labelled(data, name):
        task = judged.task
        units = units_of(task.responses, "sentence")
        best = LexicalMatcher(task).match(units).best
        for row, column in zip(*np.nonzero(np.isfinite(judged.degrees) & (best >= 0)), strict=True):
            degree = judged.degrees[row, column]
            nug = task.nugs[column].descriptions[0] if task.nugs[column].descriptions else ""
            text = units.texts[best[row, column]]
            if overlap(nug, text) >= LEAST_OVERLAP:
                yield Pair(nug, text, "yes" if degree == 1 else "no" if degree == 0 else "part")


def nli_pairs(data: Path, name: str) -> Iterator[Pair]:
    """The pairs of an NLI set, each with the best sentence of its premise."""
    with gzip.open(data / "nli" / f"nli-{name}" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows if len(rows) <= MOST_PAIRS else random.Random(name).sample(rows, MOST_PAIRS):
        nug, premise = row["hypothesis"], row["premise"]
        sentences = [premise[start:end] for start, end in sentence_spans(premise)]
        text = max(sentences, key=lambda sentence: overlap(nug, sentence), default="")
        if overlap(nug, text) >= LEAST_OVERLAP:
            yield Pair(nug, text, row["label"])


def show_table(sets: dict[str, list[Pair]], examples: int) -> None:
    """One row per set and label: how many pairs, and the share with a conflict, in all and of each kind."""
    print("| set | label | pairs | any | number | date | name | negation | antonym | order | roles |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, pairs in sets.items():
        by_label = defaultdict(list)
        for pair in pairs:
            by_label[pair.label].append((pair, find_conflicts(read_text(pair.nug), read_text(pair.text))))
        for label, found in sorted(by_label.items()):
            kinds = Counter(kind for _, conflicts in found for kind in {conflict.kind for conflict in conflicts})
            shares = [sum(bool(conflicts) for _, conflicts in found) / len(found)] + [
                kinds[kind] / len(found) for kind in "number date name negation antonym order roles".split()
            ]
            print(f"| {name} | {label} | {len(found)} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |")
            fired = [(pair, conflicts) for pair, conflicts in found if conflicts]
            for pair, conflicts in random.Random(1).sample(fired, min(examples, len(fired))):
                print(f"    {pair.nug}\n      {pair.text}\n      " + "; ".join(
                    f"{c.kind}: {c.nug_words} / {c.evidence_words}" for c in conflicts))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=[*SETS, *CHECKS, *NLI])
    parser.add_argument("--show", type=int, default=0, help="how many pairs with a conflict are shown per row")
    parser.add_argument("--pairs", type=Path, help="a file to keep the pairs in")
    args = parser.parse_args()
    data = Path(os.environ["KARAT_DATA"])
    kept = json.loads(args.pairs.read_text()) if args.pairs and args.pairs.exists() else {}
    for name in args.sets:
        if name not in kept:
            kept[name] = list(dict.fromkeys((judged_pairs if name in (*SETS, *CHECKS) else nli_pairs)(data, name)))
            if args.pairs:
                args.pairs.write_text(json.dumps(kept))
    show_table({name: [Pair(*pair) for pair in kept[name]] for name in args.sets}, args.show)


if __name__ == "__main__":
    main()
