"""Explanations -> a table with the deciding words marked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from karat.evaluate.review.explain import Explanation
from karat.report.marks import joined_marks, set_off, without_markdown
from karat.report.tables import plain_table, printable

WIDTH = 160
"""How much of a piece is shown around its marks."""


def print_explanations(found: Sequence[Explanation]) -> None:
    """A nug a row: the probability, what people said, and the piece of text; [[words]] that decided are marked.

    Markdown is taken off the text for that.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    for run_id in dict.fromkeys(one.run_id for one in found):
        own = [_as_shown(one) for one in found if one.run_id == run_id]
        if terminal:
            _print_rich(run_id, own)
        else:
            columns = [f"{printable(run_id)}: nug", "", "probability", "people", "text"]
            rows = [[*_cells(one), _bracketed(one)] for one in own]
            print(plain_table(columns, rows, right=["probability", "people"]), flush=True)


def _as_shown(one: Explanation) -> Explanation:
    plain = without_markdown(one.text, one.marks)
    return replace(one, text=plain.text, marks=joined_marks(plain.text, plain.marks))


def _cells(one: Explanation) -> list[str]:
    probability = "known" if one.probability is None else f"{one.probability:.2f}"
    people = "" if one.known is None else f"{one.known:g}"
    return [printable(_cut(one.description, 60)), one.importance or "", probability, people]


def _window(one: Explanation) -> tuple[int, int]:
    """The part of a long piece that holds most of the marks' beginning."""
    if len(one.text) <= WIDTH or not one.marks:
        return 0, min(len(one.text), WIDTH)
    start = max(0, one.marks[0][0] - 20)
    return start, min(len(one.text), start + WIDTH)


def _pieces(one: Explanation) -> list[str]:
    """What is shown of the text: every second piece, from the second on, is marked."""
    start, end = _window(one)
    shown = [mark for mark in one.marks if mark[0] >= start and mark[1] <= end]
    edges = [start, *(edge for mark in shown for edge in mark), end]
    return [printable(one.text[first:last]) for first, last in pairwise(edges)]


def _bracketed(one: Explanation) -> str:
    start, end = _window(one)
    pieces = (set_off(piece) if at % 2 else piece for at, piece in enumerate(_pieces(one)))
    text = " ".join("".join(pieces).split())
    return f"{'...' * (start > 0)}{text}{'...' * (end < len(one.text))}"


def _print_rich(run_id: str, own: Sequence[Explanation]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in (f"{printable(run_id)}: nug", "", "probability", "people", "text"):
        table.add_column(column, justify="right" if column in ("probability", "people") else "left", overflow="fold")
    for one in own:
        text = Text()
        for at, piece in enumerate(_pieces(one)):
            text.append(piece, "bold green" if at % 2 else None)
        table.add_row(*map(Text, _cells(one)), text)
    console = Console(highlight=False)
    console.print(table)
    console.print()


def _cut(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 3]}..."
