from __future__ import annotations

import pytest

from karat.report.tables import escape, latex_table


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("strict_vital", r"strict\_vital"),
        ("50 % & $3 #1", r"50 \% \& \$3 \#1"),
        ("{a}~^", r"\{a\}\textasciitilde{}\textasciicircum{}"),
        ("C:\\run", r"C:\textbackslash{}run"),
        ("a<b>c", r"a\textless{}b\textgreater{}c"),
        ("naïve fox", "naïve fox"),
        ("two\nlines\x1b", "two lines "),
    ],
)
def test_what_latex_would_take_for_itself_is_escaped(text: str, printed: str) -> None:
    assert escape(text) == printed


def test_a_table_is_a_tabular_with_rules() -> None:
    table = latex_table(["run", "F_3"], [["a_1", r"0.5$^{a}$"], ["b & c", "--"]], right=["F_3"], raw=["F_3"])
    assert table == (
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "run & F\\_3 \\\\\n"
        "\\midrule\n"
        "a\\_1 & 0.5$^{a}$ \\\\\n"
        "b \\& c & -- \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_a_row_with_too_few_cells_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="is shorter than"):
        latex_table(["run", "n"], [["a"]])
