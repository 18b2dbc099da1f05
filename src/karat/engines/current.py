"""Which engine does the work: that of the innermost `with engine(...)`; else processes, as many as are asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from karat.engines.backends.backend import Backend, Work
from karat.engines.job.folder import JobFolder
from karat.model import UsageError
from karat.model.errors import MissingExtra

if TYPE_CHECKING:
    from karat.engines.backends.ray_cluster import RayCluster

CHOICES = "local, processes, ray, ray://auto, ray://HOST:PORT or ray:HOST:PORT"


@dataclass
class Engine:
    """Where the work is done, and by how many workers."""

    kind: str
    """local, processes or ray."""
    workers: int | None = None
    """None: as many as there are processors."""
    address: str = "local"
    """Of a Ray cluster: local starts one on this machine; auto is the one that this machine belongs to."""
    say: Callable[[str], None] = lambda text: None
    _cluster: RayCluster | None = field(default=None, repr=False)

    def backend(self, function: Work, *, most: int | None = None) -> Backend:
        """Workers for a function; `most`: how many chunks there are, where that is known."""
        if self.kind == "ray":
            return self._connected().workers_for(function, workers=self.workers, most=most)
        from karat.engines.backends.in_process import InProcess

        workers = 1 if self.kind == "local" else self.workers or processors()
        workers = workers if most is None else min(workers, most)
        if workers <= 1:
            return InProcess(function)
        from karat.engines.backends.processes import Processes

        return Processes(function, workers=workers, say=self.say)

    def _connected(self) -> RayCluster:
        # One connection for all work of a block: to start a cluster takes seconds.
        if self._cluster is None:
            from karat.engines.backends.ray_cluster import RayCluster

            self._cluster = RayCluster(self.address, workers=self.workers, say=self.say)
        return self._cluster

    def close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_engine: ContextVar[Engine | None] = ContextVar("engine", default=None)
_job: ContextVar[JobFolder | None] = ContextVar("job", default=None)
_say: ContextVar[Callable[[str], None] | None] = ContextVar("say", default=None)


def current_engine() -> Engine | None:
    """The engine of the innermost `with engine(...)`, or None."""
    return _engine.get()


def current_job() -> JobFolder | None:
    """The job of the innermost `with engine(..., job=...)`, or None."""
    return _job.get()


@contextmanager
def alone() -> Iterator[None]:
    """Work in this block is part of a chunk: it is not given out again, nor kept in a job by itself."""
    chosen, job = _engine.set(None), _job.set(None)
    try:
        yield
    finally:
        _engine.reset(chosen)
        _job.reset(job)


@contextmanager
def told(say: Callable[[str], None]) -> Iterator[None]:
    """Say what is unusual, such as a lost worker, also where no engine is chosen in this block."""
    before = _say.set(say)
    try:
        yield
    finally:
        _say.reset(before)


def engine_of_jobs(jobs: int) -> Engine:
    """The engine where none was chosen: this process, or several."""
    if jobs < 1:
        raise UsageError(f"jobs={jobs} must be at least 1")
    chosen = Engine("processes" if jobs > 1 else "local", jobs)
    chosen.say = _say.get() or chosen.say
    return chosen


def parse_engine(name: str, workers: int | None = None) -> Engine:
    """The engine of a name.

    >>> parse_engine("ray://auto").address
    'auto'
    """
    if workers is not None and workers < 1:
        raise UsageError(f"workers={workers} must be at least 1")
    if name == "local":
        if workers not in (None, 1):
            raise UsageError(f"the engine local is this process alone; for {workers} workers choose processes or ray")
        return Engine("local", 1)
    if name == "processes":
        return Engine("processes", workers)
    if name == "ray":
        return Engine("ray", workers)
    if name == "ray://auto":
        return Engine("ray", workers, "auto")
    if re.fullmatch(r"ray:(//)?(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}", name):
        # With two strokes it is Ray's own client, for a machine outside of the cluster.
        return Engine("ray", workers, name if name.startswith("ray://") else name.removeprefix("ray:"))
    raise UsageError(f"engine={name!r} is not one of {CHOICES}")


@contextmanager
def engine(
    name: str | None = None,
    *,
    workers: int | None = None,
    job: str | Path | None = None,
    command: Sequence[str] = (),
    say: Callable[[str], None] | None = None,
) -> Iterator[Engine | None]:
    """Choose where the work of all verbs is done, as long as the block lasts. Results are the same for every engine.

    name: "local" (this process), "processes" (of this machine), "ray" (Ray, started on this machine), "ray://auto" (the
    Ray cluster that this machine belongs to), "ray:HOST:PORT" (a cluster by the address of its head, from one of its
    machines) or "ray://HOST:PORT" (the same from outside, by Ray's client). workers: how many; by default one per
    processor, and without a name they are processes. job: a folder that keeps finished work, so that the same call goes
    on where it was stopped. command: what `karat job resume` runs again. say: gets a line about anything unusual, such
    as a lost worker.

    >>> import karat
    >>> key, _, runs = karat.demo_files()
    >>> with karat.engine("local"):
    ...     len(karat.judge(key, runs, judge="lexical").judgements)
    385
    """
    # As on the command line: several workers and no name are processes.
    name = "processes" if name is None and workers is not None else name
    chosen = None if name is None else parse_engine(name, workers)
    with ExitStack() as stack:
        if chosen is not None:
            if chosen.kind == "ray" and find_spec("ray") is None:
                # Now, and not at the first chunk, when a job has been begun.
                raise MissingExtra("The engine ray", "cluster")
            chosen.say = say or chosen.say
            stack.callback(_engine.reset, _engine.set(chosen))
            stack.callback(chosen.close)
        if job is not None:
            opened = stack.enter_context(
                JobFolder(Path(job).expanduser(), command=command, engine=name, workers=workers, say=say)
            )
            stack.callback(_job.reset, _job.set(opened))
        yield chosen
