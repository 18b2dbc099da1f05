"""Where the passages of a query stand: an annotation of a passage becomes one record per occurrence in scope."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.task_data import decode_citation
from karat.model import Citation, Response, SpanSet, decode_record
from karat.model.identity import with_citation_ids


class Occurrence(NamedTuple):
    """A snippet that has the text of a passage; `scope`: how many of its characters count."""

    response: int
    run_id: str
    position: int
    snippet_id: str
    scope: int


class CitedPlace(NamedTuple):
    """Where a citation is, and what it is."""

    response: int
    position: int
    passage: int
    citation: Citation


@dataclass
class QueryNames:
    """The ids of a query: of nuggets and nugs of all layers, so that none occurs twice."""

    query_id: str
    nugs: dict[tuple[int, str], str] = field(default_factory=dict)
    """(owner, key) -> nug_id; imported nugs have the owner -1."""
    suggestions: dict[tuple[int, int, int], str] = field(default_factory=dict)
    """(number, response, position) -> nugget_id of an automatic nugget that is exported."""
    skipped: Counter[str] = field(default_factory=Counter)
    """How many votes and judgements are about nugs that are not exported."""
    _nuggets: set[str] = field(default_factory=set)
    _nugs: set[str] = field(default_factory=set)

    def nugget(self, wanted: str) -> str:
        self._nuggets.add(name := _free(wanted, self._nuggets))
        return name

    def nug(self, owner: int, key: str, wanted: str) -> str:
        self._nugs.add(name := _free(wanted, self._nugs))
        self.nugs[owner, key] = name
        return name


def _free(wanted: str, taken: set[str]) -> str:
    name, times = wanted, 1
    while name in taken:
        times += 1
        name = f"{wanted}-{times}"
    return name


class Places:
    """The responses to a query, and where each passage and citation is."""

    def __init__(self, connection: Connection, query_number: int) -> None:
        self.query_number = query_number
        response, occurrence, passage = tables.response.c, tables.occurrence.c, tables.passage.c
        rows = connection.execute(
            select(response.number, response.run_id, response.record)
            .where(response.query == query_number)
            .order_by(response.run_id)
        ).all()
        self.responses: dict[int, Response] = {}
        self._originals: dict[int, Response] = {}
        self.run_ids: dict[int, str] = {}
        for row in rows:
            record = decode_record(row.record.encode())
            assert isinstance(record, Response)
            self._originals[row.number] = record
            self.responses[row.number] = with_citation_ids(record)
            self.run_ids[row.number] = row.run_id
        found = connection.execute(
            select(occurrence.response, response.run_id, occurrence.position, occurrence.snippet_id, occurrence.scope,
                   occurrence.passage)
            .join(tables.response, response.number == occurrence.response)
            .where(response.query == query_number)
            .order_by(response.run_id, occurrence.position)
        )  # fmt: skip
        self.of_passage: dict[int, list[Occurrence]] = {}
        for *place, number in found:
            self.of_passage.setdefault(number, []).append(Occurrence(*place))
        texts = connection.execute(select(passage.number, passage.text).where(passage.query == query_number))
        self.texts: dict[int, str] = {row[0]: row[1] for row in texts}
        self._connection = connection
        suggestion = tables.suggestion.c
        suggested = connection.execute(
            select(suggestion.number, suggestion.passage).where(
                suggestion.query == query_number, suggestion.kind == "nugget"
            )
        )
        self.suggested: dict[int, int] = {row[0]: row[1] for row in suggested}
        """The passage of each automatic nugget."""

    @cached_property
    def citations(self) -> dict[int, CitedPlace]:
        """By number; read where a layer has judged any.

        A row has the content of a citation of its snippet; equal ones are given out one by one.
        """
        columns, passage = tables.citation.c, tables.passage.c
        rows = self._connection.execute(
            # By the passage, for which citations have an index.
            select(columns.number, columns.response, columns.position, columns.passage, columns.record)
            .join(tables.passage, passage.number == columns.passage)
            .where(passage.query == self.query_number)
            .order_by(columns.number)
        )
        found: dict[int, CitedPlace] = {}
        used: set[tuple[int, int, int]] = set()
        for row in rows:
            original = self._originals[row.response].snippets[row.position]
            record = decode_citation(row.record)
            for index, citation in enumerate(original.citations):
                if citation == record and (row.response, row.position, index) not in used:
                    used.add((row.response, row.position, index))
                    named = self.responses[row.response].snippets[row.position].citations[index]
                    found[row.number] = CitedPlace(row.response, row.position, row.passage, named)
                    break
        return found

    def in_scope(self, passage: int, spans: SpanSet | None = None) -> list[Occurrence]:
        """The occurrences of a passage (or of a part of it) that count."""
        start = spans[0][0] if spans else 0
        return [place for place in self.of_passage.get(passage, ()) if place.scope > start]
