from __future__ import annotations

import sys
from typing import Any

import msgspec
import pytest

from karat.evaluate.review.explain import Explanation
from karat.report.review import WIDTH, print_explanations

ONE = Explanation(
    query_id="q",
    run_id="x",
    nug_id="a",
    importance="vital",
    description="a red fox",
    degree=1.0,
    probability=0.8712,
    known=0.5,
    text="The red fox swims.",
    marks=((4, 7), (8, 11)),
)


def but(**changed: Any) -> Explanation:
    return msgspec.structs.replace(ONE, **changed)


def shown(capsys: pytest.CaptureFixture[str], *found: Explanation) -> list[str]:
    print_explanations(found)
    return [line for line in capsys.readouterr().out.splitlines() if line]


def test_a_nug_a_row_with_the_words_that_decided_between_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    head, _, row = shown(capsys, ONE)
    assert head.split() == ["x:", "nug", "probability", "people", "text"]
    assert row.split() == ["a", "red", "fox", "vital", "0.87", "0.5", "The", "[[red", "fox]]", "swims."]


def test_what_nobody_says_is_left_empty(capsys: pytest.CaptureFixture[str]) -> None:
    row = shown(capsys, but(importance=None, known=None, text="", marks=(), probability=0.0))[2]
    assert row.split() == ["a", "red", "fox", "0.00"]
    assert "known" in shown(capsys, but(probability=None))[2]


def test_a_table_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, ONE, but(run_id="y"), but(nug_id="b"))
    assert [line for line in lines if "nug" in line] == [lines[0], lines[4]]
    assert lines[4].startswith("y: nug")


def test_of_a_long_piece_the_part_around_the_marks_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    text = "left " * 60 + "fox " + "right " * 60
    row = shown(capsys, but(text=text, marks=((300, 303), (len(text) - 6, len(text) - 1))))[2]
    piece = row.split("0.5  ")[1]
    assert piece.startswith("...")
    assert piece.endswith("...")
    assert "left [[fox]] right" in piece
    assert piece.count("[[") == piece.count("]]") == 1
    assert len(piece) <= WIDTH + 10


def test_of_a_long_piece_without_marks_the_beginning_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    row = shown(capsys, but(text="word " * 100, marks=()))[2]
    assert row.split("0.5  ")[1] == " ".join(["word"] * 32) + "..."


def test_control_characters_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    row = shown(capsys, but(text="\x1b[31m red\nfox", marks=((6, 9),), description="a\tb\x1b"))[2]
    assert "\x1b" not in row
    assert "\\x1b[31m [[red]] fox" in row


def test_markdown_of_the_answer_is_not_taken_for_marks(capsys: pytest.CaptureFixture[str]) -> None:
    text = "The **red fox** [swims](https://example.org/a_b)."
    row = shown(capsys, but(text=text, marks=((6, 9), (10, 13), (17, 22))))[2]
    assert row.endswith("The [[red fox swims]].")


def test_a_long_description_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    row = shown(capsys, but(description="word " * 40))[2]
    assert row.startswith("word " * 11 + "wo...  vital")


def test_on_a_terminal_the_words_are_set_off_in_colour(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_explanations([but(text="\x1b red", marks=((2, 5),))])
    out = capsys.readouterr().out
    assert "[[" not in out
    assert "\\x1b " in out
    assert "\x1b[1;32mred\x1b[0m" in out
