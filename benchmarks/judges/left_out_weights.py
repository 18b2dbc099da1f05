"""Weights of `lexical` for each set that it was learned from, learned without that set: a JSON file {set: weights}.

KARAT_DATA=... python benchmarks/judges/left_out_weights.py -o lexical-left-out.json

Priors and everything that is said about unlabelled scores are measured with them (`fit_priors.py`).
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec

from karat.judges.lexical.lexical import load_weights
from lexical_sets import SETS, pairs_of
from train_lexical import fit, record


def left_out_weights(data: Path) -> dict[str, object]:
    """The weights by the name of the set, in the form of weights.json."""
    ridge = load_weights().ridge
    sets = {name: pairs_of(data, name) for name in SETS}
    weights = {}
    for name in SETS:
        others = {other: pairs for other, pairs in sets.items() if other != name}
        weights[name] = msgspec.to_builtins(record(others, ridge, fit(list(others.values()), ridge)))
    return weights


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    weights = left_out_weights(Path(os.environ["KARAT_DATA"]))
    options.output.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
