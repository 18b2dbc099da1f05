"""How long the workbench's pages take with a large campaign.

    python benchmarks/speed/pages.py [--queries N] [--annotated N]

200 queries x 40 runs x 20 snippets, 20 assessors, two per query; some queries are annotated by both (a label for every
passage, a nugget for every third). Prints the median of five visits per page, as a browser on this machine would wait,
and the longest; exits with 1 where a list page takes more than 200 ms.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from litestar.testing import TestClient
from sqlalchemy import insert, select

from importing import write_files
from karat.campaign.campaign import Campaign
from karat.campaign.material.importing import import_files
from karat.campaign.people.accounts import create_account
from karat.campaign.people.sessions import login
from karat.campaign.store import tables
from karat.campaign.work.annotations import encode_work
from karat.campaign.work.assignments import assign
from karat.campaign.work.payloads import NuggetWork, RelevanceWork, Work
from karat.model import SpanSet
from karat.web.app import create_app
from karat.web.security import WebSettings

PASSWORD = "a password of many words"
ALLOWED_MS = 200.0
VISITS = 5
LISTS = (
    "/",
    "/?page=4",
    "/progress",
    "/progress?page=4",
    "/people",
    "/material",
    "/settings",
    "/sheets",
    "/api/queries",
)


def annotate(campaign: Campaign, queries: int, draw: random.Random) -> None:
    """Rows as saving would make them: a batch per passage, its change, and the annotation that stands."""
    with campaign.database.write() as connection:
        passage, assignment = tables.passage.c, tables.assignment.c
        chosen = select(tables.query.c.number).order_by(tables.query.c.position).limit(queries)
        rows = connection.execute(
            select(assignment.account, passage.query, passage.number, passage.text)
            .join_from(tables.assignment, tables.passage, assignment.query == passage.query)
            .where(passage.query.in_(chosen))
        ).all()
        batches, changes, annotations = [], [], []
        for number, (account, query, of_passage, text) in enumerate(rows, 1):
            label = draw.choice(("relevant", "relevant", "irrelevant"))
            works: list[tuple[str, str, Work]] = [
                ("relevance", str(of_passage), RelevanceWork(passage=of_passage, label=label))  # type: ignore[arg-type]
            ]
            if draw.random() < 0.33:
                spans = SpanSet([(0, draw.randint(5, len(text)))])
                works.append(("nugget", f"n-{number}", NuggetWork(passage=of_passage, spans=spans)))
            batches.append(
                {"number": number, "time": 0.0, "account": account, "query": query, "owner": account,
                 "request": f"r{number}", "refused": False, "content": b""}
            )  # fmt: skip
            for kind, key, work in works:
                row = {"kind": kind, "key": key, "version": 1}
                changes.append({**row, "batch": number, "after": encode_work(work)})
                annotations.append({**row, "query": query, "owner": account, "record": encode_work(work)})
        for table, values in ((tables.batch, batches), (tables.change, changes), (tables.annotation, annotations)):
            connection.execute(insert(table), values)
    print(f"{len(annotations):,} annotations of {queries} queries")


def visit(client: TestClient, cookie: str, path: str) -> tuple[float, float]:
    """The median and the longest of some visits, in milliseconds."""
    times = []
    for _ in range(VISITS):
        started = time.perf_counter()
        response = client.get(path, headers={"cookie": f"karat-session={cookie}"}, follow_redirects=False)
        times.append(1000 * (time.perf_counter() - started))
        assert response.status_code == 200, (path, response.status_code, response.text[:300])
    return median(times), max(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--annotated", type=int, default=20)
    arguments = parser.parse_args()
    slow = []
    with tempfile.TemporaryDirectory() as place:
        files = write_files(Path(place), arguments.queries)
        with Campaign.create(Path(place) / "campaign", "Large") as campaign:
            started = time.monotonic()
            import_files(campaign.database, *files)
            print(f"imported in {time.monotonic() - started:.0f} s")
            with campaign.database.write() as connection:
                roles = {"olga": "organiser", "eva": "adjudicator", **{f"person{n}": "assessor" for n in range(20)}}
                for name, role in roles.items():
                    create_account(connection, name, role, password=PASSWORD)
                assign(connection)
            annotate(campaign, arguments.annotated, random.Random(7))
            sessions = {name: login(campaign.database, name, PASSWORD, "here") for name in ("olga", "eva", "person0")}
            app = create_app(campaign.database, settings=WebSettings(hosts=("testserver.local",)))
            with campaign.database.read() as connection:
                mine = select(tables.assignment.c.query).join(
                    tables.account, tables.account.c.number == tables.assignment.c.account
                )
                query = connection.execute(mine.where(tables.account.c.name == "person0")).scalars().first()
            with TestClient(app) as client:
                client.get("/login")
                work = [f"/api/queries/{query}/work/{step}" for step in ("relevance", "nuggets", "nugs", "citations")]
                plan = {
                    "olga": [*LISTS, f"/queries/{query}/history"],
                    "eva": ["/", f"/queries/{query}/history", f"/api/queries/{query}/differences"],
                    "person0": ["/", "/api/queries", f"/queries/{query}/nuggets", *work],
                    # Last: its figures are computed in the background, and would slow the others down.
                    " olga": ["/agreement"],
                }
                for name, paths in plan.items():
                    for path in paths:
                        middle, longest = visit(client, sessions[name.strip()], path)
                        shown = path.replace(str(query), "N")
                        print(
                            f"{roles[name.strip()]:<12} {shown:<32} median {middle:7.1f} ms  longest {longest:7.1f} ms"
                        )
                        if path in LISTS and middle > ALLOWED_MS:
                            slow.append(f"{shown}: {middle:.0f} ms")
    for line in slow:
        print(f"FAILED: {line}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
