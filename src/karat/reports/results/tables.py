"""Tables: on a terminal, as plain text where the output is not a terminal, in HTML and in LaTeX."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from html import escape
from shutil import get_terminal_size

import msgspec

from karat.model import Unfinished

Row = Sequence[str]


class TextTable(msgspec.Struct, frozen=True):
    """A table that is ready to be shown: the head, the rows, and which columns are aligned to the right.

    >>> print(TextTable(["run", "F3"], [["atlas", "0.5"]], right=["F3"]), end="")
    run     F3
    -----  ---
    atlas  0.5
    """

    columns: Sequence[str]
    rows: Sequence[Row]
    right: Sequence[str] = ()

    def __str__(self) -> str:
        columns, right = [visible(name) for name in self.columns], [visible(name) for name in self.right]
        return plain_table(columns, self._printable_rows(), right=right)

    def print(self) -> None:
        """Print it on standard output: with colours and folded cells on a terminal, otherwise as plain text."""
        if sys.stdout is None:
            raise Unfinished("standard output is closed; name a file with -o")
        if sys.stdout.isatty():
            columns, right = [visible(name) for name in self.columns], [visible(name) for name in self.right]
            _print_rich(columns, self._printable_rows(), right)
        else:
            # Flushed, so that what is printed on stderr afterwards comes below the table.
            print(self, flush=True)

    def html(self) -> str:
        """The table in HTML, with every cell as text."""
        lines = ["<table>", f"<thead><tr>{self._html_cells('th', self.columns)}</tr></thead>", "<tbody>"]
        lines += [f"<tr>{self._html_cells('td', row)}</tr>" for row in self.rows]
        return "\n".join([*lines, "</tbody>", "</table>"])

    def _html_cells(self, tag: str, cells: Row) -> str:
        sides = ["right" if column in self.right else "left" for column in self.columns]
        return "".join(
            f'<{tag} style="text-align: {side}">{escape_html(cell.strip())}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )

    def _printable_rows(self) -> list[list[str]]:
        return [[visible(cell) for cell in row] for row in self.rows]


def escape_html(text: str) -> str:
    """Text for HTML: no markup, no control sequences."""
    return escape(visible(text))


def print_table(columns: Sequence[str], rows: Sequence[Row], *, right: Sequence[str] = ()) -> None:
    """Print a table on standard output; the columns named in `right` are aligned to the right."""
    TextTable(columns, rows, right).print()


def terminal_width() -> int:
    """How wide a table may be: the terminal's width, or 200 characters where the output is not a terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        return get_terminal_size().columns
    return 200


def plain_table(columns: Sequence[str], rows: Sequence[Row], *, right: Sequence[str] = ()) -> str:
    """The table as text: each column as wide as its longest cell, and a line under the head."""
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

    # A name with settings, such as alpha(level=nominal), may wrap before them.
    rows = [[_SETTINGS.sub(" (", cell) for cell in row] for row in rows]
    widths = _widths(columns, rows, right, terminal_width())
    # Where words and numbers are too many for the terminal, the space between columns is made smaller.
    is_tight = sum(widths) + BETWEEN * (len(widths) - 1) > terminal_width()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=is_tight)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(Text(column), justify="right" if column in right else "left", width=width, overflow="fold")
    for row in rows:
        # Text, not markup: a cell with [bold] in it is printed as it is.
        table.add_row(*map(Text, row))
    # Wider than the terminal only where no word could be kept whole otherwise: then the terminal itself wraps.
    console = Console(highlight=False, width=max(terminal_width(), sum(widths) + BETWEEN * len(widths)))
    console.print(table)
    console.print()


_SETTINGS = re.compile(r"(?<=\w)\((?=\w+=)")
BETWEEN = 3
"""Characters between two columns on a terminal."""
LONGEST_WORD = 40
"""Longer words may be split."""


def _widths(columns: Sequence[str], rows: Sequence[Row], right: Sequence[str], most: int) -> list[int]:
    """How wide each column is, so that a table fits into `most` characters: the widest columns wrap first.

    A head wraps between words, and so does a text; a cell of a column that is aligned to the right (numbers) does not.
    """
    widths, least = [], []
    for at, column in enumerate(columns):
        cells = [row[at] for row in rows]
        words = [word for text in (column, *cells) for word in text.split()]
        widths.append(max(map(len, (column, *cells)), default=0))
        whole = max(map(len, cells), default=0) if column in right else 0
        least.append(max(whole, min(max(map(len, words), default=0), LONGEST_WORD), 1))
    while sum(widths) + BETWEEN * len(widths) > most:
        room = [width - low for width, low in zip(widths, least, strict=True)]
        if max(room, default=0) <= 0:
            break
        widest = max((at for at, left in enumerate(room) if left > 0), key=lambda at: widths[at])
        widths[widest] -= 1
    return widths


def printable(text: str) -> str:
    """The text without control characters: one from a file could change the terminal or break the table."""
    return "".join(c if c.isprintable() else " " if c.isspace() else f"\\x{ord(c):02x}" for c in text)


_BREAKS = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def visible(text: str) -> str:
    """The text with tabs and line breaks written as such: two ids that differ in them must look different.

    >>> print(visible("a\\tb"))
    a\\tb
    """
    return printable(text.translate(_BREAKS))


_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}",
}  # fmt: skip


def latex_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    raw: Sequence[str] = (),
    spec: str | None = None,
) -> str:
    """A tabular in booktabs style; the cells of the columns named in `raw` are LaTeX already.

    spec: the columns as LaTeX names them, instead of `right`.
    """
    spec = "".join("r" if column in right else "l" for column in columns) if spec is None else spec
    lines = [
        rf"\begin{{tabular}}{{{spec}}}",
        r"\toprule",
        _latex_row([escape_latex(column) for column in columns]),
        r"\midrule",
    ]
    for row in rows:
        cells = [cell if column in raw else escape_latex(cell) for column, cell in zip(columns, row, strict=True)]
        lines.append(_latex_row(cells))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def escape_latex(text: str) -> str:
    """The text with LaTeX's special characters escaped, so that LaTeX prints it unchanged.

    >>> escape_latex("strict_vital 50%")
    'strict\\\\_vital 50\\\\%'
    """
    # Two hyphens would be printed as a dash.
    return "".join(_SPECIAL.get(character, character) for character in visible(text)).replace("--", "-{}-")


def _latex_row(cells: Sequence[str]) -> str:
    row = " & ".join(cells) + r" \\"
    # The end of a row takes [2pt] or * after it as a length or a wish; \midrule takes [1pt].
    return f"{{}}{row}" if row.startswith(("[", "*")) else row
