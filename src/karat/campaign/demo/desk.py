"""How the demo's people work: saves, finished steps and votes, as their pages make them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import msgspec
from sqlalchemy import Connection, select

from karat.campaign.demo.material import pieces_of
from karat.campaign.people.accounts import Account
from karat.campaign.store import tables
from karat.campaign.work.annotations import key_of, kind_of_work, layer, of_type
from karat.campaign.work.changes import save
from karat.campaign.work.payloads import (
    AnyWork,
    CitationWork,
    NuggetWork,
    NugMember,
    NugWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
)
from karat.campaign.work.query_key import query_key
from karat.campaign.work.rules import Change
from karat.campaign.work.steps import add_time, set_step
from karat.campaign.work.task_data.passages import decode_citation
from karat.model import SpanSet


class Desk:
    """What people do at their pages, in short words."""

    def __init__(self, connection: Connection, people: dict[str, Account], began: float) -> None:
        self.connection, self.people = connection, people
        self._clock = count(1)
        self._began = began
        query, passage, citation, suggestion = (
            tables.query.c, tables.passage.c, tables.citation.c, tables.suggestion.c,
        )  # fmt: skip
        self.queries = {row[1]: row[0] for row in connection.execute(select(query.number, query.query_id))}
        self.passages = {row[1]: row[0] for row in connection.execute(select(passage.number, passage.text))}
        self.citations: dict[int, list[tuple[int, SpanSet | None]]] = {}
        """The citations of each passage, with the chunks that they are about."""
        rows = connection.execute(
            select(citation.passage, citation.number, citation.record).order_by(citation.passage, citation.number)
        )
        for passage_number, number, record in rows:
            self.citations.setdefault(passage_number, []).append((number, decode_citation(record).chunk))
        self.suggestions = {
            msgspec.json.decode(row.details)["nugget_id"]: row.number
            for row in connection.execute(
                select(suggestion.number, suggestion.details).where(suggestion.kind == "nugget")
            )
        }

    def moment(self) -> float:
        return self._began + 60.0 * next(self._clock)

    def save(self, name: str, query_id: str, *works: AnyWork | tuple[str, AnyWork]) -> None:
        changes = []
        for work in works:
            key, record = work if isinstance(work, tuple) else (key_of(work) or "", work)
            changes.append(Change(kind=kind_of_work(record), key=key, record=record))
        person, number = self.people[name], self.queries[query_id]
        moment = self.moment()
        save(self.connection, person, number, person.number, f"demo-{moment:.0f}", changes, now=moment)

    def done(self, name: str, query_id: str, *steps: str, seconds: float = 240.0) -> None:
        person, number = self.people[name], self.queries[query_id]
        owner = 0 if person.role == "adjudicator" else person.number
        for place, step in enumerate(steps):
            add_time(self.connection, person, number, owner, step, seconds=seconds / (place + 1))
            set_step(self.connection, person, number, owner, step, done=True, now=self.moment())

    def label(self, text: str, label: str, **more: object) -> RelevanceWork:
        return RelevanceWork(passage=self.passages[text], label=label, **more)  # type: ignore[arg-type]

    def nugget(self, key: str, text: str, *pieces: str, **more: object) -> tuple[str, NuggetWork]:
        spans = pieces_of(text, *pieces)
        return key, NuggetWork(passage=self.passages[text], spans=spans, **more)  # type: ignore[arg-type]

    def nug(self, key: str, words: str, *members: str, **more: object) -> tuple[str, NugWork]:
        degrees = [member.partition("@") for member in members]
        made = tuple(NugMember(nugget=name, degree=float(degree or 1)) for name, _, degree in degrees)
        return key, NugWork(description=words, best=made[0].nugget, members=made, **more)  # type: ignore[arg-type]

    def check_all(self, name: str, query_id: str, **exceptions: str) -> None:
        """Check every citation of the person's nuggets: full support, save for the nuggets that are named."""
        number, owner = self.queries[query_id], self.people[name].number
        nuggets = of_type(layer(self.connection, number, owner, ["nugget"]), NuggetWork)
        checks = [
            CitationWork(citation=citation, nugget=key, support=exceptions.get(key.removeprefix("n-"), "full"))  # type: ignore[arg-type]
            for key, nugget in nuggets.items()
            for citation, chunk in self.citations.get(nugget.passage, ())
            if chunk is None or chunk.intersection(nugget.spans)
        ]
        self.save(name, query_id, *checks)

    def reviewed(self, step: str, text: str) -> ReviewedWork:
        return ReviewedWork(step=step, passage=self.passages[text])  # type: ignore[arg-type]

    def vote_all(self, name: str, query_id: str, values: Sequence[str]) -> None:
        key = query_key(self.connection, self.queries[query_id], self.people[name].number)
        votes = [VoteWork(nug=nug, value=values[place % len(values)]) for place, nug in enumerate(key)]  # type: ignore[arg-type]
        self.save(name, query_id, *votes)
