"""A list of questions for a person: single judgements, drawn with known chances.

Questions come in blocks of BLOCK. Within a block they are ordered by query and response, so that a person reads an
answer once; from block to block they are in the order in which they were drawn. So whoever stops after any whole block
has labelled a random part, with chances that are known (`SampledScores`). Every answer says which plan and block it
belongs to, and how large its pair was when it was drawn (PLANNED): `karat score` needs nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from karat.evaluate.plan.random_part import IsPair, P, RandomPart
from karat.formats import Source
from karat.model import Collection, Judgement, UnfitInput
from karat.model.identity import content_id, key_hash
from karat.model.wording import natural

PLANNED = "planned"
"""The field of a judgement that answers a question of a plan: see `Mark`."""
BLOCK = 30
Count = Annotated[int, msgspec.Meta(ge=1)]
Size = Annotated[float, msgspec.Meta(gt=0)]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer says about the plan that asked for it."""

    plan: str
    """The same for all answers to one plan, and for plans that go on with it."""
    population: str
    known: str
    judge: str
    measure: str
    runs: tuple[str, ...] = ()
    """What the sizes were made from: no runs are named where questions are about all of them."""
    block: Count
    """From 1 on."""
    questions: Count
    """How many questions the block has."""
    scale: Size
    """After this block, a pair of size s was drawn with the chance min(1, scale * s)."""
    size: Size

    @property
    def made_from(self) -> tuple[object, ...]:
        """What all answers to one plan agree in."""
        return self.population, self.known, self.judge, self.measure, self.runs


class PlannedPair(msgspec.Struct, frozen=True):
    """One question: does this response contain this nug?"""

    query_id: str
    run_id: str
    nug_id: str
    size: Size

    @property
    def name(self) -> tuple[str, str, str]:
        return self.query_id, self.run_id, self.nug_id


class Block(msgspec.Struct, frozen=True):
    """Questions that belong together; answers count as a random part when all of them are given."""

    number: Count
    questions: Count
    scale: Size
    pairs: tuple[PlannedPair, ...]
    """Those that are not answered yet."""


class QuestionPlan(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="question_plan"):
    """The questions; `karat plan --review --minutes` writes them, `karat review --plan` asks them."""

    v: Literal[1] = 1
    plan: str
    population: str
    known: str = ""
    judge: str
    measure: str
    runs: tuple[str, ...] = ()
    blocks: tuple[Block, ...]

    @property
    def questions(self) -> int:
        """How many are to be asked."""
        return sum(len(block.pairs) for block in self.blocks)

    def check(self, collection: Collection) -> None:
        """Refuse a plan that was made for other responses or for another key."""
        if self.population != population_digest(collection):
            raise UnfitInput(
                "the plan was made for another key, or for other runs or queries; make it again with the same files: "
                "`karat plan KEY RUN... --review --minutes N`"
            )

    def in_order(self, pairs: Iterable[P]) -> list[P]:
        """Those of the pairs that the plan asks about, block by block."""
        by_name = {(pair.query_id, pair.run_id, pair.nug_id): pair for pair in pairs}
        return [
            by_name[name]
            for block in self.blocks
            for planned in sorted(block.pairs, key=_by_response)
            if (name := planned.name) in by_name
        ]

    def mark(self, pair: IsPair) -> dict[str, Any]:
        """What an answer about this pair has to say about the plan."""
        for block in self.blocks:
            for planned in block.pairs:
                if planned.name == (pair.query_id, pair.run_id, pair.nug_id):
                    mark = Mark(
                        plan=self.plan, population=self.population, known=self.known, judge=self.judge,
                        measure=self.measure, runs=self.runs, block=block.number, questions=block.questions,
                        scale=block.scale, size=planned.size,
                    )  # fmt: skip
                    return {PLANNED: msgspec.to_builtins(mark)}
        return {}


def _by_response(pair: PlannedPair) -> tuple[object, ...]:
    return natural(pair.query_id), natural(pair.run_id), natural(pair.nug_id)


def population_digest(collection: Collection) -> str:
    """A short text that is the same for the same key, and the same runs with answers to the same queries, only."""
    keyed = {nug.query_id for nug in collection.nugs}
    cells = sorted(
        f"{response.query_id}\t{response.run_id}" for response in collection.responses if response.query_id in keyed
    )
    return content_id(key_hash(collection.nugs) or "", *cells)


def known_digest(pairs: Iterable[tuple[str, str, str]]) -> str:
    """Tells which pairs people had judged before; empty where there were none."""
    names = sorted({"\t".join(pair) for pair in pairs})
    return content_id(*names) if names else ""


def mark_of(judgement: Judgement) -> Mark | None:
    """What an answer says about its plan; None where it answers no plan.

    Raises:
        UsageError: the field was changed by hand.
    """
    if PLANNED not in judgement.extra:
        return None
    try:
        return msgspec.convert(judgement.extra[PLANNED], Mark)
    except msgspec.ValidationError as error:
        raise UnfitInput(
            f"query {judgement.query_id}, run {judgement.run_id}, nug {judgement.nug_id}: {PLANNED} is not what `karat "
            f"review --plan` writes ({error}); delete the field, and the answer counts as an ordinary one"
        ) from None


def whole_blocks(marks: Sequence[Mark]) -> int:
    """The number of the last block that is answered in full, with all blocks before it."""
    answered = Counter(mark.block for mark in marks)
    sizes = {mark.block: mark.questions for mark in marks}
    number = 0
    while answered[number + 1] and answered[number + 1] >= sizes[number + 1]:
        number += 1
    return number


def plan_text(plan: QuestionPlan | RandomPart) -> str:
    """The plan as a file: JSON, one line."""
    return msgspec.json.encode(plan).decode() + "\n"


def read_plan(file: str | Path) -> QuestionPlan | RandomPart:
    """The plan in a file; also the `plan` in what `karat plan --review --format json` writes."""
    try:
        data = Source(file).read_bytes()
        whole = msgspec.json.decode(data)
        if isinstance(whole, dict) and isinstance(whole.get("plan"), dict):
            data = msgspec.json.encode(whole["plan"])
        return msgspec.json.decode(data, type=QuestionPlan | RandomPart)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnfitInput(
            f"{file}: this is not a plan of a review ({error}); `karat plan --review` writes one"
        ) from None
