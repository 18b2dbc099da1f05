"""Several processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karat.engines.backends.backend import Done, Lost, Work, done_in_worker
from karat.engines.cache.current import current_cache, set_in_worker
from karat.model import UsageError


class Processes:
    """Processes on this machine, started new and not forked: locks held by threads here would stay locked there.

    Where one of them is killed, the pool is of no use any more: all its parcels are lost, and a new one is made.
    """

    is_here = False

    def __init__(self, function: Work, *, workers: int) -> None:
        self.workers = workers
        self._others = set(multiprocessing.active_children())
        cache = current_cache()
        self._begin = (function, None if cache is None else (cache.folder, cache.limit))
        self._pool = self._new_pool()
        self._parcels: dict[Future[Done], int] = {}

    def _new_pool(self) -> ProcessPoolExecutor:
        fresh = multiprocessing.get_context("spawn")
        # Creating the pool starts a process, too: the resource tracker of multiprocessing.
        with _environment_of_workers():
            return ProcessPoolExecutor(self.workers, mp_context=fresh, initializer=_begin, initargs=self._begin)

    def start(self, number: int, chunks: Sequence[Any]) -> None:
        # The processes start here, one per call, until there are enough of them.
        with _environment_of_workers():
            try:
                future = self._pool.submit(_work, chunks)
            except BrokenProcessPool:
                future = Future()
                future.set_exception(BrokenProcessPool())
        self._parcels[future] = number

    def wait(self) -> list[tuple[int, Done | Lost]]:
        finished, _ = wait(self._parcels, return_when=FIRST_COMPLETED)
        became: list[tuple[int, Done | Lost]] = []
        is_broken = False
        for future in sorted(finished, key=lambda future: self._parcels[future]):
            number = self._parcels.pop(future)
            try:
                became.append((number, future.result()))
            except BrokenProcessPool:
                is_broken = True
                became.append((number, Lost()))
        if is_broken:
            became += [(number, Lost()) for number in self._parcels.values()]
            self._parcels.clear()
            self._pool.shutdown(cancel_futures=True)
            self._pool = self._new_pool()
        return became

    def close(self, *, now: bool) -> None:
        for process in multiprocessing.active_children() if now else ():
            if process not in self._others:
                process.terminate()
        self._pool.shutdown(cancel_futures=True)


_SAFE_PATH = "PYTHONSAFEPATH"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_environment = threading.Lock()
_CAN_BLOCK = hasattr(signal, "pthread_sigmask")


@contextmanager
def _environment_of_workers() -> Iterator[None]:
    """Python processes that start within this block compute with one thread, and find no modules in the current folder.

    Chunks compute with one thread anyway (`one_thread`); libraries that are loaded later do so, too.

    They start as `python -c ...`, for which Python looks into the current folder first, before Karat's code runs:
    a file threading.py beside downloaded data would be executed. Afterwards they get the module path of this process.

    Ctrl-C reaches all processes, also those that are still loading Python: they start with it blocked, and the main
    process ends them.
    """
    if not sys.flags.safe_path and sys.flags.ignore_environment:
        raise UsageError("several jobs cannot be started safely under `python -E`; use `python -P -E`, or 1 job")
    wanted = dict.fromkeys(_THREADS, "1")
    # multiprocessing passes the flag -P on by itself.
    wanted |= {} if sys.flags.safe_path else {_SAFE_PATH: "1"}
    with _environment:
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if _CAN_BLOCK else set()
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
            if _CAN_BLOCK:
                # Last: a Ctrl-C that came meanwhile is raised here.
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


_given: list[Work] = []
"""In a worker process: its function."""


def _begin(function: Work, cache: tuple[Path, int] | None = None) -> None:
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


def _work(chunks: Sequence[Any]) -> Done:
    return done_in_worker(_given[0], chunks)
