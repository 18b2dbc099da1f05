"""The answers to a plan of questions: which of them are a random part, and with what chances they were drawn."""

from __future__ import annotations

from dataclasses import dataclass

from karat.evaluate.plan.pair_population import PairName
from karat.evaluate.plan.question_plan import PLANNED, Mark, known_digest, mark_of, population_digest, whole_blocks
from karat.model import Collection, UnfitInput
from karat.model.wording import number_of

FEWEST_ANSWERS = 30


@dataclass(frozen=True)
class PlannedAnswers:
    """The answers of the plan that the files hold, and what was known besides."""

    chances: dict[PairName, float]
    """Of the answered pairs of whole blocks."""
    known: set[PairName]
    unfinished: int
    """Answers of a block that is not finished; the judge learns from them, and they correct nothing."""
    undecided: set[PairName]
    """What people were asked, by the plan or before, and could not decide."""
    sizes: dict[PairName, float]
    scale: float
    draws: int
    """In whole blocks."""
    mark: Mark
    """Of any answer: what the plan was made from."""

    @classmethod
    def of(cls, people: Collection, given: Collection) -> PlannedAnswers | str:
        """The answers, or the reason why they cannot be used as a random part."""
        said = {(one.query_id, one.run_id, one.nug_id): one for one in people.judgements}
        marks = {name: mark for name, judgement in said.items() if (mark := mark_of(judgement)) is not None}
        population = population_digest(given)
        if all(mark.population != population for mark in marks.values()):
            return "the plan was made for another key, or for other runs"
        for plan in sorted({mark.plan for mark in marks.values()}):
            of_plan = {name: mark for name, mark in marks.items() if mark.plan == plan}
            first = next(iter(of_plan.values()))
            known = {name for name in said if name not in of_plan}
            if first.population == population and first.known == known_digest(known):
                break
        else:
            return "labels were added since the plan was made: plan again, and go on from there"
        if len({mark.made_from for mark in of_plan.values()}) > 1:
            raise UnfitInput(
                f"the answers to plan {plan} do not agree about what it was made from: the field {PLANNED} was changed "
                "by hand; delete the field, and the answers count as ordinary ones"
            )
        last = whole_blocks(list(of_plan.values()))
        drawn = {name: mark for name, mark in of_plan.items() if mark.block <= last}
        if len(drawn) < FEWEST_ANSWERS:
            return f"{number_of(len(drawn), 'answer')} in whole blocks of the plan, and {FEWEST_ANSWERS} are needed"
        scale = max(mark.scale for mark in drawn.values())
        decided = {name: min(1.0, scale * mark.size) for name, mark in drawn.items() if said[name].degree is not None}
        undecided = {name for name in (*drawn, *known) if said[name].degree is None}
        return cls(
            decided, known, len(of_plan) - len(drawn), undecided, {name: mark.size for name, mark in of_plan.items()},
            scale, len(drawn), first,
        )  # fmt: skip
