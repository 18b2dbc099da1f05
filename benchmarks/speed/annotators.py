"""Many annotators save at once: how long a save takes, and whether anything is lost when the server is killed.

    python benchmarks/speed/annotators.py [--people N] [--seconds S] [--kills N] [--only PART ...]

Everything is on this machine: `karat serve` in a process of its own with SQLite, the annotators in this one.
1. pace: every annotator saves once per second (people are ten times slower). 2. flat: nobody thinks. 3. backup: one in
the middle of it, restored and compared. 4. kills: kill -9 in the middle of it, again and again; after each restart
every save that was ever acknowledged must be there. --only runs some of these parts. Exits with 1 on an error, a lost
save, or a 95th percentile over 150 ms at pace. The load average of the machine is printed with each part: on a machine
that others use, times say little.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from sqlalchemy import func, select

from karat.campaign.campaign import Campaign, fill_empty_place
from karat.campaign.material.importing import import_records
from karat.campaign.people.accounts import create_account
from karat.campaign.people.sessions import login
from karat.campaign.store import tables
from karat.campaign.store.backup import backup, restore
from karat.campaign.work.assignments import assign
from karat.model import Query, Record, Response, Run, Snippet
from karat.web.security import token_of

PASSWORD = "a password of many words"
QUERIES, RUNS, SNIPPETS = 20, 4, 10
ALLOWED_MS = 150.0
KILL_SECONDS = 2.5
LONGEST = 120.0
"""Seconds after which saves that have not come yet are not waited for."""
PARTS = ("pace", "flat", "backup", "kills")


@dataclass
class Annotator:
    """A person with a session, the queries of this person, and the versions that the person's page has."""

    session: str
    token: str
    account: int
    passages: list[tuple[int, int]]
    versions: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass
