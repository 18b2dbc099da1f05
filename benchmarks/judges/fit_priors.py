"""The calibrations that judges use until people have judged, fitted on labelled sets: mean curves, and their spread.

KARAT_DATA=... python benchmarks/judges/fit_priors.py [JUDGE ...] [--weights JUDGE=FILE ...] [--cache FOLDER]

Prints the lines of PRIORS in src/karat/judges/calibration/priors.py; below each, the line of every set (see
`between_sets.py`), how far the mean curve of the other sets is off on it, and the correlations of errors. Their rounded
mean over REALSumm, SummHay and the nuggetizer's collection, by `lexical` and `rouge`, is PRIOR_CORRELATIONS. TREC RAG
2024, on which judges are measured, is not among the sets; nor are its topics, which the nuggetizer's collection has as
well.

A judge that was learned from some of these sets would look too good on them. `--weights semantic=FILE` gives it other
weights for each: a JSON file {set: weights}, learned without the set (for `lexical`: `left_out_weights.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from between_sets import fit_prior, mean_curve, without
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import LogisticCurve, fit_logistic
from karat.judges.calibration.priors import PRIORS
from karat.judges.errors.correlations import ErrorCorrelations, fit_correlations
from set_scores import ScoredSet, score_sets

JUDGES = ("lexical", "nuggeteer", "pourpre(credit=probability)", "qaviar", "rouge")
LEARNED = ("lexical", "neighbours", "semantic")
"""Judges whose weights were learned from these sets."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judges", nargs="*", default=JUDGES)
    parser.add_argument("--weights", metavar="JUDGE=FILE", action="append", default=[])
    parser.add_argument("--cache", type=Path, help="a folder for scores")
    given = parser.parse_args()
    if "KARAT_DATA" not in os.environ:
        sys.exit("set KARAT_DATA to the folder with the public data sets")
    weights = {
        judge: json.loads(Path(file).read_text()) for judge, _, file in (w.partition("=") for w in given.weights)
    }
    for judge in given.judges:
        name = judge.partition("(")[0]
        if name in LEARNED and name not in weights:
            print(f"{name}: no --weights, so its own weights are used, which have seen these sets", file=sys.stderr)
        sets = score_sets(Path(os.environ["KARAT_DATA"]), judge, weights=weights.get(name), cache=given.cache)
        print_prior(name, sets)
    return 0


def print_prior(name: str, sets: dict[str, ScoredSet]) -> None:
    prior = fit_prior(sets)
    correlations = {each: error_correlations(labelled) for each, labelled in sets.items()}
    curves = ", ".join(_written(curve) for curve in (prior.curves.full, prior.curves.partial))
    between = prior.between
    # The errors of made answers say nothing about those of systems, so this size is not fitted here.
    sigma = PRIORS[name].sigma if name in PRIORS else 1.3
    numbers = ", ".join(f"{number:.2f}" for number in (between.centre, between.level, between.slope))
    print(f'"{name}": Prior({curves}, {sigma}, Between({numbers})),  # freedom {prior.freedom:g}')
    for each, labelled in sets.items():
        alone = mean_curve(without(sets, each)).probabilities(labelled.scores)[:, 2]
        contained = labelled.degrees >= 1
        line = prior.lines[each]
        found = correlations[each]
        print(
            f"    {each}: {len(labelled.scores)} pairs, line {line[0]:+.2f} {line[1]:.2f}, contained "
            f"{contained.mean():.3f}, by the other kinds {alone.mean():.3f}; errors: nug {found.nug:.2f}, query "
            f"{found.query:.2f}, response {found.response:.2f}, run {found.run:.3f}",
            flush=True,
        )


def error_correlations(labelled: ScoredSet) -> ErrorCorrelations:
    """Of the errors of a curve that was learned on the set itself."""
    pairs = Labelled(labelled.scores, labelled.degrees, labelled.query, labelled.nug)
    own = fit_logistic(pairs, questions_alike=True).probabilities(labelled.scores)[:, 2]
    return fit_correlations(
        labelled.degrees, own, question=labelled.query, nug=labelled.nug, cell=labelled.response, run=labelled.run
    )


def _written(curve: object) -> str:
    assert isinstance(curve, LogisticCurve)
    return f"LogisticCurve({curve.intercept:.3f}, ({', '.join(f'{slope:.3f}' for slope in curve.slopes)},))"


if __name__ == "__main__":
    sys.exit(main())
