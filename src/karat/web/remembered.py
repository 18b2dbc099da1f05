"""Results that take long (agreement, sheets, progress) are kept until something changes.

A quick result is always computed anew. A slow one is shown as it was, with its age, while a thread computes the new
one: nobody waits long for a page, and two visitors do not compute the same twice.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from karat.campaign.results.stamp import Stamp, stamp
from karat.campaign.store.database import Database

T = TypeVar("T")
QUICK_SECONDS = 0.1
MOST_KEPT = 20


class Kept(NamedTuple, Generic[T]):
    """A result (None: not ready yet), when it was computed, and whether something has changed since."""

    value: T | None
    time: float
    outdated: bool


class _Work(threading.Thread):
    """One computation; who waits for it is told when it fails, and who comes later tries again."""

    error: Exception | None = None


class _Entry:
    def __init__(self) -> None:
        self.computing: _Work | None = None
        self.value: object = None
        self.stamp: Stamp | None = None
        self.time = 0.0
        self.cost = 0.0


class Remembered:
    """Results by name."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries: dict[str, _Entry] = {}
        self._lock = threading.Lock()

    def get(self, name: str, compute: Callable[[Database], T], *, wait: float | None = None) -> Kept[T]:
        """The result of this name. The first visitor waits for it, but no longer than `wait` seconds."""
        with self._database.read() as connection:
            now = stamp(connection)
        with self._lock:
            if name not in self._entries and len(self._entries) >= MOST_KEPT:
                self._entries.clear()
            entry = self._entries.setdefault(name, _Entry())
            if entry.stamp != now and entry.computing is None:
                work = _Work(target=self._compute, args=(entry, now, compute), daemon=True)
                entry.computing = work
                work.start()
            work_under_way, known, cost = entry.computing, entry.stamp is not None, entry.cost
        if work_under_way is not None and (not known or cost <= QUICK_SECONDS):
            work_under_way.join(wait if not known else None)
            if work_under_way.error is not None:
                raise work_under_way.error
        return Kept(entry.value, entry.time, entry.stamp != now)  # type: ignore[arg-type]

    def _compute(self, entry: _Entry, now: Stamp, compute: Callable[[Database], T]) -> None:
        started = time.monotonic()
        work = threading.current_thread()
        assert isinstance(work, _Work)
        try:
            value = compute(self._database)
        except Exception as error:  # noqa: BLE001 - told to the visitor who waits
            with self._lock:
                work.error, entry.computing = error, None
            return
        with self._lock:
            entry.value, entry.cost = value, time.monotonic() - started
            entry.stamp, entry.time, entry.computing = now, time.time(), None
