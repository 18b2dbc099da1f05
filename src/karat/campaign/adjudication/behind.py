"""Who is not done with a query: what an adjudicator should know before beginning."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from karat.campaign.adjudication.alignment import Layers
from karat.campaign.adjudication.records import Behind
from karat.campaign.people.accounts import accounts
from karat.campaign.work.assignments import assessors_of
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.steps import done_steps, steps_of


def who_is_behind(connection: Connection, query_number: int, layers: Layers) -> Iterator[Behind]:
    """Who has not finished: of those to whom the query is assigned, and those who have worked on it."""
    wanted = steps_of(connection, ADJUDICATED)
    names = {person.number: person.name for person in accounts(connection)}
    for number in dict.fromkeys((*assessors_of(connection, query_number), *layers.accounts)):
        done = done_steps(connection, query_number, number)
        missing = tuple(step for step in wanted if step not in done)
        if missing:
            yield Behind(account=number, name=names[number], steps=missing)
