"""Tables and text in Markdown, as GitHub and GitLab show it in a comment: nothing in the data becomes a mark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from karat.reports.results.tables import TextTable, visible

_ALWAYS = re.compile(r"[\\|*`~$]|(?<!\w)_|_(?!\w)")
_LINK = re.compile(r"[\[\]]")
_MADE_INTO_LINK = re.compile(r"\]\s*[(\[:]|\[\^|!\[")
_TAG, _ENTITY = re.compile(r"<(?=[A-Za-z/!?])"), re.compile(r"&(?=#?\w+;)")
_BLOCK = re.compile(r"^(\s*)([#>+=-]|\d+(?=[.)]))")


def markdown_parts(parts: Iterable[TextTable | str]) -> str:
    """Pipe tables, and the remarks between them as paragraphs."""
    return "\n".join(f"{plain_text(part)}\n" if isinstance(part, str) else markdown_table(part) for part in parts)


def markdown_table(table: TextTable) -> str:
    """A pipe table; numbers are aligned to the right."""
    right = number_columns(table)
    rows = [[_cell(cell) for cell in row] for row in (table.columns, *table.rows)]
    rows.insert(1, ["---:" if at in right else "---" for at in range(len(table.columns))])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def number_columns(table: TextTable) -> set[int]:
    """Where the numbers are: columns that are aligned to the right, and those whose cells begin with a number."""
    return {
        at
        for at, column in enumerate(table.columns)
        if column in table.right or _are_numbers([row[at].strip() for row in table.rows])
    }


def _are_numbers(cells: Sequence[str]) -> bool:
    shown = [cell for cell in cells if cell and cell != "undefined"]
    return bool(shown) and all(re.match(r"[<>+-]?[\d,]*\.?\d+%?( [\[{(]|$| \w+$)", cell) for cell in shown)


def _cell(text: str) -> str:
    return _inline(" ".join(visible(text).split())) or " "


def noted(text: str) -> str:
    """A note of Karat's own: what it has between backticks is code."""
    pieces = re.split(r"(`[^`]+`)", visible(text))
    return "".join(piece if at % 2 else plain_text(piece) for at, piece in enumerate(pieces))


def plain_text(text: str) -> str:
    """A paragraph of plain text: it begins no list, heading or quotation either."""
    return _BLOCK.sub(
        lambda found: f"{found[1]}\\{found[2]}" if not found[2].isdigit() else found[0], _inline(visible(text))
    )


def _inline(text: str) -> str:
    text = _ALWAYS.sub(lambda found: f"\\{found[0]}", text)
    if _MADE_INTO_LINK.search(text):
        text = _LINK.sub(lambda found: f"\\{found[0]}", text)
    # Only what would begin a tag or an entity: `p < 0.01` and `1 -> 0` stay readable as they are.
    return _TAG.sub("&lt;", _ENTITY.sub("&amp;", text))


def fenced(text: str) -> str:
    """A text with its own lines, as a block of code."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}\n"


def code_line(text: str) -> str:
    """The text as small code on a line of its own: Markdown changes nothing in it."""
    text = visible(text).replace("\n", " ")
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"<sub>{fence}{pad}{text}{pad}{fence}</sub>"
