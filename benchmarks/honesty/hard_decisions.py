"""How often the interval of a score by hard decisions contains people's score, on TREC RAG 2024.

KARAT_DATA=... python benchmarks/honesty/hard_decisions.py [HALVES]

A random half of the topics gives the threshold (best kappa) and the error rates; the other half is judged at that
threshold. Beside it: the usual calibrated scores, from the same labels.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import karat
from karat.evaluate.score.score import score_collection
from karat.evaluate.validate.cross_validation import labelled_pairs
from karat.judges.calibration.best_threshold import best_threshold
from karat.judges.judge import judge_collection
from karat.judges.registry import parse_judge
from karat.model import Collection, Judgement

JUDGE = "nuggeteer"
MEASURE = "strict_vital"


def main(halves: int) -> int:
    truth = karat.load(Path(os.environ["KARAT_DATA"]) / "trec-rag-2024/nugget_assignment.20241108.jl", on_error="skip")
    pairs, _ = labelled_pairs(truth, parse_judge(JUDGE))
    queries = sorted({nug.query_id for nug in truth.nugs})
    names = np.array([query.task.query_id for query in pairs.queries])[pairs.question]
    rows: dict[str, list[tuple[bool, float]]] = {"hard decisions": [], "calibrated": []}
    for seed in range(halves):
        taught = set(np.random.default_rng(seed).choice(queries, len(queries) // 2, replace=False).tolist())
        use = np.isin(names, list(taught)) & ~np.isnan(pairs.degrees)
        threshold = best_threshold(pairs.scores[use], pairs.degrees[use] >= 1).threshold
        rows["hard decisions"] += _inside(truth, taught, threshold)
        rows["calibrated"] += _inside(truth, taught, None)
    for title, each in rows.items():
        inside, widths = np.array(each).T
        print(f"{title}: {inside.mean():.3f} of {len(each)} scores of runs inside, mean width {widths.mean():.3f}")
    return 0


def _inside(truth: Collection, taught: set[str], threshold: float | None) -> list[tuple[bool, float]]:
    """For each run: whether people's score is in the judge's interval, and the width of it."""
    known = Collection(record for record in truth if not isinstance(record, Judgement) or record.query_id in taught)
    asked = Collection(record for record in truth if getattr(record, "query_id", None) not in taught)
    blind = [record for record in asked if not isinstance(record, Judgement)]
    judging = judge_collection(Collection(blind), judge=JUDGE, threshold=threshold, known=known)
    people = score_collection(asked, measures=MEASURE, missing="skip").of_all()
    program = score_collection(
        Collection([*blind, *judging.judgements]), measures=MEASURE, missing="skip", sigma=judging.sigma,
        run_sigma=judging.run_sigma, common=judging.common,
    ).of_all()  # fmt: skip
    official = {score.run_id: score.value for score in people}
    return [
        (
            score.judge_low - 1e-9 <= official[score.run_id] <= score.judge_high + 1e-9,
            score.judge_high - score.judge_low,
        )
        for score in program
        if official.get(score.run_id) is not None and score.judge_low is not None
    ]


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
