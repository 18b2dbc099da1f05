"""Whatever is saved, in whatever order, exports to a collection that loads without problems."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

import karat
from builders.campaign_place import EMOJI, OTHER, PLAIN, STORM, Small, fill_small
from builders.campaigns import new
from karat.campaign.adjudication.decisions import decide, start
from karat.campaign.adjudication.differences import differences
from karat.campaign.results.export import export_collection
from karat.campaign.store.database import DATABASE_FILE, open_database
from karat.campaign.store.tables import metadata
from karat.campaign.work.annotations import layer, of_type
from karat.campaign.work.changes import save, undo
from karat.campaign.work.errors import Conflict, NothingToUndo, RuleBroken
from karat.campaign.work.payloads import (
    CitationWork,
    JudgementWork,
    NuggetWork,
    NugMember,
    NugWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
)
from karat.campaign.work.rules import Change
from karat.campaign.work.steps import set_step, steps_of
from karat.formats import write_bytes
from karat.model import SpanSet

TEXTS = (STORM, EMOJI, PLAIN, OTHER)
REQUESTS = count()
HARD = {
    "duplicate-id", "dangling-reference", "span-outside", "degree-sum", "conflicting-definition", "uncited-judgement",
    "contradictory-citation", "repeated-judgement", "wrong-type", "missing-field", "bad-value", "lone-degree",
}  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Small]:
    """A filled store that every example copies."""
    place = tmp_path_factory.mktemp("template")
    database = open_database(place)
    metadata.create_all(database.engine)
    with database.write() as connection:
        people, material = fill_small(connection)
    database.close()
    return place, Small(database, people, material)


class Actor:
    """Does what a person does, as drawn; what the rules refuse is refused."""

    def __init__(self, small: Small, connection: Connection, data: st.DataObject) -> None:
        self.small, self.connection, self.data = small, connection, data

    def draw(self, options: list[object]) -> object:
        return self.data.draw(st.sampled_from(options))

    def act(self) -> None:
        name = str(self.draw(["ann", "ben", "eva"]))
        person = self.small.people[name]
        owner = 0 if name == "eva" else person.number
        action = self.draw([self.label, self.nugget, self.nug, self.citation, self.vote, self.judgement, self.reviewed,
                            self.delete, self.delete, self.nugget, self.nug, self.undo, self.adjudicate])  # fmt: skip
        assert callable(action)
        savepoint = self.connection.begin_nested()
        try:
            action(person, owner)
        except (RuleBroken, NothingToUndo):
            savepoint.rollback()
        except Conflict:
            savepoint.commit()

    def passage(self) -> int:
        return self.small.passage(str(self.draw(list(TEXTS))))

    def spans(self, passage: int) -> SpanSet:
        text = next(text for text in TEXTS if self.small.passage(text) == passage)
        pairs = self.data.draw(
            st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, 20)), min_size=1, max_size=3)
        )
        return SpanSet([(start, min(len(text), start + length)) for start, length in pairs])

    def save(self, person: object, owner: int, *changes: Change) -> None:
        save(self.connection, person, self.small.query, owner, f"r{next(REQUESTS)}", changes)  # type: ignore[arg-type]

    def keys(self, owner: int, kind: type) -> list[str]:
        return list(of_type(layer(self.connection, self.small.query, owner), kind))

    def versions(self, owner: int) -> dict[tuple[str, str], int]:
        return {(each.kind, each.key): each.version for each in layer(self.connection, self.small.query, owner)}

    def put(self, person: object, owner: int, change: Change) -> None:
        version = self.versions(owner).get(change.place, 0)
        self.save(person, owner, Change(kind=change.kind, key=change.key, version=version, record=change.record))

    def label(self, person: object, owner: int) -> None:
        passage, label = self.passage(), str(self.draw(["relevant", "irrelevant", "redundant"]))
        nugs = self.keys(owner, NugWork)
        target = f"nug:{self.draw(list(nugs))}" if nugs and self.draw([True, False]) else f"passage:{self.passage()}"
        record = RelevanceWork(
            passage=passage, label=label, redundant_with=target if label == "redundant" else None,  # type: ignore[arg-type]
            text_spans=self.spans(passage) if self.draw([True, False]) else None,
        )  # fmt: skip
        self.put(person, owner, new(record))

    def nugget(self, person: object, owner: int) -> None:
        passage = self.passage()
        record = NuggetWork(passage=passage, spans=self.spans(passage), type=self.draw(["EVT", None]))  # type: ignore[arg-type]
        self.put(person, owner, new(record, f"n-{self.draw(list(range(6)))}"))

    def nug(self, person: object, owner: int) -> None:
        known = self.keys(owner, NuggetWork)
        chosen = self.data.draw(st.lists(st.sampled_from(known), unique=True, max_size=3)) if known else []
        degree = self.draw([1.0, 0.5, 0.25]) if len(chosen) > 1 else 1.0
        members = tuple(NugMember(nugget=key, degree=degree) for key in chosen)  # type: ignore[arg-type]
        record = NugWork(description="something", members=members, best=chosen[0] if chosen else None)
        self.put(person, owner, new(record, f"g-{self.draw(list(range(4)))}"))

    def citation(self, person: object, owner: int) -> None:
        nuggets: list[object] = [None, *self.keys(owner, NuggetWork)]
        support = self.draw(["full", "partial", "none", "missing"])
        record = CitationWork(citation=self.small.citation, nugget=self.draw(nuggets), support=support)  # type: ignore[arg-type]
        self.put(person, owner, new(record))

    def vote(self, person: object, owner: int) -> None:
        for key in self.keys(owner, NugWork)[:2]:
            self.put(person, owner, new(VoteWork(nug=key, value="vital", occasion=self.draw([None, "2"]))))  # type: ignore[arg-type]

    def judgement(self, person: object, owner: int) -> None:
        response = self.draw([self.small.material.responses["q1", run] for run in ("alpha", "beta")])
        for key in self.keys(owner, NugWork)[:1]:
            self.put(person, owner, new(JudgementWork(response=response, nug=key, degree=0.5)))  # type: ignore[arg-type]

    def reviewed(self, person: object, owner: int) -> None:
        self.put(person, owner, new(ReviewedWork(step="nuggets", passage=self.passage())))

    def delete(self, person: object, owner: int) -> None:
        standing = self.versions(owner)
        if standing:
            kind, key = self.draw(sorted(standing))  # type: ignore[misc]
            self.save(person, owner, Change(kind=kind, key=key, version=standing[kind, key]))

    def undo(self, person: object, owner: int) -> None:
        undo(self.connection, person, self.small.query, owner, f"r{next(REQUESTS)}")  # type: ignore[arg-type]

    def adjudicate(self, person: object, owner: int) -> None:
        eva = self.small.people["eva"]
        start(self.connection, eva, self.small.query, request=f"r{next(REQUESTS)}")
        for item in differences(self.connection, eva, self.small.query).items[:3]:
            take = self.draw([None, *(version.account for version in item.versions)])
            decide(self.connection, eva, self.small.query, f"r{next(REQUESTS)}", item.item, take=take)  # type: ignore[arg-type]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_work_exports_to_a_collection_that_loads(
    template: tuple[Path, Small], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    source, small = template
    place = tmp_path_factory.mktemp("example")
    shutil.copy(source / DATABASE_FILE, place / DATABASE_FILE)
    database = open_database(place)
    try:
        with database.write() as connection:
            actor = Actor(small, connection, data)
            for _ in range(data.draw(st.integers(5, 25))):
                actor.act()
            if data.draw(st.booleans()):
                for step in steps_of(connection, 0):
                    set_step(connection, small.people["eva"], small.query, 0, step, done=True)
            collections = [export_collection(connection), export_collection(connection, adjudicated_only=True)]
            collections.append(export_collection(connection, assessor="ann"))
    finally:
        database.close()
    for collection in collections:
        lines = write_bytes(collection)
        if not lines:
            continue
        assert karat.load(lines) == collection
        assert [finding for finding in karat.lint(lines) if finding.code in HARD] == []
