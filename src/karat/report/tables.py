"""Tables in the terminal, and the same as plain text where the output is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size

Row = Sequence[str]


def print_table(columns: Sequence[str], rows: Sequence[Row], *, right: Sequence[str] = ()) -> None:
    """Print a table on standard output; the columns named in `right` are aligned to the right."""
    shown = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout is not None and sys.stdout.isatty():
        _print_rich(columns, shown, right)
    else:
        # Flushed, so that what is said on stderr afterwards stands below the table.
        print(plain_table(columns, shown, right=right), flush=True)


def terminal_width() -> int:
    """How wide a table may be: the terminal's width, or plenty where the output is no terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        return get_terminal_size().columns
    return 200


def plain_table(columns: Sequence[str], rows: Sequence[Row], *, right: Sequence[str] = ()) -> str:
    """Columns as wide as their longest cell, with a rule under the head."""
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    lines = [_line(columns, columns, widths, right), "  ".join("-" * width for width in widths)]
    lines += [_line(row, columns, widths, right) for row in rows]
    return "\n".join(lines) + "\n"


def _line(cells: Row, columns: Sequence[str], widths: Sequence[int], right: Sequence[str]) -> str:
    padded = (
        cell.rjust(width) if column in right else cell.ljust(width)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    )
    return "  ".join(padded).rstrip()


def _print_rich(columns: Sequence[str], rows: Sequence[Row], right: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        # Text, not markup: a cell that says [bold] says just that.
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    console.print(table)
    console.print()


def printable(text: str) -> str:
    """Control characters out of a file must not steer the terminal, nor break the table."""
    return "".join(c if c.isprintable() else " " if c.isspace() else f"\\x{ord(c):02x}" for c in text)


_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def latex_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = (), raw: Sequence[str] = ()
) -> str:
    """A tabular in booktabs style; the cells of the columns named in `raw` are LaTeX already."""
    spec = "".join("r" if column in right else "l" for column in columns)
    lines = [
        rf"\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        _latex_row([escape(column) for column in columns]),
        r"\midrule",
    ]
    for row in rows:
        cells = [cell if column in raw else escape(cell) for column, cell in zip(columns, row, strict=True)]
        lines.append(_latex_row(cells))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def escape(text: str) -> str:
    """A text that LaTeX prints as it stands.

    >>> escape("strict_vital 50%")
    'strict\\\\_vital 50\\\\%'
    """
    return "".join(_SPECIAL.get(character, character if character.isprintable() else " ") for character in text)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
