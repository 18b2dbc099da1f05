"""From judged records to everything that the report shows: the other verbs' results, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

from karat.evaluate.compare.comparison import Comparison, PairDifference
from karat.evaluate.compare.powered import compare_judged
from karat.evaluate.plan.goal import Goal
from karat.evaluate.plan.pilots import Pilot
from karat.evaluate.plan.plan import pilots_of_pairs, pilots_of_table
from karat.evaluate.plan.stability import MeasureStability, stability_collection
from karat.evaluate.score.contingency import Contingency, contingency_rows
from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.evaluate.score.powered import score_judged
from karat.evaluate.score.score import Scoring, score_collection
from karat.evaluate.tables.judged_pool import spread_pool
from karat.evaluate.tables.score_table import Average, ScoreTable
from karat.evaluate.tables.tabulating import has_scores_alone
from karat.judges.judge import Judged
from karat.measures.base import none_if_nan
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import Rules
from karat.model import Collection, Judgement, KaratError, Problem, Query, Score, UsageError
from karat.reports.page.contents.judge_and_people import JudgeAndPeople, judge_and_people
from karat.reports.page.contents.nug_lines import NugLine, nug_lines
from karat.reports.page.contents.places import best_judgements
from karat.reports.page.contents.provenance import Provenance
from karat.reports.results.query_names import query_names
from karat.text.idf import IdfTable

PLANNED_PAIRS = 5
"""For at most so many pairs that cannot be told apart it is planned how many queries would be enough."""
T = TypeVar("T")


@dataclass(frozen=True)
class Contents:
    """Everything that the report shows."""

    title: str
    judged: Judged
    scoring: Scoring
    comparison: Comparison | None
    """None where there is only one run."""
    stability: MeasureStability | None
    plans: tuple[tuple[PairDifference, Pilot], ...]
    """For pairs that cannot be told apart: how many queries would be needed."""
    judge_and_people: JudgeAndPeople | None
    contingency: Contingency | None
    cases: Cases | None
    """None where scores were given without judgements."""
    nug_lines: tuple[NugLine, ...]
    left_out: tuple[str, ...]
    """What could not be computed, and why."""
    problems: tuple[Problem, ...]
    """What was wrong in the files, and skipped."""
    provenance: Provenance
    seed: int
    average: Average = "query"
    rules: Rules = field(default_factory=lambda: Rules())
    """Whose judgements count, and what is done with missing ones; for scores that sections make themselves."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What `score_judged` was told beside the measures."""

    def by_condition(self, name: str, columns: Mapping[str, list[int]]) -> dict[tuple[str, str], Score]:
        """The scores of the first measure by run and value of a condition, as `karat score --by` gives them.

        columns: the queries with each value, for scores that were given without judgements.
        """
        if self.cases is not None:
            scoring = score_judged(self.judged, measures=self.table.name, by=name, **self.options)
            values = {f"{name}={value}": value for value in columns}
            scores = (score for score in scoring.of_all() if score.query_id in values)
            return {(score.run_id, values[score.query_id]): score for score in scores}
        found = {}
        for value, at in columns.items():
            part = self.table.of_queries(at)
            for run_id, total, ends in zip(
                part.run_ids, part.totals().tolist(), part.intervals(seed=self.seed), strict=True
            ):
                found[run_id, value] = Score(
                    run_id=run_id, query_id=f"{name}={value}", measure=part.name, value=none_if_nan(total),
                    low=None if ends is None else ends.low, high=None if ends is None else ends.high, n=len(at),
                )  # fmt: skip
        return found

    def scored(self, measures: str) -> list[Score]:
        """The scores over all queries by other measures, by the same rules as all others."""
        scoring = score_collection(
            self.collection, measures=measures, average=self.average, seed=self.seed, **self.rules
        )
        return scoring.of_all()

    @property
    def collection(self) -> Collection:
        return self.judged.collection

    @property
    def table(self) -> ScoreTable:
        """The scores by query of the first measure, the one that runs are put in order by."""
        return self.scoring.tables[0]

    @cached_property
    def totals(self) -> tuple[Score, ...]:
        """The scores of the first measure over all queries, best run first."""
        by_run = {score.run_id: score for score in self.scoring.of_all() if score.measure == self.table.name}
        order = [self.table.run_ids[row] for row in self.table.best_first()]
        return tuple(by_run[run_id] for run_id in order if run_id in by_run)

    @cached_property
    def run_ids(self) -> tuple[str, ...]:
        """Best first, as in every table of the report."""
        return tuple(score.run_id for score in self.totals)

    @cached_property
    def nug_lines_of(self) -> dict[str, list[NugLine]]:
        """The nugs of each query."""
        by_query: dict[str, list[NugLine]] = {}
        for line in self.nug_lines:
            by_query.setdefault(line.query_id, []).append(line)
        return by_query

    def best_judgements(self, case: Case) -> dict[str, Judgement]:
        """The best judgement of each nug in a response; what a program reused is as the person said it."""
        found = best_judgements(case.judgements)
        for nug_id, judgement in found.items():
            if judgement.evidence is None and not is_uncertain(judgement):
                found[nug_id] = self._by_people.get((case.query_id, case.run_id, nug_id), judgement)
        return found

    @cached_property
    def _by_people(self) -> dict[tuple[str, str, str], Judgement]:
        given = () if self.judged.given is None else self.judged.given.judgements
        by_cell: dict[tuple[str, str, str], list[Judgement]] = {}
        for judgement in given:
            by_cell.setdefault((judgement.query_id, judgement.run_id, judgement.nug_id), []).append(judgement)
        best = {cell: best_judgements(judgements) for cell, judgements in by_cell.items()}
        return {cell: judgements[cell[2]] for cell, judgements in best.items() if cell[2] in judgements}

    def name_of(self, query_id: str) -> str:
        """What people are shown for a query: its id, or the first words of a question that came without one."""
        return self._names.get(query_id, query_id)

    @cached_property
    def _names(self) -> dict[str, str]:
        return query_names(self.collection.queries)

    @cached_property
    def queries(self) -> dict[str, Query]:
        return {query.query_id: query for query in self.collection.queries}


