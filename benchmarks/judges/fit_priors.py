"""The calibrations that judges use until people have judged, fitted on public sets that all have the same weight.

KARAT_DATA=... python benchmarks/judges/fit_priors.py [JUDGE ...]

Prints the lines of PRIORS in src/karat/judges/calibration/priors.py. TREC RAG 2024, on which judges are measured, is
not among the sets; nor are its topics, which the nuggetizer's collection has as well.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import karat
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import fit_logistic
from karat.judges.errors.run_error import fit_run_effect
from karat.judges.errors.shared_error import fit_cell_effect
from karat.judges.pairs import Pairs, pairs_of, run_codes, tasks_of
from karat.judges.registry import parse_judge
from karat.measures.cases.cases import Cases
from karat.model import Collection, Judgement

JUDGES = ("lexical", "nuggeteer", "pourpre", "qaviar", "rouge")
MEASURED = "trec-rag-2024/nugget_assignment.20241108.jl"


def labelled_sets(data: Path) -> dict[str, Collection]:
    """Collections with people's labels, and the nuggetizer's with an LLM's."""
    summhay = karat.load(data / "summhay/eval_benchmark_data.json", on_error="skip")
    people = (record for record in summhay if not isinstance(record, Judgement) or record.judge == "person")
    shared = {query.query_id for query in karat.load(data / MEASURED).queries}
    answers = sorted((data / "nuggetizer-rag24/answers").glob("*.gz"))
    labels = sorted((data / "nuggetizer-rag24/assignments").glob("*.gz"))
    nuggetizer = karat.load(*answers, *labels, on_error="skip")
    others = (record for record in nuggetizer if getattr(record, "query_id", None) not in shared)
    return {
        "REALSumm": karat.load(data / "realsumm-pyrxsum-labels/REALSumm"),
        "SummHay": Collection(people),
        "nuggetizer": Collection(others),
    }


def main(judges: list[str]) -> int:
    sets = labelled_sets(Path(os.environ["KARAT_DATA"]))
    for judge in judges:
        sets_of_pairs: list[Pairs] = []
        for collection in sets.values():
            labels = Cases(collection, missing="skip", judge="all", assessors="majority")
            sets_of_pairs.append(pairs_of(tasks_of(collection), parse_judge(judge), labels))
        # The set is the question here, so that every set has the same weight.
        scores = np.concatenate([pairs.scores for pairs in sets_of_pairs])
        degrees = np.concatenate([pairs.degrees for pairs in sets_of_pairs])
        source = np.concatenate([np.full(len(pairs.scores), at) for at, pairs in enumerate(sets_of_pairs)])
        fitted = fit_logistic(Labelled(scores, degrees, source, source), questions_alike=True)
        sigmas = [
            fit_cell_effect(pairs.labelled(), fitted.probabilities(pairs.scores), pairs.cell) for pairs in sets_of_pairs
        ]
        run_sigmas = [
            fit_run_effect(pairs.degrees, fitted.probabilities(pairs.scores), pairs.cell, run_codes(pairs))
            for pairs in sets_of_pairs
        ]
        curve, partial = fitted.full, fitted.partial
        print(f'"{judge}": Prior({curve}, {partial}, sigma={np.nanmean(sigmas):.2f}),', flush=True)
        print(f"    pairs {[int((~np.isnan(pairs.degrees)).sum()) for pairs in sets_of_pairs]}")
        print(f"    sigma by set {np.round(sigmas, 2)}, of runs {np.round(run_sigmas, 2)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(JUDGES)))
