"""The best next hour of a person: which judgements to make, and what they are expected to buy (`Population`)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import msgspec
from numpy.typing import NDArray

from karat.engines import Track
from karat.evaluate.plan.pair_population import PairName, Population, population_of
from karat.evaluate.plan.question_plan import (
    BLOCK,
    Block,
    PlannedPair,
    QuestionPlan,
    known_digest,
    mark_of,
    population_digest,
)
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.judges.human.labels import by_people
from karat.judges.pairs import pairs_of, tasks_of
from karat.judges.registry import AUTO, default_judge, parse_judge
from karat.measures.base import Array
from karat.measures.registry import parse_measures
from karat.model import Collection, Judgement, UnfitInput, UsageError
from karat.model.identity import content_id
from karat.model.result import Result
from karat.stats.intervals.sampled_pairs import chance_scales, drawn_order, expected_errors, inclusion_chances

SECONDS = 20.0
"""How long an answer takes, where the user does not say."""
Z95 = 1.959964


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What is expected after so many more answers."""

    minutes: float
    questions: int
    """More than today."""
    labelled: int
    """In all."""
    width: float
    """Of the 95 % interval of a run's score on these queries, the mean over runs."""
    difference_width: float
    """The same of the difference of two runs."""


class QuestionPlanning(Result, msgspec.Struct, frozen=True, kw_only=True):
    """The questions for the next hour, and what they are expected to buy."""

    plan: QuestionPlan
    steps: tuple[Step, ...]
    """Today, then after ever more answers, up to all."""
    questions: int
    """In the plan."""
    answered: int
    """Questions of this plan that were answered before."""
    open_pairs: int
    """Judgements that count in the score and that nobody has made."""
    measure: str
    judge: str
    """As it was named."""
    seconds: float
    notes: tuple[str, ...] = ()


def best_questions(
    *inputs: Input,
    minutes: float | None = None,
    width: float | None = None,
    seconds: float = SECONDS,
    runs: Sequence[str] | None = None,
    measure: str | None = None,
    judge: str = AUTO,
    labels: str | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
) -> QuestionPlanning:
    """The judgements that a person should make next, so that intervals of scores become narrower.

    inputs: the key and the runs, and what people judged before. minutes: how long the person has; or width: as many
    questions as are needed until intervals of scores are expected to be so narrow. seconds: how long an answer takes.
    runs: only questions about these runs, for a difference. measure: whose score; by default the first that fits.
    judge, labels: as in `judge`. `karat.review(..., plan=planning.plan)` asks the questions.

    >>> import karat
    >>> key, _, runs = karat.demo_files()
    >>> planning = karat.best_questions(key, runs, minutes=10, judge="lexical")
    >>> planning.questions
    30
    """
    return plan_questions(
        load(*inputs, on_error=on_error), minutes=minutes, width=width, seconds=seconds, runs=runs, measure=measure,
        judge=judge, labels=labels, seed=seed,
    )  # fmt: skip


def plan_questions(
    collection: Collection, *, judge: str = AUTO, labels: str | None = None, minutes: float | None = None,
    seconds: float = SECONDS, width: float | None = None, runs: Sequence[str] | None = None,
    measure: str | None = None, seed: int = 0, track: Track | None = None, jobs: int = 1, questions: int | None = None,
) -> QuestionPlanning:  # fmt: skip
    """The same for a collection. questions: how many, instead of minutes or a width."""
    if questions is not None:
        minutes = questions * seconds / 60
    if minutes is None and width is None:
        raise UsageError("say how long you have (minutes), or how narrow intervals should become (width)")
    for name, value in (("minutes", minutes), ("width", width), ("seconds", seconds)):
        if value is not None and not 0 < value < 1e6:
            raise UsageError(f"{name}={value:g}: give a number above 0")
    if measure is not None and len(parse_measures(measure)) != 1:
        raise UsageError(f"a plan is for one measure; choose one of {measure}")
    judge = default_judge() if judge == AUTO else judge
    program = parse_judge(judge)
    unlabelled = Collection(record for record in collection if not isinstance(record, Judgement))
    tasks = tasks_of(unlabelled)
    if not tasks:
        raise UnfitInput("there is nothing to ask about: give a key and runs with answers to its queries")
    chosen = () if runs is None else tuple(sorted(runs))
    base = content_id(str(program), measure or "", str(seed), *chosen)
    answers = _Answers.of(by_people(collection, labels=labels), population_digest(collection), base)
    population = population_of(
        unlabelled, pairs_of(tasks, program, track=track, jobs=jobs), program, measure=measure, known=answers.known,
        runs=runs,
    )  # fmt: skip
    sizes = population.sizes
    order = drawn_order(sizes, seed=seed, names=["\t".join(name) for name in population.names])
    steps = _steps(population, sizes, len(answers.given), seconds)
    plan = QuestionPlan(
        plan=answers.plan, population=answers.population, known=known_digest(answers.known), judge=str(program),
        measure=population.measure, runs=chosen,
        blocks=_blocks(
            population, sizes, order, answers.given,
            min(_by_time(steps[-1].questions, minutes, seconds), _by_width(population, sizes, steps[0], width)),
        ),
    )  # fmt: skip
    return QuestionPlanning(
        plan=plan, steps=steps, questions=plan.questions, answered=len(answers.given), measure=population.measure,
        open_pairs=len(population.names) - len(answers.given), judge=judge, seconds=seconds,
        notes=tuple(_notes(plan, answers, left=steps[-1].questions)),
    )  # fmt: skip


