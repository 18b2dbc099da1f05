"""The calibrations that judges use until somebody has judged, fitted on public sets that weigh the same.

KARAT_DATA=... python benchmarks/fit_priors.py [JUDGE ...]

Prints the lines of PRIORS in src/karat/judges/priors.py. TREC RAG 2024, on which judges are measured, is not among the
sets; nor are its topics, which the nuggetizer's collection shares.
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
    people = (one for one in summhay if not isinstance(one, Judgement) or one.judge == "person")
    shared = {query.query_id for query in karat.load(data / MEASURED).queries}
    answers = sorted((data / "nuggetizer-rag24/answers").glob("*.gz"))
    labels = sorted((data / "nuggetizer-rag24/assignments").glob("*.gz"))
    nuggetizer = karat.load(*answers, *labels, on_error="skip")
    others = (one for one in nuggetizer if getattr(one, "query_id", None) not in shared)
    return {
        "REALSumm": karat.load(data / "realsumm-pyrxsum-labels/REALSumm"),
        "SummHay": Collection(people),
        "nuggetizer": Collection(others),
    }


def main(judges: list[str]) -> int:
    sets = labelled_sets(Path(os.environ["KARAT_DATA"]))
    for judge in judges:
        found: list[Pairs] = []
        for collection in sets.values():
            labels = Cases(collection, missing="skip", judge="all", assessors="majority")
            found.append(pairs_of(tasks_of(collection), parse_judge(judge), labels))
        # Questions are told apart by set, and every set weighs the same.
        scores = np.concatenate([one.scores for one in found])
        degrees = np.concatenate([one.degrees for one in found])
        source = np.concatenate([np.full(len(one.scores), at) for at, one in enumerate(found)])
        fitted = fit_logistic(Labelled(scores, degrees, source, source), questions_alike=True)
        sigmas = [fit_cell_effect(one.labelled(), fitted.probabilities(one.scores), one.cell) for one in found]
        styles = [
            fit_run_effect(one.degrees, fitted.probabilities(one.scores), one.cell, run_codes(one)) for one in found
        ]
        curve, partial = fitted.full, fitted.partial
        print(f'"{judge}": Prior({curve}, {partial}, sigma={np.nanmean(sigmas):.2f}),', flush=True)
        print(f"    pairs {[int((~np.isnan(one.degrees)).sum()) for one in found]}")
        print(f"    sigma by set {np.round(sigmas, 2)}, of runs {np.round(styles, 2)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(JUDGES)))
