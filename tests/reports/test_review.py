from __future__ import annotations

import re
import sys
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.evaluate.review.explain import Explanation
from karat.evaluate.review.order import Pair
from karat.evaluate.review.questions import Question
from karat.model import Nug
from karat.reports.review import (
    WIDTH,
    explanation_tables,
    joined_marks,
    print_explanations,
    render_question,
    set_off,
    without_markdown,
)
from strategies import moderately

EXPLANATION = Explanation(
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
    return msgspec.structs.replace(EXPLANATION, **changed)


def shown(*explanations: Explanation) -> list[str]:
    return [line for table in explanation_tables(explanations) for line in str(table).splitlines()]


def test_one_row_per_nug_with_the_words_that_decided_between_brackets() -> None:
    head, _, row = shown(EXPLANATION)
    assert head.split() == ["x:", "nug", "description", "probability", "people", "text"]
    assert row.split() == ["a", "a", "red", "fox", "vital", "0.87", "0.5", "The", "[[red", "fox]]", "swims."]


def test_what_nobody_says_is_left_empty() -> None:
    row = shown(but(importance=None, known=None, text="", marks=(), probability=0.0))[2]
    assert row.split() == ["a", "a", "red", "fox", "0.00"]
    assert "known" in shown(but(probability=None))[2]


def test_one_table_per_run() -> None:
    lines = shown(EXPLANATION, but(run_id="y"), but(nug_id="b"))
    assert [line for line in lines if "nug" in line] == [lines[0], lines[4]]
    assert lines[4].startswith("y: nug")


def test_of_a_long_piece_the_part_around_the_marks_is_shown() -> None:
    text = "left " * 60 + "fox " + "right " * 60
    row = shown(but(text=text, marks=((300, 303), (len(text) - 6, len(text) - 1))))[2]
    piece = row.split("0.5  ")[1]
    assert piece.startswith("...")
    assert piece.endswith("...")
    assert "left [[fox]] right" in piece
    assert piece.count("[[") == piece.count("]]") == 1
    assert len(piece) <= WIDTH + 10


def test_of_a_long_piece_without_marks_the_beginning_is_shown() -> None:
    row = shown(but(text="word " * 100, marks=()))[2]
    assert row.split("0.5  ")[1] == " ".join(["word"] * 32) + "..."


def test_control_characters_do_not_reach_the_terminal() -> None:
    row = shown(but(text="\x1b[31m red\nfox", marks=((6, 9),), description="a\tb\x1b"))[2]
    assert "\x1b" not in row
    assert "\\x1b[31m [[red]] fox" in row


def test_markdown_of_the_answer_is_not_taken_for_marks() -> None:
    text = "The **red fox** [swims](https://example.org/a_b)."
    row = shown(but(text=text, marks=((6, 9), (10, 13), (17, 22))))[2]
    assert row.endswith("The [[red fox swims]].")


def test_a_long_description_is_complete_and_stands_after_the_id_of_the_nug() -> None:
    row = shown(but(description="word " * 40))[2]
    assert row.startswith("a       " + "word " * 40 + " vital")


@pytest.mark.parametrize("color", [False, True])
def test_a_question_wraps_between_words(color: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.reports.review.terminal_width", lambda: 40)
    text = "It hides in red leaves because nobody sees a red animal among them in autumn."
    question = Question(
        pair=Pair("q", "x", "a"), query="Why is the fox red in autumn, and what does it do then?",
        nug=Nug(query_id="q", nug_id="a", descriptions=("Foxes are red to hide from their enemies in leaves.",)),
        probability=0.5, partial=0.0, text=text, marks=((12, 22), (41, 52)),
    )  # fmt: skip
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in render_question(
        question, number=1, total=2, color=color).splitlines()]  # fmt: skip
    assert max(len(line) for line in lines[2:]) < 40
    words = " ".join(" ".join(line[10:] for line in lines[2:]).split()).replace("[[", "").replace("]]", "")
    assert words == f"{question.query} {question.nug.descriptions[0]} {text}"


def test_what_is_printed_are_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    print_explanations([EXPLANATION, but(run_id="y")])
    assert capsys.readouterr().out == "".join(
        f"{table}\n" for table in explanation_tables([EXPLANATION, but(run_id="y")])
    )


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**a b** and *c d*", "a b and c d"),
        ("__init__ of `x`", "init of x"),
        ("2*3*4 and a * b * c", "2*3*4 and a * b * c"),
        ("snake_case_name", "snake_case_name"),
        ("[the **site**](http://example.org/x)", "the site"),
        ("[1](note) and f[0](x)", "[1](note) and f[0](x)"),
        ("## Title\n# not#here", "Title\nnot#here"),
        ("**open", "**open"),
    ],
)
def test_emphasis_and_links_are_removed(text: str, shown: str) -> None:
    assert without_markdown(text, ()).text == shown


def test_marks_follow_their_words_and_those_of_removed_words_go() -> None:
    text = "see **Rome** [now](https://rome.example)"
    plain = without_markdown(text, [(6, 10), (14, 17), (27, 31)])
    assert [plain.text[start:end] for start, end in plain.marks] == ["Rome", "now"]


@given(st.text("ab*_`[]()#\n ", max_size=30), st.data())
@moderately
def test_marks_lie_in_the_text_whatever_it_is(text: str, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    marks = list(zip(edges[::2], edges[1::2], strict=False))
    plain = without_markdown(text, marks)
    joined = joined_marks(plain.text, plain.marks)
    assert all(0 <= start < end <= len(plain.text) for start, end in joined)
    assert all(mark[1] < following[0] for mark, following in pairwise(joined))
    assert without_markdown(plain.text, ()).text == plain.text


def test_words_are_set_off_by_brackets() -> None:
    assert set_off("red fox") == "[[red fox]]"
