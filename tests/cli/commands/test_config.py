"""karat.toml: defaults of options, strict, shown, and harmless where somebody else wrote the file."""

from __future__ import annotations

import json
import os
import socket
import tomllib
from pathlib import Path

import click
import pytest

from cli.running import Outcome, karat, karat_here
from karat.cli import cli
from karat.cli.commands.config.example import EXAMPLE
from karat.cli.commands.config.lines import lines_of
from karat.cli.commands.config.values import REFUSED, commands_of, long_name

DATA = ("key.jsonl", "judgements.jsonl", "runs.jsonl")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo in a folder inside a repository."""
    (tmp_path / ".git").mkdir()
    inside = tmp_path / "inside"
    assert karat_here("demo", "--copy", inside).code == 0
    monkeypatch.chdir(inside)
    monkeypatch.delenv("KARAT_CONFIG")
    return tmp_path


def config(text: str, name: str = "karat.toml") -> None:
    Path(name).write_text(text, "utf-8")


def score(*arguments: str) -> Outcome:
    return karat_here("score", *DATA, *arguments)


def refused(text: str, name: str = "karat.toml") -> list[str]:
    """What is said about the file, without the last line."""
    config(text, name)
    done = score()
    assert (done.code, done.out) == (2, b""), done.err
    assert done.err.splitlines()[-1] == "Fix the file, or leave it out with `karat --no-config ...`."
    lines: list[str] = done.err.splitlines()
    return lines[:-1]


def test_defaults_give_what_the_same_options_give() -> None:
    plain = score("--on-error", "skip", "--measures", "F3,strict_vital", "--format", "json")
    config('on_error = "skip"\n[score]\nmeasures = ["F3", "strict_vital"]\nformat = "json"\n')
    done = score()
    assert (done.code, done.out) == (0, plain.out)
    assert done.err.splitlines()[0] == "defaults from karat.toml: measures, on-error, format"
    assert done.err.splitlines()[1:] == plain.err.splitlines()
    assert "F3,strict_vital|" in json.loads(done.text)["signature"]


def test_the_command_line_wins_and_quiet_leaves_out_the_note() -> None:
    config('on-error = "skip"\n[score]\nmeasures = "F3"\n')
    done = score("--measures", "strict_vital", "--format", "jsonl")
    assert {json.loads(line)["measure"] for line in done.lines} == {"strict_vital"}
    assert done.err.startswith("defaults from karat.toml: on-error\n")
    assert score("--quiet").err == ""


def test_a_command_says_only_what_it_takes() -> None:
    config('[score]\nmeasures = "F3"\n')
    assert "defaults" not in karat_here("show", "key.jsonl").err
    config('[lint]\nfail-on = "never"\nignore = ["bad-json"]\n')
    done = karat_here("lint", *DATA)
    assert (done.code, done.err.splitlines()[0]) == (0, "defaults from karat.toml: ignore, fail-on")


def test_a_table_of_a_command_comes_before_the_top() -> None:
    config("seed = 3\n[score]\nseed = 5\n")
    assert "|seed:5|" in score("--on-error", "skip").err
    assert "|seed:3|" in karat_here("compare", *DATA, "--on-error", "skip").err


def test_commands_of_groups_have_tables() -> None:
    config('[key.diff]\nby = "words"\n')
    done = karat_here("key", "diff", "key.jsonl", "key.jsonl")
    assert (done.code, done.err.splitlines()[0]) == (0, "defaults from karat.toml: by")


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('[score]\njudgee = "x"', ["karat.toml:2: score.judgee: there is no such option (did you mean judge?)"]),
        ("\n\n[scor]\n", ["karat.toml:3: scor: there is no such command (did you mean score?)"]),
        ("[key.dif]\n", ["karat.toml:1: key.dif: there is no such command (did you mean key diff?)"]),
        ("[score]\nseed = true", ["karat.toml:2: score.seed: true is not a whole number"]),
        ('[score]\nseed = "1"', ["karat.toml:2: score.seed: '1' is not a whole number"]),
        ("[score]\nseed = -1", ["karat.toml:2: score.seed: -1 is not in the range x>=0"]),
        ("[score]\nbeta = true", ["karat.toml:2: score.beta: true is not a number"]),
        ("[score]\nlabelled-at-random = 1", ["karat.toml:2: score.labelled-at-random: 1 is not true or false"]),
        ("[score]\nmeasures = [1]", ["karat.toml:2: score.measures: 1 is not a text in quotes"]),
        ("[score]\nmeasures = []", ["karat.toml:2: score.measures: the list is empty; name something, or leave the "
                                    "line out"]),
        ('[compare]\nbaseline = ["a"]', ["karat.toml:2: compare.baseline: is one value, not a list"]),
        ('[score]\naverage = "mode"', ["karat.toml:2: score.average: 'mode' is not one of 'query', 'pool', 'median'"]),
        ('average = "mode"', ["karat.toml:1: average: 'mode' is not one of 'query', 'pool', 'median'"]),
        ('score = "x"', ["karat.toml:1: score: a command has a table: [score]"]),
        ("[serve]\nport = 1", ["karat.toml:1: serve: serve takes nothing from this file"]),
        ('[score]\non-error = "skip"\non_error = "stop"', ["karat.toml:3: score.on_error: is given twice: on-error is "
                                                           "the same"]),
        ("seed = 1\nx = \ny = 2", ["karat.toml:2: this is not TOML: Invalid value (column 5)"]),
        ("seed = 1\nseed = 2", ["karat.toml:2: this is not TOML: Cannot overwrite a value, where the file ends"]),
        ("a = 1\n[score]\nb = 2", ["karat.toml:1: a: there is no such", "karat.toml:3: score.b: there is no such"]),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_lines(text: str, problems: list[str]) -> None:
    found = refused(text)
    assert [line[: len(problem)] for line, problem in zip(found, problems, strict=True)] == problems


def test_pyproject_has_a_table_for_karat() -> None:
    config('[project]\nname = "x"\n\n[tool.karat]\non-error = "skip"\n[tool.karat.score]\nmeasures = "F3"\n',
           "pyproject.toml")  # fmt: skip
    assert score().err.startswith("defaults from pyproject.toml: measures, on-error\n")
    config("[tool.karat.score]\n\nsed = 1\n", "pyproject.toml")
    assert score().err.startswith(
        "pyproject.toml:3: tool.karat.score.sed: there is no such option (did you mean seed?)"
    )
    config('[tool.other]\nname = "karat"\n', "pyproject.toml")
    assert "defaults" not in score().err
    config("[tool.other\n# karat\n", "pyproject.toml")
    assert score("--on-error", "skip").code == 0, "a broken file of another tool is not ours to report"


def test_the_nearest_file_up_to_the_root_of_the_repository_counts(folder: Path) -> None:
    config("seed = 1\n", str(folder / "karat.toml"))
    assert "defaults from ../karat.toml: seed" in score("--on-error", "skip").err
    config("seed = 2\n")
    assert "|seed:2|" in score("--on-error", "skip").err
    Path("karat.toml").unlink()
    Path(".git").mkdir()
    assert "defaults" not in score("--on-error", "skip").err


def test_the_users_own_folder_ends_the_search(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config("seed = 1\n", str(folder / "karat.toml"))
    monkeypatch.setenv("HOME", str(folder / "inside"))
    assert "defaults" not in score("--on-error", "skip").err


def test_a_file_of_another_user_above_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config("seed = 1\n", str(folder / "karat.toml"))
    if os.geteuid() == 0:
        os.chown(folder / "karat.toml", 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    done = score("--on-error", "skip")
    assert "note: ../karat.toml is not used: it belongs to another user" in done.err
    assert "|seed:0|" in done.err


def test_it_can_be_turned_off_or_named(monkeypatch: pytest.MonkeyPatch) -> None:
    config("sed = 1\n")
    plain = ("score", *DATA, "--on-error", "skip")
    assert karat_here("--no-config", *plain).code == karat_here(*plain, "--no-config").code == 0
    assert karat_here("score", "--help").code == 0
    assert karat_here("demo").code == 0, "the demo is the same everywhere"
    monkeypatch.setenv("KARAT_CONFIG", "off")
    assert karat_here(*plain).code == 0
    config("seed = 9\n", "mine.toml")
    monkeypatch.setenv("KARAT_CONFIG", "mine.toml")
    assert "|seed:9|" in karat_here(*plain).err
    monkeypatch.setenv("KARAT_CONFIG", "absent.toml")
    done = karat_here(*plain)
    assert (done.code, done.err.splitlines()[0]) == (
        2, "KARAT_CONFIG=absent.toml: there is no such file; name one, or `off`.",
    )  # fmt: skip


def test_paths_are_relative_to_the_file_and_stay_in_its_folder(folder: Path, tmp_path: Path) -> None:
    config('[judge]\njudge = "lexical"\nknown = ["old=inside/judgements.jsonl"]\n', str(folder / "karat.toml"))
    done = karat_here("judge", "key.jsonl", "runs.jsonl", "--on-error", "skip")
    typed = karat_here("--no-config", "judge", "key.jsonl", "runs.jsonl", "--on-error", "skip", "--judge", "lexical",
                       "--known", "old=judgements.jsonl")  # fmt: skip
    assert (done.code, done.out) == (0, typed.out)
    (folder / "secret").write_text("s3cret\n")
    Path("link").symlink_to(folder / "secret")
    for path in ("../secret", str(folder / "secret"), "link", "x=../secret", "assessor:x=../secret"):
        config(f'[judge]\nknown = "{path}"\n')
        done = karat_here("judge", "key.jsonl", "runs.jsonl")
        assert done.code == 2
        assert done.err.startswith(f"karat.toml:2: judge.known: {path!r} is outside the folder of karat.toml")


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("table", ["", "[score]\n"])
def test_what_writes_or_pays_is_only_on_the_command_line(name: str, table: str) -> None:
    (problem,) = refused(f"{table}{name} = true\n")
    assert ": only on the command line: " in problem


def test_every_option_that_names_a_file_is_checked() -> None:
    """An option of a new command that writes, or names a file in its own way, must be decided about here."""
    for command, found in commands_of(cli):
        for option in found.params:
            if not isinstance(option, click.Option) or option.hidden or long_name(option) in REFUSED:
                continue
            names_file = any(word in (option.metavar or "") for word in ("FILE", "DIR", "PATH", "URL"))
            assert not names_file or isinstance(option.type, click.Path), (command, option.opts)


def test_a_hostile_file_sends_and_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: opened.append(address))
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    for line in ('judge = "llm"', 'judge = "cascade(lexical, llm(model=x))"', 'llm-url = "http://127.0.0.1:9/v1"',
                 'output = "key.jsonl"', 'model = "evil"', 'ask = "key.jsonl"'):  # fmt: skip
        for table in ("", "[score]\n", "[judge]\n", "[draft-key]\n"):
            config(f"{table}{line}\n")
            for command in ("score", "judge", "draft-key"):
                assert karat_here(command, "key.jsonl", "runs.jsonl").code == 2
    Path("karat.toml").unlink()
    assert (opened, {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}) == ([], before)


def test_a_file_made_to_do_harm_ends_in_a_message() -> None:
    for text in ("x = " + "[" * 50_000, "x = [\n" * 20_000, "a." * 5_000 + "b = 1", "\x1b[31m = 1", "x = 1" * 300_000,
                 '"a\\u001b[2J" = 1', "seed = 99999999999999999999999999\n"):  # fmt: skip
        config(text)
        done = karat("score", *DATA, "--on-error", "skip")
        assert "bug" not in done.err
        assert "Traceback" not in done.err
        assert "\x1b" not in done.err
        assert done.code in (0, 2)


def test_the_lines_of_all_kinds_of_statements() -> None:
    text = (
        '# a comment\na = 1\n"b c" = """\nx = 3\n[no]\n"""\nd = [\n  1, # ]\n  2,\n]\n\n[e]\nf.g = 2\n'
        "h = {i = 1, j.k = 2}\n[ l . 'm n' ]\no = 1\n[[p]]\nq = 1\n"
    )
    tomllib.loads(text)
    assert lines_of(text) == {
        ("a",): 2, ("b c",): 3, ("d",): 7, ("e",): 12, ("e", "f"): 13, ("e", "f", "g"): 13, ("e", "h"): 14,
        ("e", "h", "i"): 14, ("e", "h", "j"): 14, ("e", "h", "j", "k"): 14, ("l", "m n"): 15, ("l", "m n", "o"): 16,
        ("p",): 17, ("p", "q"): 18,
    }  # fmt: skip


def test_config_shows_what_is_in_force_and_where_it_came_from() -> None:
    assert "there is no karat.toml here or above" in karat_here("config").err
    config('seed = 4\n[score]\nmeasures = ["F3", "F1"]\n')
    rows = [json.loads(line) for line in karat_here("config", "--format", "jsonl").lines]
    assert rows == [
        {"command": "all", "option": "seed", "value": 4, "from": "karat.toml:1"},
        {"command": "score", "option": "measures", "value": "F3,F1", "from": "karat.toml:3"},
    ]
    rows = [json.loads(line) for line in karat_here("config", "key", "diff", "--format", "jsonl").lines]
    values = {row["option"]: (row["value"], row["from"]) for row in rows}
    assert values["seed"] == (4, "karat.toml:1")
    assert values["average"] == ("query", "default")
    assert values["measures"] == (None, "default")
    assert karat_here("config", "--no-config", "--format", "jsonl").out == b""
    assert "Did you mean 'score'?" in karat_here("config", "scor").err
    config("sed = 1\n")
    assert karat_here("config").code == 2


def test_the_example_is_a_comment_and_right_without_the_marks() -> None:
    assert karat_here("config", "--example").text == EXAMPLE
    config(EXAMPLE)
    assert karat_here("config", "--format", "jsonl").out == b""
    uncommented = [line.removeprefix("# ") for line in EXAMPLE.splitlines()]
    kept = [line for line in uncommented if line.startswith("[") or " = " in line]
    config("\n".join(kept))
    Path("judged.jsonl").touch()
    assert len(karat_here("config", "--format", "jsonl").lines) == sum(" = " in line for line in kept) > 10


def test_completion_does_not_read_the_file() -> None:
    config("sed = 1\n")
    env = {"_KARAT_COMPLETE": "bash_complete", "COMP_WORDS": "karat sco", "COMP_CWORD": "1"}
    done = karat(env=env)
    assert "score" in done.text


def test_an_example_for_one_command_is_refused() -> None:
    assert karat_here("config", "--example", "score").code == 2


def test_config_looks_up_the_names_of_judges_and_measures() -> None:
    config(
        '[judge]\njudge = "lexicl"\n[score]\njudge = "lexical(mode=wrong)"\nmeasures = ["F3", "rightness(prior=no)"]\n'
    )
    done = karat_here("config")
    assert (done.code, done.out) == (2, b"")
    said = done.err.splitlines()
    assert said[0].startswith(
        "karat.toml:2: judge.judge: no judge is called 'lexicl' (did you mean lexical?); choose from"
    )
    assert said[1].startswith("karat.toml:4: score.judge: 'lexical(mode=wrong)'")
    assert said[2].startswith("karat.toml:5: score.measures: 'rightness(prior=no)'")
    # Others say so when they use the name: a wrong one under [judge] is not in the way of `score`.
    config('[judge]\njudge = "lexicl"\n')
    assert score("--on-error", "skip").code == 0


def test_names_that_the_files_may_have_are_notes() -> None:
    config(
        '[score]\njudge = "lexicl"\nmeasures = "strict_vitl,F3"\n[compare]\njudge = "all"\nmeasures = "lenient_all"\n'
    )
    done = karat_here("config")
    assert done.code == 0
    assert done.err.splitlines()[1:] == [
        "karat.toml:2: score.judge: no judge is called 'lexicl' (did you mean lexical?); it is right only if your "
        "files have judgements by a judge 'lexicl'",
        "karat.toml:3: score.measures: no measure is called 'strict_vitl' (did you mean strict_vital?); it is right "
        "only if your files have scores by 'strict_vitl'",
    ]
