"""Running the `karat` command: as a program of its own, or in this process where there are many calls."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from unittest.mock import patch

import click

from karat.cli import COMMANDS, cli, main

COMMAND = (sys.executable, "-m", "karat")


@dataclass(frozen=True)
class Outcome:
    """What a call left behind."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


def karat(
    *arguments: str | Path,
    stdin: bytes | IO[bytes] = b"",
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    command: Sequence[str | Path] = COMMAND,
) -> Outcome:
    """The real command, in a process of its own; stdin: what it reads, or the open file it reads from."""
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    done = subprocess.run(
        [*map(str, command), *map(str, arguments)],
        **given,
        capture_output=True,
        cwd=folder,
        env=os.environ | env if env else None,
        timeout=120,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def karat_here(*arguments: str | Path, stdin: bytes = b"", terminal: bool = False) -> Outcome:
    """The same through `main` in this process: some ms instead of some hundred, and warnings are errors.

    terminal: whether stdout is one.
    """
    out = Terminal if terminal else io.TextIOWrapper
    streams: dict[str, Any] = {
        "stdin": io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"),
        "stdout": out(io.BytesIO(), encoding="utf-8", write_through=True),
        "stderr": io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True),
    }
    thresholds = gc.get_threshold()
    code: object = None
    with patch.multiple(sys, argv=["karat", *map(str, arguments)], **streams):
        try:
            main()
        except SystemExit as end:
            code = end.code
        finally:
            gc.set_threshold(*thresholds)
    assert isinstance(code, int), "main() always ends with a number"
    return Outcome(code, streams["stdout"].buffer.getvalue(), streams["stderr"].buffer.getvalue().decode())


def commands_with(option: str) -> list[str]:
    """The names of all commands that have this option, so that tests of it cover a new command, too."""
    found = {name: cli.get_command(click.Context(cli), name) for name in COMMANDS}
    return [name for name, one in found.items() if one and any(option in param.opts for param in one.params)]
