"""Dang & Lin 2007: from nine ballots to the weights of a question, and the weights that were released."""

from __future__ import annotations

from karat.evaluate.keys.pyramid import pyramid_of
from karat.evaluate.reproduce.figures import PaperFigure, Reproduction, bundled
from karat.formats import load
from karat.model import Nug, UnfitInput

VOTES = ("3", "3", "4", "2", "0", "6")
"""Figure 3: how many of nine ballots call each nug of series 147 vital."""
RELEASED = ("0.500", "0.500", "0.667", "0.333", "0.000", "1.000")
"""The weights released for it."""
RELEASED_WEIGHTS = "675"
"""The number of weights released for the Other questions of TREC 2006."""
MOST_ASSESSORS = 9
ROUNDING = 1e-6


def reproduce(data: str | None) -> Reproduction:
    """Figure 3; and, with the released pyramids of TREC 2006 (`data`), whether every weight can come from votes."""
    weights = pyramid_of(bundled("dang2007.jsonl")).weights
    figures = [
        PaperFigure(
            table="Figure 3", row=f"nug {weight.nug.nug_id}", column="votes", printed=printed, value=weight.votes
        )
        for weight, printed in zip(weights, VOTES, strict=True)
    ]
    figures += [
        PaperFigure(
            table="Released weights",
            row=f"nug {weight.nug.nug_id}",
            column="weight",
            printed=printed,
            value=weight.weight,
        )
        for weight, printed in zip(weights, RELEASED, strict=True)
    ]
    notes = []
    if data is None:
        notes.append("give the released pyramids (trec15answers_other_pyramid) with --data to check all weights")
    else:
        figures += _released(data)
    notes.append("the tables and figures about the 59 runs of TREC 2006 need those runs, which are not public")
    return Reproduction(
        paper="dang2007", figures=tuple(figures), commands=("karat pyramid dang2007.jsonl",), notes=tuple(notes)
    )


def _released(path: str) -> list[PaperFigure]:
    nugs = load(path).nugs
    if not nugs or any(nug.weight is None for nug in nugs):
        raise UnfitInput(f"{path} has no nugs, or nugs without weights; give a file in which every nug has a weight")
    by_query: dict[str, list[Nug]] = {}
    for nug in nugs:
        by_query.setdefault(nug.query_id, []).append(nug)
    consistent = sum(len(nugs) for nugs in by_query.values() if are_votes([nug.weight or 0.0 for nug in nugs]))
    row = f"{len(by_query)} questions"
    return [
        PaperFigure(
            table="Released weights", row=row, column="that votes of at most nine give", printed=RELEASED_WEIGHTS,
            value=float(consistent),
        )
    ]  # fmt: skip


def are_votes(weights: list[float]) -> bool:
    """Whether these weights are numbers of votes by at most nine assessors, divided by the largest number."""
    return any(
        all(abs(weight * most - round(weight * most)) < ROUNDING * most for weight in weights)
        for most in range(1, MOST_ASSESSORS + 1)
    ) and all(-ROUNDING <= weight <= 1 + ROUNDING for weight in weights)
