"""The one function that prints: nothing that comes from a file or an argument reaches the terminal as a command.

Names of runs, queries, files and measures, column heads, signatures and texts are data. Every command prints through
`echo`; tests/cli/test_hostile_names.py proves that no other module of the command line calls click's own.
"""

from __future__ import annotations

import sys
from io import StringIO
from typing import IO

import click

_talk = {"quiet": False}


def be_quiet(quiet: bool) -> None:
    """Whether notes and progress are left out (--quiet); errors and results are always printed."""
    _talk["quiet"] = quiet


def is_quiet() -> bool:
    return _talk["quiet"]


def echo(text: object = "", *, err: bool = False, nl: bool = True, styled: bool = False, error: bool = False) -> None:
    """Print text on stdout (or stderr) with control characters made visible.

    err: on stderr: a note, which --quiet leaves out. error: on stderr, and no note: why the command does not end well.
    styled: the text has colours that Karat put in, around data that `printable` made harmless.
    """
    from karat.model import Unfinished
    from karat.model.wording import safe

    if err and not error and is_quiet():
        return
    err = err or error
    if sys.stdout is None and not err:
        # A result that nobody can read is not a success.
        raise Unfinished("standard output is closed; name a file with -o")
    click.echo(str(text) if styled else safe(str(text)), err=err, nl=nl, color=True if styled else None)


def echo_error(error: click.ClickException) -> None:
    """Print click's own message about a wrong option or argument: it repeats what the user typed."""
    text = StringIO()
    error.show(text)
    echo(text.getvalue(), error=True, nl=False)


class SafeBytes:
    """Standard output for the bytes of UTF-8 lines, where it is a terminal."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self.flush = out.flush

    def write(self, data: bytes, /) -> int:
        from karat.model.wording import safe

        return self._out.write(safe(data.decode("utf-8", "replace")).encode())
