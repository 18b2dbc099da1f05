from __future__ import annotations

import pytest

from karat.cli.messages import SHOWN, report, say_problems, say_skipped
from karat.model import InputError, KaratError, MissingExtra, Problem, Unfinished, UnfitInput, UsageError


def problem(line: int = 1, code: str = "bad-json", file: str = "f") -> Problem:
    return Problem(file=file, line=line, path="", code=code, message="is bad")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UsageError("no such thing"), 2, "Error: no such thing\n"),
        (KaratError("it does not fit"), 2, "Error: it does not fit\n"),
        (UnfitInput("there is no key"), 3, "Error: there is no key\n"),
        (Unfinished("no answer"), 5, "Error: no answer\n"),
        (FileExistsError(17, "File exists", "out"), 2, "Error: out: File exists\n"),
        (FileNotFoundError(2, "No such file", "in"), 3, "Error: in: No such file\n"),
        (MissingExtra("Parsing", "language"), 2, "install it, in Karat's folder, with: pip install '.[language]'\n"),
        (PermissionError(13, "Permission denied", "key.jsonl"), 5, "Error: key.jsonl: Permission denied\n"),
        (OSError("the disk is gone"), 5, "Error: standard output: the disk is gone\n"),
        (MemoryError(), 5, "Error: there is not enough memory for this file; split it, or use a larger machine\n"),
    ],
)
def test_each_kind_of_trouble_has_its_exit_code(
    error: Exception, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(error) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith(message)


def test_all_problems_of_the_data_are_reported_with_a_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(InputError([problem(1), problem(2, file="g")], unlisted=3)) == 3
    assert capsys.readouterr().err.splitlines() == [
        "f:1: is bad",
        "g:2: is bad",
        "... and 3 more",
        "5 problems in 2 files.",
        "Fix the file, or leave out the bad parts with --on-error skip.",
    ]


@pytest.mark.parametrize(
    ("found", "unlisted", "end"),
    [
        (1, 0, ["1 problem in 1 file."]),
        (SHOWN, 0, [f"{SHOWN} problems in 1 file."]),
        (SHOWN + 7, 1000, ["... and 1,007 more", "1,207 problems in 1 file."]),
    ],
)
def test_a_flood_of_problems_is_cut_and_counted(
    found: int, unlisted: int, end: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    # Codes that differ: none of them is like another.
    say_problems([problem(line, f"code-{line}") for line in range(1, found + 1)], unlisted=unlisted)
    shown = capsys.readouterr().err.splitlines()
    assert shown[: min(found, SHOWN)] == [f"f:{line}: is bad" for line in range(1, min(found, SHOWN) + 1)]
    assert shown[min(found, SHOWN) :] == end


def test_problems_that_say_the_same_are_folded(capsys: pytest.CaptureFixture[str]) -> None:
    say_problems([*map(problem, range(1, 301)), problem(7, "encoding"), *(problem(n, file="g") for n in range(1, 5))])
    assert capsys.readouterr().err.splitlines() == [
        "f:1: is bad",
        "f:2: is bad",
        "f:3: is bad",
        "f: 297 more like this (lines 4, 5, 6, ... 300): is bad",
        "f:7: is bad",
        "g:1: is bad",
        "g:2: is bad",
        "g:3: is bad",
        "g:4: is bad",
        "`karat lint` lists each of them.",
        "305 problems in 2 files.",
    ]


def test_what_was_skipped_is_reported_per_file_with_three_examples(capsys: pytest.CaptureFixture[str]) -> None:
    say_skipped([*(problem(line) for line in range(1, 5)), problem(9, "encoding"), problem(2, file="g")], unlisted=1234)
    assert capsys.readouterr().err.splitlines() == [
        "skipped: f:1: is bad",
        "skipped: f:2: is bad",
        "skipped: f:3: is bad",
        "skipped in f: 4 bad-json, 1 encoding",
        "skipped: g:2: is bad",
        "skipped in g: 1 bad-json",
        "skipped: 1,234 more problems",
    ]
