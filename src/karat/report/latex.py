"""Tables for papers."""

from __future__ import annotations

from collections.abc import Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def latex_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = (), raw: Sequence[str] = ()
) -> str:
    """A tabular in booktabs style; the cells of the columns named in `raw` are LaTeX already."""
    spec = "".join("r" if column in right else "l" for column in columns)
    lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule", _line([escape(column) for column in columns]), r"\midrule"]
    for row in rows:
        cells = [cell if column in raw else escape(cell) for column, cell in zip(columns, row, strict=True)]
        lines.append(_line(cells))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def escape(text: str) -> str:
    """A text that LaTeX prints as it stands.

    >>> escape("strict_vital 50%")
    'strict\\\\_vital 50\\\\%'
    """
    return "".join(_SPECIAL.get(character, character if character.isprintable() else " ") for character in text)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
