"""What every backend does: it takes parcels (some chunks each) and gives back what became of them, in any order."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from karat.engines.one_thread import one_thread

Work = Callable[[Any], Any]
TRIES = 3
"""So many workers a parcel may end; then it is the parcel that kills them."""


@dataclass(frozen=True)
class Done:
    """The results of a parcel, in order; with an error, those of the chunks before the one that raised it."""

    results: list[Any]
    seconds: float
    error: Exception | None = None


@dataclass(frozen=True)
class Lost:
    """The worker, or its machine, ended before it had given back the results."""


class Backend(Protocol):
    """Where parcels are processed."""

    workers: int
    """How many work at the same time."""
    is_here: bool
    """Whether the work is done in this process, when somebody waits for it."""
    never_started: str
    """What to do where workers end and none has ever given back anything."""

    def start(self, number: int, chunks: Sequence[Any]) -> None:
        """Begin to work on a parcel, or put it in a queue."""

    def wait(self) -> list[tuple[int, Done | Lost]]:
        """Wait until something became of at least one parcel."""

    def close(self, *, now: bool) -> None:
        """End all workers; now: also those that are still working."""


def done(function: Work, chunks: Sequence[Any]) -> Done:
    """Work on the chunks of a parcel, one after the other; this is what happens in a worker."""
    results: list[Any] = []
    begin = time.perf_counter()
    try:
        with one_thread():
            for chunk in chunks:
                results.append(function(chunk))
    except Exception as error:  # noqa: BLE001 - it is raised where the results are used
        return Done(results, time.perf_counter() - begin, error)
    return Done(results, time.perf_counter() - begin)


def done_in_worker(function: Work, chunks: Sequence[Any]) -> Done:
    """The same, with an error that can be sent to the main process."""
    made = done(function, chunks)
    if made.error is None:
        return made
    try:
        copy = pickle.loads(pickle.dumps(made.error))  # noqa: S301 - made here, a moment ago
    except BaseException:  # noqa: BLE001 - whatever an unknown error does when it is pickled
        copy = None
    if type(copy) is not type(made.error):
        lines = "".join(traceback.format_exception(made.error))
        return Done(made.results, made.seconds, RuntimeError(f"a worker failed:\n{lines}"))
    return made
