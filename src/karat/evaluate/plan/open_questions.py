"""What a cascade leaves to people: as many questions as judgements are uncertain, those that help most first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from karat.evaluate.plan.best_questions import plan_questions
from karat.evaluate.plan.question_plan import plan_text
from karat.formats.io.sink import open_sink
from karat.judges.cascade.cascade import Cascade
from karat.judges.human.labels import KNOWN
from karat.judges.registry import parse_judge
from karat.model import Collection, Judgement, UsageError


def asked_people(judge: str) -> Cascade | None:
    """The cascade of this name if people are its last level."""
    program = parse_judge(judge)
    return program if isinstance(program, Cascade) and program.asks_people else None


def write_open_questions(
    collection: Collection, judgements: Iterable[Judgement], cascade: Cascade, file: str | Path, *,
    labels: str | None = None,
) -> int:  # fmt: skip
    """Write the plan; returns the number of questions.

    They are drawn as `karat plan --review` draws them, so that the answers correct what the levels were sure of, too:
    people who answer only what is uncertain teach the judges nothing about the rest.
    """
    if len(cascade.levels) < 1:
        raise UsageError("cascade(human): with people alone there is nothing to plan; use `karat review`")
    uncertain = sum(_is_uncertain(judgement, cascade.sure) for judgement in judgements)
    planner = cascade.levels[0] if len(cascade.levels) == 1 else replace(cascade, asks_people=False)
    planning = plan_questions(collection, judge=str(planner), labels=labels, questions=max(uncertain, 1))
    with open_sink(file) as sink:
        sink.write_bytes(plan_text(planning.plan).encode())
    return planning.questions


def _is_uncertain(judgement: Judgement, sure: float) -> bool:
    if judgement.status == "failed":
        return True
    return KNOWN not in judgement.extra and 1 - sure < judgement.probabilities.get("1", 0.0) < sure
