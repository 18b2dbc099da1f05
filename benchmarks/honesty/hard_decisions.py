"""How often the interval of a score by hard decisions contains people's score, on TREC RAG 2024.

KARAT_DATA=... python benchmarks/honesty/hard_decisions.py [SPLITS]

Random topics give the threshold (best kappa) and the error rates; the other topics are judged at that threshold. Beside
it: the usual calibrated scores, from the same labels. Standard errors are over splits.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import karat
from judges import LABELLED, SETS, measured, print_shares, splits

JUDGE = "nuggeteer"


def main(count: int) -> int:
    name, files, measure, tests = SETS["trec"]
    collection = karat.load(Path(os.environ["KARAT_DATA"]) / files, on_error="skip")
    for hard in (True, False):
        print(f"\n{name}, {measure}, {JUDGE}, {'hard decisions' if hard else 'calibrated'}, {count} random splits\n")
        print_shares(
            (
                labelled,
                [
                    measured(labels, measure, seed=0)
                    for labels in splits(
                        collection, labelled, tests=tests, count=count, seed=labelled, judge=JUDGE, hard=hard
                    )
                ],
            )
            for labelled in LABELLED
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
