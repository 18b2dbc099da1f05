"""Single keys and lines of text, from a terminal or a pipe."""

from __future__ import annotations

import io
import sys

import click

from karat.cli.printing import echo


class Keyboard:
    """Keys and lines from the terminal or from a pipe; in a pipe, white space between keys is ignored."""

    def __init__(self) -> None:
        self._stdin = sys.stdin
        self._terminal = self._stdin is not None and self._stdin.isatty()
        self._behind_key = False
        if isinstance(self._stdin, io.TextIOWrapper):
            # Bytes that are not text are not a key.
            self._stdin.reconfigure(errors="replace")

    def key(self, prompt: str) -> str:
        """The next key in lower case; empty at the end of the input."""
        echo(prompt, nl=False)
        if self._terminal:
            try:
                return click.getchar().lower()
            except EOFError:
                return ""
        self._behind_key = True
        while (key := self._stdin.read(1) if self._stdin is not None else "").isspace():
            pass
        return key.lower()

    def line(self, prompt: str) -> str:
        """A line of text; in a pipe it may follow the key directly or be on the next line."""
        if self._terminal:
            return str(click.prompt(prompt, default="", show_default=False, prompt_suffix="")).strip()
        echo(prompt, nl=False)
        line = self._stdin.readline().strip()
        if not line and self._behind_key:
            line = self._stdin.readline().strip()
        self._behind_key = False
        echo()
        return line
