"""The demo of a campaign that is finished: the collection that comes with Karat, judged by two assessors.

Ann's judgements and the votes of ann and ben are those of the collection. Ben's judgements were made for this demo: he
sees a partial answer as a whole one or as none in turn, and in every FEW-th other case the opposite of what ann sees.
Eva took ann's version of a difference, and in every third case ben's.
"""

from __future__ import annotations

from itertools import count, cycle
from time import time

from sqlalchemy import Connection, select

from karat.campaign.adjudication.decisions import decide, start
from karat.campaign.adjudication.differences import differences
from karat.campaign.campaign import Campaign
from karat.campaign.demo.desk import Desk
from karat.campaign.demo.fill import DAY, DemoLogin, make_people
from karat.campaign.material.importing import import_records
from karat.campaign.material.settings import change_settings
from karat.campaign.store import tables
from karat.campaign.work.assignments import assign
from karat.campaign.work.payloads import JudgementWork, VoteWork
from karat.campaign.work.query_key import query_key
from karat.campaign.work.steps import steps_of
from karat.demo import demo_files
from karat.formats import open_inputs
from karat.model import Collection

FEW = 17


def fill_finished_demo(campaign: Campaign, *, now: float | None = None) -> list[DemoLogin]:
    """Fill an empty campaign with work that is done, and give the logins to print."""
    collection = Collection(open_inputs(*map(str, demo_files()), on_error="skip"))
    with campaign.database.write() as connection:
        change_settings(connection, {"title": "Demo: questions of all kinds"})
        material = (collection.queries, collection.runs, collection.responses, collection.nugs)
        import_records(connection, [record for records in material for record in records])
        change_settings(connection, {"steps": ["votes", "judging"]})
        people, logins = make_people(connection)
        assign(connection)
        desk = _Finished(connection, people, (time() if now is None else now) - 3 * DAY)
        desk.fill(collection)
    return logins


class _Finished(Desk):
    def fill(self, collection: Collection) -> None:
        columns = tables.response.c
        rows = self.connection.execute(select(columns.query, columns.run_id, columns.number))
        numbers = {(query, run_id): number for query, run_id, number in rows}
        said = {(one.query_id, one.run_id, one.nug_id): one.degree for one in collection.judgements}
        votes = {(one.assessor, one.query_id, one.nug_id): one.value for one in collection.votes}
        ids: dict[str, list[str]] = {}
        for nug in collection.nugs:
            ids.setdefault(nug.query_id, []).append(nug.nug_id)
        ben = _Ben()
        for query in collection.queries:
            query_id, number = query.query_id, self.queries[query.query_id]
            keys = dict(zip(ids[query_id], query_key(self.connection, number, self.people["ann"].number), strict=True))
            work: dict[str, list[JudgementWork]] = {"ann": [], "ben": []}
            for response in collection.responses:
                for nug_id, key in keys.items() if response.query_id == query_id else ():
                    # The one judgement that is broken on purpose in the file of the collection has no degree.
                    degree = said[query_id, response.run_id, nug_id]
                    degree = 1.0 if degree is None else degree
                    place = numbers[number, response.run_id]
                    other = ben.sees(degree, f"{place}:{key}", empty=not any(one.text for one in response.snippets))
                    work["ann"].append(JudgementWork(response=place, nug=key, degree=degree))
                    work["ben"].append(JudgementWork(response=place, nug=key, degree=other))
            for name, judged in work.items():
                voted = [VoteWork(nug=key, value=votes[name, query_id, nug_id]) for nug_id, key in keys.items()]
                self.save(name, query_id, *voted)
                self.done(name, query_id, "votes", seconds=30.0)
                self.save(name, query_id, *judged)
                self.done(name, query_id, "judging", seconds=300.0 if name == "ann" else 240.0)
            _adjudicate(self, self.connection, query_id, ben.right)


class _Ben:
    """What ben says, given what ann says; in the order of the collection, so that it is the same in every campaign."""

    def __init__(self) -> None:
        self._partial = cycle((1.0, 0.0))
        self._seen, self._differences = count(1), count(1)
        self.right: set[str] = set()
        """The judgements in which the adjudicator takes his version."""

    def sees(self, ann: float, key: str, *, empty: bool) -> float:
        degree = next(self._partial) if ann == 0.5 else ann
        if ann != 0.5 and not empty and next(self._seen) % FEW == 0:
            degree = 1.0 - ann
        if degree != ann and next(self._differences) % 3 == 0:
            self.right.add(key)
        return degree


def _adjudicate(desk: Desk, connection: Connection, query_id: str, ben_is_right: set[str]) -> None:
    eva, number = desk.people["eva"], desk.queries[query_id]
    start(connection, eva, number, now=desk.moment())
    for item in differences(connection, eva, number).items:
        if item.agreed or item.decision is not None:
            continue
        takes = "ben" if item.item.partition(":")[2] in ben_is_right else "ann"
        moment = desk.moment()
        decide(
            connection, eva, number, f"demo-{moment:.0f}", item.item, take=desk.people[takes].number,
            reason="after reading the answer again", now=moment,
        )  # fmt: skip
    desk.done("eva", query_id, *steps_of(connection, 0), seconds=120.0)
