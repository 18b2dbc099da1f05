"""What may not be written over: the inputs of a command, and files that are write-protected.

A command that would write over its own input is nearly always a slip, and the input is gone: the command line works
within `inputs_are_kept`. Python code that reads a file and writes it back means it, and is not hindered.
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
"""Device and inode of every file that was read: links to one file are the same file."""


@contextmanager
def inputs_are_kept(files: Iterable[str | Path] = ()) -> Iterator[None]:
    """Within it no input can be written over: neither one of these files, nor one that is read later on."""
    token = _inputs.set(set())
    try:
        for file in files:
            note_input(file)
        # Standard input may be a file, too; a stream of a test or a notebook has no number.
        with suppress(OSError, ValueError, AttributeError):
            note_input(sys.stdin.fileno())
        yield
    finally:
        _inputs.reset(token)


def note_input(file: str | Path | int) -> None:
    """Remember a file, or an open one by its number, as an input. Pipes and devices may be written to."""
    inputs = _inputs.get()
    if inputs is not None:
        with suppress(OSError, ValueError):
            status = os.stat(file)
            if stat.S_ISREG(status.st_mode):
                inputs.add((status.st_dev, status.st_ino))


def check_target(target: str | Path, *, option: str = "") -> None:
    """UsageError for a file that may not be written over. option: what to say before its name, such as `-o `."""
    try:
        status = os.stat(target)
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(status.st_mode):
        return
    if (status.st_dev, status.st_ino) in (_inputs.get() or ()):
        raise UsageError(f"{option}{target}: is one of the inputs; name another file")
    # A rename would replace the file all the same. The administrator may write to any file, so the mode counts, too.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise UsageError(f"{target}: is write-protected; name another file or make it writable")
