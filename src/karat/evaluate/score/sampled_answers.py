"""Scores where people answered the questions of a plan: single judgements that were drawn with known chances.

What the judge is wrong by on the answered pairs corrects the rest (`sampled_scores`); a pair's own answer is hidden
from it (`PairCredits`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np

from karat.evaluate.plan.pair_population import (
    PairName,
    PairWeights,
    credit_spread,
    expected_credit,
    pair_weights,
    population_of,
)
from karat.evaluate.plan.planned_answers import PlannedAnswers
from karat.evaluate.plan.question_plan import PLANNED
from karat.evaluate.score.cross_fitted import PairCredits
from karat.evaluate.score.labelled_part import PoweredTable, PoweredTables, has_random_part, powered_tables
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import tabulated
from karat.judges.base import Judge
from karat.judges.human.labels import by_people
from karat.judges.judge import Judged
from karat.judges.pairs import Floats, Pairs, pairs_of, tasks_of
from karat.judges.registry import parse_judge
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES, Rules
from karat.model import Collection, Judgement, UsageError
from karat.model.wording import number_of
from karat.stats.intervals.prediction_powered import PoweredMean
from karat.stats.intervals.sampled_pairs import SampledScores, chance_scale, sampled_scores
from karat.text.idf import IdfTable

SAME = 1e-4
"""Sizes are the same if they differ by no more: models may round differently on another machine."""
OTHER_SCORES = (
    "the judge gives other scores than when the plan was made (another version of Karat or of a model); make a new plan"
)


def has_drawn_labels(judged: Judged, *, labelled_at_random: bool) -> bool:
    """Whether people labelled a random part of what a program judged: whole queries, or questions of a plan."""
    return _has_planned_answers(judged) or has_random_part(judged, labelled_at_random=labelled_at_random)


def corrected_tables(
    judged: Judged, *, judge: str, labels: str | None, labelled_at_random: bool, idf: IdfTable | None = None,
    **options: Any,
) -> PoweredTables | str:  # fmt: skip
    """The tables as people's labels correct them; or the reason why they cannot."""
    if _has_planned_answers(judged) and not labelled_at_random:
        return sampled_tables(judged, judge=judge, labels=labels, idf=idf, **options)
    return powered_tables(judged, judge=judge, labels=labels, labelled_at_random=labelled_at_random, idf=idf, **options)


def _has_planned_answers(judged: Judged) -> bool:
    given = judged.given
    return given is not None and any(PLANNED in judgement.extra for judgement in given.judgements)


@dataclass(frozen=True)
class SampledTable(PoweredTable):
    """One measure's scores from planned answers."""

    sampled: SampledScores
    alone: Floats
    """Each run's score from its own answers (`SampledScores.alone`)."""
    answers: int
    """In the whole sample."""

    def difference(self, first: int, second: int) -> PoweredMean | None:
        a, b = self.means[first], self.means[second]
        values = self.mixed.values[first] - self.mixed.values[second]
        values = values[~np.isnan(values)]
        if len(values) < 2:
            return None
        # Not the difference of the two scores, which borrow from other runs: a judge that favours one run as it favours
        # no other must not make it differ.
        variance = self.sampled.alone_variance
        return _powered(
            float(self.alone[first] - self.alone[second]), float(variance[first] + variance[second]), values,
            answers=min(self.answers, a.labelled + b.labelled), judge=a.judge_estimate - b.judge_estimate,
            labelled=a.labelled + b.labelled, pairs=a.responses + b.responses, bounds=(-1.0, 1.0),
        )  # fmt: skip


