"""In this process: each parcel when its result is needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from karat.engines.backends.backend import Done, Lost, Work, done
from karat.engines.current import alone


class InProcess:
    """Works on each parcel in this process, when somebody waits for it."""

    workers = 1
    is_here = True
    never_started = ""

    def __init__(self, function: Work) -> None:
        self.function = function
        self._queue: deque[tuple[int, Sequence[Any]]] = deque()

    def start(self, number: int, chunks: Sequence[Any]) -> None:
        self._queue.append((number, chunks))

    def wait(self) -> list[tuple[int, Done | Lost]]:
        number, chunks = self._queue.popleft()
        with alone():
            return [(number, done(self.function, chunks))]

    def close(self, *, now: bool) -> None:
        self._queue.clear()