@dataclass(frozen=True)
class _Answers:
    """What people said: answers to this plan, and all else."""

    plan: str
    population: str
    given: set[PairName]
    known: set[PairName]
    others: int
    """Answers to other plans."""

    @classmethod
    def of(cls, people: Collection, population: str, base: str) -> _Answers:
        marks = {(said.query_id, said.run_id, said.nug_id): mark_of(said) for said in people.judgements}
        for plan in sorted({mark.plan for mark in marks.values() if mark is not None}):
            given = {name for name, mark in marks.items() if mark is not None and mark.plan == plan}
            known = set(marks) - given
            if plan == content_id(base, population, known_digest(known)):
                return cls(plan, population, given, known, 0)
        # Answers to a plan of other files or settings are known like any others, and a new plan begins.
        others = sum(mark is not None for mark in marks.values())
        return cls(content_id(base, population, known_digest(marks)), population, set(), set(marks), others)


def _steps(population: Population, sizes: Array, done: int, seconds: float) -> tuple[Step, ...]:
    """Expected widths: today, then after twice as many questions each time, up to all."""
    left = max(len(sizes) - done, 0)
    more = [0]
    while more[-1] < left:
        more.append(min(max(BLOCK, 2 * more[-1]), left))
    return tuple(_step(population, sizes, done, questions, seconds) for questions in more)


def _step(population: Population, sizes: Array, done: int, questions: int, seconds: float) -> Step:
    errors = expected_errors(
        population.run, population.response, weight=population.weight, spread=population.spread,
        chance=inclusion_chances(sizes, done + questions),
    )  # fmt: skip
    mean = float(errors.mean()) if len(errors) else 0.0
    return Step(
        minutes=questions * seconds / 60, questions=questions, labelled=done + questions, width=2 * Z95 * mean,
        difference_width=2 * Z95 * sqrt(2) * mean,
    )  # fmt: skip


def _by_time(left: int, minutes: float | None, seconds: float) -> int:
    """As many questions as there is time for, in whole blocks."""
    return left if minutes is None else min(left, max(BLOCK, round(minutes * 60 / seconds / BLOCK) * BLOCK))


def _by_width(population: Population, sizes: Array, today: Step, width: float | None) -> int:
    """The fewest whole blocks of questions after which intervals are expected to be so narrow."""
    left = len(sizes) - today.labelled
    if width is None:
        return left

    def is_narrow(blocks: int) -> bool:
        return _step(population, sizes, today.labelled, min(blocks * BLOCK, left), SECONDS).width <= width

    return min(bisect_left(range(ceil(left / BLOCK)), True, key=is_narrow) * BLOCK, left)


def _blocks(
    population: Population, sizes: Array, order: NDArray[Any], given: set[PairName], wanted: int
) -> tuple[Block, ...]:
    """Blocks of the drawn order, without what is answered, until there are enough questions."""
    blocks: list[Block] = []
    scale_after = chance_scales(sizes)
    asked = 0
    for number, start in enumerate(range(0, len(order), BLOCK), start=1):
        if asked >= wanted:
            break
        part = order[start : start + BLOCK].tolist()
        left = [at for at in part if population.names[at] not in given]
        if left:
            asked += len(left)
            planned = tuple(_planned(population.names[at], float(sizes[at])) for at in left)
            blocks.append(Block(number, len(part), scale_after(start + len(part)), planned))
    return tuple(blocks)


def _planned(name: PairName, size: float) -> PlannedPair:
    query_id, run_id, nug_id = name
    return PlannedPair(query_id, run_id, nug_id, size)


def _notes(plan: QuestionPlan, answers: _Answers, *, left: int) -> list[str]:
    notes = []
    if answers.others:
        notes.append(
            f"{answers.others:,} answers belong to a plan of other files, runs or settings: they count as known, and a "
            "new plan begins"
        )
    if not plan.questions:
        why = "intervals are expected to be so narrow already" if left else "people judged everything that counts"
        notes.append(f"there is nothing to ask: {why}")
    return notes
