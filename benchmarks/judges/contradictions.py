"""How often the typed checks find a conflict in pairs that people call supported, and in pairs that they do not.

    KARAT_DATA=... python benchmarks/judges/contradictions.py [--part untouched] [--show N] [SET ...]

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
from typing import NamedTuple, get_args
from zlib import crc32

import numpy as np

from karat.judges.lexical.lexical import LexicalMatcher
from karat.judges.semantic.checks import ConflictKind, find_conflicts, read_text
from karat.text.response_units import units_of
from karat.text.sentences import sentence_spans
from lexical_made_sets import made
from lexical_sets import CHECKS, MADE, SETS, labelled

NLI = """breaking-nli negation-nli scone med cad-nli infotabs factor fm2 summedits defacto factcheckgpt sra fever-nli
mnli-binary conjnli""".split()
EVAL_ONLY = (
    "attributionbench anli-dev qags healthver climate-fever rte123 sick-corrected dnc-function-words nan-nli".split()
)
"""Sets that nothing may be learned from, and that no rule was written by."""
KINDS = get_args(ConflictKind)
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


def judged_pairs(data: Path, name: str, *, window: bool = False) -> Iterator[Pair]:
    """The pairs of a judged set whose best sentence has enough of the nug's words."""
    for judged in made(data, name) if name in MADE else labelled(data, name):
        task = judged.task
        units = units_of(task.responses, "sentence")
        best = LexicalMatcher(task).match(units).best
        for row, column in zip(*np.nonzero(np.isfinite(judged.degrees) & (best >= 0)), strict=True):
            degree = judged.degrees[row, column]
            nug = task.nugs[column].descriptions[0] if task.nugs[column].descriptions else ""
            at = best[row, column]
            if overlap(nug, units.texts[at]) >= LEAST_OVERLAP:
                start, end = (
                    (max(units.starts[row], at - 1), min(units.starts[row + 1], at + 2)) if window else (at, at + 1)
                )
                text = " ".join(units.texts[start:end])
                yield Pair(nug, text, "yes" if degree == 1 else "no" if degree == 0 else "part")


def nli_pairs(data: Path, name: str) -> Iterator[Pair]:
    """The pairs of an NLI set, each with the best sentence of its premise."""
    folder = data / "nli" / ("eval-only" if name in EVAL_ONLY else "") / f"nli-{name}"
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows if len(rows) <= MOST_PAIRS else random.Random(name).sample(rows, MOST_PAIRS):
        nug, premise = row["hypothesis"], row["premise"]
        sentences = [premise[start:end] for start, end in sentence_spans(premise)]
        text = max(sentences, key=lambda sentence: overlap(nug, sentence), default="")
        if overlap(nug, text) >= LEAST_OVERLAP:
            yield Pair(nug, text, row["label"])


def show_table(sets: dict[str, list[Pair]], examples: int) -> None:
    """One row per set and label: how many pairs, and the share with a conflict, in all and of each kind."""
    print(f"| set | label | pairs | any | {' | '.join(KINDS)} |")
    print("|---|---|--:|--:|" + "--:|" * len(KINDS))
    for name, pairs in sets.items():
        by_label = defaultdict(list)
        for pair in pairs:
            by_label[pair.label].append((pair, find_conflicts(read_text(pair.nug), read_text(pair.text))))
        for label, found in sorted(by_label.items()):
            kinds = Counter(kind for _, conflicts in found for kind in {conflict.kind for conflict in conflicts})
            shares = [sum(bool(conflicts) for _, conflicts in found) / len(found)] + [
                kinds[kind] / len(found) for kind in KINDS
            ]
            print(f"| {name} | {label} | {len(found)} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |")
            fired = [(pair, conflicts) for pair, conflicts in found if conflicts]
            for pair, conflicts in random.Random(1).sample(fired, min(examples, len(fired))):
                print(f"    {pair.nug}\n      {pair.text}\n      " + "; ".join(
                    f"{c.kind}: {c.nug_words} / {c.evidence_words}" for c in conflicts))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=[*SETS, *CHECKS, *NLI, *EVAL_ONLY])
    parser.add_argument("--show", type=int, default=0, help="how many pairs with a conflict are shown per row")
    parser.add_argument("--window", action="store_true", help="judged sets: with the sentences before and after")
    parser.add_argument(
        "--part",
        choices=("all", "tuned", "untouched"),
        default="all",
        help="the half of the pairs by which rules and limits were chosen, or the other half",
    )
    parser.add_argument("--pairs", type=Path, help="a file to keep the pairs in")
    args = parser.parse_args()
    data = Path(os.environ["KARAT_DATA"])
    kept = json.loads(args.pairs.read_text()) if args.pairs and args.pairs.exists() else {}
    for name in args.sets:
        if name not in kept:
            is_judged = name in (*SETS, *CHECKS)
            pairs = judged_pairs(data, name, window=args.window) if is_judged else nli_pairs(data, name)
            kept[name] = list(dict.fromkeys(pairs))
            if args.pairs:
                args.pairs.write_text(json.dumps(kept))
    wanted = {"all": (0, 1), "tuned": (0,), "untouched": (1,)}[args.part]
    show_table(
        {name: [Pair(*pair) for pair in kept[name] if crc32(pair[0].encode()) % 2 in wanted] for name in args.sets},
        args.show,
    )


if __name__ == "__main__":
    main()
