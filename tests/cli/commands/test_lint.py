from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import karat, karat_here
from karat.evaluate.lint import CODES

QUERY = '{"kind":"query","v":1,"query_id":"q1","text":"why do bees dance"}\n'
NUG = (
    '{"kind":"nug","v":1,"query_id":"q1","nug_id":"n1",'
    '"descriptions":["the dance tells the way"],"importance":"vital"}\n'
)
AGAIN = NUG.replace("n1", "n2")
PRONOUN = NUG.replace("n1", "n3").replace("the dance tells the way", "They fly at noon")
KEYS = ["file", "line", "query_id", "code", "message", "severity"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.jsonl").write_text(QUERY + NUG)
    Path("bad.jsonl").write_text(QUERY + NUG + AGAIN + PRONOUN)
    Path("broken.jsonl").write_text(QUERY + NUG + "{\n")


def codes(*arguments: str) -> list[str]:
    return sorted(json.loads(line)["code"] for line in karat_here("lint", "--format", "jsonl", *arguments).lines)


def test_a_clean_file_is_exit_code_0_and_nothing_on_stdout() -> None:
    done = karat_here("lint", "good.jsonl")
    assert (done.code, done.out, done.err) == (0, b"", "Nothing found.\n")


def test_findings_are_exit_code_1_one_a_line_and_counted_on_stderr() -> None:
    done = karat_here("lint", "bad.jsonl")
    assert done.code == 1
    assert sorted((line.split(" ")[0], line.rpartition(" ")[2]) for line in done.lines) == [
        ("bad.jsonl:3:", "[repeated-nug]"),
        ("bad.jsonl:4:", "[leading-pronoun]"),
    ]
    told = done.err.splitlines()
    assert told[0] == "2 findings:"
    assert sorted(line.split(maxsplit=1) for line in told[1:]) == [
        ["1", f"error    repeated-nug: {CODES['repeated-nug']}"],
        ["1", f"style    leading-pronoun: {CODES['leading-pronoun']}"],
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 1),
        (("--only", "leading-pronoun"), 0),
        (("--only", "leading-pronoun", "--fail-on", "warning"), 0),
        (("--only", "leading-pronoun", "--fail-on", "style"), 1),
        (("--fail-on", "never"), 0),
    ],
)
def test_the_exit_code_is_1_from_the_severity_that_the_user_chooses(arguments: tuple[str, ...], code: int) -> None:
    done = karat_here("lint", "bad.jsonl", *arguments)
    assert (done.code, bool(done.lines)) == (code, True)


def test_jsonl_rows_have_exactly_the_promised_keys() -> None:
    done = karat_here("lint", "bad.jsonl", "broken.jsonl", "--format", "jsonl")
    rows = [json.loads(line) for line in done.lines]
    assert done.code == 1
    assert [list(row) for row in rows] == [KEYS] * len(rows)
    assert {row["code"] for row in rows} >= {"repeated-nug", "bad-json"}
    (repeated,) = [row for row in rows if row["code"] == "repeated-nug"]
    assert (repeated["file"], repeated["line"], repeated["query_id"]) == ("bad.jsonl", 3, "q1")


def test_what_cannot_be_read_is_a_finding() -> None:
    done = karat_here("lint", "broken.jsonl")
    assert done.code == 1
    assert len(done.lines) == 1
    assert done.text.startswith("broken.jsonl:3: is not JSON")
    assert done.err.splitlines()[0] == "1 finding:"


def test_findings_can_be_chosen_by_code() -> None:
    assert codes("bad.jsonl") == ["leading-pronoun", "repeated-nug"]
    assert codes("bad.jsonl", "--only", "leading-pronoun") == ["leading-pronoun"]
    assert codes("bad.jsonl", "--ignore", "leading-pronoun") == ["repeated-nug"]
    assert codes("bad.jsonl", "--only", "repeated-nug", "--only", "leading-pronoun", "--ignore", "repeated-nug") == [
        "leading-pronoun"
    ]


def test_the_exit_code_is_that_of_the_findings_shown() -> None:
    done = karat_here("lint", "bad.jsonl", "--ignore", "leading-pronoun", "--ignore", "repeated-nug")
    assert (done.code, done.out, done.err) == (0, b"", "Nothing found.\n")


def test_standard_input() -> None:
    done = karat("lint", "-", "--format", "jsonl", stdin=(QUERY + NUG + AGAIN).encode())
    assert done.code == 1
    assert [json.loads(line)["file"] for line in done.lines] == ["-"]


def test_a_format_can_be_given() -> None:
    done = karat_here("lint", "good.jsonl", "--from", "nuggetizer-bank", "--format", "jsonl")
    assert done.code == 1
    assert {json.loads(line)["code"] for line in done.lines} == {"missing-field"}


def test_files_are_held_against_each_other() -> None:
    Path("run.jsonl").write_text(
        '{"kind":"run","v":1,"run_id":"a"}\n'
        '{"kind":"judgement","v":1,"query_id":"q1","run_id":"a","nug_id":"n9","degree":1,"judge":"ann","status":"ok"}\n'
    )
    rows = [json.loads(line) for line in karat_here("lint", "good.jsonl", "run.jsonl", "--format", "jsonl").lines]
    assert ("run.jsonl", 2, "dangling-reference") in {(row["file"], row["line"], row["code"]) for row in rows}