class Load:
    """What happened: acknowledged saves by (account, request), times, and answers that were no success."""

    saved: dict[tuple[int, str], tuple[int, int, int]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    cut: int = 0
    """Saves without an answer: they may be there or not."""
    is_over: bool = False
    """Nobody begins another save."""


def make_campaign(folder: Path, people: int) -> list[Annotator]:
    """A campaign with queries for everybody, and people who are logged in."""
    records: list[Record] = [Query(query_id=f"q{query}", text=f"Question {query}?") for query in range(QUERIES)]
    for run in range(RUNS):
        records.append(Run(run_id=f"run{run}"))
        for query in range(QUERIES):
            snippets = tuple(
                Snippet(snippet_id=f"{run}-{query}-{number}", text=f"Text {number} of run {run} about {query}.")
                for number in range(SNIPPETS)
            )
            records.append(Response(query_id=f"q{query}", run_id=f"run{run}", snippets=snippets))
    with Campaign.create(folder, "Load", assessors_per_query=max(2, people // 4)) as campaign:
        with campaign.database.write() as connection:
            import_records(connection, records)
            create_account(connection, "organiser", "organiser", password=PASSWORD)
            accounts = [
                create_account(connection, f"person{number}", "assessor", password=PASSWORD) for number in range(people)
            ]
            assign(connection)
            passage, assignment = tables.passage.c, tables.assignment.c
            rows = connection.execute(
                select(assignment.account, passage.query, passage.number).join_from(
                    tables.assignment, tables.passage, assignment.query == passage.query
                )
            ).all()
        mine: dict[int, list[tuple[int, int]]] = {}
        for account, query, number in rows:
            mine.setdefault(account, []).append((query, number))
        made = []
        for account in accounts:
            session = login(campaign.database, account.name, PASSWORD, "127.0.0.1")
            made.append(Annotator(session, token_of(session), account.number, mine[account.number]))
        return made


class Server:
    """`karat serve` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        command = [sys.executable, "-m", "karat", "serve", "--campaign", str(folder), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/login", timeout=60).close()
                break
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError("the server ended at its start") from None
                time.sleep(0.05)

    def processor_seconds(self) -> float:
        """What the server has used so far (Linux; 0 elsewhere)."""
        stat = Path(f"/proc/{self.process.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)


async def annotate(
    person: Annotator, port: int, until: float, load: Load, *, pause: float, seed: int, requests: str
) -> None:
    """Save again and again: a label of a passage, with the version that this person's page has."""
    draw = random.Random(seed)
    number = 0
    await asyncio.sleep(draw.random() * pause)
    while time.monotonic() < until and not load.is_over:
        writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            while time.monotonic() < until and not load.is_over:
                number += 1
                request = f"{requests}-{number}"
                query, passage = draw.choice(person.passages)
                label = draw.choice(("relevant", "irrelevant"))
                version = person.versions.get((query, passage), 0)
                change = {
                    "kind": "relevance", "key": str(passage), "version": version,
                    "record": {"passage": passage, "label": label},
                }  # fmt: skip
                started = time.monotonic()
                load.cut += 1
                status, body = await post(
                    reader,
                    writer,
                    port,
                    person,
                    f"/api/queries/{query}/changes",
                    {"request": request, "changes": [change]},
                )
                load.cut -= 1
                load.seconds.append(time.monotonic() - started)
                if status == 200:
                    person.versions[query, passage] = json.loads(body)["annotations"][0]["version"]
                    load.saved[person.account, request] = (query, passage, person.versions[query, passage])
                elif status == 409:
                    # Only after a kill: the save was done, but its answer never came. The page takes what stands.
                    person.versions[query, passage] = json.loads(body)["conflict"][0]["version"]
                else:
                    load.refused.append(f"{status} {body[:200]!r}")
                if pause:
                    await asyncio.sleep(draw.expovariate(1 / pause))
        except (OSError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.05)
        finally:
            if writer is not None:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()


async def post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, person: Annotator, path: str, body: object
) -> tuple[int, bytes]:
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: karat-session-{port}={person.session}\r\n"
        f"x-csrftoken: {person.token}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    writer.write(head.encode() + content)
    await writer.drain()
    answer = await reader.readuntil(b"\r\n\r\n")
    status = int(answer.split(b" ", 2)[1])
    length = next(int(line[15:]) for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return status, await reader.readexactly(length)


async def run_load(
    people: list[Annotator], port: int, seconds: float, *, pause: float, requests: str, load: Load | None = None
) -> Load:
    load = Load() if load is None else load
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(
            annotate(person, port, until, load, pause=pause, seed=number, requests=f"{requests}-{number}")
            for number, person in enumerate(people)
        )
    )
    return load


def lost_saves(folder: Path, load: Load) -> list[str]:
    """Acknowledged saves that are not in the store, in the history or in the newest version."""
    with Campaign.open(folder) as campaign, campaign.database.read() as connection:
        batch, annotation = tables.batch.c, tables.annotation.c
        found = {
            (account, request)
            for account, request in connection.execute(
                select(batch.account, batch.request).where(batch.refused.is_(False))
            )
        }
        versions = {
            (owner, key): version
            for owner, key, version in connection.execute(
                select(annotation.owner, annotation.key, annotation.version).where(annotation.kind == "relevance")
            )
        }
        broken = connection.exec_driver_sql("PRAGMA integrity_check").scalar_one()
    lost = [f"{place} is not in the history" for place in load.saved if place not in found]
    for (account, request), (_, passage, version) in load.saved.items():
        if versions.get((account, str(passage)), 0) < version:
            lost.append(f"{account} {request}: version {version} of {passage} is gone")
    return lost if broken == "ok" else [*lost, f"the database is broken: {broken}"]


async def in_the_middle(load: Load, seconds: float, *, least: int) -> None:
    """So many seconds of it, and more on a slow machine: as many saves as are needed."""
    latest = time.monotonic() + LONGEST
    await asyncio.sleep(seconds)
    while len(load.saved) < least and time.monotonic() < latest:
        await asyncio.sleep(0.01)


async def kill_in_the_middle(
    server: Server, people: list[Annotator], seconds: float, round_number: int, *, least: int = 1
) -> Load:
    """Load, and kill -9 at a random moment of it, after some saves."""
    load = Load()
    work = asyncio.create_task(
        run_load(people, server.port, LONGEST, pause=0.0, requests=f"kill{round_number}", load=load)
    )
    await in_the_middle(load, seconds * random.Random(round_number).uniform(0.3, 0.9), least=least)
    server.kill()
    load.is_over = True
    await work
    return load


def kill_again_and_again(folder: Path, people: list[Annotator], kills: int) -> Iterator[str]:
    """Kill, start again, and look for everything that was acknowledged since the first round; what is wrong."""
    known = Load()
    server = Server(folder)
    for number in range(kills):
        load = asyncio.run(kill_in_the_middle(server, people, KILL_SECONDS, number))
        server = Server(folder)
        known.saved |= load.saved
        lost = lost_saves(folder, known)
        print(
            f"kill -9 number {number + 1}: {len(load.saved):,} acknowledged ({len(known.saved):,} in all), "
            f"{load.cut} cut off, {len(lost)} lost",
            flush=True,
        )
        yield from (*lost[:5], *load.refused[:5])
        if not load.saved:
            yield f"kill {number + 1} came before the first save: it shows nothing"
    server.stop()


async def backup_in_the_middle(
    folder: Path, people: list[Annotator], seconds: float, copy: Path, *, least: int = 1
) -> tuple[int, list[str]]:
    """Back up while everybody saves; the copy must hold all that was acknowledged before, and be consistent."""
    server = Server(folder)
    load = Load()
    work = asyncio.create_task(run_load(people, server.port, LONGEST, pause=0.0, requests="backup", load=load))
    await in_the_middle(load, seconds / 2, least=least)
    before = dict(load.saved)
    with Campaign.open(folder) as campaign:
        await asyncio.to_thread(backup, campaign.database, copy / "backup.gz")
    await asyncio.sleep(seconds / 2)
    load.is_over = True
    await work
    server.stop()
    fill_empty_place(copy / "restored", lambda database: _restored(database, copy / "backup.gz"))
    problems = [f"in the copy: {line}" for line in lost_saves(copy / "restored", Load(saved=before))]
    with Campaign.open(copy / "restored") as restored, restored.database.read() as connection:
        # Every annotation is the result of the changes in the history of the same moment.
        changes = connection.execute(
            select(tables.batch.c.query, tables.batch.c.owner, tables.change.c.key, func.max(tables.change.c.version))
            .join(tables.batch, tables.batch.c.number == tables.change.c.batch)
            .where(tables.batch.c.refused.is_(False))
            .group_by(tables.batch.c.query, tables.batch.c.owner, tables.change.c.key)
        ).all()
        columns = tables.annotation.c
        standing = {
            (query, owner, key): version
            for query, owner, key, version in connection.execute(
                select(columns.query, columns.owner, columns.key, columns.version)
            )
        }
    told = {(query, owner, key): version for query, owner, key, version in changes}
    if told != standing:
        problems.append("the history of the copy does not end where its annotations are")
    problems += [f"in the campaign: {line}" for line in lost_saves(folder, load)]
    return len(before), [*problems, *load.refused]


def _restored(database: object, file: Path) -> None:
    restore(database, file)  # type: ignore[arg-type]


def describe(name: str, load: Load, seconds: float) -> float:
    times = sorted(load.seconds)
    p95 = 1000 * times[int(0.95 * (len(times) - 1))]
    print(
        f"{name}: {len(load.saved):,} saves in {seconds:.0f} s ({len(load.saved) / seconds:.0f} per second), "
        f"median {1000 * median(times):.0f} ms, 95 % {p95:.0f} ms, longest {1000 * times[-1]:.0f} ms; "
        f"{len(load.refused)} errors"
    )
    return p95


def at_speed(name: str, folder: Path, people: list[Annotator], seconds: float, *, pause: float) -> Iterator[str]:
    """Everybody saves; what is wrong."""
    server = Server(folder)
    used = server.processor_seconds()
    load = asyncio.run(run_load(people, server.port, seconds, pause=pause, requests=f"pause{pause}"))
    used = server.processor_seconds() - used
    p95 = describe(f"{len(people)} annotators, {name}", load, seconds)
    print(f"    {1000 * used / len(load.saved):.1f} ms of the server's processor time per save", flush=True)
    server.stop()
    yield from load.refused[:5]
    if pause and p95 > ALLOWED_MS:
        yield "too slow"
    yield from lost_saves(folder, load)[:5]


def backed_up(folder: Path, people: list[Annotator], copy: Path) -> Iterator[str]:
    held, problems = asyncio.run(backup_in_the_middle(folder, people, 6.0, copy))
    print(f"backup under load: {held:,} acknowledged saves before it, {len(problems)} problems after restoring it")
    yield from problems[:5]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    arguments = parser.parse_args()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "campaign"
        people = make_campaign(folder, arguments.people)
        work: dict[str, Callable[[], Iterator[str]]] = {
            "pace": lambda: at_speed("one save per second each", folder, people, arguments.seconds, pause=1.0),
            "flat": lambda: at_speed("flat out", folder, people, arguments.seconds, pause=0.0),
            "backup": lambda: backed_up(folder, people, Path(place)),
            "kills": lambda: kill_again_and_again(folder, people, arguments.kills),
        }
        for part in arguments.only:
            print(f"{part} (load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors)", flush=True)
            failed += work[part]()
    for line in failed:
        print(f"FAILED: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
