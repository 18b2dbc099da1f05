"""Where a rule names a program as the judge: the collection with what it judges instead of what others did."""

from __future__ import annotations

from dataclasses import dataclass

from karat.evaluate.judging import judge_collection
from karat.evaluate.pairs import Track
from karat.judge.registry import is_judge
from karat.model import Collection, Judgement

NO_PROGRAM = "labels are for a program that judges: name one with judge=, such as judge='lexical'"


@dataclass(frozen=True)
class JudgedBy:
    """A collection with the judgements of a program, and what a score of it needs besides."""

    collection: Collection
    sigma: float
    run_sigma: float
    notes: tuple[str, ...]
    signature: str


def is_to_judge(collection: Collection, judge: str | None) -> bool:
    """Whether `judge` names a program that has still to judge, and not somebody who judged already.

    Where its own judgements alone are there, nothing is judged again; what people say beside them comes first.
    """
    judges = {one.judge for one in collection.judgements}
    return judge is not None and is_judge(judge) and not (judge in judges and all(map(is_judge, judges)))


def judged_by(
    collection: Collection, *, judge: str, labels: str | None = None, track: Track | None = None, jobs: int = 1
) -> JudgedBy:
    """What people (`labels`: who) judged is reused and learned from; the judgements count together (judge="all")."""
    judging = judge_collection(collection, judge=judge, labels=labels, track=track, jobs=jobs)
    rest = (one for one in collection if not isinstance(one, Judgement))
    return JudgedBy(
        Collection([*rest, *judging.judgements]), judging.sigma, judging.run_sigma, judging.notes, judging.signature
    )
