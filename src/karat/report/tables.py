"""Tables in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

PLAIN_WIDTH = 160
"""How wide a table may be where the output is no terminal."""


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "", right: Sequence[str] = ()
) -> None:
    """Print a table on standard output; the columns named in `right` are aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        # Text, not markup: a cell that says [bold] says just that.
        table.add_row(*(Text(_printable(cell)) for cell in row))
    console.print(table)


def _printable(text: str) -> str:
    """Control characters out of a file must not steer the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)
