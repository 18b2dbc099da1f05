"""Learn the weights of the judge `semantic` (docs/semantic.md), and say how good they are.

KARAT_DATA=... python benchmarks/judges/train_semantic.py [-o WEIGHTS.json] [--left-out FILE.json] [--test]

The same sets and the same fit as for `lexical` (train_lexical.py); the ridge is chosen in the same way, and is five
times as large for the features of `lexical`, which say again what the meaning of words says. --left-out writes the
weights that were learned without each set, for figures on sets that the shipped weights were learned from.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec
import numpy as np

from karat.judges.lexical.features import FEATURES as LEXICAL_FEATURES
from karat.judges.semantic.semantic import FEATURES, Semantic, feature_table
from lexical_sets import CHECKS, SETS, TEST, pairs_of
from train_lexical import fit, left_out, record, report

RIDGES = (0.01, 0.02, 0.05, 0.1, 0.2)
STIFF = np.array([5.0 if name in LEXICAL_FEATURES else 1.0 for name in FEATURES])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--left-out", type=Path)
    parser.add_argument("--test", action="store_true", help="judge trec-rag-2024 at the end; nothing is chosen by it")
    options = parser.parse_args()
    if "KARAT_DATA" not in os.environ:
        sys.exit("set KARAT_DATA to the folder with the public data sets")
    data = Path(os.environ["KARAT_DATA"])
    sets = {}
    for name in (*SETS, *CHECKS):
        sets[name] = pairs_of(data, name, table=feature_table)
        print(f"{name}: {len(sets[name].contained)} pairs", flush=True)
    mean_auc = {ridge: left_out(sets, ridge, stiff=STIFF) for ridge in RIDGES}
    ridge = max(mean_auc, key=mean_auc.__getitem__)
    learned = fit([sets[name] for name in SETS], ridge, stiff=STIFF)
    print(f"ridge {ridge:g}, intercept {learned.intercept:.3f}")
    for name, weight in sorted(zip(FEATURES, learned.weights, strict=True), key=lambda pair: -abs(pair[1])):
        print(f"  {name:20} {weight:+.4f}")
    version = Semantic().version
    if options.output:
        weights = record(sets, ridge, learned, names=FEATURES, version=version)
        options.output.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=1))
    if options.left_out:
        without = {
            name: record(
                {other: sets[other] for other in SETS if other != name}, ridge,
                fit([sets[other] for other in SETS if other != name], ridge, stiff=STIFF),
                names=FEATURES, version=version,
            )
            for name in sets
        }  # fmt: skip
        options.left_out.write_bytes(msgspec.json.encode(without))
    if options.test:
        held = pairs_of(data, TEST, table=feature_table)
        report(TEST, held, learned.scores(held.features))
    return 0


if __name__ == "__main__":
    sys.exit(main())
