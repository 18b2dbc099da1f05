"""The workers of a Ray cluster: one actor each, which keeps its function and its models loaded.

A worker or a machine may be lost at any time: its parcels are given back as lost, and another actor is asked for, which
starts as soon as the cluster has a free processor. Parcels go only to actors that have started.
"""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from karat.engines.backends.backend import TRIES, Done, Lost, Work, done_in_worker
from karat.engines.backends.ray_connection import Connection, LostCluster, in_short, last_line
from karat.engines.cache.current import current_cache, set_in_worker
from karat.model import Unfinished
from karat.model.wording import number_of

EACH = 2
"""Parcels that an actor has at most: the one it works on, and the next."""
PATIENCE = 300.0
"""Seconds without any actor that works, after which it ends."""
FAILED_STARTS = 20
"""So many workers that end at their start are no accident."""
_HINT = 20.0
"""Seconds after which it is said that the cluster has no free processor."""


class RayWorkers:
    """The actors for one function."""

    is_here = False
    never_started = ""

    def __init__(self, connection: Connection, function: Work, *, workers: int, say: Callable[[str], None]) -> None:
        self.connection, self.ray, self.workers, self.say = connection, connection.ray, workers, say
        cache = current_cache()
        kept = None if cache is None else (socket.gethostname(), str(cache.folder), cache.limit)
        self._kept = kept
        self._kind = self.ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(_Actor)
        self._starting: dict[Any, Any] = {}
        """Actors that have not started yet, by the reference that tells when they have."""
        self._busy: dict[Any, dict[Any, int]] = {}
        """Actors that have started, each with its parcels by reference."""
        self._queue: deque[tuple[int, Sequence[Any]]] = deque()
        self._idle_since = time.monotonic()
        self._has_hinted = False
        self._failed_starts, self._failure = 0, ""
        with connection.guarded():
            # Once into the object store: every machine fetches it once, however many actors it has.
            self._function = self.ray.put(function)
            for _ in range(workers):
                self._add_actor()

    def _add_actor(self) -> None:
        actor = self._kind.remote(self._function, self._kept)
        self._starting[actor.started.remote()] = actor

    def start(self, number: int, chunks: Sequence[Any]) -> None:
        self._queue.append((number, chunks))
        with self.connection.guarded():
            self._hand_out()

    def _hand_out(self) -> None:
        while self._queue and self._busy:
            actor = min(self._busy, key=lambda actor: len(self._busy[actor]))
            if len(self._busy[actor]) >= EACH:
                return
            number, chunks = self._queue.popleft()
            self._busy[actor][actor.work.remote(chunks)] = number

    def wait(self) -> list[tuple[int, Done | Lost]]:
        with self.connection.guarded():
            return self._became()

    def _became(self) -> list[tuple[int, Done | Lost]]:
        while True:
            self.connection.check()
            refs = [*self._starting, *(ref for parcels in self._busy.values() for ref in parcels)]
            ready, _ = self.ray.wait(refs, num_returns=1, timeout=5.0)
            # What else is ready by now.
            others = [ref for ref in refs if ref not in ready]
            more, _ = self.ray.wait(others, num_returns=len(others), timeout=0) if others else ([], [])
            became = [result for ref in (*ready, *more) for result in self._arrived(ref)]
            self._hand_out()
            if became:
                return became
            self._check_patience()

    def _arrived(self, ref: Any) -> list[tuple[int, Done | Lost]]:
        if ref in self._starting:
            actor = self._starting.pop(ref)
            try:
                self.ray.get(ref)
            except self.ray.exceptions.RayError as error:
                self._failed_starts += 1
                self._failure = in_short(error)
                if self._failed_starts >= TRIES and "creation task" in str(error):
                    # Its function could not be loaded there, again and again.
                    raise self._unfit(error) from None
                if not self._busy:
                    # Nothing else is to be done now, and the cluster may need a moment.
                    time.sleep(min(1.0, 0.05 * self._failed_starts))
                self._add_actor()
                return []
            self._busy[actor] = {}
            self._failed_starts = 0
            return []
        owner = next((actor for actor, parcels in self._busy.items() if ref in parcels), None)
        if owner is None:
            # Given back as lost a moment ago, together with its actor.
            return []
        try:
            made: Done = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            raise self._unfit(error) from None
        except self.ray.exceptions.RayError:
            return self._lost(owner)
        return [(self._busy[owner].pop(ref), made)]

    def _lost(self, owner: Any) -> list[tuple[int, Done | Lost]]:
        """An actor is gone, or cannot be reached: what it made and was not fetched is gone, too."""
        parcels = self._busy.pop(owner)
        # It may still live where only the connection broke; its work is done elsewhere now.
        self.ray.kill(owner)
        self.say(f"a worker was lost; another one does its work again ({number_of(len(parcels), 'parcel')})")
        self._idle_since = time.monotonic()
        self._add_actor()
        return [(number, Lost()) for number in parcels.values()]

    def _unfit(self, error: Exception) -> Unfinished:
        return Unfinished(
            f"a worker of the Ray cluster cannot do this work: {last_line(error)}; is the same version of Karat, with "
            "the same optional parts, installed on all its machines?"
        )

    def _check_patience(self) -> None:
        if self._busy:
            self._idle_since = time.monotonic()
            return
        waited = time.monotonic() - self._idle_since
        if self._failed_starts >= FAILED_STARTS and waited > _HINT:
            raise Unfinished(
                f"{self._failed_starts} workers in a row ended in the Ray cluster as soon as they were started: "
                f"{self._failure}; has it another token or another version than this machine?"
            )
        if waited > PATIENCE:
            raise Unfinished(
                f"no worker has started in the Ray cluster for {PATIENCE:.0f} s: it has no free processor (free some, "
                "or add a machine), or Ray hangs (give the command again)"
            )
        if waited > _HINT and not self._has_hinted:
            self._has_hinted = True
            self.say("waiting for a free processor in the Ray cluster")

    def close(self, *, now: bool) -> None:
        # Where the cluster is lost, Ray would wait for it; whoever waited for the work has been told.
        if not self.connection.is_lost:
            with suppress(LostCluster), self.connection.guarded():
                self._end_actors(now=now)
        self._starting.clear()
        self._busy.clear()
        self._queue.clear()

    def _end_actors(self, *, now: bool) -> None:
        if self._busy and not now:
            # They write first what they still have for the cache.
            ends = [actor.end.remote() for actor in self._busy]
            self.ray.wait(ends, num_returns=len(ends), timeout=10.0)
        for actor in (*self._starting.values(), *self._busy):
            self.ray.kill(actor)


class _Actor:
    """A worker of a cluster: it has the function, and with it the models, until the work ends."""

    def __init__(self, function: Work, kept: tuple[str, str, int] | None) -> None:
        self.function = function
        if kept is not None and kept[0] == socket.gethostname():
            set_in_worker(Path(kept[1]), kept[2])

    def started(self) -> bool:
        return True

    def work(self, chunks: Sequence[Any]) -> Done:
        return done_in_worker(self.function, chunks)

    def end(self) -> bool:
        cache = current_cache()
        if cache is not None:
            cache.flush()
        return True
