"""Probabilities -> decision -> Judgement: a program's judgement on every pair, with its evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator

from karat.judges.base import Judge, Matches
from karat.judges.human.known_judgements import KnownJudgements
from karat.judges.human.reused import known_judgement
from karat.judges.pairs import Floats, Pairs
from karat.measures.cases.saved_fields import ERROR_RATES, decided, saved_rates
from karat.model import Evidence, Judgement, Nug, Response
from karat.text.response_units import Units

LEAST_EVIDENCE = 0.05
"""A judgement whose chance to be at least partial is smaller gets no evidence."""
MOST_WORDS = 12
NOT_COUNTED = "not_counted"
"""The field of a judgement with the pieces of the response that say something else with the words of the nug."""
LEVEL = "level"
"""The field of a cascade's judgement that says which level made it, from 1 on."""
REASON = "reason"
"""The field of a failed judgement that says why the judge failed."""


def judgements_of(
    pairs: Pairs,
    probabilities: Floats,
    program: Judge,
    *,
    known: KnownJudgements | None = None,
    error_rates: Floats | None = None,
    evidence: bool = True,
) -> Iterator[Judgement]:
    """The decision on every pair, in order; where people judged the same text, what they said.

    Where the judge gave no score (NaN), the judgement is `failed`, and has no degree.

    error_rates: of hard decisions and credits, see `Calibrated.error_rates`. evidence: with the words that decided.
    """
    at = 0
    for query in pairs.queries:
        matcher = program.matcher(query.task) if evidence else None
        units = query.matches.units
        wheres = _Wheres(units)
        for row, response in enumerate(query.task.responses):
            # An empty response contains nothing. One without a common word may still say it in other words.
            is_empty = units.starts[row + 1] == units.starts[row]
            for column, nug in enumerate(query.task.nugs):
                none, _, full = (1.0, 0.0, 0.0) if is_empty else probabilities[at].tolist()
                rates = (
                    {}
                    if error_rates is None
                    else {ERROR_RATES: saved_rates(error_rates[at].tolist(), is_empty=is_empty)}
                )
                at += 1
                if known is not None and (said := known.of(response, nug.nug_id)) is not None:
                    yield known_judgement(nug, response, program, said)
                    continue
                if math.isnan(none):
                    yield _failed(query.matches, row, column, nug, response, program)
                    continue
                decision = decided(1 - none, full)
                proof = query.matches.evidence.get((row, column)) if evidence else None
                unit = int(query.matches.best[row, column])
                likely = decision.probabilities["0"] <= 1 - LEAST_EVIDENCE
                if matcher is not None and unit >= 0 and proof is None and likely:
                    words = tuple(matcher.words(units.texts[unit], column)[:MOST_WORDS])
                    proof = Evidence(words=words, extra=wheres[unit])
                yield Judgement(
                    query_id=query.task.query_id,
                    run_id=response.run_id,
                    nug_id=nug.nug_id,
                    degree=decision.degree,
                    probabilities=decision.probabilities,
                    judge=program.name,
                    evidence=proof,
                    extra={
                        "score": round(float(query.matches.scores[row, column]), 4),
                        **rates,
                        **_not_counted(query.matches, row, column),
                        **_level(query.matches, row, column),
                    },
                )


class _Wheres(dict[int, dict[str, object]]):
    """Where each unit of the responses is: one object for all the nugs that it is evidence of."""

    def __init__(self, units: Units) -> None:
        self._places = units.places

    def __missing__(self, unit: int) -> dict[str, object]:
        place = self._places[unit]
        where: dict[str, object] = {}
        if place.snippet_id is not None:
            where = {"snippet_id": place.snippet_id, "span": [place.start, place.end]}
        self[unit] = where
        return where


def _level(matches: Matches, row: int, column: int) -> dict[str, int]:
    return {} if matches.levels is None else {LEVEL: int(matches.levels[row, column]) + 1}


def _failed(matches: Matches, row: int, column: int, nug: Nug, response: Response, program: Judge) -> Judgement:
    reason = matches.failures.get((row, column))
    return Judgement(
        query_id=response.query_id,
        run_id=response.run_id,
        nug_id=nug.nug_id,
        judge=program.name,
        status="failed",
        extra={REASON: reason} if reason else {},
    )


def _not_counted(matches: Matches, row: int, column: int) -> dict[str, list[dict[str, object]]]:
    """The pieces of the response that the judge did not count for a nug, and why; nothing where it counted all."""
    objections = matches.objections.get((row, column), ())
    places = [matches.units.places[objection.unit] for objection in objections]
    listed: list[dict[str, object]] = [
        {
            "kind": objection.kind,
            "nug_words": objection.nug_words,
            "text_words": objection.unit_words,
            "snippet_id": place.snippet_id,
            "span": [place.start, place.end],
        }
        for objection, place in zip(objections, places, strict=True)
    ]
    return {NOT_COUNTED: listed} if listed else {}
