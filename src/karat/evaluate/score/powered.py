"""Scores where a program judged all responses and people a random part: people's scores, with the program's help.

Prediction-powered inference (`ppi_mean`): the program's mean over all queries is corrected by how it differs from
people where both judged, so that the interval holds people's score however wrong the program is. What was labelled is
in `labelled_part`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import msgspec
import numpy as np

from karat import __version__
from karat.evaluate.score.labelled_part import NOT_USED, PoweredTable, PoweredTables
from karat.evaluate.score.sampled_answers import corrected_tables, has_drawn_labels
from karat.evaluate.score.score import Scoring, score_collection
from karat.evaluate.tables.query_tables import origin_of
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.ties import ALPHA, MOST_RUNS
from karat.judges.judge import Judged
from karat.measures.cases.cases import ALL_QUERIES
from karat.model import Score, Signature, UnfitInput
from karat.stats.intervals.prediction_powered import PoweredMean
from karat.stats.significance.tie_letters import letter_groups
from karat.text.idf import IdfTable


def score_judged(
    judged: Judged, *, judge: str | None, labels: str | None = None, labelled_at_random: bool = False,
    idf: IdfTable | None = None, **options: Any,
) -> Scoring:  # fmt: skip
    """`score_collection`, or prediction-powered scores where people labelled a random part. options: as there."""
    plain = {"by": None, "relative_to": None, "average": "query"}
    usual = options | {"judge": judged.judge}
    if not has_drawn_labels(judged, labelled_at_random=labelled_at_random):
        return _usual(judged, usual)
    reason = next(
        (f"not with {name}={options[name]}" for name in plain if options.get(name, plain[name]) != plain[name]), None
    )
    if reason is None:
        assert judge is not None
        powered = corrected_tables(
            judged, judge=judge, labels=labels, labelled_at_random=labelled_at_random, idf=idf, **options
        )
        if isinstance(powered, PoweredTables):
            return _scored(powered, int(options.get("seed", 0)))
        reason = powered
    if labelled_at_random:
        raise UnfitInput(f"--labelled-at-random: {reason}")
    scoring = _usual(judged, usual)
    note = f"{NOT_USED}: {reason}"
    return msgspec.structs.replace(scoring, notes=(note, *scoring.notes))


def _usual(judged: Judged, options: dict[str, Any]) -> Scoring:
    return score_collection(
        judged.collection, sigma=judged.sigma, run_sigma=judged.run_sigma, common=judged.common, **options
    )


def _scored(powered: PoweredTables, seed: int) -> Scoring:
    scores, tables = [], []
    for each in powered.tables:
        table, mixed = each.table, each.mixed
        tables.append(mixed)
        letters = _letters(each)
        signature = _signature(table.name, powered, seed)
        bounded = bool(np.nanmin(mixed.values) >= 0 and np.nanmax(mixed.values) <= 1)
        for row, run_id in enumerate(table.run_ids):
            scores += _query_scores(mixed, row, signature)
            scores.append(_total(table.name, run_id, each.means[row], letters[row], signature, bounded=bounded))
    by_run = {run_id: at for at, run_id in enumerate(tables[0].run_ids)}
    scores.sort(key=lambda score: by_run.get(score.run_id, len(by_run)))
    return Scoring(
        scores=tuple(scores), notes=(*powered.notes("scores"), *powered.of_program.notes), tables=tuple(tables)
    )


def _letters(powered: PoweredTable) -> list[str]:
    """Runs share a letter where the interval of their difference, at 0.05 / pairs, holds 0."""
    runs = len(powered.table.run_ids)
    if not 2 <= runs <= MOST_RUNS:
        return [""] * runs
    pairs = list(combinations(range(runs), 2))
    different, tested = np.zeros((runs, runs), bool), np.eye(runs, dtype=bool)
    for a, b in pairs:
        found = powered.difference(a, b)
        if found is not None:
            tested[a, b] = tested[b, a] = True
            different[a, b] = different[b, a] = found.p() < ALPHA / len(pairs)
    best = 1 if powered.table.less_is_better else -1
    order = sorted(range(runs), key=lambda row: best * powered.means[row].estimate)
    return letter_groups(different, order, tested=tested)


def _query_scores(table: ScoreTable, row: int, signature: str) -> list[Score]:
    return [
        Score(
            run_id=table.run_ids[row], query_id=query_id, measure=table.name, value=None if value != value else value,
            n=int(value == value), undefined=int(value != value), signature=signature,
        )
        for query_id, value, skipped in zip(
            table.query_ids, table.values[row].tolist(), table.skipped[row].tolist(), strict=True
        )
        if not skipped
    ]  # fmt: skip


def _total(measure: str, run_id: str, mean: PoweredMean, letters: str, signature: str, *, bounded: bool) -> Score:
    def within(value: float) -> float:
        return min(max(value, 0.0), 1.0) if bounded else value

    extra: dict[str, object] = {"tie": letters} if letters else {}
    extra |= {"labelled": mean.labelled, "judge_value": mean.judge_estimate, "judge_bias": mean.judge_bias}
    if mean.design != "pairs":
        extra |= {
            "labels_value": mean.labels_estimate, "labels_low": within(mean.labels_low),
            "labels_high": within(mean.labels_high), "judge_weight": mean.weight,
        }  # fmt: skip
    limits: dict[str, Any] = {}
    if not mean.no_error_seen:
        limits = {
            "low": within(mean.low), "high": within(mean.high), "judge_low": within(mean.same_low),
            "judge_high": within(mean.same_high),
        }  # fmt: skip
    return Score(
        run_id=run_id, query_id=ALL_QUERIES, measure=measure, value=within(mean.estimate), n=mean.queries,
        undefined=0, signature=signature, extra=extra, **limits,
    )  # fmt: skip


def _signature(measure: str, powered: PoweredTables, seed: int) -> str:
    settings = origin_of(powered.of_program) | {
        "average": "query",
        "ci": "ppi" if powered.design == "queries" else "ppi-pairs",
        "labelled": str(powered.labelled),
        "ties": "ppi-bonferroni",
        "seed": str(seed),
        "v": __version__,
    }
    return str(Signature(measure, settings))
