"""Single keys and lines of text, from a terminal or a pipe."""

from __future__ import annotations

import io
import sys

import click


class Keyboard:
    """Keys and lines from the terminal, or through a pipe: there white space between keys says nothing."""

    def __init__(self) -> None:
        self._stdin = sys.stdin
        self._terminal = self._stdin is not None and self._stdin.isatty()
        self._behind_key = False
        if isinstance(self._stdin, io.TextIOWrapper):
            # Bytes that are no text are no key either.
            self._stdin.reconfigure(errors="replace")

    def key(self, prompt: str) -> str:
        """The next key in lower case; empty at the end of the input."""
        click.echo(prompt, nl=False)
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
        """A line of text; through a pipe it may follow the key at once or stand on the next line."""
        if self._terminal:
            return str(click.prompt(prompt, default="", show_default=False, prompt_suffix="")).strip()
        click.echo(prompt, nl=False)
        found = self._stdin.readline().strip()
        if not found and self._behind_key:
            found = self._stdin.readline().strip()
        self._behind_key = False
        click.echo()
        return found
