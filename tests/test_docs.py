"""The documentation says what the program does."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from karat.cli import COMMANDS, cli
from karat.formats import FORMAT_NAMES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def _generator() -> object:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES: dict[str, Callable[[], str]] = _generator().PAGES  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text("utf-8") == PAGES[name](), "run `make docs`"


def test_every_page_that_says_it_is_generated_is() -> None:
    pages = (ROOT / "docs").glob("*.md")
    assert {page.name for page in pages if "made by `docs/generate.py`" in page.read_text("utf-8")} == {
        name for name in PAGES if name.endswith(".md")
    }


def test_every_public_name_is_documented_and_every_verb_has_an_example() -> None:
    import karat

    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    for name in karat.__all__:
        if inspect.isfunction(getattr(karat, name)):
            section = page.split(f"### karat.{name}\n")[1].split("\n##")[0]
            assert f"karat.{name}(" in section.split("```pycon\n")[1], name
        elif inspect.isclass(getattr(karat, name)):
            assert f"`karat.{name}`" in page


def test_the_examples_of_the_python_page_run() -> None:
    pytest.importorskip("spacy")
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert (failed, tried > 40) == (0, True)


def test_every_command_and_option_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        section = page.split(f"## karat {name}\n")[1].split("\n## ")[0]
        below = list(command.commands.values()) if isinstance(command, click.Group) else []
        assert [one.name for one in below if f"### karat {name} {one.name}\n" not in section] == []
        for parameter in (parameter for one in (command, *below) for parameter in one.params):
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                assert option in section, (name, option)


def test_every_format_is_documented() -> None:
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    assert [name for name in FORMAT_NAMES if f"### {name}\n" not in page] == []


def test_the_readme_is_short_and_names_the_two_commands() -> None:
    assert "make demo" in README
    assert "make test" in README
    assert len(README.splitlines()) <= 120


def test_the_table_of_commands_has_every_command() -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"| `karat {name}" not in page] == []


def test_the_index_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "index.md"]
    assert [name for name in pages if f"]({name})" not in index] == []


def test_links_inside_the_project_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


def test_the_readme_shows_what_the_demo_prints(capsys: pytest.CaptureFixture[str]) -> None:
    from karat.cli.commands.demo import command

    command.main([], standalone_mode=False)
    shown = capsys.readouterr().out.strip()
    assert shown in README


def test_the_changelog_has_this_version() -> None:
    from karat import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.cli.commands.demo import command

    command.main(["--copy", str(tmp_path)], standalone_mode=False)
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert (tmp_path / "everything.jsonl.gz").exists()


def test_every_file_that_the_design_page_names_is_there() -> None:
    page = (ROOT / "docs" / "design.md").read_text("utf-8")
    walks = page.split("## Four walks")[1].split("## How a file is read")[0]
    named = re.findall(r"`((?:\w+/)+(?:\w+\.(?:py|js))?)`", walks)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / "src" / "karat" / name).exists()] == []


def test_every_level_of_the_source_is_small() -> None:
    """At most 12 modules or folders; longer are only the list of rooms, and lists of plug-ins."""
    plugins = {"karat", "karat/formats", "karat/formats/datasets", "karat/judges", "karat/cli/commands"}
    for folder in [path for path in (ROOT / "src" / "karat").rglob("*") if (path / "__init__.py").exists()]:
        name = folder.relative_to(ROOT / "src").as_posix()
        entries = [path for path in folder.iterdir() if not path.name.startswith("__")]
        assert name in plugins or len(entries) <= 12, (name, len(entries))
