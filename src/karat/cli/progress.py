"""Progress bars for long work, only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import click

T = TypeVar("T")


def tracked(label: str) -> Callable[[Sequence[str]], Iterable[str]]:
    """Goes through names with a progress bar on stderr, if that is a terminal."""

    def track(names: Sequence[str]) -> Iterator[str]:
        if len(names) < 2 or sys.stderr is None or not sys.stderr.isatty():
            yield from names
            return
        with click.progressbar(names, label=label, file=sys.stderr) as bar:
            yield from bar

    return track


def counted(label: str, items: Iterable[T], *, total: int) -> Iterator[T]:
    """The items, with a progress bar on stderr if that is a terminal and there are many items."""
    if total < 50 or sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=total, label=label, file=sys.stderr) as bar:
        yield from bar
