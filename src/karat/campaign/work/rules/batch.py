"""Changes that are saved together, and what the rules ask about the layer that they change.

Everything is read when it is first asked for, so that a save costs no more than it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

import msgspec
from sqlalchemy import Connection, func, select

from karat.campaign.material.settings import Settings, read_settings
from karat.campaign.material.templates import template_of
from karat.campaign.store import tables
from karat.campaign.work.annotations import Place, decode_work, kind_of_work
from karat.campaign.work.errors import Broken, CurrentAnnotation
from karat.campaign.work.payloads import AnyWork, NuggetWork, NugWork, Work
from karat.campaign.work.permissions import ADJUDICATED, query_row
from karat.campaign.work.query_key import key_owner, query_key
from karat.model import Query, decode_record

W = TypeVar("W", bound=Work)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One annotation that is made, changed or deleted (`record` None). `version`: the one that the page has; 0: new."""

    kind: str
    key: str
    version: int = 0
    record: AnyWork | None = None

    @property
    def place(self) -> Place:
        return self.kind, self.key


def broken(change: Change, what: str) -> Broken:
    """What is wrong with a change."""
    return Broken(where=f"{change.kind} {change.key}", what=what)


class PassageText(NamedTuple):
    """A passage of the query; `scope`: how many of its characters count in the answer where most of them do."""

    text: str
    scope: int


class ChangeBatch:
    """The changes, and the layer as it would be after them."""

    def __init__(
        self,
        connection: Connection,
        query_number: int,
        owner: int,
        changes: Sequence[Change],
        current: dict[Place, CurrentAnnotation],
    ) -> None:
        self.connection, self.query_number, self.owner = connection, query_number, owner
        self.changes, self.current = tuple(changes), current
        self._live: dict[type[Work], dict[str, Work]] = {}
        self._passages: dict[int, PassageText | None] = {}

    def records(self, kind: type[W]) -> Iterator[tuple[Change, W]]:
        """The changes that make or change an annotation of this kind."""
        for change in self.changes:
            if isinstance(change.record, kind):
                yield change, change.record

    def deleted(self, kind: type[Work]) -> Iterator[str]:
        """The keys of annotations of this kind that are deleted."""
        name = kind_of_work(kind)
        return (change.key for change in self.changes if change.kind == name and change.record is None)

    def live(self, kind: type[W]) -> dict[str, W]:
        """The annotations of this kind that the layer has after the changes."""
        if kind not in self._live:
            name, columns = kind_of_work(kind), tables.annotation.c
            rows = self.connection.execute(
                select(columns.key, columns.record).where(
                    columns.query == self.query_number,
                    columns.owner == self.owner,
                    columns.kind == name,
                    columns.record.is_not(None),
                )
            )
            found: dict[str, Work] = {key: decode_work(record) for key, record in rows}
            for change in self.changes:
                if change.kind != name:
                    continue
                if change.record is None:
                    found.pop(change.key, None)
                else:
                    found[change.key] = change.record
            self._live[kind] = found
        return cast(dict[str, W], self._live[kind])

    def passage(self, number: int) -> PassageText | None:
        """The passage; None where the query has none with this number."""
        if number not in self._passages:
            passage, occurrence = tables.passage.c, tables.occurrence.c
            scope = select(func.max(occurrence.scope)).where(occurrence.passage == passage.number).scalar_subquery()
            row = self.connection.execute(
                select(passage.text, scope).where(passage.number == number, passage.query == self.query_number)
            ).first()
            self._passages[number] = None if row is None else PassageText(row[0], row[1] or 0)
        return self._passages[number]

    def citation_passage(self, number: int) -> int | None:
        """The passage that has the citation; None where no passage of the query has it."""
        citation, passage = tables.citation.c, tables.passage.c
        chosen = (
            select(citation.passage)
            .join(tables.passage, passage.number == citation.passage)
            .where(citation.number == number, passage.query == self.query_number)
        )
        found: int | None = self.connection.execute(chosen).scalar()
        return found

    def response_passages(self, number: int) -> set[int] | None:
        """The passages of an answer; None where it is not an answer to the query."""
        response, occurrence = tables.response.c, tables.occurrence.c
        known = self.connection.execute(
            select(response.number).where(response.number == number, response.query == self.query_number)
        ).first()
        if known is None:
            return None
        return set(self.connection.execute(select(occurrence.passage).where(occurrence.response == number)).scalars())

    def suggested_nugget(self, number: int) -> NuggetWork | None:
        """An automatic nugget of the query; None where there is none with this number."""
        columns = tables.suggestion.c
        found = self.connection.execute(
            select(columns.record).where(
                columns.number == number, columns.query == self.query_number, columns.kind == "nugget"
            )
        ).scalar()
        record = None if found is None else decode_work(found)
        return record if isinstance(record, NuggetWork) else None

    def was_nugget(self, key: str) -> bool:
        """Whether the layer has or had the nugget; the adjudicated layer may also name those of assessors."""
        if any(change.place == ("nugget", key) for change in self.changes):
            return True
        columns = tables.annotation.c
        chosen = select(columns.number).where(
            columns.query == self.query_number, columns.kind == "nugget", columns.key == key
        )
        if self.owner != ADJUDICATED:
            chosen = chosen.where(columns.owner == self.owner)
        return self.connection.execute(chosen).first() is not None

    @cached_property
    def key(self) -> set[str]:
        """The nugs that votes and judgements are about; own ones as they are after the changes."""
        if key_owner(self.connection, self.query_number, self.owner) == self.owner:
            return set(self.live(NugWork))
        return set(query_key(self.connection, self.query_number, self.owner))

    @cached_property
    def settings(self) -> Settings:
        return read_settings(self.connection)

    @cached_property
    def categories(self) -> dict[str, str]:
        """The categories of the query's template; none where there is no template, or it has none."""
        record = decode_record(query_row(self.connection, self.query_number).record.encode())
        template = template_of(self.connection, record.template) if isinstance(record, Query) else None
        return {} if template is None else template.categories

    @cached_property
    def assessors(self) -> set[int]:
        """Those to whom the query is assigned."""
        columns = tables.assignment.c
        return set(self.connection.execute(select(columns.account).where(columns.query == self.query_number)).scalars())
