"""Apply a function to many chunks, in this process or in several; the results come in the order of the chunks."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from karat.engine.cache.current import current_cache, set_in_worker
from karat.model import Unfinished, UsageError

C = TypeVar("C")
R = TypeVar("R")
Work = Callable[[Any], Any]
Track = Callable[[Sequence[str]], Iterable[str]]
AHEAD = 4
"""Chunks per job that are started before the first result is used."""


class Backend(Protocol):
    """Where the chunks are processed. A cluster would be a third kind."""

    def submit(self, chunk: Any) -> Any:
        """Start work on a chunk; returns a ticket for its result."""

    def result(self, ticket: Any) -> Any:
        """Wait for a result; raises what the function raised."""

    def close(self, *, now: bool) -> None:
        """Free all resources; now: also stop work that has been started."""


def map_chunks(
    function: Callable[[C], R],
    chunks: Iterable[C],
    *,
    jobs: int = 1,
    names: Sequence[str] | None = None,
    track: Track | None = None,
) -> Iterator[R]:
    """The results of the function for every chunk, in order; `jobs` processes work a few chunks ahead.

    Each process gets the function once, so data that all chunks need should be part of it (an object that can be
    called). With several jobs the function and the chunks must be picklable. The processes start from the beginning,
    so a script must call this under `if __name__ == "__main__"`. names: the names of the chunks; `track` iterates over
    them as results arrive, and errors have the name of their chunk as a note. An error or interrupt ends all processes.
    """
    if jobs < 1:
        raise UsageError(f"jobs={jobs} must be at least 1")
    jobs = min(jobs, len(names)) if names is not None else jobs
    backend: Backend = Processes(function, jobs=jobs) if jobs > 1 else InProcess(function)
    waiting: deque[Any] = deque()
    try:
        yield from _in_order(backend, iter(chunks), jobs * AHEAD if jobs > 1 else 1, _tracked(names, track), waiting)
    finally:
        # Who takes just as many results as there are chunks never asks for the end. Processes that have nothing left
        # to do end by themselves, and write first what they still have for the cache.
        backend.close(now=bool(waiting))


def _in_order(
    backend: Backend, chunks: Iterator[Any], ahead: int, names: Iterator[str], waiting: deque[Any]
) -> Iterator[Any]:
    waiting.extend(backend.submit(chunk) for chunk in islice(chunks, ahead))
    for name in names:
        if not waiting:
            return
        try:
            result = backend.result(waiting.popleft())
        except Exception as error:
            error.add_note(f"at {name}")
            raise
        waiting.extend(backend.submit(chunk) for chunk in islice(chunks, 1))
        yield result


def _tracked(names: Sequence[str] | None, track: Track | None) -> Iterator[str]:
    if names is None:
        return (f"chunk {number}" for number in count(1))
    return iter(track(names) if track else names)


class InProcess:
    """Works on each chunk in this process, when its result is needed."""

    def __init__(self, function: Work) -> None:
        self.function = function

    def submit(self, chunk: Any) -> Any:
        return chunk

    def result(self, ticket: Any) -> Any:
        return self.function(ticket)

    def close(self, *, now: bool) -> None:
        pass


class Processes:
    """Processes on this machine, started new and not forked: locks held by threads here would stay locked there."""

    def __init__(self, function: Work, *, jobs: int) -> None:
        self._others = set(multiprocessing.active_children())
        fresh = multiprocessing.get_context("spawn")
        cache = current_cache()
        begin = (function, None if cache is None else (cache.folder, cache.limit))
        # Creating the pool starts a process, too: the resource tracker of multiprocessing.
        with _with_safe_path():
            self._pool = ProcessPoolExecutor(jobs, mp_context=fresh, initializer=_begin, initargs=begin)

    def submit(self, chunk: Any) -> Future[Any]:
        # The processes start here, one per call, until there are `jobs` of them.
        with _with_safe_path():
            return self._pool.submit(_work, chunk)

    def result(self, ticket: Future[Any]) -> Any:
        try:
            return ticket.result()
        except BrokenProcessPool:
            raise Unfinished("a worker process ended too early, perhaps for lack of memory; try fewer jobs") from None

    def close(self, *, now: bool) -> None:
        for process in multiprocessing.active_children() if now else ():
            if process not in self._others:
                process.terminate()
        self._pool.shutdown(cancel_futures=True)


_SAFE_PATH = "PYTHONSAFEPATH"
_environment = threading.Lock()


@contextmanager
def _with_safe_path() -> Iterator[None]:
    """Python processes that start within this block find no modules in the current folder.

    They start as `python -c ...`, for which Python looks into the current folder first, before Karat's code runs:
    a file threading.py beside downloaded data would be executed. Afterwards they get the module path of this process.
    """
    if sys.flags.safe_path:
        # multiprocessing passes this flag on by itself.
        yield
        return
    if sys.flags.ignore_environment:
        raise UsageError("several jobs cannot be started safely under `python -E`; use `python -P -E`, or 1 job")
    with _environment:
        before = os.environ.get(_SAFE_PATH)
        os.environ[_SAFE_PATH] = "1"
        try:
            yield
        finally:
            if before is None:
                del os.environ[_SAFE_PATH]
            else:
                os.environ[_SAFE_PATH] = before


_given: list[Work] = []
"""In a worker process: its function."""


def _begin(function: Work, cache: tuple[Path, int] | None = None) -> None:
    # Ctrl-C reaches all processes; the main process ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if cache is not None:
        set_in_worker(*cache)
    _given[:] = [function]


def _end_with_parent() -> None:
    """End this process when the main process is gone: one that was killed cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(chunk: Any) -> Any:
    return _given[0](chunk)
