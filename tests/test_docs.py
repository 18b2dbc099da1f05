"""The documentation says what the program does."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
from collections.abc import Callable
from itertools import pairwise
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
        name for name in PAGES if name.endswith(".md") and "/" not in name
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


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "measures").glob("*.md")), ids=lambda page: page.stem)
def test_the_worked_examples_of_measures_are_what_karat_computes(page: Path) -> None:
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried >= 4) == (0, True)


def test_the_sums_of_the_worked_examples_are_right() -> None:
    """`(1 + 1/2) / 2 nugs = 0.75`: sums and what they are said to be; words at the end and in brackets are left out."""
    tried = 0
    for page in (ROOT / "docs" / "measures").glob("*.md"):
        examples = re.findall(r"^##+ Worked example(.*?)(?=^#|\Z)", page.read_text("utf-8"), re.S | re.M)
        for line in "\n".join(re.findall(r"```text\n(.*?)```", "".join(examples), re.S)).splitlines():
            for left, right in pairwise(re.split(r"\s+= +", line)):
                sum_of = re.sub(r"\([^()]*[A-Za-z][^()]*\)", "", left)
                sum_of = re.sub(r"(?:\s+[A-Za-z]+)+$", "", sum_of).strip()
                result = re.match(r"-?\d+(?:\.\d+|/\d+)?(?=\s|$|,|;)", right)
                if result and re.fullmatch(r"[\d(][\d+\-*/(). ]*[+*/-][\d+\-*/(). ]+", sum_of):
                    assert eval(sum_of) == pytest.approx(eval(result[0]), abs=1.5e-3), (page.name, line)
                    tried += 1
    assert tried > 30, tried


def test_every_measure_is_on_the_page_of_its_family_with_a_formula() -> None:
    from karat.measures.entries import ENTRIES

    pages = [page.read_text("utf-8") for page in (ROOT / "docs" / "measures").glob("*.md")]
    assert [name for name in ENTRIES if sum(f"| `{name}` |" in page for page in pages) != 1] == []
    assert all("Formula" in page or "formulas" in page for page in pages)


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
            for option in parameter.opts if isinstance(parameter, click.Option) and not parameter.hidden else ():
                assert option in section, (name, option)


def test_every_format_is_documented() -> None:
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    assert [name for name in FORMAT_NAMES if f"### {name}\n" not in page] == []


def test_labels_have_the_degrees_that_the_glossary_says() -> None:
    from karat.formats.banks import drgym
    from karat.formats.datasets import argkp, realsumm, summhay, wice
    from karat.formats.eval_tools import ragchecker
    from karat.formats.nuggetizer import assignments
    from karat.formats.pyramids import lite

    page = (ROOT / "docs" / "glossary.md").read_text("utf-8").split("## Labels and degrees")[1].split("\n## ")[0]
    rows = {row[0]: row[1:] for row in (re.split(r" *\| *", line)[1:-1] for line in re.findall(r"^\| .*", page, re.M))}
    readers = {
        "AutoNuggetizer, open-rag-eval": [assignments.DEGREES],
        "SummHay": [summhay._DEGREES],
        "WiCE": [wice._DEGREES],
        "RAGChecker": [ragchecker._DEGREES],
        "DeepResearchGym": [drgym._DEGREES],
        "ArgKP, REALSumm, Lite2Pyramid": [argkp._DEGREES, realsumm._DEGREES, lite._DEGREES],
    }
    assert set(rows) == {"who", *readers}
    for who, tables in readers.items():
        said = {
            label: degree
            for labels, degree in zip(rows[who], (1.0, 0.5, 0.0), strict=True)
            for label in labels.split(", ")
            if label
        }
        for degrees in tables:
            assert {label: degrees[label] for label in said} == said, who


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
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
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
