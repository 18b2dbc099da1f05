"""Several processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from karat.engines.backends.backend import Done, Lost, Work, done_in_worker
from karat.engines.cache.current import current_cache, set_in_worker
from karat.model import UsageError
from karat.model.wording import number_of


class Processes:
    """Processes on this machine, started new and not forked: locks held by threads here would stay locked there.

    Where one of them is killed, the pool is of no use any more, and nothing says which parcel it had. So all that were
    under way are suspects: in a new pool they are worked on one at a time, and one that ends its worker then is lost.
    """

    is_here = False
    never_started = (
        'in a script, call Karat under `if __name__ == "__main__":`, which new processes need; else there may be too '
        "little memory: try fewer jobs"
    )

    def __init__(self, function: Work, *, workers: int, say: Callable[[str], None] = lambda text: None) -> None:
        self.workers, self.say = workers, say
        self._processes: set[BaseProcess] = set()
        """The processes of the pools; others of this program are none of our business."""
        cache = current_cache()
        self._begin = (function, None if cache is None else (cache.folder, cache.limit))
        self._pool = self._new_pool()
        self._under_way: dict[Future[Done], tuple[int, Sequence[Any]]] = {}
        self._queue: deque[tuple[int, Sequence[Any]]] = deque()
        self._suspects: deque[tuple[int, Sequence[Any]]] = deque()
        self._is_suspect_under_way = False
        self._lost: set[int] = set()
        """Parcels that have ended a worker."""

    def _new_pool(self) -> ProcessPoolExecutor:
        fresh = multiprocessing.get_context("spawn")
        # Creating the pool starts a process, too: the resource tracker of multiprocessing.
        with _environment_of_workers():
            return ProcessPoolExecutor(self.workers, mp_context=fresh, initializer=_begin, initargs=self._begin)

    def start(self, number: int, chunks: Sequence[Any]) -> None:
        (self._suspects if number in self._lost else self._queue).append((number, chunks))
        self._hand_out()

    def _hand_out(self) -> None:
        if self._is_suspect_under_way or (self._suspects and self._under_way):
            return
        if self._suspects:
            self._is_suspect_under_way = True
            self._submit(*self._suspects.popleft())
            return
        while self._queue:
            self._submit(*self._queue.popleft())

    def _submit(self, number: int, chunks: Sequence[Any]) -> None:
        # The processes start here, with the first parcel of a pool.
        with _environment_of_workers():
            others = set(multiprocessing.active_children())
            try:
                future = self._pool.submit(_work, chunks)
            except BrokenProcessPool:
                future = Future()
                future.set_exception(BrokenProcessPool())
            self._processes |= set(multiprocessing.active_children()) - others
        self._under_way[future] = number, chunks

    def wait(self) -> list[tuple[int, Done | Lost]]:
        became: list[tuple[int, Done | Lost]] = []
        while not became:
            finished, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
            is_broken = False
            for future in sorted(finished, key=lambda future: self._under_way[future][0]):
                try:
                    became.append((self._under_way[future][0], future.result()))
                    del self._under_way[future]
                except BrokenProcessPool:
                    is_broken = True
            if is_broken:
                became += self._replace_pool()
            self._is_suspect_under_way = self._is_suspect_under_way and bool(self._under_way)
            self._hand_out()
        return became

    def _replace_pool(self) -> list[tuple[int, Lost]]:
        """A new pool; the parcel that is lost, if there was only one."""
        left = sorted(self._under_way.values(), key=lambda parcel: parcel[0])
        self._under_way.clear()
        self._pool.shutdown(cancel_futures=True)
        self._pool = self._new_pool()
        self.say(f"a worker process was lost; its work is done again ({number_of(len(left), 'parcel')})")
        if len(left) > 1:
            self._suspects.extend(left)
            return []
        self._lost.update(number for number, _ in left)
        return [(number, Lost()) for number, _ in left]

    def close(self, *, now: bool) -> None:
        for process in self._processes if now else ():
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