def sampled_tables(
    judged: Judged, *, judge: str, labels: str | None, idf: IdfTable | None = None, **options: Any
) -> PoweredTables | str:
    """The tables, or the reason why the answers are not used as a random part. options: as of `powered_tables`."""
    assert judged.given is not None
    people = by_people(judged.given, labels=labels)
    answers = PlannedAnswers.of(people, judged.given)
    if isinstance(answers, str):
        return answers
    unlabelled = Collection(record for record in judged.given if not isinstance(record, Judgement))
    compared = [run_id for run_id in (*(options.get("runs") or ()), options.get("baseline")) if run_id is not None]
    if answers.mark.runs and (others := [run_id for run_id in compared if run_id not in answers.mark.runs]):
        return f"the plan asked about {', '.join(answers.mark.runs)}, and not about {', '.join(others)}"
    program = parse_judge(judge)
    pairs = pairs_of(tasks_of(unlabelled, idf=idf), program, Cases(people, missing="skip", judge=ALL_JUDGES))
    chances = _all_chances(unlabelled, pairs, program, answers)
    if isinstance(chances, str):
        return chances
    rules = {name: value for name, value in options.items() if name in Rules.__annotations__}
    tables = tabulated(
        _of_runs(judged.collection, answers.mark.runs), measures=options.get("measures"), beta=options.get("beta"),
        most=options.get("most"), **{**rules, "judge": judged.judge},
    )  # fmt: skip
    assert tables.cases is not None
    credits = PairCredits.of(pairs, program, answers, chances)
    powered: list[SampledTable] = []
    left_out: list[str] = []
    for table in tables.tables:
        weights = pair_weights(tables.cases, table)
        if weights is None or not credits.covers(weights):
            left_out.append(table.name)
        else:
            powered.append(sampled_table(table, weights, credits))
    if not powered:
        return f"the plan is for {answers.mark.measure}, and does not help with {', '.join(left_out)}"
    return PoweredTables(
        tuple(powered), tables, len(answers.chances), design="pairs",
        said=tuple(_notes(powered, answers, left_out, len(chances))),
    )  # fmt: skip


def _of_runs(collection: Collection, runs: Sequence[str]) -> Collection:
    """The collection with only the runs that a plan asked about; all where it names none."""
    return Collection(record for record in collection if not runs or getattr(record, "run_id", runs[0]) in runs)


def _all_chances(
    unlabelled: Collection, pairs: Pairs, program: Judge, answers: PlannedAnswers
) -> dict[PairName, float] | str:
    """The chance of every pair that could be drawn; or the reason why they cannot be known any more."""
    mark = answers.mark
    if str(program) != mark.judge:
        try:
            program = parse_judge(mark.judge)
        except UsageError as error:
            return f"the plan is by a judge that is not there: {error}"
        pairs = pairs_of(tasks_of(unlabelled), program)
    population = population_of(
        unlabelled, pairs, program, measure=mark.measure, known=answers.known, runs=mark.runs or None
    )
    sizes = dict(zip(population.names, population.sizes.tolist(), strict=True))
    if any(abs(sizes.get(name, 0.0) / size - 1) > SAME for name, size in answers.sizes.items()):
        return OTHER_SCORES
    if abs(chance_scale(population.sizes, answers.draws) / answers.scale - 1) > SAME:
        return OTHER_SCORES
    return {name: min(1.0, answers.scale * size) for name, size in sizes.items()}


def sampled_table(table: ScoreTable, weights: PairWeights, credits: PairCredits) -> SampledTable:
    rows = {run_id: row for row, run_id in enumerate(table.run_ids)}
    columns = {query_id: column for column, query_id in enumerate(table.query_ids)}
    weight = np.array([weights.in_mean(*name) for name in credits.names])
    use = np.flatnonzero(weight)
    run = np.array([rows[credits.names[at][1]] for at in use], int)
    column = np.array([columns[credits.names[at][0]] for at in use], int)
    judged = expected_credit(credits.probabilities[use], weights.crediting)
    degrees = credits.degrees[use]
    people = degrees if weights.crediting == "lenient" else np.where(np.isnan(degrees), np.nan, degrees >= 1)
    sampled = sampled_scores(
        run, run * len(columns) + column, runs=len(rows), weight=weight[use], judged=judged, people=people,
        chance=credits.chances[use], spread=credit_spread(credits.probabilities[use], weights.crediting),
    )  # fmt: skip
    base = np.full(table.values.shape, np.nan)
    for (query_id, run_id), cell in weights.cells.items():
        base[rows[run_id], columns[query_id]] = cell.base
    queries = np.array([weights.queries[run_id] for run_id in table.run_ids])
    alone, mixed = base.copy(), base.copy()
    before = expected_credit(credits.before[use], weights.crediting)
    np.add.at(alone, (run, column), weight[use] * queries[run] * before)
    np.add.at(mixed, (run, column), weight[use] * queries[run] * np.where(np.isnan(people), judged, people))
    labelled = np.bincount(run[~np.isnan(people)], minlength=len(rows))
    answers = int((~np.isnan(people) & (credits.chances[use] < 1)).sum())
    means = [
        _powered(
            float(np.nanmean(base[row]) + sampled.estimates[row]), float(sampled.covariance[row, row]),
            mixed[row][~np.isnan(mixed[row])], answers=answers, judge=float(np.nanmean(alone[row])),
            labelled=int(labelled[row]), pairs=int((run == row).sum()), bounds=(0.0, 1.0),
        )
        for row in range(len(rows))
    ]  # fmt: skip
    alone_scores = np.nanmean(base, axis=1) + sampled.alone
    judge_table = ScoreTable(table.name, table.run_ids, table.query_ids, alone, table.skipped, measure=table.measure)
    return SampledTable(judge_table, mixed, np.zeros(len(columns), bool), means, sampled, alone_scores, answers)


