"""A judge beside people, where people judged some of the same answers."""

from __future__ import annotations

from dataclasses import dataclass

from karat.evaluate.validate.cross_validation import try_judge
from karat.evaluate.validate.run_scores import ValidatedRun, score_runs
from karat.evaluate.validate.views import CalibrationBin, calibration_rows
from karat.judges.judge import Judged
from karat.text.idf import IdfTable

FEWEST_QUERIES = 2
"""With labels on fewer queries none can be hidden."""


@dataclass(frozen=True)
class JudgeAndPeople:
    """What a cross-validated judge says, beside people: by probability, and run by run."""

    judge: str
    measure: str
    bins: tuple[CalibrationBin, ...]
    runs: tuple[ValidatedRun, ...]


def judge_and_people(
    judged: Judged, *, judge: str | None, measure: str, labels: str | None, idf: IdfTable | None, seed: int
) -> JudgeAndPeople | None:
    """The judge with people's labels hidden, query by query (`try_judge`); None where people judged too few queries."""
    given = judged.given
    if given is None or judge is None or len({judgement.query_id for judgement in given.judgements}) < FEWEST_QUERIES:
        return None
    trial = try_judge(given, judge=judge, labels=labels, idf=idf, seed=seed)
    scored = [] if trial.labels is None else score_runs(trial.labels, [measure], seed=seed)
    return JudgeAndPeople(
        judge=judge, measure=measure, bins=calibration_rows(trial.pairs), runs=scored[0].rows if scored else ()
    )
