"""-o never destroys an input or a write-protected file, whatever the command."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.running import commands_with, karat, karat_here
from karat.cli import outputs

JUDGED = ("key.jsonl", "judgements.jsonl")
EXAMPLES: dict[str, tuple[str, ...]] = {
    "score": JUDGED,
    "report": (*JUDGED, "runs.jsonl"),
    "plot": ("leaderboard", *JUDGED, "--format", "json"),
    "judge": ("key.jsonl", "runs.jsonl", "--known", "judgements.jsonl", "--labels", "person"),
    "explain": ("key.jsonl", "runs.jsonl", "--known", "judgements.jsonl", "--labels", "person", "--query", "q1"),
    "review": ("key.jsonl", "runs.jsonl"),
    "cite": ("runs.jsonl", "pages.jsonl"),
    "validate": (*JUDGED, "runs.jsonl", "--view", "statistics"),
    "compare": JUDGED,
    "correlate": ("judgements.jsonl", "other.jsonl", "--with", "key.jsonl", "--level", "run"),
    "agree": ("key.jsonl",),
    "nuggets-compare": ("auto.jsonl", "gold.jsonl"),
    "pyramid": ("key.jsonl",),
    "plan": JUDGED,
    "stability": (*JUDGED, "--trials", "2"),
    "density": ("nuggetized.jsonl", "--text", "all"),
    "nuggetize": ("text.txt", "--templates", "templates.toml"),
    "draft-key": ("few.jsonl", "--force"),
    "convert": ("key.jsonl", "judgements.jsonl"),
    "judges": (),
    "measures": (),
    "reproduce": (),
    "cache": (),
    "config": (),
    "show": ("key.jsonl",),
    "lint": ("key.jsonl", "--fail-on", "never"),
    "formats": (),
    "data": (),
    "schema": (),
}
"""Of each command that has -o: a call that reads files."""


def example(command: str) -> tuple[str, ...]:
    assert command in EXAMPLES, f"karat {command} has -o: add a call of it that reads files to EXAMPLES"
    return EXAMPLES[command]


def inputs(command: str) -> list[str]:
    return [word for word in EXAMPLES.get(command, ()) if Path(word).suffix]


def rows(*found: dict[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in found)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    karat_here("demo", "--copy", ".")
    judged = Path("judgements.jsonl")
    # One line of the demo is broken on purpose.
    judged.write_text("".join(line for line in judged.read_text().splitlines(keepends=True) if "suport" not in line))
    Path("other.jsonl").write_bytes(judged.read_bytes())
    nuggets = [{"type": "LOC", "spans": [[13, 21]]}]
    for name in ("auto.jsonl", "gold.jsonl", "nuggetized.jsonl"):
        Path(name).write_text(rows({"snippet_id": "1", "text": "Lin Wei went to Kyoto in March.", "nuggets": nuggets}))
    Path("pages.jsonl").write_text(rows({"doc_id": "web-bees-01", "text": "Bees dance."}))
    Path("text.txt").write_text("Lin Wei went to Kyoto in March.\n")
    Path("few.jsonl").write_text(Path("runs.jsonl").read_text().splitlines(keepends=True)[0])
    Path("templates.toml").write_text("")
    return tmp_path


def refused(command: str, target: str, *arguments: str, kept: str | None = None, message: str = "") -> None:
    before = Path(kept or target).read_bytes()
    done = karat_here(command, *(arguments or example(command)), "-o", target)
    assert (done.code, done.out) == (2, b""), done.err
    assert done.err == f"Error: {message or f'-o {target}: is one of the inputs; name another file'}\n"
    assert Path(kept or target).read_bytes() == before
    assert [name for name in os.listdir() if name.endswith(".part")] == []


@pytest.mark.parametrize("command", commands_with("-o"))
def test_every_input_of_every_command_is_kept(command: str) -> None:
    for target in inputs(command) if example(command) else ():
        refused(command, target)


@pytest.mark.parametrize("command", [name for name in commands_with("-o") if inputs(name)])
def test_a_link_to_an_input_is_the_input(command: str) -> None:
    target = inputs(command)[0]
    Path("symbolic.jsonl").symlink_to(target)
    os.link(target, "hard.jsonl")
    for link in ("symbolic.jsonl", "hard.jsonl", f"../{Path.cwd().name}/{target}"):
        refused(command, link, kept=target)


@pytest.mark.parametrize("command", [name for name in commands_with("-o") if inputs(name) and name != "review"])
def test_an_input_that_was_not_seen_at_the_start_is_kept_at_the_end(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As with a folder or a file beside an input: which files are read is known only when they are.
    monkeypatch.setattr(outputs, "_named_files", lambda _ctx: iter(()))
    target = inputs(command)[0]
    before = Path(target).read_bytes()
    done = karat_here(command, *example(command), "-o", target)
    assert done.code == 2
    assert f"Error: {target}: is one of the inputs; name another file\n" in done.err
    assert Path(target).read_bytes() == before


@pytest.mark.parametrize("command", commands_with("-o"))
def test_a_write_protected_file_is_kept(command: str) -> None:
    Path("out.jsonl").write_text("precious\n")
    Path("out.jsonl").chmod(0o444)
    message = "out.jsonl: is write-protected; name another file or make it writable"
    refused(command, "out.jsonl", message=message)


# `review` adds its answers to the file and never replaces it.
@pytest.mark.parametrize("command", [name for name in commands_with("-o") if name != "review"])
def test_another_file_is_replaced(command: str) -> None:
    Path("out.jsonl").write_text("old\n")
    done = karat_here(command, *example(command), "-o", "out.jsonl")
    assert done.code == 0, done.err
    assert Path("out.jsonl").read_text() != "old\n"


def test_a_run_that_is_given_a_name_is_an_input() -> None:
    refused("compare", "other.jsonl", "key.jsonl", "old=judgements.jsonl", "new=other.jsonl")


def test_a_packed_input_is_kept() -> None:
    Path("key.jsonl.gz").write_bytes(gzip.compress(Path("key.jsonl").read_bytes()))
    refused("score", "key.jsonl.gz", "key.jsonl.gz", "judgements.jsonl")


def test_standard_input_may_be_a_file() -> None:
    before = Path("key.jsonl").read_bytes()
    with Path("key.jsonl").open("rb") as stdin:
        done = karat("convert", "-", "-o", "key.jsonl", stdin=stdin)
    assert (done.code, done.err) == (2, "Error: -o key.jsonl: is one of the inputs; name another file\n")
    assert Path("key.jsonl").read_bytes() == before


def test_a_file_that_is_read_because_it_lies_beside_an_input_is_kept() -> None:
    Path("a.txt").write_text("Lin Wei went to Kyoto.")
    Path("a.ann").write_text("T1\tLOC 13 21\tto Kyoto\n")
    message = "a.txt: is one of the inputs; name another file"
    refused("convert", "a.txt", "a.ann", message=message)


def test_the_nuggets_behind_a_draft_do_not_replace_an_input() -> None:
    message = "-o drafted.jsonl also writes drafted.nuggets.jsonl: is one of the inputs; name another file"
    Path("drafted.nuggets.jsonl").write_bytes(Path("few.jsonl").read_bytes())
    before = Path("drafted.nuggets.jsonl").read_bytes()
    done = karat_here("draft-key", "drafted.nuggets.jsonl", "-o", "drafted.jsonl")
    assert (done.code, done.err) == (2, f"Error: {message}\n")
    assert Path("drafted.nuggets.jsonl").read_bytes() == before
    assert not Path("drafted.jsonl").exists()


def test_a_review_adds_its_answers_to_no_input() -> None:
    # Nor does its second file.
    Path("mine.nugs.jsonl").write_bytes(Path("key.jsonl").read_bytes())
    before = Path("mine.nugs.jsonl").read_bytes()
    done = karat_here("review", "mine.nugs.jsonl", "runs.jsonl", "-o", "mine.jsonl", stdin=b"yyy")
    message = "-o mine.jsonl also writes mine.nugs.jsonl: is one of the inputs; name another file"
    assert (done.code, done.err) == (2, f"Error: {message}\n")
    assert Path("mine.nugs.jsonl").read_bytes() == before


@pytest.mark.parametrize("content", ["one line", "one\ttwo\nthree", '{"a": 1}', '{"kind":"run","run_id":"a"}\nrest'])
def test_a_review_cuts_nothing_off_a_file_that_is_not_its_own(content: str) -> None:
    Path("notes.txt").write_text(content)
    done = karat_here("review", "key.jsonl", "runs.jsonl", "-o", "notes.txt", stdin=b"y")
    assert done.code == 3
    assert Path("notes.txt").read_text() == content


@pytest.mark.parametrize("cut", [1, 9, 40])
def test_a_review_goes_on_after_a_line_that_was_cut_off(cut: int) -> None:
    line = Path("judgements.jsonl").read_text().splitlines(keepends=True)[0]
    Path("mine.jsonl").write_text(line + line[:cut])
    done = karat_here("review", "key.jsonl", "runs.jsonl", "mine.jsonl", "-o", "mine.jsonl", stdin=b"q")
    assert done.code == 0, done.err
    assert Path("mine.jsonl").read_text() == line
