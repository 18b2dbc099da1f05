from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import karat_here


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    karat_here("demo", "--copy", ".")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("score", "key.jsonl", "judgements.jsonl"), 0),
        (("compare", "key.jsonl", "judgements.jsonl", "--baseline", "librarian", "--fail-if-worse"), 1),
        (("correlate", "judgements.jsonl", "judgements.jsonl", "--with", "key.jsonl", "--level", "run"), 0),
        (("agree", "key.jsonl"), 0),
        (("plan", "key.jsonl", "judgements.jsonl", "--runs", "atlas,birch"), 0),
    ],
)
def test_results_go_to_a_file_on_request(arguments: tuple[str, ...], code: int) -> None:
    printed = karat_here(*arguments, "--on-error", "skip")
    written = karat_here(*arguments, "--on-error", "skip", "-o", "result.txt")
    assert (printed.code, written.code, written.out) == (code, code, b"")
    assert Path("result.txt").read_bytes() == printed.out
    assert printed.out


def test_an_error_leaves_the_file_unchanged() -> None:
    Path("result.txt").write_text("before\n")
    done = karat_here("score", "key.jsonl", "judgements.jsonl", "-o", "result.txt")
    assert done.code == 3
    assert Path("result.txt").read_text() == "before\n"


def test_a_folder_that_does_not_exist_is_reported_before_the_work() -> None:
    done = karat_here("score", "key.jsonl", "judgements.jsonl", "-o", "results/scores.txt")
    message = "Error: -o results/scores.txt: there is no folder results; create it or name another file\n"
    assert (done.code, done.out, done.err) == (2, b"", message)