def gather(
    judged: Judged,
    *,
    title: str,
    provenance: Provenance,
    judge: str | None,
    labels: str | None = None,
    labelled_at_random: bool = False,
    idf: IdfTable | None = None,
    baseline: str | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    seed: int = 0,
    rules: Rules | None = None,
    problems: Sequence[Problem] = (),
    less_is_better: str | Sequence[str] | None = None,
) -> Contents:
    """The results of the other verbs on the same records. Only scores must be there; what else fails is left out.

    judge: as the user named it. rules: the others of `Rules`. problems: what was skipped when the files were read.
    """
    counted: Rules = {**(rules or {}), "judge": judged.judge}
    options: dict[str, Any] = {
        **(rules or {}), "judge": judge, "average": average, "labels": labels, "idf": idf, "seed": seed,
        "labelled_at_random": labelled_at_random, "less_is_better": less_is_better,
    }  # fmt: skip
    scoring = score_judged(judged, measures=measures, beta=beta, **options)
    first, run_ids = scoring.tables[0].name, scoring.tables[0].run_ids
    if baseline is not None and baseline not in run_ids:
        raise UsageError(f"there is no run {baseline!r}; choose from {', '.join(run_ids)}")
    left_out: list[str] = []

    def tried(what: str, compute: Callable[[], T]) -> T | None:
        try:
            return compute()
        except KaratError as error:
            left_out.append(f"{what}: {error}")
            return None

    comparison = stability = None
    if len(run_ids) > 1:
        comparison = tried(
            "differences between runs",
            lambda: compare_judged(judged, baseline=baseline, measures=first, **options),
        )
        stability = tried(
            "stability of the ranking",
            lambda: stability_collection(judged.collection, measures=first, average=average, seed=seed, **counted),
        )
    ties = _ties(comparison)
    pairs = [(pair.run_id, pair.versus) for pair in ties]

    def pilots_of_ties() -> list[Pilot | None]:
        if not any(map(is_uncertain, judged.collection.judgements)):
            # The scores at hand are all that is needed: no judge's error is to be drawn.
            return pilots_of_table(scoring.tables[0], pairs, goal=Goal(), seed=seed)
        return pilots_of_pairs(
            judged.collection, pairs, goal=Goal(), measure=first, average=average, seed=seed, sigma=judged.sigma,
            run_sigma=judged.run_sigma, common=judged.common, **counted,
        )  # fmt: skip

    pilots = tried("queries needed", pilots_of_ties) if ties else []
    plans = [(pair, pilot) for pair, pilot in zip(ties, pilots or [], strict=False) if pilot is not None]
    scored_alone = has_scores_alone(judged.collection)
    cases = None if scored_alone else Cases(spread_pool(judged.collection).collection, **counted)
    beside = tried(
        "the judge beside people",
        lambda: judge_and_people(judged, judge=judge, measure=first, labels=labels, idf=idf, seed=seed),
    )
    contingency = None
    if judged.collection.nuggets:
        contingency = tried("right, wrong and missing", lambda: contingency_rows(judged.collection, **counted))
    return Contents(
        title=title,
        judged=judged,
        scoring=scoring,
        comparison=comparison,
        stability=None if stability is None else stability.measures[0],
        plans=tuple(plans),
        judge_and_people=beside,
        contingency=contingency,
        cases=cases,
        nug_lines=tuple(nug_lines(cases, scoring.tables[0])) if cases is not None and cases.has_key else (),
        left_out=tuple(left_out),
        problems=tuple(problems),
        provenance=provenance,
        seed=seed,
        average=average,
        rules=counted,
        options=options,
    )


def _ties(comparison: Comparison | None) -> list[PairDifference]:
    """Pairs of neighbours in the ranking that cannot be told apart, the best first."""
    if comparison is None:
        return []
    table = comparison.measures[0].table
    order = [table.run_ids[row] for row in table.best_first()]
    near = {frozenset(pair) for pair in pairwise(order)}
    differences = comparison.measures[0].differences
    tied = [
        pair for pair in differences
        if not pair.significant and pair.value and (comparison.baseline or {pair.run_id, pair.versus} in near)
    ]  # fmt: skip
    return tied[:PLANNED_PAIRS]
