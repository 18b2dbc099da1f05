"""Imports while people work: nobody waits while files are read, and what changes meanwhile is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from karat.campaign.campaign import Campaign
from karat.campaign.material import importing
from karat.campaign.material.importing import import_files
from karat.campaign.material.settings import change_settings
from karat.campaign.people.accounts import log_event
from karat.campaign.store import tables
from karat.formats import write
from karat.measures.cases.saved_fields import each_unfolded
from karat.model import AnyRecord, Query, Record, Response, Run, Snippet, UsageError


def _meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Do something when the files have been read half."""

    def read(records: Iterable[AnyRecord]) -> Iterator[Record]:
        for position, record in enumerate(each_unfolded(records)):
            if position == 1:
                act()
            yield record

    monkeypatch.setattr(importing, "each_unfolded", read)


def test_people_can_save_while_files_are_read(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save() -> None:
        with campaign.database.write() as connection:
            log_event(connection, "saved meanwhile")

    _meanwhile(monkeypatch, save)
    file = tmp_path / "in.jsonl"
    write([Query(query_id="q", text="Why?"), Run(run_id="r"), _response("r")], file)
    assert import_files(campaign.database, file).added["response"] == 1
    with campaign.database.read() as connection:
        events = connection.execute(select(tables.event.c.what).order_by(tables.event.c.number)).scalars().all()
        if campaign.database.is_sqlite:
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    assert events[-2] == "saved meanwhile"
    assert events[-1].startswith("imported")


def test_material_that_changes_while_files_are_read_is_noticed(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers of words in scope were read at the beginning."""

    def change() -> None:
        with campaign.database.write() as connection:
            change_settings(connection, {"words_in_scope": 1})

    _meanwhile(monkeypatch, change)
    file = tmp_path / "in.jsonl"
    write([Query(query_id="q", text="Why?"), Run(run_id="r"), _response("r")], file)
    with pytest.raises(UsageError, match="nothing was imported: do it again"):
        import_files(campaign.database, file)
    with campaign.database.read() as connection:
        assert connection.execute(select(tables.query)).all() == []


def test_references_are_checked_again_after_an_import(campaign: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    write([Query(query_id="q", text="Why?"), _response("r")], file)
    import_files(campaign.database, file)
    row = {"number": 1, "query": 1, "nug_id": "n", "position": 1, "record": "{}"}
    with pytest.raises(IntegrityError), campaign.database.write() as connection:
        connection.execute(insert(tables.key_nug), row)


def _response(run_id: str) -> Response:
    return Response(query_id="q", run_id=run_id, snippets=(Snippet(snippet_id="s", text="Because."),))
