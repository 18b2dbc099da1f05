"""Which cache is used: that of the innermost `with cache(...)`; none outside of such a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import util
from pathlib import Path

from karat.engines.cache.store import LIMIT, Cache
from karat.model import UsageError

_current: ContextVar[Cache | None] = ContextVar("cache", default=None)


def current_cache() -> Cache | None:
    """The cache of the innermost `with cache(...)`, or None."""
    return _current.get()


def set_in_worker(folder: Path, limit: int) -> None:
    """Use a cache until this worker process ends; the main process says what is wrong with the file."""
    opened = Cache(folder, limit=limit)
    _current.set(opened)
    # A worker of multiprocessing ends without the usual farewells.
    util.Finalize(None, opened.close, exitpriority=1)


@contextmanager
def cache(folder: str | Path, *, limit: int = LIMIT, say: Callable[[str], None] | None = None) -> Iterator[Cache]:
    """Keep what is dear to compute in a folder, and look there first, as long as the block lasts.

    folder: it is made where it is missing (`karat cache` prints that of the commands). limit: how many bytes are kept
    at most; what was not used for longest goes first. say: gets a line where the file is damaged or cannot be written;
    the work goes on without it. Results are the same with and without a cache.

    >>> import karat, tempfile
    >>> key, _, runs = karat.demo_files()
    >>> with tempfile.TemporaryDirectory() as folder, karat.cache(folder) as cache:
    ...     judging = karat.judge(key, runs, judge="lexical")  # lexical is too fast to need it
    ...     cache.state().entries
    0
    """
    if limit < 1:
        raise UsageError(f"limit={limit} must be at least 1 byte")
    opened = Cache(Path(folder).expanduser(), limit=limit, say=say)
    token = _current.set(opened)
    try:
        yield opened
    finally:
        _current.reset(token)
        opened.close()
