"""The judgements that may be drawn for a person: how much each weighs in a run's score, and how often it is drawn.

A judgement is worth a question where the judge is unsure of it and where it weighs much in a score. Its size is

    size = (1 - FLOOR) * (w s)^2 / sum of (w s)^2 + FLOOR / number of pairs,

w being its weight in the run's score and s the judge's standard deviation of its credit. The chance of a pair to be
drawn is proportional to its size: w s alone would be best if the judge knew how unsure it is and nothing were learned
from the labels (Neyman 1934; Zrnic & Candès 2024); squared, more of what matters is simply known. Every pair may be
drawn (FLOOR), so that the labels also show errors where the judge is sure. Both numbers were chosen on REALSumm.

The sizes come from the judge without any labels. So they are the same whenever they are computed, and whoever plans
again after an hour goes on in the same order: all answers together are one sample.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from karat.evaluate.score.errors.judge_draws import is_linear
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import tabulated
from karat.judges.base import Judge
from karat.judges.calibration.priors import prior_calibration
from karat.judges.judgements.made import judgements_of
from karat.judges.pairs import Ints, Pairs
from karat.measures.base import Array, Crediting, Measure
from karat.measures.cases.case import Case
from karat.measures.cases.cases import Cases, Cell, is_silent
from karat.measures.cases.rules import ALL_JUDGES
from karat.model import Collection, UsageError

ROUNDING = 1e-9
FLOOR = 0.1
POWER = 2.0
PairName = tuple[str, str, str]
"""Query, run and nug."""


@dataclass(frozen=True)
class CellWeights:
    """One query and run: its score where no nug is contained, and what full credit for each nug adds to it."""

    base: float
    of_nugs: dict[str, float]


@dataclass(frozen=True)
class PairWeights:
    """The cells of one measure that have a score, and which credits it counts."""

    cells: dict[Cell, CellWeights]
    """By query and run."""
    crediting: Crediting
    queries: dict[str, int]
    """Over how many queries each run's mean is taken."""

    def in_mean(self, query_id: str, run_id: str, nug_id: str) -> float:
        """What full credit for a nug adds to the run's score over all queries; 0 where it does not count."""
        cell = self.cells.get((query_id, run_id))
        return 0.0 if cell is None else cell.of_nugs.get(nug_id, 0.0) / self.queries[run_id]


@dataclass(frozen=True)
class Population:
    """The pairs that may be drawn: those that count, of responses with text, that nobody judged before the plan."""

    measure: str
    names: list[PairName]
    run: Ints
    """The run of each pair, as a number from 0 on."""
    response: Ints
    weight: Array
    spread: Array
    """The variance of the credit, by the judge without labels."""

    @property
    def sizes(self) -> Array:
        squares = (self.weight * np.sqrt(self.spread)) ** POWER
        if not len(squares):
            return squares
        share = squares / squares.sum() if squares.sum() > 0 else np.zeros(len(squares))
        # Rounded as they are saved, so that the same pairs have the same sizes wherever they are computed.
        return np.array([float(f"{size:.6g}") for size in ((1 - FLOOR) * share + FLOOR / len(squares)).tolist()])


def population_of(
    unlabelled: Collection, pairs: Pairs, program: Judge, *, measure: str | None, known: Set[PairName],
    runs: Sequence[str] | None,
) -> Population:  # fmt: skip
    """What could be asked. unlabelled: all but judgements; pairs: its pairs with the judge's raw scores."""
    probabilities = prior_calibration(program.name).probabilities(pairs.scores)
    judgements = judgements_of(pairs, probabilities, program, evidence=False)
    tables = tabulated(
        Collection([*unlabelled, *judgements]), measures=measure, most=1, missing="skip", judge=ALL_JUDGES
    )
    assert tables.cases is not None
    table = tables.tables[0]
    weights = pair_weights(tables.cases, table)
    if weights is None:
        raise UsageError(
            f"{table.name} is not a sum over nugs, so that single judgements have no weight of their own; choose a "
            "measure such as strict_vital with --measures"
        )
    for run_id in runs or ():
        if run_id not in table.run_ids:
            raise UsageError(f"there is no run {run_id!r}; choose from {', '.join(table.run_ids)}")
    silent = {(response.query_id, response.run_id) for response in unlabelled.responses if is_silent(response)}
    spread = credit_spread(probabilities, weights.crediting)
    names, of_run, at, weight = pair_names(pairs), [], [], []
    responses: dict[Cell, int] = {}
    of_response = []
    codes: dict[str, int] = {}
    for place, name in enumerate(names):
        counts = weights.in_mean(*name)
        if counts and name not in known and name[:2] not in silent and (runs is None or name[1] in runs):
            at.append(place)
            of_run.append(codes.setdefault(name[1], len(codes)))
            of_response.append(responses.setdefault(name[:2], len(responses)))
            weight.append(abs(counts))
    return Population(
        table.name, [names[place] for place in at], np.array(of_run, int), np.array(of_response, int),
        np.array(weight), spread[at],
    )  # fmt: skip


def pair_names(pairs: Pairs) -> list[PairName]:
    """Query, run and nug of every pair, in order."""
    return [
        (query.task.query_id, response.run_id, nug.nug_id)
        for query in pairs.queries
        for response in query.task.responses
        for nug in query.task.nugs
    ]


def expected_credit(probabilities: Array, crediting: Crediting) -> Array:
    """The expected credit of pairs from P(none), P(partial), P(full)."""
    half = probabilities[:, 1] / 2 if crediting == "lenient" else 0.0
    credit: Array = probabilities[:, 2] + half
    return credit


def credit_spread(probabilities: Array, crediting: Crediting) -> Array:
    """The variance of that credit."""
    quarter = probabilities[:, 1] / 4 if crediting == "lenient" else 0.0
    spread: Array = np.maximum(probabilities[:, 2] + quarter - expected_credit(probabilities, crediting) ** 2, 0.0)
    return spread


def pair_weights(cases: Cases, table: ScoreTable) -> PairWeights | None:
    """The weights by a measure; None where its score is not a sum over nugs of weight times credit."""
    measure, cells = table.measure, {}
    assert measure is not None
    creditings: set[Crediting | None] = set()
    for row, run_id in enumerate(table.run_ids):
        for column, query_id in enumerate(table.query_ids):
            case = cases.case(run_id, query_id)
            if case is None or np.isnan(table.values[row, column]):
                continue
            weights = _of_case(measure, case)
            if weights is None:
                return None
            cells[query_id, run_id] = weights
            creditings.add(measure.crediting(case))
    crediting = creditings.pop() if len(creditings) == 1 else None
    if crediting is None:
        return None
    queries = {run_id: table.n(row) for row, run_id in enumerate(table.run_ids)}
    return PairWeights(cells, crediting, queries)


def _of_case(measure: Measure, case: Case) -> CellWeights | None:
    if case.views or not is_linear(measure, case):
        return None
    nug_ids = [judgement.nug_id for judgement in case.judgements]
    none = np.array(measure.counts(case.with_degrees(dict.fromkeys(nug_ids, 0.0))), dtype=float)
    if not nug_ids:
        return CellWeights(float(measure.values(none)), {})
    slopes = measure.credit_slopes(case, nug_ids)
    base = float(measure.values(none))
    added: Array = measure.values(none + slopes) - base
    # Counts are sums, but a score made from them need not be one (F): then single nugs have no weight of their own.
    if abs(float(measure.values(none + slopes.sum(axis=0))) - base - float(added.sum())) > ROUNDING:
        return None
    return CellWeights(base, dict(zip(nug_ids, added.tolist(), strict=True)))
