from __future__ import annotations

import gzip
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

import karat
from karat.campaign.campaign import Campaign, Place
from karat.campaign.material.importing import import_files
from karat.campaign.people.accounts import create_account, log_event
from karat.campaign.people.invitations import invite
from karat.campaign.store.backup import backup
from karat.campaign.store.database import Database
from karat.campaign.store.tables import batch, change, event, metadata, query, session
from karat.model import UsageError

NOBODY: dict[str, list[Any]] = {"session": [], "invitation": []}
"""Sessions and links that were open are not restored."""


def content(database: Database) -> dict[str, list[Any]]:
    """All rows of all tables."""
    with database.read() as connection:
        return {
            table.name: connection.execute(select(table).order_by(*table.primary_key.columns)).all()
            for table in metadata.sorted_tables
        }


def fill(campaign: Campaign) -> int:
    """Put something into many tables; returns the number of an account."""
    key, _, runs = karat.demo_files()
    import_files(campaign.database, key, runs, ignore_annotation=True)
    with campaign.database.write() as connection:
        number = create_account(connection, "Ana Łukasz عربي", "organiser", ["ar"], "four words that fit").number
        invite(connection, number)
        connection.execute(insert(session), {"token_hash": b"t", "account": number, "created": 1.5, "expires": 1e12})
        log_event(connection, 'said "hello"\n😀', by=number)
        one = connection.execute(select(query.c.number)).scalars().first()
        for request in ("first", "second"):
            values = {"time": 1.5, "account": number, "query": one, "owner": number, "request": request, "content": b""}
            connection.execute(insert(batch), values)
        connection.execute(
            insert(change), {"batch": 1, "kind": "nugget", "key": "n-1", "version": 1, "before": None, "after": "{}"}
        )
    return number


def test_a_restored_campaign_is_the_same_and_goes_on(places: Callable[[], Place], tmp_path: Path) -> None:
    with Campaign.create(places(), "A test") as campaign:
        fill(campaign)
        before = content(campaign.database)
        rows = backup(campaign.database, tmp_path / "backup")
    assert rows == sum(map(len, before.values())) > 500
    with Campaign.restore(tmp_path / "backup", places()) as restored:
        assert content(restored.database) == before | NOBODY
        with restored.database.write() as connection:
            assert create_account(connection, "Bo", "assessor").number == 2
            log_event(connection, "later")


def test_a_campaign_moves_from_a_folder_to_postgresql(tmp_path: Path, places: Callable[[], Place]) -> None:
    with Campaign.create(tmp_path / "folder", "A test") as campaign:
        fill(campaign)
        before = content(campaign.database)
        backup(campaign.database, tmp_path / "b.gz")
    with Campaign.restore(tmp_path / "b.gz", places()) as restored:
        assert content(restored.database) == before | NOBODY


def test_a_backup_under_load_is_one_moment(campaign: Campaign, places: Callable[[], Place], tmp_path: Path) -> None:
    """Every write adds an event and an account's row together, so that half a write would show."""
    stop, begun = threading.Event(), threading.Event()

    def work() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            with campaign.database.write() as connection:
                log_event(connection, f"made {number}")
                create_account(connection, f"made {number}", "assessor")
            begun.set()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        assert begun.wait(60)
        for number in range(5):
            backup(campaign.database, tmp_path / f"{number}.gz")
    finally:
        stop.set()
        worker.join()
    counts = []
    for number in range(5):
        with Campaign.restore(tmp_path / f"{number}.gz", places()) as restored:
            rows = content(restored.database)
        events = [row.what for row in rows["event"]]
        assert events == [row.name for row in rows["account"]]
        counts.append(len(events))
    assert counts == sorted(counts)
    assert counts[0] > 0


def test_only_the_owner_reads_a_backup(campaign: Campaign, tmp_path: Path) -> None:
    backup(campaign.database, tmp_path / "b.gz")
    assert stat.S_IMODE((tmp_path / "b.gz").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*b.gz*")] == ["b.gz"]


def test_a_damaged_backup_is_refused_and_leaves_nothing(
    campaign: Campaign, places: Callable[[], Place], tmp_path: Path
) -> None:
    fill(campaign)
    backup(campaign.database, tmp_path / "b.gz")
    lines = gzip.decompress((tmp_path / "b.gz").read_bytes()).splitlines(keepends=True)
    broken = {
        "no backup": b"hello",
        "no json": gzip.compress(b"hello\n"),
        "other": gzip.compress(b'{"kind": "nug"}\n'),
        "no end": gzip.compress(b"".join(lines[:-1])),
        "a row less": gzip.compress(b"".join([*lines[:20], *lines[21:]])),
        "cut": (tmp_path / "b.gz").read_bytes()[:-40],
        "newer": gzip.compress(lines[0].replace(b'"0001"', b'"9999"') + b"".join(lines[1:])),
        "empty": b"",
    }
    place = places()
    for name, data in broken.items():
        (tmp_path / "broken").write_bytes(data)
        with pytest.raises(UsageError, match=r"broken: .*(backup|complete|damaged|newer)"):
            Campaign.restore(tmp_path / "broken", place)
        with pytest.raises(UsageError, match="there is no campaign"):
            Campaign.open(place)
        assert name
    with Campaign.restore(tmp_path / "b.gz", place) as restored:
        assert content(restored.database)["event"]


def test_a_backup_is_restored_only_to_an_empty_place(campaign: Campaign, tmp_path: Path) -> None:
    backup(campaign.database, tmp_path / "b.gz")
    with campaign.database.write() as connection:
        log_event(connection, "kept")
    with pytest.raises(UsageError, match="already; name"):
        Campaign.restore(tmp_path / "b.gz", campaign.place)
    with campaign.database.read() as connection:
        assert connection.execute(select(event.c.what)).scalars().all() == ["kept"]


def test_a_backup_needs_a_file_and_its_folder(campaign: Campaign, tmp_path: Path) -> None:
    for target in (tmp_path, tmp_path / "missing" / "b.gz"):
        with pytest.raises(UsageError, match="name a file"):
            backup(campaign.database, target)
    with pytest.raises(UsageError, match="there is no such file"):
        Campaign.restore(tmp_path / "none.gz", tmp_path / "new")
