"""A campaign behind the web server, with people who are logged in. Runs have names that cannot be overlooked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import select

from karat.campaign.campaign import Campaign
from karat.campaign.material.importing import import_records
from karat.campaign.material.settings import STEPS, change_settings
from karat.campaign.people.accounts import create_account
from karat.campaign.store import tables
from karat.campaign.work.assignments import assign_query
from karat.model import Citation, Document, Query, Record, Response, Run, Snippet, SpanSet
from karat.web.app import create_app
from karat.web.security import WebSettings

RUNS = ("zqRUNALPHAqz", "zqRUNBETAqz")
PASSWORD = "three words together"
PEOPLE = {"olga": "organiser", "eva": "adjudicator", "ann": "assessor", "ben": "assessor", "cleo": "assessor"}
"""ann and ben have query q1, ben has q2 alone, cleo has nothing."""
HOST = "testserver.local"


@dataclass
class Workbench:
    """A campaign, its application, and the numbers of what is in it."""

    campaign: Campaign
    app: Litestar
    accounts: dict[str, int] = field(default_factory=dict)
    queries: dict[str, int] = field(default_factory=dict)

    def passages(self, query_id: str) -> dict[str, int]:
        """The numbers of a query's passages by text."""
        columns = tables.passage.c
        with self.campaign.database.read() as connection:
            rows = connection.execute(
                select(columns.text, columns.number).where(columns.query == self.queries[query_id])
            )
            return {row.text: row.number for row in rows}

    def numbers(self, table: str) -> list[int]:
        """All numbers of a table."""
        with self.campaign.database.read() as connection:
            return list(connection.execute(select(tables.metadata.tables[table].c.number)).scalars())


class Browser:
    """A client that keeps cookies and sends the token of the page it has seen last."""

    def __init__(self, app: Litestar) -> None:
        self.client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)
        self.token = ""

    def get(self, path: str, **more: Any) -> Any:
        response = self.client.get(path, follow_redirects=False, **more)
        found = re.search(r'name="csrf_token" value="([0-9a-f]+)"', response.text) if "<" in response.text else None
        if found:
            self.token = found[1]
        return response

    def form(self, path: str, data: dict[str, str] | None = None, *, token: str | None = None, **more: Any) -> Any:
        """Send a form as a page would."""
        fields = {"csrf_token": self.token if token is None else token, **(data or {})}
        return self.client.post(path, data=fields, follow_redirects=False, **more)

    def post(self, path: str, body: Any, *, token: str | None = None, **more: Any) -> Any:
        """Send JSON as a page's script would."""
        headers = {"x-csrftoken": self.token if token is None else token, **more.pop("headers", {})}
        return self.client.post(path, json=body, headers=headers, **more)

    def login(self, name: str, password: str = PASSWORD) -> Browser:
        self.get("/login")
        response = self.form("/login", {"name": name, "password": password})
        assert response.status_code == 303, response.text
        self.get("/password")
        return self


def material() -> list[Record]:
    """Two queries, two runs; snippet ids contain the run's name, and one snippet is the same in both runs."""
    records: list[Record] = [
        Query(query_id="q1", text="What did the storm do?"),
        Query(query_id="q2", text="Who won the election?"),
        Document(doc_id="doc1", text="The storm reached Lisbon on Monday.", language="en", title="News"),
        Document(doc_id="doc2", text="The election was won by Silva.", language="en", title="Votes"),
    ]
    records += [Run(run_id=run_id, group=f"{run_id}-group") for run_id in RUNS]
    for run_id in RUNS:
        citation = Citation(doc_id="doc1", chunk=SpanSet([(0, 10)]), excerpt="The storm reached Lisbon")
        records.append(
            Response(
                query_id="q1",
                run_id=run_id,
                snippets=(
                    Snippet(snippet_id=f"{run_id}-1", text="The storm hit Lisbon.", citations=(citation,)),
                    Snippet(
                        snippet_id=f"{run_id}-2", text=f"It closed {'the port' if run_id == RUNS[0] else 'schools'}."
                    ),
                ),
            )
        )
        other = Citation(doc_id="doc2", excerpt="won by Silva")
        won = Snippet(snippet_id=f"{run_id}-1", text=f"Silva won {RUNS.index(run_id)}.", citations=(other,))
        records.append(Response(query_id="q2", run_id=run_id, snippets=(won,)))
    return records


def fill_workbench(folder: Path, records: list[Record] | None = None) -> None:
    """Make the campaign in a folder."""
    with Campaign.create(folder, "Storms") as campaign, campaign.database.write() as connection:
        import_records(connection, material() if records is None else records)
        change_settings(connection, {"steps": STEPS})
        accounts = {name: create_account(connection, name, role, password=PASSWORD) for name, role in PEOPLE.items()}
        columns = tables.query.c
        queries = {row.query_id: row.number for row in connection.execute(select(columns.query_id, columns.number))}
        for query_id, names in {"q1": ("ann", "ben"), "q2": ("ben",)}.items():
            for name in names if query_id in queries else ():
                assign_query(connection, queries[query_id], accounts[name].number)


@contextmanager
def open_workbench(folder: Path, records: list[Record] | None = None) -> Iterator[Workbench]:
    """The application of the campaign in a folder, which is filled where it is not there yet."""
    if not (folder / "campaign").exists():
        fill_workbench(folder / "campaign", records)
    with Campaign.open(folder / "campaign") as campaign:
        with campaign.database.read() as connection:
            people, columns = tables.account.c, tables.query.c
            accounts = {row.name: row.number for row in connection.execute(select(people.name, people.number))}
            queries = {row.query_id: row.number for row in connection.execute(select(columns.query_id, columns.number))}
        app = create_app(campaign.database, settings=WebSettings(hosts=(HOST,)))
        yield Workbench(campaign, app, accounts, queries)
