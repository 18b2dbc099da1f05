"""Progress bars for long work, only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import click

from karat.cli.printing import is_quiet

T = TypeVar("T")
FEWEST_SECONDS = 2.0
"""Of work after the first item, before it is said how long the rest will take."""


def tracked(label: str) -> Callable[[Sequence[str]], Iterable[str]]:
    """Goes through names with a progress bar on stderr, if that is a terminal."""

    def track(names: Sequence[str]) -> Iterator[str]:
        return counted(label, names, total=len(names), fewest=2)

    return track


def counted(label: str, items: Iterable[T], *, total: int, fewest: int = 50) -> Iterator[T]:
    """The items, with a progress bar on stderr if that is a terminal and there are many items."""
    if total < fewest or sys.stderr is None or not sys.stderr.isatty() or is_quiet():
        yield from items
        return
    rest, done = Remaining(total), 0
    with click.progressbar(
        items, length=total, label=label, file=sys.stderr, show_eta=False, item_show_func=lambda _: rest.text(done)
    ) as bar:
        try:
            for item in bar:
                yield item
                done += 1
        except GeneratorExit:
            # Whoever has the last item need not ask for another one: the work is done nevertheless.
            if done + 1 >= total:
                bar.finish()
                bar.render_progress()
            raise


class Remaining:
    """How long the rest of some work will take, from the work that was done.

    The first item is not counted: models are loaded and processes are started before it ends, once for all items.
    """

    def __init__(self, total: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self._total, self._now = total, now
        self._start = 0.0
        self._first = 0
        """How many items were done when the time was first taken; 0: none yet."""

    def seconds(self, done: int) -> float | None:
        """The time for what is left; None while too little is done to know, and at the end."""
        if not self._first:
            self._start, self._first = self._now(), done
            return None
        since, spent = done - self._first, self._now() - self._start
        if since < 1 or spent < FEWEST_SECONDS or done >= self._total:
            return None
        return spent / since * (self._total - done)

    def text(self, done: int) -> str | None:
        """`about 2 min left`."""
        seconds = self.seconds(done)
        if seconds is None:
            return None
        if seconds < 90:
            return f"about {max(1, round(seconds))} s left"
        return f"about {seconds / 60:.0f} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"
