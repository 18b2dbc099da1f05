"""Rules for judgements: whose count, how several assessors are combined, and what counts where one is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, get_args

import msgspec

from karat.model import Judgement, UsageError
from karat.model.identity import identity

Missing = Literal["error", "zero", "skip"]
Unjudged = Literal["skip", "zero", "error"]
Assessors = Literal["mean", "majority"]
ALL_JUDGES = "all"
NO_JUDGEMENTS = (
    "there are no judgements, and no program was named that makes them: add --judge auto (`karat judges` says which "
    "to use when), or give a file that says which nugs each response contains"
)


class Rules(TypedDict, total=False):
    """The keyword arguments of everything that scores."""

    missing: Missing
    """How a query of the key counts that a run does not answer: an error (the default), zero, or left out."""
    unjudged: Unjudged
    """How a nug counts that nobody judged, or whose judgement failed: left out (the default), zero, or an error."""
    assessors: Assessors
    """Where several assessors judged: their mean credit (the default), or what most of them said."""
    assessor: str | None
    """The one whose judgements, labels, nuggets and nugs count where there are several (annotations.py)."""
    judge: str | None
    """Whose judgements count where there are several judges; "all" takes them together."""


class Ruled(msgspec.Struct, frozen=True, kw_only=True):
    """The rules with their defaults, checked."""

    missing: Missing = "error"
    unjudged: Unjudged = "skip"
    assessors: Assessors = "mean"
    assessor: str | None = None
    judge: str | None = None

    @classmethod
    def of(cls, rules: Mapping[str, Any]) -> Ruled:
        choices = {"missing": get_args(Missing), "unjudged": get_args(Unjudged), "assessors": get_args(Assessors)}
        for name, value in rules.items():
            if name in choices and value not in choices[name]:
                raise UsageError(f"{name}={value!r} is not one of {', '.join(choices[name])}")
            if name not in cls.__struct_fields__:
                raise TypeError(f"unexpected keyword argument {name!r}")
        return cls(**rules)

    def settings(self) -> dict[str, str]:
        """The settings for a signature."""
        whose = {"assessors": self.assessors} if self.assessor is None else {"assessor": self.assessor}
        return {"missing": self.missing, "unjudged": self.unjudged, **whose}

    def chosen(self, judgements: Iterable[Judgement]) -> list[Judgement]:
        """The judgements of the named judge; where none is named there must be only one judge."""
        judgements = list(judgements)
        judge = self.judge_among(sorted({judgement.judge for judgement in judgements}))
        return judgements if judge is None else [each for each in judgements if each.judge == judge]

    def judge_among(self, judges: Sequence[str]) -> str | None:
        """The one of the judges whose judgements count; None: all of them."""
        if self.judge == ALL_JUDGES or (self.judge is None and len(judges) < 2):
            return None
        if self.judge is None:
            raise UsageError(
                f"the judgements are by {len(judges)} judges ({', '.join(judges)}); choose one with --judge NAME, "
                f"or take them together with --judge {ALL_JUDGES}"
            )
        if judges and self.judge not in judges:
            raise UsageError(f"no judgement is by {self.judge!r}; choose from {', '.join(judges)} or {ALL_JUDGES}")
        return self.judge


def first_of_repeated(judged: list[Judgement], *, majority_counts: bool = False) -> tuple[list[Judgement], int, int]:
    """Of repeated judgements in one response the first; how many are left out; how many contradict the first."""
    # Where no nug occurs twice nothing is repeated.
    if len({judgement.nug_id for judgement in judged}) == len(judged):
        return judged, 0, 0
    first = {identity(judgement): judgement for judgement in reversed(judged)}
    contradictions = sum(judgement.degree != first[identity(judgement)].degree for judgement in judged)
    kept = list(first.values())[::-1]
    return majority(kept) if majority_counts else kept, len(judged) - len(first), contradictions


def majority(judgements: Iterable[Judgement]) -> list[Judgement]:
    """One judgement of each nug (in each snippet): the degree that most assessors gave, the lowest of equals.

    Judgements without a degree do not vote; where no assessor gave a degree, the first judgement is taken.
    """
    by_pair: dict[tuple[str, str | None], list[Judgement]] = {}
    for judgement in judgements:
        by_pair.setdefault((judgement.nug_id, judgement.snippet_id), []).append(judgement)
    decided = []
    for cast in by_pair.values():
        degrees = Counter(
            judgement.degree for judgement in cast if judgement.degree is not None and judgement.status == "ok"
        )
        if not degrees:
            decided.append(cast[0])
            continue
        most = max(degrees.values())
        degree = min(value for value, times in degrees.items() if times == most)
        decided.append(
            msgspec.structs.replace(cast[0], degree=degree, probabilities={}, status="ok", assessor="majority")
        )
    return decided
