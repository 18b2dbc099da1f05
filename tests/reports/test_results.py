from __future__ import annotations

import json

import msgspec
import pytest

from karat.reports.results import FORMATS, DataTable, ShownResult
from karat.reports.results.digits import decimals
from karat.reports.results.markdown import code_line, markdown_table, noted, plain_text
from karat.reports.results.tables import TextTable

ROWS = [{"run_id": "=a|b", "value": 1 / 3, "signature": "M|v:1"}, {"run_id": "c\td", "value": None}]
RESULT = ShownResult(
    parts=lambda width: [TextTable(["run", "M"], [["=a|b", "0.33 [0.2, 0.4]"], ["<b>", ""]], right=["M"]), "a remark_"],
    tables=lambda: [DataTable.of("scores", ROWS)],
    notes=["# a note"],
    signatures=["M|v:1"],
)


def test_markdown_shows_data_as_it_is() -> None:
    assert RESULT.written("markdown") == (
        "| run | M |\n"
        "| --- | ---: |\n"
        "| =a\\|b | 0.33 [0.2, 0.4] |\n"
        "| &lt;b> |   |\n"
        "\n"
        "a remark\\_\n"
        "\n"
        "- \\# a note\n"
        "\n"
        "<sub>`M|v:1`</sub>\n"
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[a](http://x)", "\\[a\\](http://x)"), ("[0.1, 0.2]", "[0.1, 0.2]"), ("strict_vital", "strict_vital"),
        ("*a* `b` ~c~", "\\*a\\* \\`b\\` \\~c\\~"), ("- a list", "\\- a list"), ("p <0.01 & q", "p <0.01 & q"),
        ("&lt;", "&amp;lt;"), ("<!-- x", "&lt;!-- x"), ("a\x1b\nb", "a\\\\x1b\\\\nb"),
    ],
)  # fmt: skip
def test_text_becomes_no_mark(text: str, written: str) -> None:
    assert plain_text(text) == written


def test_commands_in_notes_are_code() -> None:
    assert noted("see `karat x --y` *now*") == "see `karat x --y` \\*now\\*"


def test_a_signature_with_backticks_stays_code() -> None:
    assert code_line("a`b``") == "<sub>``` a`b`` ```</sub>"


def test_numbers_are_aligned_to_the_right() -> None:
    table = TextTable(["run", "x", "y"], [["a", "0.5 ab", "text"], ["b", "undefined", "3 more"]])
    assert markdown_table(table).splitlines()[1] == "| --- | ---: | --- |"


def test_json_has_the_signature_once_and_every_digit() -> None:
    found = json.loads(RESULT.written("json"))
    assert found == {
        "signature": "M|v:1",
        "notes": ["# a note"],
        "remarks": ["a remark_"],
        "scores": [{"run_id": "=a|b", "value": 1 / 3}, {"run_id": "c\td", "value": None}],
    }


def test_csv_is_harmless_and_without_signature_and_tsv_keeps_it() -> None:
    assert RESULT.written("csv") == "run_id,value\n'=a|b,0.3333333333333333\nc\\td,\n"
    assert RESULT.written("tsv") == (
        "run_id\tvalue\tsignature\n=a|b\t0.3333333333333333\tM|v:1\nc\\td\t\t\n"
    )  # fmt: skip


def test_signatures_that_differ_in_the_measure_only_are_told_once() -> None:
    shown = msgspec.structs.replace(RESULT, signatures=["F3|judge:a|v:1", "recall|judge:a|v:1", "F3|judge:b|v:1"])
    assert shown.told_signatures() == ["F3,recall|judge:a|v:1", "F3|judge:b|v:1"]
    assert "`F3,recall|judge:a|v:1`" in shown.written("markdown")
    assert json.loads(shown.written("json"))["signatures"] == list(shown.signatures)


def test_latex_is_booktabs_and_notes_are_comments() -> None:
    lines = RESULT.written("latex").splitlines()
    assert lines[:2] == [r"\begin{tabular}{lr}", r"\toprule"]
    assert r"=a\textbar{}b & 0.33 [0.2, 0.4] \\" in lines
    assert lines[-3:] == ["% a remark_", "% # a note", "% signature: M|v:1"]


def test_a_long_text_is_a_paragraph_in_latex() -> None:
    table = TextTable(["nug"], [["word " * 20]])
    shown = ShownResult(parts=lambda width: [table], tables=list)
    assert shown.written("latex").startswith(r"\begin{tabular}{p{0.60\linewidth}}")


def test_every_format_is_written() -> None:
    assert all(RESULT.written(name) for name in FORMATS)


def test_lists_and_dicts_become_text_and_numbers_that_are_not_finite_are_undefined() -> None:
    table = DataTable.of("t", [{"a": ["x", 1], "b": {"c": [1.5]}, "d": float("nan"), "e": True}])
    assert table.rows == [[["x", 1], {"c": [1.5]}, None, True]]
    assert table.tsv() == 'a\tb\td\te\nx; 1\t{"c":[1.5]}\t\ttrue\n'


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([(0.0, 0.9)], 2), ([(0.4, 0.6)], 2), ([(0.41, 0.6)], 3), ([(0.1, 0.9), (0.5, 0.52)], 3),
        ([(0.5, 0.5001)], 4), ([(0.5, 0.5)], 3), ([(None, 0.5)], 3), ([(0.0, float("inf"))], 3), ([(0.0, 300.0)], 2),
    ],
)  # fmt: skip
def test_decimals_are_those_that_the_narrowest_interval_deserves(
    ends: list[tuple[float | None, float | None]], expected: int
) -> None:
    assert decimals(ends) == expected
