"""Judging: the pairs of answers and nugs, least certain first, and what a program said about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.annotations import decode_work
from karat.campaign.work.payloads import JudgementWork
from karat.campaign.work.task_data.records import TaskPair, TaskSuggestion


def judging_pairs(
    suggestions: Collection[TaskSuggestion],
    uncertainties: Mapping[int, float],
    responses: Collection[int],
    nugs: Collection[str],
) -> list[TaskPair]:
    """Every answer with every nug. A pair that no program judged is as uncertain as can be."""
    known = {
        (suggestion.record.response, suggestion.record.nug): uncertainties[suggestion.number]
        for suggestion in suggestions
        if isinstance(suggestion.record, JudgementWork)
    }
    pairs = [
        TaskPair(response=response, nug=nug, uncertainty=round(known.get((response, nug), 1.0), 6))
        for response in responses
        for nug in nugs
    ]
    # Python's sort is stable: pairs of the same uncertainty stay together by answer.
    return sorted(pairs, key=lambda pair: -pair.uncertainty)


def judge_suggestions(connection: Connection, query_number: int) -> tuple[list[TaskSuggestion], dict[int, float]]:
    """What a program said about the answers to the query, and how unsure it was, by the suggestion's number."""
    suggestions, uncertainties = [], {}
    columns = tables.suggestion.c
    rows = connection.execute(
        select(columns.number, columns.kind, columns.record, columns.details).where(
            columns.query == query_number, columns.kind == "judgement"
        )
    )
    for row in rows:
        record = decode_work(row.record)
        assert isinstance(record, JudgementWork)
        suggestions.append(TaskSuggestion(number=row.number, kind=row.kind, record=record))
        uncertainties[row.number] = _uncertainty(row.details, record)
    return suggestions, uncertainties


def _uncertainty(details: str | None, record: JudgementWork) -> float:
    """1 - the greatest probability, scaled so that the most even distribution has 1; else from the degree alone."""
    probabilities = msgspec.json.decode(details or "{}").get("probabilities") or {}
    values = [float(value) for value in probabilities.values()]
    if len(values) > 1:
        return min(1.0, (1 - max(values)) * len(values) / (len(values) - 1))
    return 1 - abs(2 * record.degree - 1)
