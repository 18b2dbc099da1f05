"""Apply a function to many chunks, wherever the work is done; the results come in the order of the chunks.

    chunk    a piece of work with fixed borders, chosen by the caller: the same for every engine
    parcel   some chunks that are sent to a worker together, so that it works for about two seconds

A worker that dies loses the parcels it had; they are started again elsewhere, chunk by chunk. Results that a job has
kept (`karat.engines.job`) are not computed again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, Protocol, TypeVar

from karat.engines.backends.backend import TRIES, Backend, Done
from karat.engines.current import current_engine, current_job, engine_of_jobs
from karat.engines.job.folder import JobFolder
from karat.engines.parcel_size import ParcelSize
from karat.model import Unfinished

C = TypeVar("C")
R = TypeVar("R")
K = TypeVar("K")
C_contra = TypeVar("C_contra", contravariant=True)
Track = Callable[[Sequence[str]], Iterable[str]]
STARTED = 2
"""Parcels per worker that are started: one that it works on, and one that it begins without a pause."""
AHEAD = 4
"""Parcels per worker that are started or finished before the first result is used: this bounds what is held."""


class Keep(Protocol[C_contra, K]):
    """How the result of a chunk is kept in a job, where there is one."""

    def name(self, chunk: C_contra) -> bytes | None:
        """A hash of everything that the result depends on: the chunk, the settings, the code; None: it is not kept."""

    def pack(self, result: K) -> bytes | None:
        """The result as bytes; None where it has no such form, and is not kept."""

    def unpack(self, packed: bytes, chunk: C_contra) -> K | None:
        """The result; None where the bytes cannot be a result of this chunk."""


def map_chunks(
    function: Callable[[C], R],
    chunks: Iterable[C],
    *,
    jobs: int = 1,
    names: Sequence[str] | None = None,
    track: Track | None = None,
    keep: Keep[C, R] | None = None,
) -> Iterator[R]:
    """The results of the function for every chunk, in order; workers are a few parcels ahead.

    The engine of the innermost `with engine(...)` does the work; without one, `jobs` processes do. Each worker gets the
    function once, so data that all chunks need should be part of it (an object that can be called). With several
    workers the function and the chunks must be picklable. Processes start from the beginning, so a script must call
    this under `if __name__ == "__main__"`. names: the names of the chunks; `track` iterates over them as results
    arrive, and errors have the name of their chunk as a note. An error or interrupt ends all workers. keep: how a job
    keeps the results.
    """
    engine = engine_of_jobs(jobs) if (current := current_engine()) is None else current
    most = None if names is None else len(names)
    ordered = _Ordered(
        lambda: engine.backend(function, most=most), iter(chunks), current_job() if keep is not None else None, keep
    )
    results = ordered.results()
    if ordered.job is not None and most is not None:
        ordered.job.expect(most)
    try:
        for name in _tracked(names, track):
            try:
                result = next(results)
            except StopIteration:
                return
            except Exception as error:
                error.add_note(f"at {name}")
                raise
            yield result
    finally:
        ordered.close()


def _tracked(names: Sequence[str] | None, track: Track | None) -> Iterator[str]:
    if names is None:
        return (f"chunk {number}" for number in count(1))
    return iter(track(names) if track else names)


@dataclass
class _Parcel:
    number: int
    chunks: list[Any]
    names: list[bytes | None]
    """The names of the chunks in the job; empty where there is no job."""
    results: dict[int, Any] = field(default_factory=dict)
    """By the place of the chunk; what the job had kept is there from the start."""
    error: Exception | None = None
    is_done: bool = False
    sent: list[int] = field(default_factory=list)
    """The places of the chunks that a worker has now."""
    is_split: bool = False
    """After a worker was lost its chunks are sent one by one, so that the one that ends workers is found."""
    tries: int = 0
    """How many workers have ended with the one chunk that they had."""

    @property
    def missing(self) -> list[int]:
        return [at for at in range(len(self.chunks)) if at not in self.results]


class _Ordered:
    """Makes parcels, starts them, and puts the results in order."""

    def __init__(
        self,
        make_backend: Callable[[], Backend],
        chunks: Iterator[Any],
        job: JobFolder | None,
        keep: Keep[Any, Any] | None,
    ) -> None:
        self.make_backend, self.chunks, self.job, self.keep = make_backend, chunks, job, keep
        self.backend: Backend | None = None
        """No worker is started where a job has all results."""
        self.size = ParcelSize(most=None)
        self.parcels: deque[_Parcel] = deque()
        self.started: dict[int, _Parcel] = {}
        self.has_results = False
        """Whether a worker has ever given back something."""
        self._numbers = count()

    def close(self) -> None:
        if self.backend is not None:
            # Who takes just as many results as there are chunks never asks for the end. Workers that have nothing left
            # to do end by themselves, and write first what they still have for the cache.
            self.backend.close(now=bool(self.started))

    def results(self) -> Iterator[Any]:
        while True:
            self._fill()
            if not self.parcels:
                return
            while not self.parcels[0].is_done:
                assert self.backend is not None
                for number, became in self.backend.wait():
                    self._take(number, became)
            parcel = self.parcels.popleft()
            for at in range(len(parcel.chunks)):
                if at not in parcel.results:
                    assert parcel.error is not None
                    raise parcel.error
                yield parcel.results.pop(at)

    def _fill(self) -> None:
        """Start parcels until all workers have enough to do, or enough is held."""
        while True:
            is_here = self.backend is None or self.backend.is_here
            workers = 1 if self.backend is None else self.backend.workers
            if len(self.parcels) >= (1 if is_here else workers * AHEAD) or len(self.started) >= workers * STARTED:
                return
            parcel = self._next_parcel()
            if parcel is None:
                return
            self.parcels.append(parcel)
            if not parcel.is_done:
                self._start(parcel)

    def _next_parcel(self) -> _Parcel | None:
        chunks = list(islice(self.chunks, self.size.chunks))
        if not chunks:
            return None
        parcel = _Parcel(next(self._numbers), chunks, [])
        if self.job is not None and self.keep is not None:
            parcel.names = [self.keep.name(chunk) for chunk in chunks]
            kept = self.job.get([name for name in parcel.names if name is not None])
            for at, (chunk, name) in enumerate(zip(chunks, parcel.names, strict=True)):
                packed = None if name is None else kept.get(name)
                if packed is not None and (result := self.keep.unpack(packed, chunk)) is not None:
                    parcel.results[at] = result
        parcel.is_done = not parcel.missing
        return parcel

    def _start(self, parcel: _Parcel) -> None:
        if self.backend is None:
            self.backend = self.make_backend()
            if self.backend.is_here and self.job is None:
                # Nothing is sent anywhere: each result is made when it is asked for.
                self.size = ParcelSize(most=1)
        self.started[parcel.number] = parcel
        parcel.sent = parcel.missing[:1] if parcel.is_split else parcel.missing
        self.backend.start(parcel.number, [parcel.chunks[at] for at in parcel.sent])

    def _take(self, number: int, became: Any) -> None:
        parcel = self.started.pop(number)
        if isinstance(became, Done):
            for at, result in zip(parcel.sent, became.results, strict=False):
                parcel.results[at] = result
            parcel.error, parcel.tries, self.has_results = became.error, 0, True
            self._keep(parcel, parcel.sent[: len(became.results)])
            self.size.observe(len(became.results), became.seconds)
            parcel.is_done = parcel.error is not None or not parcel.missing
            if not parcel.is_done:
                self._start(parcel)
            return
        parcel.is_split = True
        parcel.tries += len(parcel.sent) == 1
        if parcel.tries >= TRIES:
            assert self.backend is not None
            times = f"{parcel.tries} times at the same place"
            if not self.has_results and self.backend.never_started:
                message = f"worker processes ended before they had done anything, {times}: {self.backend.never_started}"
            else:
                message = f"a worker process ended too early, {times}, perhaps for lack of memory; try fewer jobs"
            parcel.error = Unfinished(message)
            parcel.is_done = True
            return
        self._start(parcel)

    def _keep(self, parcel: _Parcel, made: Sequence[int]) -> None:
        if self.job is None or self.keep is None:
            return
        named = {at: name for at in made if (name := parcel.names[at]) is not None}
        packed = {name: self.keep.pack(parcel.results[at]) for at, name in named.items()}
        self.job.put({name: value for name, value in packed.items() if value is not None})
