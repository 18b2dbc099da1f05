from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import jsonschema
import pytest

from cli.running import karat, karat_here
from karat import __version__
from karat.cli import COMMANDS
from karat.cli.messages import SHOWN, report, say_problems, say_skipped
from karat.formats import FORMAT_NAMES, all_formats
from karat.model import InputError, KaratError, MissingExtra, Problem, UsageError

NAMES = [name for name in COMMANDS if name != "data"]
QUERY = '{"kind":"query","v":1,"query_id":"q1","text":"why"}\n'


def command(name: str) -> click.Command:
    found = import_module(f"karat.cli.commands.{name.replace('-', '_')}").command
    assert isinstance(found, click.Command)
    return found


def problem(line: int = 1, code: str = "bad-json", file: str = "f") -> Problem:
    return Problem(file=file, line=line, path="", code=code, message="is bad")


def complete(words: str, position: int) -> list[str]:
    env = {"_KARAT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    return [line.partition(",")[2] for line in karat(env=env).lines]


@pytest.mark.parametrize("name", NAMES)
def test_help_says_what_the_command_does_and_gives_an_example(name: str) -> None:
    shown = karat_here(name, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert COMMANDS[name].removesuffix(".") in shown.text
    example = shown.text.partition("Example:\n")[2]
    assert example.lstrip().startswith(f"karat {name}")


@pytest.mark.parametrize("name", NAMES)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    assert command(name).name == name
    assert command(name).short_help == COMMANDS[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_explained(name: str) -> None:
    options = [one for one in command(name).params if isinstance(one, click.Option)]
    assert [one.name for one in options if not one.help] == []


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_every_command(option: str) -> None:
    shown = karat_here(option)
    assert (shown.code, shown.err) == (0, "")
    for name, text in COMMANDS.items():
        assert any(line.split(maxsplit=1) == [name, text] for line in shown.lines)


def test_help_imports_no_command_and_no_records() -> None:
    code = (
        "import sys, karat.cli\n"
        "sys.argv = ['karat', '--help']\n"
        "try: karat.cli.main()\n"
        "except SystemExit: pass\n"
        "print([m for m in sys.modules if m.startswith(('karat.', 'msgspec', 'rich'))], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr.decode().strip() == "['karat.cli']"


def test_version() -> None:
    assert karat("--version").text == f"karat {__version__}\n"
    assert karat_here("-V").text == f"karat {__version__}\n"


def test_without_a_command_the_help_is_shown() -> None:
    shown = karat_here()
    assert shown.code == 2
    assert shown.out == b""
    assert "Commands:" in shown.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shwo",), "There is no command 'shwo'. Did you mean 'show'?"),
        (("xyzzy",), "There is no command 'xyzzy'."),
        (("show",), "Missing argument 'FILE...'."),
        (("--nonsense",), "No such option"),
        (("show", "x", "--formt", "jsonl"), "--format"),
        (("show", "x", "--format", "yaml"), "'yaml' is not one of 'table', 'jsonl'"),
        (("lint", "x", "--format", "tsv"), "'tsv' is not one of 'table', 'jsonl'"),
        (("convert", "x", "--on-error", "ignore"), "'ignore' is not one of 'stop', 'skip'"),
        (("completion", "tcsh"), "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ],
)
def test_a_wrong_request_is_answered_with_exit_code_2_and_what_would_be_right(
    arguments: tuple[str, ...], message: str
) -> None:
    shown = karat_here(*arguments)
    assert (shown.code, shown.out) == (2, b"")
    assert message in shown.err


@pytest.mark.parametrize("name", ["show", "lint", "convert", "score"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent.jsonl",), "Error: absent.jsonl: no such file\n"),
        (("q.jsonl", "absent.jsonl"), "Error: absent.jsonl: no such file\n"),
        (("q.jsonl", "--from", "nugetizer-bank"), "did you mean nuggetizer-bank"),
        (("q.jsonl", "--from", "xyzzy"), "no format is called 'xyzzy' (`karat formats` lists all formats)"),
        (("riddle",), "riddle: the format is not recognised; name it with --from FORMAT"),
        (("empty",), "empty: is empty"),
        (("folder",), "folder: is a folder, but no data set that Karat reads as a folder; name its files"),
    ],
)
def test_a_file_that_cannot_be_opened_is_exit_code_2(
    name: str, arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text(QUERY)
    Path("riddle").write_text("nobody knows this\n")
    Path("empty").touch()
    Path("folder").mkdir()
    shown = karat_here(name, *arguments)
    assert (shown.code, shown.out) == (2, b"")
    assert message in shown.err


def test_the_module_is_the_command(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(QUERY)
    good, bad = karat("show", "q.jsonl", folder=tmp_path), karat("show", "p.jsonl", folder=tmp_path)
    assert (good.code, good.err) == (0, "")
    assert good.lines[0] == "q.jsonl: Karat's own records, one per line (karat)"
    assert (bad.code, bad.out, bad.err) == (2, b"", "Error: p.jsonl: no such file\n")


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def callback(**_options: object) -> None:
        raise error

    monkeypatch.setattr(command("schema"), "callback", callback)


def test_a_bug_is_called_one_and_the_way_to_its_place_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(RuntimeError("the hive is empty"), monkeypatch)
    shown = karat_here("schema")
    assert (shown.code, shown.out) == (2, b"")
    assert shown.err.splitlines() == [
        "This is a bug in Karat: RuntimeError: the hive is empty",
        "See where it arose with `karat --traceback ...` and please report it.",
    ]


def test_the_traceback_of_a_bug_is_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(RuntimeError("the hive is empty"), monkeypatch)
    with pytest.raises(RuntimeError, match="the hive is empty"):
        karat_here("--traceback", "schema")


def test_a_traceback_on_request_is_python_s_own(tmp_path: Path) -> None:
    shown = karat("--traceback", "show", "absent", folder=tmp_path)
    assert shown.err.startswith("Traceback")
    assert shown.err.endswith("absent: no such file\n")


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(KeyboardInterrupt(), monkeypatch)
    shown = karat_here("schema")
    assert (shown.code, shown.err.strip()) == (130, "Stopped.")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UsageError("no such thing"), 2, "Error: no such thing\n"),
        (KaratError("it does not fit"), 1, "Error: it does not fit\n"),
        (MissingExtra("Parsing", "language"), 2, "install it, in Karat's folder, with: pip install '.[language]'\n"),
        (PermissionError(13, "Permission denied", "key.jsonl"), 2, "Error: key.jsonl: Permission denied\n"),
        (OSError("the disk is gone"), 2, "Error: input or output: the disk is gone\n"),
        (MemoryError(), 2, "Error: there is not enough memory for this file\n"),
    ],
)
def test_each_kind_of_trouble_has_its_exit_code(
    error: Exception, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(error) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.endswith(message)


def test_all_problems_of_the_data_are_told_and_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(InputError([problem(1), problem(2, file="g")], unlisted=3)) == 1
    assert capsys.readouterr().err.splitlines() == [
        "f:1: is bad",
        "g:2: is bad",
        "... and 3 more",
        "5 problems in 2 files.",
        "Mend the file, or leave the bad parts out with --on-error skip.",
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
    say_problems([problem(line) for line in range(1, found + 1)], unlisted=unlisted)
    told = capsys.readouterr().err.splitlines()
    assert told[: min(found, SHOWN)] == [f"f:{line}: is bad" for line in range(1, min(found, SHOWN) + 1)]
    assert told[min(found, SHOWN) :] == end


def test_what_was_skipped_is_told_by_file_with_three_examples(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_formats_lists_every_format_once() -> None:
    listed = karat_here("formats", "--format", "jsonl")
    assert (listed.code, listed.err) == (0, "")
    rows = [json.loads(line) for line in listed.lines]
    assert [row["format"] for row in rows] == list(FORMAT_NAMES)
    assert {row["format"]: row["writes"] for row in rows} == {one.name: one.write is not None for one in all_formats()}
    shown = karat_here("formats")
    assert [line.split()[0] for line in shown.lines if line].count("nuggetizer-bank") == 1
    assert any(line.split(maxsplit=1)[0] == "summhay" for line in shown.lines if line)


def test_the_schema_accepts_a_record_and_refuses_what_is_none(tmp_path: Path) -> None:
    target = tmp_path / "schema.json"
    written = karat_here("schema", "-o", target)
    assert (written.code, written.out, written.err) == (0, b"", "")
    schema = json.loads(target.read_text())
    assert json.loads(karat_here("schema").out) == schema
    jsonschema.validate(json.loads(QUERY), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"kind": "query", "v": 1, "query_id": 7}, schema)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_for_each_shell(shell: str) -> None:
    shown = karat_here("completion", shell)
    assert (shown.code, shown.err) == (0, "")
    assert f"_KARAT_COMPLETE={shell}_complete" in shown.text


def test_commands_and_formats_are_completed() -> None:
    assert complete("karat s", 1) == ["score", "stability", "show", "schema"]
    assert complete("karat convert --to nuggetizer-b", 3) == ["nuggetizer-bank"]


def test_the_command_is_installed_beside_the_interpreter() -> None:
    installed = Path(sys.executable).with_name("karat")
    if not installed.exists():
        pytest.skip("Karat is not installed as a command here")
    assert os.access(installed, os.X_OK)
    done = subprocess.run([installed, "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == f"karat {__version__}\n"
