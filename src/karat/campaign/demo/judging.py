"""The demo of judging: a question with a key, answers of three systems, and what a program thinks of each pair.

Ben has judged everything and voted, ann has begun; the adjudicator sees who is not done.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import time

from sqlalchemy import select

from karat.campaign.campaign import Campaign
from karat.campaign.demo.desk import Desk
from karat.campaign.demo.fill import DAY, DemoLogin, make_people
from karat.campaign.demo.material import FIRST, HUMAN, SECOND
from karat.campaign.material.importing import import_records
from karat.campaign.material.settings import change_settings
from karat.campaign.store import tables
from karat.campaign.work.assignments import assign
from karat.campaign.work.payloads import JudgementWork
from karat.campaign.work.query_key import query_key
from karat.model import AnyRecord, Judgement, Nug, Query, Response, Run, Snippet

QUERY = "museum"
PROGRAM = "demo-judge"
KEY = {
    "opened": ("The tide museum opened in Lindhavn in 2029", "vital"),
    "free": ("Entry is free on Sundays", "okay"),
    "whale": ("Its largest piece is the skeleton of a blue whale", "vital"),
    "visitors": ("300,000 people came in the first year", "vital"),
    "architect": ("It was designed by Sigrid Holm", "okay"),
}
ANSWERS = {
    HUMAN: ("The tide museum in Lindhavn, a work of the architect Sigrid Holm, opened its doors in 2029.",
            "Some 300,000 people saw it in its first year; on Sundays nobody pays."),
    FIRST: ("Lindhavn has had a museum of the tides since 2029.",
            "Visitors stand under the bones of a blue whale, the largest thing in the house."),
    SECOND: ("The museum shows whales and ships.", "In the first year it had many visitors, and Sundays are cheaper."),
}  # fmt: skip
PROBABLE = {
    HUMAN: (0.97, 0.71, 0.03, 0.98, 0.93),
    FIRST: (0.9, 0.02, 0.58, 0.05, 0.02),
    SECOND: (0.12, 0.55, 0.4, 0.46, 0.01),
}
"""How probable the program finds it that an answer contains each nug of the key."""
RIGHT = {HUMAN: (1, 1, 0, 1, 1), FIRST: (1, 0, 1, 0, 0), SECOND: (0, 0, 0.5, 0.5, 0)}
"""What ben says."""


def judging_records() -> Iterator[AnyRecord]:
    """Everything that the demo of judging imports."""
    yield Query(query_id=QUERY, text="What is there to know about the new museum in Lindhavn?")
    for nug_id, (words, importance) in KEY.items():
        yield Nug(query_id=QUERY, nug_id=nug_id, descriptions=(words,), importance=importance)  # type: ignore[arg-type]
    for run_id, texts in ANSWERS.items():
        yield Run(run_id=run_id)
        snippets = tuple(Snippet(snippet_id=str(number), text=text) for number, text in enumerate(texts, start=1))
        yield Response(query_id=QUERY, run_id=run_id, snippets=snippets)
        for nug_id, probable in zip(KEY, PROBABLE[run_id], strict=True):
            yield Judgement(
                query_id=QUERY, run_id=run_id, nug_id=nug_id, degree=1.0 if probable > 0.5 else 0.0, judge=PROGRAM,
                probabilities={"1": probable, "0": round(1 - probable, 2)},
            )  # fmt: skip


def fill_judging_demo(campaign: Campaign, *, now: float | None = None) -> list[DemoLogin]:
    """Fill an empty campaign with something to judge, and give the logins to print."""
    with campaign.database.write() as connection:
        change_settings(connection, {"title": "Demo: judging"})
        import_records(connection, judging_records(), programs=(PROGRAM,))
        change_settings(connection, {"steps": ["votes", "judging"]})
        people, logins = make_people(connection)
        assign(connection)
        desk = Desk(connection, people, (time() if now is None else now) - DAY)
        columns = tables.response.c
        responses = {row.run_id: row.number for row in connection.execute(select(columns.run_id, columns.number))}
        nugs = list(query_key(connection, desk.queries[QUERY], people["ann"].number))
        judged = [
            JudgementWork(response=responses[run_id], nug=nug, degree=degree)
            for run_id, degrees in RIGHT.items()
            for nug, degree in zip(nugs, degrees, strict=True)
        ]
        desk.vote_all("ben", QUERY, ("vital", "okay", "okay", "vital"))
        desk.done("ben", QUERY, "votes", seconds=40.0)
        desk.save("ben", QUERY, *judged)
        desk.done("ben", QUERY, "judging", seconds=260.0)
        desk.save("ann", QUERY, judged[0], judged[3])
        return logins
