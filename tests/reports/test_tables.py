from __future__ import annotations

import re
import sys
from io import StringIO

import pytest

from karat.reports.agree import WORDS
from karat.reports.plan import PLAN_WORDS, STABILITY_WORDS
from karat.reports.results.tables import (
    BETWEEN,
    TextTable,
    _widths,
    escape_latex,
    latex_table,
    plain_table,
    print_table,
)


def test_columns_are_as_wide_as_their_longest_cell() -> None:
    rows = [["atlas", "0.5"], ["b", "0.75"]]
    assert plain_table(["run", "F3"], rows, right=["F3"]) == (
        "run      F3\n"
        "-----  ----\n"
        "atlas   0.5\n"
        "b      0.75\n"
    )  # fmt: skip


def test_no_line_ends_in_blanks() -> None:
    table = plain_table(["run", "note"], [["a", ""], ["b", "a long note"]])
    assert [line for line in table.splitlines() if line != line.rstrip()] == []


def test_a_table_without_rows_is_its_head() -> None:
    assert plain_table(["run", "n"], []) == "run  n\n---  -\n"


def test_a_row_with_too_few_cells_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="is shorter than"):
        plain_table(["run", "n"], [["a"]])


def test_a_table_as_text_is_plain_and_printable() -> None:
    assert str(TextTable(["run", "n"], [["a\x1b", "10"]], right=["n"])) == "run     n\n-----  --\na\\x1b  10\n"


def test_where_the_output_is_not_a_terminal_the_table_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["run", "n"], [["a", "10"]], right=["n"])
    assert capsys.readouterr().out == "run   n\n---  --\na    10\n\n"


def test_control_characters_change_neither_the_terminal_nor_the_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table(["run"], [["a\x1b[31m\tb\nc\u202e"]])
    assert capsys.readouterr().out.splitlines()[2] == "a\\x1b[31m\\tb\\nc\\x202e"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_cells_are_text_and_not_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    print_table(["run", "n"], [["[bold]a[/bold]", "10"], ["[/]", "9\x1b[2J"]], right=["n"])
    shown = terminal.getvalue()
    assert "[bold]a[/bold]" in shown
    assert "[/]" in shown
    assert "9\\x1b[2J" in shown


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("strict_vital", r"strict\_vital"),
        ("50 % & $3 #1", r"50 \% \& \$3 \#1"),
        ("{a}~^", r"\{a\}\textasciitilde{}\textasciicircum{}"),
        ("C:\\run", r"C:\textbackslash{}run"),
        ("a<b>c", r"a\textless{}b\textgreater{}c"),
        ("naïve fox", "naïve fox"),
        ("two\nlines\x1b", r"two\textbackslash{}nlines\textbackslash{}x1b"),
    ],
)
def test_what_latex_would_take_for_itself_is_escaped(text: str, printed: str) -> None:
    assert escape_latex(text) == printed


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


def test_a_latex_row_with_too_few_cells_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="is shorter than"):
        latex_table(["run", "n"], [["a"]])


def test_control_characters_in_the_head_are_harmless() -> None:
    table = TextTable(["run\x1b[31m", "n"], [["a", "1"]], right=["n"])
    assert str(table).splitlines()[0] == "run\\x1b[31m  n"


def test_two_ids_that_differ_in_a_tab_or_a_line_break_look_different() -> None:
    table = TextTable(["run"], [["a\tb"], ["a\nb"], ["a b"]])
    assert str(table).split("\n")[2:5] == [r"a\tb", r"a\nb", "a b"]
    assert r"<td style=\"text-align: left\">a\tb</td>".replace('\\"', '"') in table.html()


def test_on_a_terminal_words_and_numbers_stay_whole_and_the_table_fits() -> None:
    columns = ["what", "coefficient", "value", "95 % interval", "significantly different"]
    rows = [
        ["votes of all people", "krippendorff_alpha (level=nominal)", "0.322", "[0.228, 0.410]", "47.0% [30.0, 60.0]"]
    ]
    widths = _widths(columns, rows, columns[2:], 80)
    assert sum(widths) + BETWEEN * len(widths) <= 80
    # Cells to the right are whole; other columns and heads are as wide as their longest word.
    assert all(width >= len(cell) for width, cell in zip(widths[2:], rows[0][2:], strict=True))
    assert widths[1] >= len("krippendorff_alpha")
    assert widths[4] >= len("significantly")
    assert _widths(columns, rows, columns[2:], 500) == [19, 34, 5, 14, 23]
    # Where nothing can wrap any more, the table is wider than asked for, and no word is split.
    assert _widths(["a"], [["word" * 9]], [], 20) == [36]


def test_a_table_that_is_a_little_too_wide_for_the_terminal_has_less_space_between_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    for width, widest in ((41, 41), (40, 38), (38, 38)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.setenv("COLUMNS", str(width))
        print_table(list("abcd"), [["word" * 2] * 4], right=["d"])
        shown = re.sub(r"\x1b\[\d*m", "", terminal.getvalue())
        assert (max(len(line.rstrip()) for line in shown.splitlines()), shown.count("word" * 2)) == (widest, 4)


@pytest.mark.parametrize("words", [STABILITY_WORDS, PLAN_WORDS, tuple(WORDS.values())])
def test_the_words_below_a_table_are_explained_in_a_line_each(words: tuple[str, ...]) -> None:
    assert max(map(len, words)) <= 80


def test_latex_prints_names_unchanged_wherever_they_stand() -> None:
    """Each of these was compiled: a row that begins with [2pt] or * is a length or a wish to the row before it."""
    rows = [["[2pt]", "a|b"], ["*x", "`a'"], ["--", "50% & {x} #1 $y_1$ ~ ^ \\"]]
    lines = latex_table(["[run]", "name"], rows).splitlines()
    assert lines[2] == r"{}[run] & name \\"
    assert lines[4:7] == [
        r"{}[2pt] & a\textbar{}b \\",
        r"{}*x & \textasciigrave{}a' \\",
        r"-{}- & 50\% \& \{x\} \#1 \$y\_1\$ \textasciitilde{} \textasciicircum{} \textbackslash{} \\",
    ]
