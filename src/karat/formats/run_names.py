"""Runs by names of one's own: two versions of one system come with the same run id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from karat.model import Record


def renamed_runs(records: Iterable[Record], name: str) -> list[Record]:
    """The records with their run called `name`; where there are several runs, `name/run_id`."""
    records = list(records)
    runs = {run_id for record in records if (run_id := getattr(record, "run_id", None)) is not None}

    def new(run_id: str) -> str:
        return name if len(runs) == 1 else f"{name}/{run_id}"

    return [
        record if (run_id := _run_id(record)) is None else msgspec.structs.replace(record, run_id=new(run_id))
        for record in records
    ]


def _run_id(record: Any) -> str | None:
    return getattr(record, "run_id", None)
