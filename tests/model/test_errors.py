from __future__ import annotations

import pytest

from karat.model import InputError, KaratError, MissingExtra, Problem, UsageError


def problem(line: int = 41, path: str = "nuggets[3].assignment", message: str = "'suport' is not a label") -> Problem:
    return Problem(file="answers.jsonl", line=line, path=path, code="label", message=message)


def test_a_problem_names_file_line_and_path() -> None:
    assert str(problem()) == "answers.jsonl:41: nuggets[3].assignment: 'suport' is not a label"


@pytest.mark.parametrize(
    ("line", "path", "printed"),
    [
        (0, "text", "answers.jsonl: text: is missing"),
        (2, "", "answers.jsonl:2: is missing"),
        (0, "", "answers.jsonl: is missing"),
    ],
)
def test_a_problem_leaves_out_the_place_it_does_not_know(line: int, path: str, printed: str) -> None:
    assert str(problem(line, path, "is missing")) == printed


def test_an_input_error_carries_and_prints_every_problem() -> None:
    problems = [problem(1, "", "first"), problem(2, "", "second")]
    error = InputError(problems)
    assert error.problems == tuple(problems)
    assert error.unlisted == 0
    assert str(error) == "answers.jsonl:1: first\nanswers.jsonl:2: second"


def test_an_input_error_says_how_many_problems_it_did_not_keep() -> None:
    error = InputError([problem(1, "", "first")], unlisted=12345)
    assert error.unlisted == 12345
    assert str(error) == "answers.jsonl:1: first\n... and 12,345 more"


def test_a_missing_extra_says_how_to_install_it() -> None:
    error = MissingExtra("the workbench", "web")
    assert error.extra == "web"
    assert (
        str(error)
        == "the workbench needs an optional part of Karat; install it, in Karat's folder, with: pip install '.[web]'"
    )


@pytest.mark.parametrize("error", [InputError([]), UsageError("no such file"), MissingExtra("x", "web")])
def test_one_except_catches_every_error_raised_on_purpose(error: Exception) -> None:
    with pytest.raises(KaratError):
        raise error
