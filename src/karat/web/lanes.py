"""Threads for those who read and others for those who write: a store that is locked stops only the writers.

The framework runs every request that waits in one pool of threads. Where another program keeps the database from being
written to, all of them would soon wait for it, and nobody could even look at a page.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
writes: ContextVar[bool] = ContextVar("writes", default=False)
"""Whether the request that is under way may write; the guard of every route says so."""


class Lanes(ThreadPoolExecutor):
    """A pool of threads for requests that read, with a pool of its own for requests that write."""

    def __init__(self, *, readers: int, writers: int) -> None:
        super().__init__(readers, thread_name_prefix="reader")
        self._writers = ThreadPoolExecutor(writers, thread_name_prefix="writer")

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if writes.get():
            return self._writers.submit(fn, *args, **kwargs)
        return super().submit(fn, *args, **kwargs)

    def shutdown(self, *args: Any, **kwargs: Any) -> None:
        self._writers.shutdown(*args, **kwargs)
        super().shutdown(*args, **kwargs)