def _powered(
    estimate: float, same: float, values: Floats, *, answers: int, judge: float, labelled: int, pairs: int,
    bounds: tuple[float, float],
) -> PoweredMean:  # fmt: skip
    """An estimate with the variance `same` for these queries, whose values by query vary as others' would."""
    from scipy.special import stdtrit

    queries = len(values)
    over_queries = float(values.var(ddof=1)) / queries if queries > 1 else (bounds[1] - bounds[0]) ** 2 / 4
    freedom_same = max(answers - 2.0, 1.0)
    whole = over_queries + same
    freedom = whole**2 / (over_queries**2 / max(queries - 1, 1) + same**2 / freedom_same) if whole else freedom_same
    error, error_same = sqrt(whole), sqrt(same)
    reach = -float(stdtrit(freedom, 0.025)) * error
    reach_same = -float(stdtrit(freedom_same, 0.025)) * error_same
    least, most = bounds
    estimate = min(max(estimate, least), most)
    return PoweredMean(
        estimate=estimate, low=max(estimate - reach, least), high=min(estimate + reach, most),
        same_low=max(estimate - reach_same, least), same_high=min(estimate + reach_same, most),
        labels_estimate=nan, labels_low=nan, labels_high=nan, judge_estimate=judge, judge_bias=judge - estimate,
        weight=1.0, labelled=labelled, responses=pairs, labelled_queries=queries, queries=queries,
        effective_labels=nan, error=error, freedom=freedom, design="pairs", least=least, most=most,
    )  # fmt: skip


def _notes(powered: Sequence[SampledTable], answers: PlannedAnswers, left_out: Sequence[str], pairs: int) -> list[str]:
    notes = [
        f"people answered {len(answers.chances):,} of {pairs:,} questions that count, drawn by a plan: scores are "
        "prediction-powered, people's scores with the judge's help"
    ]
    notes.append(
        "differences and letters are from the answers about the two runs alone; scores also borrow from other runs, so "
        "that a difference need not be that of the scores shown"
    )
    for table in powered:
        biases = [mean.judge_bias for mean in table.means]
        spread = f" ({min(biases):+.3f} to {max(biases):+.3f})" if len(biases) > 1 else ""
        notes.append(
            f"{table.table.name}: judge without labels minus people: {np.mean(biases):+.3f}{spread}, corrected"
        )
    if left_out:
        notes.append(
            f"{', '.join(left_out)}: not shown, because the plan asked only what counts in {answers.mark.measure}; "
            f"plan with --measures {left_out[0]} for these"
        )
    if answers.mark.runs:
        notes.append(f"other runs are not shown, because the plan asked only about {', '.join(answers.mark.runs)}")
    if answers.unfinished:
        notes.append(
            f"{number_of(answers.unfinished, 'answer')} of an unfinished block: the judge learned from them, but they "
            "correct nothing until the block is answered"
        )
    if answers.undecided:
        notes.append(f"{number_of(len(answers.undecided), 'question')} nobody could decide: the judge decides these")
    return notes
