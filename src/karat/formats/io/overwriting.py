"""What may not be written over: the inputs of a command, and files that are write-protected.

A command that writes over its own input is nearly always a mistake, and the input would be lost: the command line works
within `inputs_are_kept`. Python code that reads a file and writes it back does so on purpose, and is not stopped.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from karat.model import UsageError

_inputs: ContextVar[set[tuple[int, int]] | None] = ContextVar("inputs", default=None)
"""Device and inode of every file that was read: two links to one file are the same file."""


@contextmanager
def inputs_are_kept(files: Iterable[str | Path] = ()) -> Iterator[None]:
    """Within this block no input can be written over: neither one of these files, nor one that is read later."""
    token = _inputs.set(set())
    try:
        for file in files:
            note_input(file)
        # Standard input may be a file, too; in tests and notebooks it has no file number.
        with suppress(OSError, ValueError, AttributeError):
            note_input(sys.stdin.fileno())
        yield
    finally:
        _inputs.reset(token)


def note_input(file: str | Path | int) -> None:
    """Remember a file (a path, or the number of an open file) as an input. Pipes and devices are not remembered."""
    inputs = _inputs.get()
    if inputs is not None:
        with suppress(OSError, ValueError):
            status = os.stat(file)
            if stat.S_ISREG(status.st_mode):
                inputs.add((status.st_dev, status.st_ino))


def check_target(target: str | Path, *, option: str = "") -> None:
    """Raise UsageError for a file that may not be written over. option: text before its name, such as `-o `."""
    try:
        status = os.stat(target)
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(status.st_mode):
        return
    if (status.st_dev, status.st_ino) in (_inputs.get() or ()):
        raise UsageError(f"{option}{target}: is one of the inputs; name another file")
    # Renaming could replace a protected file. The administrator may write to any file, so the mode is checked, too.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise UsageError(f"{target}: is write-protected; name another file or make it writable")
