"""Matrix products are computed with one thread: in the chunks of every engine, and in what a verb does around them.

The last digits of matrix products depend on how many threads the library behind numpy uses (BLAS). A worker shares the
processors with others, so it should use one; then one process must use one, too, for the same results. It also makes
results the same on machines with few and with many processors. A command says so at its start (`karat.cli.main`), and a
verb that is called from Python when it is called (`karat.arguments.checked`).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_WITH_BLAS = frozenset({"numpy", "scipy.linalg"})
"""Modules that bring such a library with them."""


class _Limits:
    """The limits in force. They hold for the whole process, and blocks of several threads may overlap: the first to
    begin sets them, and the last to end takes them back."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.blocks = 0
        self.of_modules: dict[frozenset[str], Any] = {}

    def begin(self) -> None:
        # Loaded now: what is loaded only within the block has no limit in it.
        import numpy  # noqa: F401

        with self.lock:
            loaded = frozenset(_WITH_BLAS & sys.modules.keys())
            # A library that was loaded since the first block began has no limit yet.
            if loaded not in self.of_modules:
                self.of_modules[loaded] = _controller(loaded).limit(limits=1, user_api="blas")
            self.blocks += 1

    def end(self) -> None:
        with self.lock:
            self.blocks -= 1
            while not self.blocks and self.of_modules:
                self.of_modules.popitem()[1].restore_original_limits()


@lru_cache(maxsize=4)
def _controller(loaded: frozenset[str]) -> Any:
    # Looked for again after more modules were loaded: it takes some milliseconds.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


_limits = _Limits()


@contextmanager
def one_thread() -> Iterator[None]:
    """In this block matrix products use one thread."""
    _limits.begin()
    try:
        yield
    finally:
        _limits.end()
