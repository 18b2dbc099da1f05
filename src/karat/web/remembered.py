"""Results that take long (agreement, sheets) are kept until something changes.

A quick result is always computed anew. A slow one is shown as it was, with its age, while a thread computes the new one:
nobody waits a minute for a page, and two visitors do not compute the same twice.
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
    """A result: when it was computed, and whether something has changed since."""

    value: T
    time: float
    outdated: bool


class _Entry:
    def __init__(self) -> None:
        self.lock = threading.Lock()
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

    def get(self, name: str, compute: Callable[[Database], T]) -> Kept[T]:
        """The result of this name; the first visitor waits for it."""
        with self._lock:
            if name not in self._entries and len(self._entries) >= MOST_KEPT:
                self._entries.clear()
            entry = self._entries.setdefault(name, _Entry())
        with self._database.read() as connection:
            now = stamp(connection)
        if entry.stamp is None or (entry.stamp != now and entry.cost <= QUICK_SECONDS):
            with entry.lock:
                if entry.stamp != now:
                    self._compute(entry, now, compute)
        elif entry.stamp != now and entry.lock.acquire(blocking=False):
            threading.Thread(target=self._compute_in_background, args=(entry, now, compute), daemon=True).start()
        return Kept(entry.value, entry.time, entry.stamp != now)  # type: ignore[arg-type]

    def _compute_in_background(self, entry: _Entry, now: Stamp, compute: Callable[[Database], T]) -> None:
        try:
            self._compute(entry, now, compute)
        finally:
            entry.lock.release()

    def _compute(self, entry: _Entry, now: Stamp, compute: Callable[[Database], T]) -> None:
        started = time.monotonic()
        value = compute(self._database)
        entry.value, entry.cost = value, time.monotonic() - started
        entry.stamp, entry.time = now, time.time()
