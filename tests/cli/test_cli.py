from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from cli.running import karat, karat_here
from karat import __version__
from karat.cli import COMMANDS

NAMES = [name for name in COMMANDS if name != "data"]
QUERY = '{"kind":"query","v":1,"query_id":"q1","text":"why"}\n'


def command(name: str) -> click.Command:
    found = import_module(f"karat.cli.commands.{name.replace('-', '_')}").command
    assert isinstance(found, click.Command)
    return found


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
    assert (command(name).help or "").splitlines()[0] == COMMANDS[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_explained(name: str) -> None:
    options = [option for option in command(name).params if isinstance(option, click.Option)]
    assert [option.name for option in options if not option.help] == []


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
    assert done.stderr.decode().strip() == "['karat.cli.codes', 'karat.cli']"


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
        (
            ("show", "x", "--format", "yaml"),
            "'yaml' is not one of 'table', 'markdown', 'csv', 'tsv', 'json', 'jsonl', 'latex'",
        ),
        (("lint", "x", "--format", "xml"), "'xml' is not one of 'table', 'markdown'"),
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
        (("folder",), "folder: is a folder without files that Karat reads (those that end in .jsonl, .json, "),
    ],
)
def test_a_file_that_cannot_be_opened_is_exit_code_3_and_a_format_of_no_name_2(
    name: str, arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text(QUERY)
    Path("riddle").write_text("nobody knows this\n")
    Path("empty").touch()
    Path("folder").mkdir()
    shown = karat_here(name, *arguments)
    assert (shown.code, shown.out) == (2 if "--from" in arguments and "no format is called" in shown.err else 3, b"")
    assert message in shown.err


def test_the_module_is_the_command(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(QUERY)
    good, bad = karat("show", "q.jsonl", folder=tmp_path), karat("show", "p.jsonl", folder=tmp_path)
    assert (good.code, good.err) == (0, "")
    assert good.lines[0] == "q.jsonl: Karat's own records, one per line (karat)"
    assert (bad.code, bad.out, bad.err) == (3, b"", "Error: p.jsonl: no such file\n")


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def callback(**_options: object) -> None:
        raise error

    monkeypatch.setattr(command("schema"), "callback", callback)


def test_a_bug_is_called_one_and_the_way_to_its_place_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(RuntimeError("the hive is empty"), monkeypatch)
    shown = karat_here("schema")
    assert (shown.code, shown.out) == (70, b"")
    assert shown.err.splitlines() == [
        "This is a bug in Karat: RuntimeError: the hive is empty",
        "Please report it, with the output of the same command after `karat --traceback`.",
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


def test_the_command_is_installed_beside_the_interpreter() -> None:
    installed = Path(sys.executable).with_name("karat")
    if not installed.exists():
        pytest.skip("Karat is not installed as a command here")
    assert os.access(installed, os.X_OK)
    done = subprocess.run([installed, "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == f"karat {__version__}\n"
